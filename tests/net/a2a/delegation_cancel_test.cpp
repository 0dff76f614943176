// How the cancel of tasks that are done elsewhere went: in the answer to the cancel of one task, of
// a root task and of an objective, in every version and binding, over one server and over two.
#include "tests/net/a2a/delegation_bed.hpp"
#include "tests/support/push_receiver.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <set>

using namespace troupe;
using namespace troupe::testing;

namespace {

namespace json = boost::json;

const std::string go = R"({"target":"B","text":"go"})";

/// The entries as lines in a set: path, target, outcome and reason.
std::set<std::string> leaves_in(const json::value& answer) {
  std::set<std::string> out;
  boost::system::error_code failed;
  const auto* found = answer.find_pointer("/metadata/troupe~1v1~1cancel", failed);
  if (found == nullptr)
    return out;
  for (const auto& each : found->as_array())
    out.insert(json::serialize(each.at("path")) + " " + at(each, "/target") + " "
               + at(each, "/outcome") + " " + at(each, "/reason"));
  return out;
}

/// An agent of 0.3 without streams whose tasks work for ever, and cannot be canceled.
std::string stubborn_answer(const push_receiver& server, const received_post& asked) {
  const std::string json_head = "Content-Type: application/json\r\n";
  if (asked.method == "GET")
    return answer_text(200, json_head,
                       R"({"protocolVersion":"0.3.0","name":"S","version":"1","url":")"
                           + server.url("/")
                           + R"(","preferredTransport":"JSONRPC","capabilities":{},"skills":[],)"
                             R"("defaultInputModes":[],"defaultOutputModes":[]})");
  if (asked.body.find("tasks/cancel") != std::string::npos)
    return answer_text(200, json_head,
                       R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"too late"}})");
  return answer_text(200, json_head,
                     R"({"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"r","contextId":"c",)"
                     R"("status":{"state":"working"}}})");
}

/// A has two tasks at B; both are there.
struct pair_bed {
  pair_bed() {
    a.may_ask({&b});
    a.begin(a2a_task("x", go) + "," + a2a_task("y", go));
    static_cast<void>(b.bed.puppet->asked(1));
    REQUIRE(a.reaches("TASK_STATE_WORKING", "trip.p0.t0"));
    REQUIRE(a.reaches("TASK_STATE_WORKING", "trip.p0.t1"));
  }
  hop b{"B", "puppet"};
  hop a{"A"};
};

const std::set<std::string> both_taken{R"(["trip.p0.t0"] B acknowledged (none))",
                                       R"(["trip.p0.t1"] B acknowledged (none))"};

} // namespace

TEST_CASE("the cancel of an objective says how each agent elsewhere took it, in every binding",
          "[net][delegation][cancel]") {
  const pair_bed bed;
  const auto [path, body, headers] = GENERATE(table<std::string, std::string, std::string>({
      {"POST /", rpc("objectives/update", R"({"id":"trip","status":"canceled"})"),
       "A2A-Version: 1.0\r\n"},
      {"POST /", rpc("objectives/update", R"({"id":"trip","status":"canceled"})"), ""},
      {"PATCH /objectives/trip", R"({"status":"canceled"})", "A2A-Version: 1.0\r\n"},
      {"PATCH /v1/objectives/trip", R"({"status":"canceled"})", ""},
  }));
  const auto space = path.find(' ');
  const auto answer =
      bed.a.bed.connect().request(path.substr(0, space), path.substr(space + 1), body, headers);
  INFO(answer.body);
  auto got = json::parse(answer.body);
  if (const auto* result = got.as_object().if_contains("result"))
    got = *result;
  if (const auto* objective = got.as_object().if_contains("objective"))
    got = *objective;
  CHECK(leaves_in(got) == both_taken);
  // What is stored does not have it.
  CHECK(
      leaves_in(bed.a.bed.result_of("objectives/get", R"({"id":"trip"})").at("objective")).empty());
  CHECK(tasks_of(bed.b.bed).size() == 2);
}

