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

namespace troupe::sessions {

struct session_reading;

class session_writer {
public:
  /// Reads what is there. Errors: store_failed (it is damaged, or of something else; the message
  /// says where), store_unreadable.
  [[nodiscard]] static result<std::unique_ptr<session_writer>> open(std::string directory,
                                                                    const objective_id& id);

  /// The next change of the objective's stream, or of that of its root task. Those that the session
  /// has already are passed over. Errors: store_failed.
  [[nodiscard]] result<void> add(const change& news);
  /// What was added is safe then; the file is archived if the objective is over. Errors:
  /// store_failed.
  [[nodiscard]] result<void> finish();

  /// Of all that the session has.
  [[nodiscard]] const session_state& state() const noexcept { return state_; }
  /// Changes that it did not have before.
  [[nodiscard]] std::uint64_t added() const noexcept { return added_; }
  /// The end of the file that was cut off before it was continued, in words; empty: nothing was.
  [[nodiscard]] const std::string& cut() const noexcept { return cut_; }
  /// There is a state.
  [[nodiscard]] index_entry entry() const;

private:
  session_writer(std::string directory, const objective_id& id);

  [[nodiscard]] result<void> look();
  [[nodiscard]] result<bool> look_at_file();
  [[nodiscard]] result<void> go_on(session_reading reading);
  [[nodiscard]] result<void> begin_file(timestamp at);
  [[nodiscard]] result<void> archive();
  [[nodiscard]] result<void> close_archive();
  [[nodiscard]] result<void> write_line(const std::string& event, timestamp at);
  [[nodiscard]] std::string path_of(const std::string& name) const {
    return directory_ + "/" + name;
  }

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
};

} // namespace troupe::sessions
