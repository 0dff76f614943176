// Troupe itself, as a C++ program would use it: objectives handed to the gateway, one plan each, and a watcher on each that sees every
// committed change.
#include "bench/plan_throughput/contender.hpp"
#include "bench/support/executor.hpp"
#include "bench/support/harness.hpp"

namespace troupe::bench {

namespace {

objective_spec spec_of(const shape& what) {
  auto plan = std::make_shared<plan_spec>();
  plan->name = what.name;
  plan->tasks.resize(what.size());
  for (std::size_t i = 0; i < what.size(); ++i) {
    auto& task = plan->tasks[i];
    task.name = "step " + std::to_string(i);
    task.agent = "noop";
    for (const auto from : what.dependencies[i])
      task.dependencies.push_back("task-" + std::to_string(from));
  }
  objective_spec made;
  made.name = what.name;
  made.plans.push_back(std::move(plan));
  return made;
}

double run_on(executor& all, const load& what) {
  const auto spec = spec_of(*what.what);
  plan_window window(plans_in_flight(what));
  const auto leave = [&window](const std::string& problem) { window.leave(problem); };
  const auto seconds = seconds_of([&] {
    for (std::size_t i = 0; i < what.plans; ++i) {
      window.enter();
      all.start(spec, std::make_shared<objective_watch>(what.what->size(), leave), leave);
    }
    window.wait_all();
  });
  return static_cast<double>(what.plans * what.what->size()) / seconds;
}

} // namespace

double run_in_memory(const load& what) {
  const auto all = executor::in_memory(what.threads);
  return run_on(*all, what);
}

double run_durable(const load& what, const std::string& directory) {
  const auto all = executor::durable(what.threads, directory);
  return run_on(*all, what);
}

std::vector<double> run_alone(const shape_ptr& what, std::size_t times, std::size_t threads,
                              const std::string& directory) {
  const auto all = executor::durable(threads, directory);
  const auto spec = spec_of(*what);
  std::vector<double> seconds;
  for (std::size_t i = 0; i < times; ++i)
    seconds.push_back(seconds_of([&] { all->run(spec); }));
  return seconds;
}

} // namespace troupe::bench
