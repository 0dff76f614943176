// What `remote_agent` sends: section E of the contract, as far as it is a value.
#include "client/remote_agent/outgoing.hpp"
#include "tests/client/remote_agent/contract.hpp"

using namespace troupe;
using namespace troupe::testing;
using wire::a2a_binding;
using wire::a2a_version;
using wire::wire_format;

namespace {

constexpr wire_format rpc_1_0{a2a_version::v1_0, a2a_binding::json_rpc};
constexpr wire_format rpc_0_3{a2a_version::v0_3, a2a_binding::json_rpc};
constexpr wire_format rest_0_3{a2a_version::v0_3, a2a_binding::rest};

boost::json::object sent(const std::string& more, wire_format format,
                         const remote_agent::settings& known = two_targets()) {
  const auto asked = valid(a_send(more), known);
  const remote_agent::route way{{}, asked.task_id, asked.context_id};
  return send_params(asked, way, known, "fresh", format);
}

} // namespace

TEST_CASE("remote-agent line 66: fields have the names of the wire, and the user speaks",
          "[client][remote-agent]") {
  const auto out = sent(
      R"(,"history_length":2,"accepted_output_modes":["text/plain"],"reference_task_ids":["r"])",
      rpc_0_3);
  CHECK(found_at(out, "/message/role") == "user");
  CHECK(found_at(out, "/message/kind") == "message");
  CHECK(found_at(out, "/message/parts/0/text") == "hi");
  CHECK(found_at(out, "/message/referenceTaskIds/0") == "r");
  CHECK(found_at(out, "/configuration/historyLength") == "2");
  CHECK(found_at(out, "/configuration/acceptedOutputModes/0") == "text/plain");
  CHECK(found_at(sent("", rpc_1_0), "/message/role") == "ROLE_USER");
  const std::string push =
      R"(,"push_notification_config":{"url":"https://h","authentication":{"schemes":["Bearer"]}})";
  CHECK(found_at(sent(push, rpc_0_3),
                 "/configuration/pushNotificationConfig/authentication/schemes/0")
        == "Bearer");
  CHECK(found_at(sent(push, rpc_1_0),
                 "/configuration/taskPushNotificationConfig/authentication/scheme")
        == "Bearer");
  CHECK(found_at(sent(push, rest_0_3), "/configuration/pushNotification/url") == "https://h");
}

TEST_CASE("remote-agent line 67: metadata belong to the request, not to the message",
          "[client][remote-agent]") {
  const auto out = sent(R"(,"metadata":{"ticket_id":"INC-42"})", rpc_0_3);
  CHECK(found_at(out, "/metadata/ticket_id") == "INC-42");
  CHECK(found_at(out, "/message/metadata") == "(none)");
}

TEST_CASE("remote-agent line 68: a task id continues; a context alone, or references, do not",
          "[client][remote-agent]") {
  CHECK(found_at(sent(R"(,"task_id":"t")", rpc_1_0), "/message/taskId") == "t");
  const auto related = sent(R"(,"context_id":"c","reference_task_ids":["r"])", rpc_1_0);
  CHECK(found_at(related, "/message/taskId") == "(none)");
  CHECK(found_at(related, "/message/contextId") == "c");
}

TEST_CASE("remote-agent line 70: who requires a task waits for nothing", "[client][remote-agent]") {
  for (const auto* more : {"", R"(,"blocking":true)", R"(,"blocking":false)"}) {
    const auto required = R"(,"task_requirement":"required")" + std::string(more);
    CHECK(found_at(sent(required, rpc_0_3), "/configuration/blocking") == "false");
    CHECK(found_at(sent(required, rpc_1_0), "/configuration/returnImmediately") == "true");
  }
  CHECK(found_at(sent(R"(,"blocking":true)", rpc_0_3), "/configuration/blocking") == "true");
  CHECK(found_at(sent(R"(,"blocking":false)", rpc_1_0), "/configuration/returnImmediately")
        == "true");
  CHECK(found_at(sent("", rpc_0_3), "/configuration") == "(none)");
}

TEST_CASE("remote-agent line 73: a call's parameters take the place of the defaults'",
          "[client][remote-agent]") {
  const auto known =
      two_targets(R"(,"defaults":{"serviceParameters":{"X-Team":"blue","X-Env":"test"}})");
  const auto headers = headers_of(
      valid(a_send(R"(,"service_parameters":{"x-team":"red","X-More":"1"})"), known), known);
  using pairs = std::vector<std::pair<std::string, std::string>>;
  CHECK(headers == pairs{{"X-Team", "red"}, {"X-Env", "test"}, {"X-More", "1"}});
}

TEST_CASE("remote-agent line 74: the call's output modes count, else the policy's",
          "[client][remote-agent]") {
  const auto known = two_targets(R"(,"policy":{"acceptedOutputModes":["text/html"]})");
  CHECK(found_at(sent("", rpc_1_0, known), "/configuration/acceptedOutputModes/0") == "text/html");
  CHECK(found_at(sent(R"(,"accepted_output_modes":["text/plain"])", rpc_1_0, known),
                 "/configuration/acceptedOutputModes/0")
        == "text/plain");
  CHECK(found_at(sent(R"(,"accepted_output_modes":[])", rpc_1_0, known),
                 "/configuration/acceptedOutputModes")
        == "(none)");
}
