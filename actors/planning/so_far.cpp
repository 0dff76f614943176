#include "actors/planning/so_far.hpp"

#include "actors/task/artifact_cache.hpp"
#include <troupe/actors/limits.hpp>
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/task.hpp>

#include <atomic>
#include <utility>
#include <vector>

namespace troupe {

namespace {

class outcome_reader : public std::enable_shared_from_this<outcome_reader> {
public:
  outcome_reader(const store& records, objective_ptr view, std::string client,
                 reply<std::shared_ptr<const objective_so_far>> done)
      : records_(records), client_(std::move(client)), done_(std::move(done)) {
    for (const auto& plan : view->plans)
      for (std::uint32_t t = 0; t < plan.tasks.size(); ++t) {
        const auto& summary = plan.tasks[t];
        if (plan.spec->is_removed || summary.is_skipped || !is_terminal(summary.state))
          continue;
        if (found_.outcomes.size() < replan_outcomes_max)
          found_.outcomes.push_back(
              {plan.task_at(t), plan.spec->id.str(), plan.spec->tasks[t].name, summary.state});
        else
          ++found_.left_out;
      }
    found_.view = std::move(view);
  }

  /// An answer that comes at once is taken in the same loop, not in a deeper one.
  void go_on() {
    while (!is_over_ && at_ < found_.outcomes.size()) {
      was_answered_.store(false, std::memory_order_relaxed);
      records_.read_task(
          found_.outcomes[at_].id,
          [me = shared_from_this()](const result<task_ptr>& record) {
            me->take(record);
            if (me->was_answered_.exchange(true, std::memory_order_acq_rel))
              me->go_on(); // the loop has ended meanwhile
          },
          client_);
      if (!was_answered_.exchange(true, std::memory_order_acq_rel))
        return; // the answer goes on
    }
    if (!std::exchange(is_over_, true))
      done_(std::make_shared<const objective_so_far>(std::move(found_)));
  }

private:
  void take(const result<task_ptr>& record) {
    if (record.has_error() && is_unreadable(record.error())) {
      is_over_ = true;
      return done_(record.error());
    }
    auto& outcome = found_.outcomes[at_++];
    if (!record || !*record)
      return;
    const auto& said = (*record)->status.message;
    if (said && outcome.state != task_state::completed)
      outcome.problem = text_of(said->parts);
    std::size_t more = outcome.problem.size();
    for (const auto& made : (*record)->artifacts)
      more += bytes_of(*made);
    if (bytes_ + more > replan_outcome_bytes_max) {
      ++found_.left_out;
      outcome.problem.clear();
      return;
    }
    bytes_ += more;
    outcome.artifacts = (*record)->artifacts;
  }

  const store& records_;
  const std::string client_;
  const reply<std::shared_ptr<const objective_so_far>> done_;
  objective_so_far found_;
  std::size_t at_ = 0;
  std::size_t bytes_ = 0;
  bool is_over_ = false;
  std::atomic<bool> was_answered_{false};
};

} // namespace

void read_so_far(const store& records, objective_ptr view, std::string client,
                 reply<std::shared_ptr<const objective_so_far>> done) {
  std::make_shared<outcome_reader>(records, std::move(view), std::move(client), std::move(done))
      ->go_on();
}

} // namespace troupe
