// What the root task of a completed objective has: the artifacts of the last tasks, so that a
// client that knows nothing of plans gets its result. Only here an objective reads what its tasks
// made.
#include "actors/objective/objective_actor.hpp"
#include "actors/task/artifact_cache.hpp"
#include "actors/task/status_message.hpp"
#include "protocol/fold/last_tasks.hpp"
#include <troupe/actors/limits.hpp>
#include <troupe/protocol/message.hpp>

#include <atomic>
#include <iterator>
#include <memory>
#include <utility>

namespace troupe {

namespace {

/// Reads tasks one after the other: together they may have more than the root task has room for.
class result_reader : public std::enable_shared_from_this<result_reader> {
public:
  result_reader(const environment& env, objective_handle to, found_last_tasks last)
      : records_(env.records), artifacts_(env.artifacts), to_(std::move(to)),
        tasks_(std::move(last.first)), left_out_(last.left_out) {}

  void begin() { go_on(); }

private:
  /// An answer that comes at once is taken in the same loop, not in a deeper one. After
  /// `is_answered_` nothing is read: the objective begins again with another reader.
  void go_on() {
    while (!is_answered_ && at_ < tasks_.size() && has_room()) {
      was_answered_.store(false, std::memory_order_relaxed);
      artifacts_->find(records_, tasks_[at_],
                       [me = shared_from_this()](const result<made_by_task>& made) {
                         me->take(made);
                         if (me->was_answered_.exchange(true, std::memory_order_acq_rel))
                           me->go_on(); // the loop has ended meanwhile
                       });
      if (!was_answered_.exchange(true, std::memory_order_acq_rel))
        return; // the answer goes on
    }
    if (!std::exchange(is_answered_, true))
      tell(to_, result_read{result_read::outcome::done, std::move(found_),
                            tasks_.size() - at_ + left_out_});
  }

  [[nodiscard]] bool has_room() const { return bytes_ < root_result_bytes_max; }

  void take(const result<made_by_task>& made) {
    if (made.has_error() && is_unreadable(made.error())) {
      is_answered_ = true;
      return tell(to_, result_read{result_read::outcome::unreadable});
    }
    std::size_t more = 0;
    if (made)
      for (const auto& one : made->artifacts)
        more += bytes_of(*one);
    if (made && bytes_ + more <= root_result_bytes_max)
      for (const auto& one : made->artifacts)
        found_.push_back(result_artifact(tasks_[at_], *one));
    bytes_ += more;
    if (bytes_ <= root_result_bytes_max)
      ++at_; // else it and the rest are left out
  }

  const store& records_;
  const std::shared_ptr<artifact_cache> artifacts_;
  const objective_handle to_;
  const std::vector<task_id> tasks_;
  const std::size_t left_out_; ///< Beside those.
  std::vector<artifact_ptr> found_;
  std::size_t at_ = 0;
  std::size_t bytes_ = 0;
  bool is_answered_ = false;
  std::atomic<bool> was_answered_{false};
};

} // namespace

void objective_actor::end_root(change end, committed_fn then) {
  root_end_ = root_end{std::move(end), std::move(then)};
  ++unwritten_; // it stays until this is written
  read_result();
}

void objective_actor::read_result() {
  auto last = last_tasks(view(), life_.relations(), root_result_tasks_max);
  if (last.first.empty())
    return on(result_read{});
  std::make_shared<result_reader>(env_, handle_of(self_), std::move(last))->begin();
}

void objective_actor::on(const result_read& fact) {
  if (!root_end_)
    return;
  if (fact.how == result_read::outcome::unreadable)
    return tell_after(store_read_pause, handle_of(self_),
                      result_read{result_read::outcome::read_again});
  if (fact.how == result_read::outcome::read_again)
    return read_result();
  auto end = std::move(*root_end_);
  root_end_.reset();
  std::vector<event> events;
  for (const auto& one : fact.artifacts)
    events.emplace_back(task_artifact{one, false, true});
  if (fact.left_out > 0)
    for (auto& one : end.last.events)
      if (auto* moved = std::get_if<task_moved>(&one))
        moved->message =
            make_status_message("the artifacts of the last " + std::to_string(fact.left_out)
                                    + " tasks do not fit here; get these tasks",
                                view().id.str(), view().root_task);
  std::move(end.last.events.begin(), end.last.events.end(), std::back_inserter(events));
  end.last.events = std::move(events);
  write(std::move(end.last), std::move(end.then));
  --unwritten_; // `write` counts it now
}

} // namespace troupe
