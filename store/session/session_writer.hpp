// Writes the session of one objective into a directory: a line for each change. A file that is
// there is continued; when the objective is over the file is archived, and a later change begins a
// new one. One thread. The caller has a folder_lock of the directory, and writes the index.
#pragma once

#include "store/session/session_file.hpp"
#include "store/session/session_index.hpp"
#include "store/session/session_state.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/time.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

namespace troupe::sessions {

struct session_reading;

class session_writer {
public:
  /// Reads what is there. `last_archive`: the name of its last archive, empty if there is none;
  /// null: the directory is searched for it. `calls` outlives it. Errors: store_failed (it is
  /// damaged, or of something else; the message says where), store_unreadable, unavailable (it
  /// cannot be written).
  [[nodiscard]] static result<std::unique_ptr<session_writer>>
  open(std::string directory, const objective_id& id, file_calls& calls = system_file_calls(),
       const std::string* last_archive = nullptr);

  /// The next change of the objective's stream, or of that of its root task. Those that the session
  /// has already are passed over. `row`: the change as a row (record.hpp), if the caller has it.
  /// Errors: store_failed, unavailable.
  [[nodiscard]] result<void> add(const change& news, std::string_view row = {});
  /// What was added is safe then; the file is archived if the objective is over. Errors:
  /// store_failed, unavailable.
  [[nodiscard]] result<void> finish();

  // -- the same in steps, for a writer of many sessions -------------------------------------------
  // `close` of all, then they are made safe, then `settle` of all, then the names are made safe.

  /// What was added survives this process; the file stays open for more.
  [[nodiscard]] result<void> write_out();
  /// If the objective is over the last line is added. All is written out.
  [[nodiscard]] result<void> close();
  [[nodiscard]] result<void> sync() { return file_ ? file_->sync() : result<void>{}; }
  /// All is safe: the file is archived if its last line is there.
  [[nodiscard]] result<void> settle();
  /// What was not safe when it was settled last is cut off again. Nothing else follows.
  void roll_back();
  /// Takes no place among the open files, until it is needed again.
  void release_file() noexcept {
    if (file_)
      file_->release();
  }
  /// There is a file that grows.
  [[nodiscard]] bool is_growing() const noexcept { return file_ != nullptr; }
  /// The name of the last archive; empty: there is none.
  [[nodiscard]] const std::string& archived() const noexcept { return archived_; }

  /// Of all that the session has.
  [[nodiscard]] const session_state& state() const noexcept { return state_; }
  /// Changes that it did not have before.
  [[nodiscard]] std::uint64_t added() const noexcept { return added_; }
  /// The end of the file that was cut off before it was continued, in words; empty: nothing was.
  [[nodiscard]] const std::string& cut() const noexcept { return cut_; }
  /// There is a state.
  [[nodiscard]] index_entry entry() const;

private:
  session_writer(std::string directory, const objective_id& id, file_calls& calls);

  [[nodiscard]] result<void> look(const std::string* last_archive);
  [[nodiscard]] result<bool> look_at_file();
  [[nodiscard]] result<void> go_on(session_reading reading);
  [[nodiscard]] result<void> begin_file(timestamp at);
  [[nodiscard]] result<void> archive();
  [[nodiscard]] result<void> close_archive();
  [[nodiscard]] result<void> rename_to_archive();
  [[nodiscard]] result<void> write_line(const std::string& event, timestamp at);
  [[nodiscard]] std::string path_of(const std::string& name) const {
    return directory_ + "/" + name;
  }

  file_calls& calls_;
  const std::string directory_;
  const std::string key_;
  const std::string name_; ///< Of the file while it grows.
  session_state state_;
  std::unique_ptr<growing_file> file_; ///< Null: it is archived, or not begun.
  std::string archived_;               ///< The name of the last archive; empty: there is none.
  std::string parent_;                 ///< Of the file that grows, or of the last archive.
  std::string last_id_;
  std::uint64_t events_ = 0; ///< In the file that grows.
  timestamp began_{};
  std::uint64_t added_ = 0;
  std::string cut_;
  std::uint64_t safe_bytes_ = 0; ///< Of the file that grows.
  bool is_closed_ = false;       ///< It has its last line.
};

} // namespace troupe::sessions
