// A task asks, and the program answers. Prints `booked by the sea`.
#include <troupe/actors/run_objective.hpp>
#include <troupe/agents/register_builtin.hpp>
#include <troupe/protocol/plan_document.hpp>
#include <troupe/store/await.hpp>

#include <future>
#include <iostream>
#include <variant>

namespace {

/// Fulfils a promise when the task that it watches has completed.
class completion_watcher : public troupe::watcher {
public:
  void on_change(const troupe::change_ptr& news) override {
    for (const auto& event : news->events)
      if (const auto* moved = std::get_if<troupe::task_moved>(&event);
          moved != nullptr && moved->to == troupe::task_state::completed)
        done_.set_value();
  }
  std::future<void> done() { return done_.get_future(); }

private:
  std::promise<void> done_;
};

} // namespace

int main() {
  const auto plan = troupe::read_plan_document(R"({"name": "Trip", "tasks": [
    {"name": "Hotel", "agent": "scripted", "input": {"steps": [
      {"ask": "By the sea, or in the centre?"}, {"artifactFromAnswer": {"name": "hotel"}}]}}]})");
  troupe::agent_registry agents;
  troupe::register_builtin_agents(agents);
  const auto store = troupe::make_memory_store();
  troupe::gateway gateway(*store, agents);
  gateway.start();

  // It returns because nothing can go on without an answer.
  const auto asking = troupe::run_objective(gateway, plan.value().objective).value();
  const auto task = asking->plans[0].task_at(0);
  const auto watcher = std::make_shared<completion_watcher>();
  auto completed = watcher->done();
  static_cast<void>(troupe::await_read<troupe::task_snapshot>(
      [&](auto done) { store->snapshot_task(task, watcher, done); }));

  troupe::send_message answer;
  answer.message.message_id = "answer-1";
  answer.message.task_id = task.str();
  answer.message.parts.push_back(troupe::text_part("by the sea"));
  const auto taken = troupe::await_read<troupe::sent>(
      [&](auto done) { gateway.send(std::move(answer), nullptr, done); });
  if (!taken) {
    std::cerr << taken.error().message << '\n';
    return 1;
  }
  completed.wait();
  const auto record = troupe::await_task(*store, task).value();
  std::cout << "booked " << troupe::text_of(record->artifacts.at(0)->parts) << '\n';
}
