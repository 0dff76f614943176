// Cancels of remote tasks that are not settled: each is written down before it is sent, and crossed
// out when the agent has answered, so that a process that starts again delivers what is left. An
// append-only file of JSON lines, which survives `kill -9` and the loss of power. For one thread.
#pragma once

#include "agents/a2a/delegation_note.hpp"

#include <cstddef>
#include <map>
#include <string>
#include <vector>

namespace troupe {

class cancel_outbox {
public:
  /// `path`: empty: nothing is written down. The file is read by the first call.
  explicit cancel_outbox(std::string path) : path_(std::move(path)) {}

  /// What is left of earlier processes, and of this one.
  [[nodiscard]] std::vector<delegation_note> pending();
  /// The task of that note is to be canceled; again if more is known of it. Survives `kill -9`.
  void add(const delegation_note& note);
  /// What was added survives the loss of power, too: one sync for all that waits for it.
  void sync();
  /// It is settled, or given up.
  void remove(const delegation_note& note);

private:
  void read();
  void append(const std::string& line);
  bool write_anew();

  const std::string path_;
  bool is_read_ = false;
  bool is_torn_ = false;                     ///< The last line of the file has no end.
  bool is_dirty_ = false;                    ///< Something was added after the last sync.
  bool is_listed_ = false;                   ///< Its directory has the file, also after a crash.
  std::size_t lines_ = 0;                    ///< In the file.
  std::map<std::string, std::string> notes_; ///< By the id of the message.
};

/// Lines of the file, before it is written anew without what is crossed out. It is not, as long as
/// more than half of the lines are not settled.
inline constexpr std::size_t outbox_lines_max = 10'000;

} // namespace troupe
