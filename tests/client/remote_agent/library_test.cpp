// The tool as programs that use the library have it.
#include "tests/client/remote_agent/tool_bed.hpp"
#include <troupe/client/remote_agent.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

boost::json::object settings_for(const push_receiver& there, const std::string& more = {}) {
  return tree(R"({"targets":[{"alias":"support","baseUrl":")" + there.url("/")
              + R"(","default":true)" + more + "}]}")
      .as_object();
}

} // namespace

TEST_CASE("a program asks an agent by the tool, with its own key", "[client][remote-agent]") {
  push_receiver there;
  there.script({json_answer(card_text(there)), rpc_answer(task_text("working"))});
  auto tool = remote_agent_tool::make(settings_for(there), {{"support", "the-token"}}).value();
  const auto answer = tool.call(tree(R"({"action":"status","task_id":"task-456"})").as_object());
  CHECK(found_at(answer, "/ok") == "true");
  CHECK(found_at(answer, "/summary/continuation/task/status") == "working");
  REQUIRE(there.received().size() == 2);
  CHECK(there.received()[1].header("authorization") == "Bearer the-token");
}

TEST_CASE("what a program says wrong of the tool is refused with its place",
          "[client][remote-agent]") {
  const push_receiver there;
  CHECK(
      remote_agent_tool::make(settings_for(there, R"(,"auth":{"bearerEnv":"TOKEN"})")).error().field
      == "targets[0].auth");
  CHECK(remote_agent_tool::make(settings_for(there), {{"nobody", "k"}}).error().code
        == errc::invalid_document);
  auto off = settings_for(there);
  off["enabled"] = false;
  CHECK(remote_agent_tool::make(off).error().field == "enabled");
}
