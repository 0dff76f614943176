#include "bench/support/executor.hpp"

#include "bench/support/harness.hpp"
#include "store/session/session_store.hpp"
#include <troupe/agents/register_builtin.hpp>

#include <future>
#include <utility>

namespace troupe::bench {

namespace {

/// Runs for ever, and stops at once when told to.
class endless_run final : public agent_run {
public:
  explicit endless_run(agent_port_ptr port) : port_(std::move(port)) {}
  bool on_cancel() override { return true; }

private:
  agent_port_ptr port_; // Kept, as by any agent that has something to report later.
};

class hang_agent final : public agent {
public:
  start_result start(const order_ptr&, const agent_port_ptr& port) override {
    return std::make_unique<endless_run>(port);
  }
};

} // namespace

objective_watch::objective_watch(std::size_t tasks, std::function<void(const std::string&)> settled)
    : tasks_(tasks), settled_(std::move(settled)), completed_(tasks) {}

void objective_watch::on_change(const change_ptr& change) {
  for (const auto& one : change->events) {
    if (const auto* moved = std::get_if<task_moved>(&one))
      on_task(*change, *moved);
    else if (const auto* objective = std::get_if<objective_moved>(&one);
             objective && is_settled(objective->to()))
      on_settled(objective->to(), objective->reason);
  }
}

void objective_watch::on_task(const change& change, const task_moved& moved) {
  if (!is_terminal(moved.to))
    return;
  const auto position = change.task.task_index;
  if (moved.to != task_state::completed)
    problem_ = change.task.id.str() + " ended as " + std::string(to_string(moved.to));
  else if (over_)
    problem_ = change.task.id.str() + " ended after its objective";
  else if (change.task.plan_index != 0 || position >= tasks_ || completed_[position])
    problem_ = change.task.id.str() + " ended twice, or was never asked for";
  else {
    completed_[position] = true;
    ++completed_count_;
  }
}

void objective_watch::on_settled(objective_state state, const std::string& reason) {
  if (over_)
    return;
  over_ = true;
  if (state != objective_state::completed)
    problem_ = "an objective ended as " + std::string(to_string(state)) + ": " + reason;
  else if (problem_.empty() && completed_count_ != tasks_)
    problem_ = "an objective completed with " + std::to_string(completed_count_) + " of "
               + std::to_string(tasks_) + " tasks";
  settled_(problem_);
}

executor::executor(std::unique_ptr<store> records, executor_options how)
    : records_(std::move(records)) {
  auto found = records_->recover();
  check(found.has_value(), found.has_error() ? found.error().message : "");
  found_ = std::move(*found);
  register_builtin_agents(agents_);
  agents_.add("hang", std::make_shared<hang_agent>());
  gateway_ = std::make_unique<troupe::gateway>(*records_, agents_, how);
  gateway_->start();
  gateway_->resume(found_);
}

executor::~executor() {
  gateway_.reset();
}

std::unique_ptr<executor> executor::in_memory(std::size_t threads) {
  executor_options how;
  how.threads = threads;
  return std::make_unique<executor>(make_memory_store(), how);
}

std::unique_ptr<executor> executor::durable(std::size_t threads, const std::string& directory) {
  auto records = open_rocksdb_store({.directory = directory, .durability = durability::sync});
  check(records.has_value(), records.has_error() ? records.error().message : "");
  executor_options how;
  how.threads = threads;
  return std::make_unique<executor>(std::move(*records), how);
}

std::unique_ptr<executor> executor::in_sessions(std::size_t threads, const std::string& directory) {
  auto records = open_session_store({.directory = directory, .durability = durability::sync});
  check(records.has_value(), records.has_error() ? records.error().message : "");
  executor_options how;
  how.threads = threads;
  return std::make_unique<executor>(std::move(*records), how);
}

void executor::start(objective_spec spec, watcher_ptr follow,
                     std::function<void(const std::string&)> refused) {
  create_objective command;
  command.spec = std::move(spec);
  command.start = true;
  gateway_->create(std::move(command), std::move(follow),
                   [refused = std::move(refused)](result<objective_ptr> answer) {
                     if (answer.has_error())
                       refused("refused: " + answer.error().message);
                   });
}

void executor::run(const objective_spec& spec) {
  // Shared: the refusal and the watcher may outlive this call.
  auto settled = std::make_shared<std::promise<std::string>>();
  auto answer = settled->get_future();
  const auto tell = [settled](const std::string& problem) { settled->set_value(problem); };
  start(spec, std::make_shared<objective_watch>(task_count(spec), tell), tell);
  const auto problem = answer.get();
  check(problem.empty(), problem);
}

std::size_t task_count(const objective_spec& spec) {
  std::size_t count = 0;
  for (const auto& plan : spec.plans)
    count += plan->tasks.size();
  return count;
}

} // namespace troupe::bench
