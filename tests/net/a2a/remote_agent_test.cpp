// The tool `remote_agent` against a whole server, in every version and binding: a caller sees the
// same, whichever is spoken.
#include "client/remote_agent/tool.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <optional>
#include <string>

using namespace troupe;
using namespace troupe::testing;
using wire::a2a_binding;
using wire::a2a_version;

namespace json = boost::json;

namespace {

constexpr auto spoken = std::to_array<wire::wire_format>({
    {a2a_version::v1_0, a2a_binding::json_rpc},
    {a2a_version::v1_0, a2a_binding::rest},
    {a2a_version::v0_3, a2a_binding::json_rpc},
    {a2a_version::v0_3, a2a_binding::rest},
});

/// The tool, whose target `there` is this server.
remote_agent::settings settings_for(const net_bed& bed, std::optional<wire::wire_format> format) {
  auto known = remote_agent::read_settings(
                   json::parse(R"({"targets":[{"alias":"there","baseUrl":"http://127.0.0.1:)"
                               + std::to_string(bed.port) + R"(","default":true}]})")
                       .as_object(),
                   remote_agent::spelling::camel)
                   .value();
  if (format) {
    known.targets.at(0).how.version = format->version;
    known.targets.at(0).how.binding = format->binding;
  }
  REQUIRE(remote_agent::complete(known).has_value());
  return known;
}

struct caller {
  explicit caller(const net_bed& bed, std::optional<wire::wire_format> format = {})
      : tool(settings_for(bed, format)) {}

  json::object ask(const std::string& request) {
    auto out = tool.call(json::parse(request));
    INFO(json::serialize(out));
    CHECK(out.at("ok") == true);
    return out;
  }
  json::object send(const std::string& parts, const std::string& more = {}) {
    return ask(R"({"action":"send","parts":[)" + parts + "]" + more + "}");
  }
  /// `action` on the task of an earlier answer.
  json::object go_on(const std::string& action, const json::object& earlier,
                     const std::string& more = {}) {
    return ask(R"({"action":")" + action + R"(","continuation":)"
               + json::serialize(earlier.at("summary").at("continuation")) + more + "}");
  }

  remote_agent::blocking_tool tool;
};

std::string steps(const std::string& all) {
  return R"({"kind":"data","data":{"steps":)" + all + "}}";
}

const std::string hello = R"({"kind":"text","text":"hello"})";

} // namespace

TEST_CASE("remote-agent line 76: the card says which version and binding are spoken, and a caller "
          "does not see it",
          "[net][remote-agent]") {
  const net_bed bed;
  for (const auto& format : spoken) {
    caller by(bed, format);
    const auto answer = by.send(hello);
    CHECK(at(answer, "/summary/response_kind") == "task");
    CHECK(at(answer, "/summary/message_text") == "hello\n\nhello"); // asked, made
    CHECK(at(answer, "/summary/continuation/task/status") == "completed");
    CHECK(at(answer, "/summary/artifacts/0/parts/0/kind") == "text");
    CHECK(at(answer, "/raw/kind") == "task");
    CHECK(at(answer, "/raw/status/state") == "completed");
    CHECK(at(answer, "/raw/history/0/role") == "user");
    CHECK(at(answer, "/raw/history/0/parts/0/kind") == "text");
  }
  caller by(bed);
  static_cast<void>(by.send(hello));
}

TEST_CASE("remote-agent line 72: a followed send shows every event in one language",
          "[net][remote-agent]") {
  const net_bed bed;
  for (const auto& format : spoken) {
    caller by(bed, format);
    const auto answer = by.send(hello, R"(,"follow_updates":true)");
    CHECK(at(answer, "/raw/events/0/kind") == "task");
    CHECK(at(answer, "/raw/finalEvent/kind") == "status-update");
    CHECK(at(answer, "/raw/finalEvent/status/state") == "completed");
    CHECK(at(answer, "/raw/finalEvent/final") == "true");
    CHECK(at(answer, "/summary/continuation/task/can_watch") == "false");
  }
}

