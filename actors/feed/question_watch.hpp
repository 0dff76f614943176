// The questions that change, for a reader that shows each as it then stands. Only their addresses
// wait, each once: a reader that is slow misses no question, only states in between.
#pragma once

#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/task_life.hpp>
#include <troupe/store/store.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// Questions that wait for one reader: their ids take about 150 KiB at most. Above it they are
/// dropped, and the reader begins with a list again.
inline constexpr std::size_t watched_questions_max = 256;

/// Which questions are watched.
struct question_filter {
  std::string context; ///< An objective's id, or the contextId of lone tasks. Empty: any.
  task_id task;        ///< Empty: any.
};

/// Watches the questions of all owners, from the beginning of its life to the end. Thread-safe.
class question_watch {
public:
  /// `notify` is called on any thread when there is something to take; it must not block.
  /// `records` outlives it.
  question_watch(store& records, question_filter which, std::function<void()> notify);
  ~question_watch();
  question_watch(const question_watch&) = delete;
  question_watch& operator=(const question_watch&) = delete;

  struct news {
    /// Opened, claimed, released, answered, expired or withdrawn since, or due for a reminder; in
    /// the order of their first change.
    std::vector<question_address> changed;
    bool has_missed = false; ///< There were more, and it is not known which.
  };
  /// What has gathered.
  [[nodiscard]] news take();

private:
  class inbox;

  store& records_;
  const std::shared_ptr<inbox> inbox_;
};

} // namespace troupe
