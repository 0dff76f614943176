#include "net/a2a/rest_path.hpp"
#include "tests/support/catch.hpp"

using namespace troupe::net;

namespace {

struct path_row {
  std::string path;
  bool below_v1;
  rest_resource resource;
  std::string action;
  std::string tenant;
  std::string id;
  std::string config;
};

} // namespace

TEST_CASE("every path of both versions is recognised", "[net][rest]") {
  using r = rest_resource;
  for (const auto& row : std::vector<path_row>{
           {"/message:send", false, r::message, "send", "", "", ""},
           {"//message:send", false, r::message, "send", "", "", ""},
           {"/message:stream", false, r::message, "stream", "", "", ""},
           {"/acme/message:send", false, r::message, "send", "acme", "", ""},
           {"/a%20b/tasks", false, r::tasks, "", "a b", "", ""},
           {"/tasks", false, r::tasks, "", "", "", ""},
           {"/tasks/", false, r::tasks, "", "", "", ""},
           {"/tasks/t1", false, r::task, "", "", "t1", ""},
           {"/tasks/t1:cancel", false, r::task, "cancel", "", "t1", ""},
           {"/tasks/a:b:cancel", false, r::task, "cancel", "", "a:b", ""},
           {"/tasks/a%3Ab%2Fc", false, r::task, "", "", "a:b/c", ""},
           {"/tasks/t1:subscribe", false, r::task, "subscribe", "", "t1", ""},
           {"/tasks/t1/pushNotificationConfigs", false, r::push_configs, "", "", "t1", ""},
           {"/tasks/t1/pushNotificationConfigs/c1", false, r::push_config, "", "", "t1", "c1"},
           {"/tasks/t1/pushNotificationConfigs/hook:1", false, r::push_config, "", "", "t1",
            "hook:1"},
           {"/tasks/t1/pushNotificationConfigs/hook%3A1", false, r::push_config, "", "", "t1",
            "hook:1"},
           {"/acme/tasks/t1/pushNotificationConfigs/c1", false, r::push_config, "", "acme", "t1",
            "c1"},
           {"/extendedAgentCard", false, r::extended_card, "", "", "", ""},
           {"/acme/extendedAgentCard", false, r::extended_card, "", "acme", "", ""},
           {"/objectives", false, r::objectives, "", "", "", ""},
           {"/acme/objectives", false, r::objectives, "", "acme", "", ""},
           {"/objectives/o%3A1", false, r::objective, "", "", "o:1", ""},
           {"/objectives/o:1/plans", false, r::plans, "", "", "o:1", ""},
           {"/objectives/plans", false, r::objective, "", "", "plans", ""},
           {"/plans/p1", false, r::plan, "", "", "p1", ""},
           {"/plans/p1:addTasks", false, r::plan, "addTasks", "", "p1", ""},
           {"/v1/objectives", true, r::objectives, "", "", "", ""},
           {"/v1/objectives/o1/plans", true, r::plans, "", "", "o1", ""},
           {"/v1/plans/p1", true, r::plan, "", "", "p1", ""},
           {"/v1/message:send", true, r::message, "send", "", "", ""},
           {"/v1/tasks", true, r::tasks, "", "", "", ""},
           {"/v1/tasks/t1:subscribe", true, r::task, "subscribe", "", "t1", ""},
           {"/v1/tasks/t1/pushNotificationConfigs/c1", true, r::push_config, "", "", "t1", "c1"},
           {"/v1/tasks/t1/pushNotificationConfigs/hook:1", true, r::push_config, "", "", "t1",
            "hook:1"},
           {"/v1/card", true, r::extended_card, "", "", "", ""},
       }) {
    CAPTURE(row.path);
    const auto found = parse_rest_path(row.path);
    REQUIRE(found);
    CHECK(found->below_v1 == row.below_v1);
    CHECK(found->resource == row.resource);
    CHECK(found->action == row.action);
    CHECK(found->tenant == row.tenant);
    CHECK(found->id == row.id);
    CHECK(found->config == row.config);
  }
}

TEST_CASE("a path of neither version is not found", "[net][rest]") {
  for (const std::string path : {"/",
                                 "//",
                                 "/v1",
                                 "/v1/",
                                 "/nothing",
                                 "/a/b/c",
                                 "/message",
                                 "/message:send/x",
                                 "/card",
                                 "/v1/extendedAgentCard",
                                 "/tasks/t1/other",
                                 "/tasks/t1/pushNotificationConfigs/c1/more",
                                 "/tasks/%zz",
                                 "/%/tasks",
                                 "/acme/v1/tasks",
                                 "/v1/acme/tasks",
                                 "/plans",
                                 "/objectives/o1/tasks",
                                 "/objectives/o1/plans/p1",
                                 "/plans/p1/tasks",
                                 "/tasks/t1/pushNotificationConfigs/c1/d/e/f/g/h"}) {
    CAPTURE(path);
    const auto found = parse_rest_path(path);
    if (path == "/message")
      CHECK((found && found->action.empty())); // there, but no verb of it: the table has no row
    else
      CHECK_FALSE(found);
  }
}
