// A planner of one's own, in about twenty lines: it parts a text at its commas, and each piece is a
// task. It is asked about texts from which templates and the grammar make no plan. A server that is
// built with it does that for messages; here it is asked directly. Prints `wash, dry, fold`.
#include <troupe/actors/run_objective.hpp>
#include <troupe/actors/text_planner.hpp>

#include <iostream>
#include <memory>
#include <sstream>
#include <string>
#include <utility>
#include <variant>

class comma_planner final : public troupe::text_planner {
public:
  troupe::planner_start plan(const troupe::planning_order_ptr& order,
                             const troupe::planner_port_ptr&) override {
    troupe::plan_spec plan;
    plan.name = "pieces";
    std::istringstream pieces{order->text};
    for (std::string piece; std::getline(pieces >> std::ws, piece, ',');) {
      troupe::task_spec task;
      task.name = piece;
      plan.tasks.push_back(task);
    }
    if (plan.tasks.size() < 2)
      return troupe::report_no_plan{"there is no comma"};
    troupe::objective_spec out;
    out.name = order->text;
    out.plans.push_back(std::make_shared<const troupe::plan_spec>(std::move(plan)));
    return troupe::report_plan{std::move(out), {"a comma parts two tasks"}};
  }
};

int main() {
  troupe::executor_options options;
  options.planning.planner = std::make_shared<comma_planner>();
  const auto store = troupe::make_memory_store();
  troupe::agent_registry agents;
  agents.add("echo", [](const troupe::order& order) { return order.text(); });
  const troupe::gateway gateway(*store, agents, options); // for a server: troupe/net/server.hpp

  auto asked = std::make_shared<troupe::planning_order>();
  asked->text = "wash, dry, fold";
  const auto made = options.planning.planner->plan(asked, nullptr);
  const auto* plan = std::get_if<troupe::report_plan>(&made);
  if (plan == nullptr || !gateway.check(plan->objective)) {
    std::cerr << "no plan that could run\n";
    return 1;
  }
  const char* between = "";
  for (const auto& task : plan->objective.plans[0]->tasks)
    std::cout << std::exchange(between, ", ") << task.name;
  std::cout << '\n';
}