TEST_CASE("the cancel of a root task says the same, in every version and binding",
          "[net][delegation][cancel]") {
  const auto [path, method, headers] = GENERATE(table<std::string, std::string, std::string>({
      {"/", "CancelTask", "A2A-Version: 1.0\r\n"},
      {"/", "tasks/cancel", ""},
      {"/tasks/{id}:cancel", "", "A2A-Version: 1.0\r\n"},
      {"/v1/tasks/{id}:cancel", "", ""},
  }));
  hop b("B", "puppet");
  hop a("A");
  a.may_ask({&b});
  const auto sent = a.bed.result_of(
      "SendMessage",
      text_message("go", "",
                   R"(,"configuration":{"returnImmediately":true},"metadata":{"opt/v1/plan":)"
                   R"({"name":"p","tasks":[)"
                       + a2a_task("x", go) + "]}}"));
  const auto root = at(sent, "/task/id");
  static_cast<void>(b.bed.puppet->asked(0));
  const auto objective = at(sent, "/task/contextId");
  REQUIRE(a.reaches("TASK_STATE_WORKING", objective + ".p0.t0"));
  auto target = path;
  if (const auto hole = target.find("{id}"); hole != std::string::npos)
    target.replace(hole, 4, root);
  const auto answer = a.bed.connect().request(
      "POST", target, method.empty() ? "{}" : rpc(method, R"({"id":")" + root + R"("})"), headers);
  INFO(answer.body);
  auto got = json::parse(answer.body);
  if (const auto* result = got.as_object().if_contains("result"))
    got = *result;
  CHECK(leaves_in(got)
        == std::set<std::string>{R"([")" + objective + R"(.p0.t0"] B acknowledged (none))"});
}

TEST_CASE("a server behind a server reports its own leaves, and the path has all hops",
          "[net][delegation][cancel]") {
  push_receiver stubborn;
  stubborn.answer_with(
      [&](const received_post& asked) { return stubborn_answer(stubborn, asked); });
  hop c("C", "puppet");
  hop b("B");
  hop a("A");
  delegation_options how;
  a2a::target to_c;
  to_c.url = url_of_bed(c.bed);
  how.targets.push_back({"C", to_c});
  a2a::target to_stubborn;
  to_stubborn.url = stubborn.url("/");
  how.targets.push_back({"S", to_stubborn});
  b.may_ask(std::move(how));
  a.may_ask({&b});
  a.begin(a2a_task("x", through_tasks("B", a2a_task("v", R"({"target":"C","text":"go"})") + ","
                                               + a2a_task("w", R"({"target":"S","text":"go"})"))));
  static_cast<void>(c.bed.puppet->asked(0));
  std::string behind;
  REQUIRE(comes_true([&] { // both tasks of B are under way there
    const auto all = b.bed.result_of("objectives/list", "{}").at("objectives").as_array();
    if (all.empty())
      return false;
    behind = at(all[0], "/id");
    return at(b.task(behind + ".p0.t0"), "/status/state") == "TASK_STATE_WORKING"
           && at(b.task(behind + ".p0.t1"), "/status/state") == "TASK_STATE_WORKING"
           && stubborn.received().size() >= 2;
  }));
  REQUIRE(a.reaches("TASK_STATE_WORKING"));
  const auto line = [&](const std::string& task, const std::string& rest) {
    return R"(["trip.p0.t0",")" + behind + task + R"("] )" + rest;
  };
  const std::set<std::string> expected{line(".p0.t0", "C acknowledged (none)"),
                                       line(".p0.t1", "S refused too late")};
  SECTION("one task") {
    CHECK(leaves_in(a.bed.result_of("CancelTask", R"({"id":"trip.p0.t0"})")) == expected);
  }
  SECTION("the objective") {
    const auto answer =
        a.bed.result_of("objectives/update", R"({"id":"trip","status":"canceled"})");
    CHECK(leaves_in(answer.at("objective")) == expected);
  }
}

TEST_CASE("the answer to a cancel waits no longer than it may", "[net][delegation][cancel]") {
  push_receiver silent;
  silent.answer_with([&](const received_post& asked) { return stubborn_answer(silent, asked); });
  hop a("A");
  delegation_options how;
  a2a::target to;
  to.url = silent.url("/");
  how.targets.push_back({"S", to});
  SECTION("by the server's own setting") {
    how.terms.cancel_wait = std::chrono::milliseconds{50};
  }
  SECTION("by what the server before it says") {
    how.terms.cancel_wait = std::chrono::hours{1};
  }
  const bool is_told = how.terms.cancel_wait > std::chrono::minutes{1};
  a.may_ask(std::move(how));
  a.begin(a2a_task("x", R"({"target":"S","text":"go"})"));
  REQUIRE(comes_true([&] { return silent.received().size() >= 2; }));
  REQUIRE(a.reaches("TASK_STATE_WORKING"));
  silent.hold();
  const auto answer = a.bed.result_of(
      "CancelTask",
      R"({"id":"trip.p0.t0")"
          + std::string(is_told ? R"(,"metadata":{"troupe/v1/cancel-wait":50,"x":1}})" : "}"));
  silent.release();
  CHECK(leaves_in(answer) == std::set<std::string>{R"(["trip.p0.t0"] S no answer (none))"});
  if (is_told) // it is not of the task
    CHECK(json::serialize(answer.at("status").at("message").at("metadata")) == R"({"x":1})");
}
