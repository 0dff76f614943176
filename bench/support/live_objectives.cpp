#include "bench/support/live_objectives.hpp"

#include "bench/support/harness.hpp"
#include "bench/support/shape.hpp"

#include <atomic>
#include <future>
#include <utility>

namespace troupe::bench {

namespace {

/// Counts the tasks that have begun; any that ends is a mistake.
class began_watch final : public watcher {
public:
  began_watch(std::size_t tasks, std::promise<std::string> all_began)
      : tasks_(tasks), all_began_(std::move(all_began)) {}

  void on_change(const change_ptr& change) override {
    for (const auto& one : change->events)
      if (const auto* moved = std::get_if<task_moved>(&one)) {
        if (moved->to == task_state::working && ++began_ == tasks_)
          say("");
        else if (is_terminal(moved->to))
          say(change->task.id.str() + " ended as " + std::string(to_string(moved->to)));
      }
  }

  void say(const std::string& problem) {
    if (!said_.exchange(true))
      all_began_.set_value(problem);
  }

private:
  std::size_t tasks_;
  std::size_t began_ = 0;
  std::atomic<bool> said_{false};
  std::promise<std::string> all_began_;
};

} // namespace

void start_live(executor& all, std::size_t objectives, std::size_t tasks) {
  shape independent;
  independent.name = "wait";
  independent.dependencies.resize(tasks);
  std::vector<std::future<std::string>> begun;
  for (std::size_t i = 0; i < objectives; ++i) {
    std::promise<std::string> all_began;
    begun.push_back(all_began.get_future());
    auto watch = std::make_shared<began_watch>(tasks, std::move(all_began));
    // Each with a document of its own, as clients send them.
    all.start(spec_of(independent, "hang"), watch,
              [watch](const std::string& problem) { watch->say(problem); });
  }
  for (auto& one : begun) {
    const auto problem = one.get();
    check(problem.empty(), problem);
  }
}

} // namespace troupe::bench
