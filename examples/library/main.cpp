// Troupe as a library: read a plan, run it, look at what came out. Prints `hello, world!`.
#include <troupe/actors/run_objective.hpp>
#include <troupe/agents/register_builtin.hpp>
#include <troupe/protocol/plan_document.hpp>
#include <troupe/store/await.hpp>

#include <iostream>

int main() {
  const auto plan =
      troupe::read_plan_document(R"({"name": "greeting", "plans": [{"name": "main", "tasks": [
    {"id": "hello", "name": "hello", "agent": "echo", "input": {"text": "hello"}},
    {"id": "world", "name": "world", "agent": "echo", "input": {"text": "${tasks.hello.artifacts[0].text}, world!"},
     "dependencies": ["hello"]}]}]})");
  troupe::agent_registry agents;
  troupe::register_builtin_agents(agents);
  const auto store = troupe::make_memory_store();
  troupe::gateway gateway(*store, agents);
  gateway.start();

  const auto done = troupe::run_objective(gateway, plan.value().objective);
  const auto last = troupe::await_task(*store, done.value()->plans[0].task_at(1)).value();
  std::cout << troupe::text_of(last->artifacts.at(0)->parts) << '\n';
}
