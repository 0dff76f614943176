// Which operations belong to which method.
#include "protocol/opt/plan_operations.hpp"
#include "tests/support/catch.hpp"

#include <string_view>

using namespace troupe::opt;

TEST_CASE("an operation belongs to plans/modify, to objectives/modify, or to both",
          "[protocol][opt]") {
  for (const std::string_view op :
       {"addTask", "removeTask", "replaceTask", "skipTask", "completeTask", "retryTask",
        "addDependency", "removeDependency", "renameTask", "setDeadline", "setPriority"}) {
    CAPTURE(op);
    CHECK(is_plan_operation(op));
    CHECK_FALSE(is_objective_operation(op));
  }
  for (const std::string_view op :
       {"setObjective", "skipPlan", "setPlanDependencies", "addPlan", "removePlan"}) {
    CAPTURE(op);
    CHECK_FALSE(is_plan_operation(op));
    CHECK(is_objective_operation(op));
  }
  CHECK(is_plan_operation("setPlan"));
  CHECK(is_objective_operation("setPlan"));
  for (const std::string_view op : {"", "addtask", "Task", "findTask"}) {
    CAPTURE(op);
    CHECK_FALSE(is_plan_operation(op));
    CHECK_FALSE(is_objective_operation(op));
  }
}
