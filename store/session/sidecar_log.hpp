// The sidecar file of a store of sessions: what such a store has beside its objectives, as a file
// of lines. These are the changes of lone tasks, what may come once, and push configurations. Only
// where the sessions are the store (docs/sessions.md). Lines are those of a session file, with the
// same checksum; damage is told from a cut end in the same way.
#pragma once

#include "store/group.hpp"
#include "store/session/session_file.hpp"
#include "store/session/session_reader.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::sessions {

/// In the directory of sessions.
inline constexpr std::string_view sidecar_name = "troupe-rest.jsonl";

/// Once so many bytes of lines were added that may have been replaced since, and half of the file
/// is such, it is written anew without them.
inline constexpr std::uint64_t sidecar_stale_bytes_max = std::uint64_t{64} << 20;

/// A file that was read.
struct sidecar_reading {
  std::uint64_t bytes = 0; ///< Of its whole lines; 0: there is none.
  std::uint64_t events = 0;
  std::uint64_t replaceable_bytes = 0; ///< Of lines that later ones may replace.
  std::optional<cut_end> cut;
};

/// Calls `take` with each entry in order; its texts last as long as the call. Errors: store_failed
/// (it is damaged; the message says in which line), store_unreadable, those of `take`.
[[nodiscard]] result<sidecar_reading>
read_sidecar(const std::string& path, const std::function<result<void>(const group_entry&)>& take);

class sidecar_log {
public:
  /// Goes on with the file in `directory`, of which `known` was read. `calls` outlives it.
  sidecar_log(const std::string& directory, const sidecar_reading& known, file_calls& calls,
              std::uint64_t stale_bytes_max = sidecar_stale_bytes_max);

  /// `at`: the time of the line. Errors: unavailable.
  [[nodiscard]] result<void> add(const group_entry& entry, timestamp at);

  // As session_writer's:
  [[nodiscard]] result<void> write_out();
  [[nodiscard]] result<void> sync();
  /// All is safe. If much of the file was replaced it is written anew; `now`: whose time is over
  /// then is left out.
  [[nodiscard]] result<void> settle(timestamp now);
  void roll_back();
  void release_file() noexcept {
    if (file_)
      file_->release();
  }
  /// Something was added since it was settled.
  [[nodiscard]] bool is_touched() const noexcept { return known_.events != safe_.events; }

private:
  [[nodiscard]] result<void> begin();
  [[nodiscard]] result<void> compact(timestamp now);

  const std::string directory_;
  const std::string path_;
  file_calls& calls_;
  const std::uint64_t stale_bytes_max_;
  sidecar_reading known_; ///< With what was added.
  sidecar_reading safe_;
  std::unique_ptr<growing_file> file_;
};

} // namespace troupe::sessions
