// What a session leads to: an objective and its tasks, by the one fold (protocol/fold/apply.hpp).
// Also its form as a snapshot, with which a session begins that continues another one. One thread.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <string>

namespace troupe::sessions {

class session_state {
public:
  /// The next change of the objective's stream, or of that of its root task. errc::store_failed: it
  /// does not follow from those before, or is not whole; then nothing was changed. The message has
  /// no name of a file.
  [[nodiscard]] result<void> take(const change& news);

  /// Null: there was no change yet.
  [[nodiscard]] const objective_view* view() const noexcept { return view_.get(); }
  /// That have begun, by id; with the root task.
  [[nodiscard]] const std::map<std::string, std::shared_ptr<task>>& tasks() const noexcept {
    return tasks_;
  }
  /// Of the last change of the objective's stream, and of the root task's; 0: none.
  [[nodiscard]] std::uint64_t sequence() const noexcept { return sequence_; }
  [[nodiscard]] std::uint64_t root_sequence() const noexcept { return root_sequence_; }
  /// Of the last change.
  [[nodiscard]] timestamp at() const noexcept { return at_; }
  /// The objective is settled, and all its tasks have ended.
  [[nodiscard]] bool is_over() const noexcept;

  /// Adds it as a JSON object. There is a view.
  void write(std::string& out) const;
  /// Errors: store_failed.
  [[nodiscard]] static result<session_state> read(const boost::json::object& snapshot);

private:
  [[nodiscard]] result<void> check(const change& news) const;
  void take_task(const change& news);

  std::shared_ptr<objective_view> view_;
  std::map<std::string, std::shared_ptr<task>> tasks_;
  std::size_t live_ = 0; ///< Of `tasks_`.
  std::uint64_t sequence_ = 0;
  std::uint64_t root_sequence_ = 0;
  timestamp at_{};
};

} // namespace troupe::sessions