TEST_CASE("remote-agent line 69: a question is answered, and no second task is made",
          "[net][remote-agent]") {
  const net_bed bed({}, "scripted");
  for (const auto& format : spoken) {
    caller by(bed, format);
    const auto asked =
        by.send(steps(R"([{"ask":"Which city?"},{"artifactFromAnswer":{"name":"city"}},)"
                      R"({"complete":"booked"}])"));
    CHECK(at(asked, "/summary/continuation/task/status") == "input-required");
    CHECK(at(asked, "/summary/message_text").find("Which city?") != std::string::npos);
    CHECK(at(asked, "/summary/continuation/task/can_resume_send") == "true");
    const auto done = by.go_on("send", asked, R"(,"parts":[{"kind":"text","text":"Oslo"}])");
    CHECK(at(done, "/summary/continuation/task/task_id")
          == at(asked, "/summary/continuation/task/task_id"));
    CHECK(at(done, "/summary/continuation/task/task_handle")
          == at(asked, "/summary/continuation/task/task_handle"));
    CHECK(at(done, "/summary/continuation/task/status") == "completed");
    CHECK(at(done, "/summary/artifacts/0/parts/0/text") == "Oslo");
  }
  CHECK(bed.result_of("ListTasks", "{}").at("tasks").as_array().size() == spoken.size());
}

TEST_CASE("remote-agent line 71: a required task is there at once, and is followed to its end",
          "[net][remote-agent]") {
  const net_bed bed({}, "scripted");
  for (const auto& format : spoken) {
    caller by(bed, format);
    const auto begun = by.send(steps(R"([{"hang":true}])"), R"(,"task_requirement":"required")");
    const auto state = at(begun, "/summary/continuation/task/status");
    CHECK((state == "submitted" || state == "working"));
    CHECK(at(by.go_on("status", begun), "/summary/continuation/task/can_cancel") == "true");
    CHECK(at(by.go_on("cancel", begun), "/ok") == "true");
    const auto followed = by.send(steps(R"([{"complete":"booked"}])"),
                                  R"(,"task_requirement":"required","follow_updates":true)");
    CHECK(at(followed, "/summary/continuation/task/status") == "completed");
  }
}

TEST_CASE("remote-agent line 123: to watch what has ended gives its end in every version",
          "[net][remote-agent]") {
  const net_bed bed;
  for (const auto& format : spoken) {
    caller by(bed, format);
    const auto done = by.send(hello);
    const auto watched = by.go_on("watch", done);
    CHECK(watched.at("raw").at("events").as_array().size() == 1);
    CHECK(at(watched, "/raw/finalEvent/kind") == "task");
    CHECK(at(watched, "/raw/finalEvent/status/state") == "completed");
  }
}

TEST_CASE("remote-agent line 37: the history is as long as it is asked for",
          "[net][remote-agent]") {
  const net_bed bed;
  for (const auto& format : spoken) {
    caller by(bed, format);
    const auto done = by.send(hello, R"(,"history_length":0)");
    const bool takes_0_for_all = // as the proto of 0.3 says
        format == wire::wire_format{a2a_version::v0_3, a2a_binding::rest};
    CHECK((at(done, "/raw/history/0") == "(none)") != takes_0_for_all);
    CHECK(at(by.go_on("status", done, R"(,"history_length":1)"), "/raw/history/0/role") == "user");
  }
}

TEST_CASE("remote-agent line 92: a server of both versions is listed with its interfaces",
          "[net][remote-agent]") {
  const net_bed bed;
  caller by(bed);
  const auto answer = by.ask(R"({"action":"list_targets"})");
  const auto& one = answer.at("summary").at("targets").at(0);
  CHECK(at(one, "/target_alias") == "there");
  CHECK(at(one, "/peer_card/preferred_transport") == "JSONRPC");
  CHECK(at(one, "/peer_card/capabilities/streaming") == "true");
  CHECK(one.at("peer_card").at("additional_interfaces").as_array().size() >= 2);
}

TEST_CASE("remote-agent line 108: a server's refusal is told with its number in every version",
          "[net][remote-agent]") {
  const net_bed bed;
  for (const auto& format : spoken) {
    remote_agent::blocking_tool tool(settings_for(bed, format));
    const auto answer = tool.call(json::parse(R"({"action":"status","task_id":"nothing"})"));
    CHECK(answer.at("ok") == false);
    CHECK(at(answer, "/error/code") == "A2A_SDK_ERROR");
    const bool is_rest = format.binding == a2a_binding::rest;
    CHECK(at(answer, is_rest ? "/error/details/httpStatus" : "/error/details/rpcCode")
          == (is_rest ? "404" : "-32001"));
  }
}
