// What passes through several servers: questions and answers, also in kagent's words, progress, and
// the trace by which a request that came back is known.
#include "tests/net/a2a/delegation_bed.hpp"
#include "tests/support/push_receiver.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

namespace json = boost::json;

const std::string ask_c = R"({"target":"C","text":"go"})";

/// The first open question of a server, whole; null: none.
json::value first_question(const hop& of) {
  const auto all = of.bed.result_of("inputs/list", "{}").at("inputs").as_array();
  return all.empty() ? json::value{} : all[0];
}

json::value wait_for_question(const hop& of) {
  json::value out;
  REQUIRE(comes_true([&] {
    out = first_question(of);
    return out.is_object();
  }));
  return out;
}

void answer_question(const hop& of, const json::value& asked, const std::string& value) {
  static_cast<void>(of.bed.result_of("inputs/answer", R"({"id":")" + at(asked, "/id")
                                                          + R"(","value":)" + value + "}"));
}

/// A asks B, which has a plan whose task asks C, whose task a puppet does.
struct chain_of_three {
  chain_of_three() {
    b.may_ask({&c});
    a.may_ask({&b});
    a.begin(a2a_task("x", through("B", ask_c)));
    remote = c.bed.puppet->port(0);
  }
  hop c{"C", "puppet"};
  hop b{"B"};
  hop a{"A"};
  agent_port_ptr remote;
};

} // namespace

TEST_CASE("a question passes two servers whole, with the path to who asks, and its answer back",
          "[net][delegation][question]") {
  chain_of_three chain;
  report_question asked{"How many nights?"};
  asked.form = {{"type", "integer"}, {"minimum", 1}};
  asked.data = {{"hotel", "Bristol"}};
  chain.remote->report(asked);
  const auto shown = wait_for_question(chain.a);
  CHECK(at(shown, "/prompt") == "How many nights?");
  CHECK(at(shown, "/kind") == "form");
  CHECK(at(shown, "/schema") == R"({"type":"integer","minimum":1})");
  CHECK(at(shown, "/data/hotel") == "Bristol");
  const auto middle = wait_for_question(chain.b);
  CHECK(at(shown, "/data/troupe~1v1~1asker/0/target") == "B");
  CHECK(at(shown, "/data/troupe~1v1~1asker/0/taskId") == at(middle, "/taskId"));
  CHECK(at(shown, "/data/troupe~1v1~1asker/1/target") == "C");
  CHECK(at(shown, "/data/troupe~1v1~1asker/1/taskId") == chain.c.bed.puppet->asked(0)->id.str());
  // What does not fit is refused at once.
  CHECK(
      at(chain.a.bed.error_of("inputs/answer", R"({"id":")" + at(shown, "/id") + R"(","value":0})"),
         "/data/0/reason")
      == "INVALID_ANSWER");
  answer_question(chain.a, shown, R"("3")");
  CHECK(chain.c.bed.puppet->input(0) == "3");
  chain.remote->report(report_completed{{text_artifact("result", "booked")}, "done"});
  CHECK(chain.a.reaches("TASK_STATE_COMPLETED"));
}

TEST_CASE("an answer in the middle closes the question at the root",
          "[net][delegation][question]") {
  chain_of_three chain;
  chain.remote->report(report_question{"Which city?"});
  const auto shown = wait_for_question(chain.a);
  answer_question(chain.b, wait_for_question(chain.b), R"("Oslo")");
  CHECK(chain.c.bed.puppet->input(0) == "Oslo");
  CHECK(comes_true([&] { return first_question(chain.a).is_null(); }));
  CHECK(at(chain.a.bed.error_of("inputs/answer",
                                R"({"id":")" + at(shown, "/id") + R"(","value":"Rome"})"),
           "/data/0/reason")
        == "INPUT_WITHDRAWN");
  chain.remote->report(report_completed{});
  CHECK(chain.a.reaches("TASK_STATE_COMPLETED"));
}

TEST_CASE("the plans of a remote objective are the trackers of our task",
          "[net][delegation][progress]") {
  chain_of_three chain;
  report_progress half;
  half.report.trackers.emplace_back().id = "pages";
  half.report.trackers[0].progress = 1;
  half.report.trackers[0].total = 2;
  chain.remote->report(half);
  const auto plan = [&] {
    const auto answer = chain.a.bed.call(
        rpc("GetTask", R"({"id":"trip.p0.t0"})"),
        "A2A-Version: 1.0\r\nA2A-Extensions: " + std::string(progress_uri) + "\r\n");
    boost::system::error_code failed;
    const auto* found = answer.find_pointer(
        "/result/metadata/https:~1~1a2a-protocol.org~1extensions~1task-progress~1v1/trackers/0",
        failed);
    return found == nullptr ? json::value{} : *found;
  };
  CHECK(
      comes_true([&] { return at(plan(), "/message") == "p" && at(plan(), "/progress") != "0"; }));
  CAPTURE(json::serialize(plan()));
  CHECK(at(plan(), "/id").ends_with(".p0"));
  chain.remote->report(report_completed{});
  CHECK(chain.a.reaches("TASK_STATE_COMPLETED"));
}

// -- kagent's words -------------------------------------------------------------------------------

namespace {

/// An agent of 0.3 without streams that asks until it is answered in kagent's words.
std::string kagents_answer(const push_receiver& server, const received_post& asked,
                           const std::string& request) {
  const std::string json_head = "Content-Type: application/json\r\n";
  if (asked.method == "GET")
    return answer_text(200, json_head,
                       R"({"protocolVersion":"0.3.0","name":"K","version":"1","url":")"
                           + server.url("/")
                           + R"(","preferredTransport":"JSONRPC","capabilities":{"extensions":[)"
                             R"({"uri":"https://kagent.dev/extensions/hitl/v1"}]},"skills":[],)"
                             R"("defaultInputModes":[],"defaultOutputModes":[]})");
  const bool is_answered = [&] {
    for (const auto& each : server.received())
      if (each.body.find("_response\"") != std::string::npos)
        return true;
    return false;
  }();
  const std::string status =
      is_answered
          ? R"({"state":"completed"})"
          : R"({"state":"input-required","message":{"kind":"message","messageId":"q1","role":"agent",)"
            R"("parts":[{"kind":"text","text":"see the request"}],)"
            R"("metadata":{"https://kagent.dev/extensions/hitl/v1":)"
                + request + "}}}";
  return answer_text(200, json_head,
                     R"({"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"r","contextId":"c",)"
                     R"("status":)"
                         + status + "}}");
}

} // namespace

TEST_CASE("what an agent asks in kagent's words is a question here, and is answered in them",
          "[net][delegation][question]") {
  const auto [request, prompt, kind, value,
              response] = GENERATE(table<std::string, std::string, std::string, std::string,
                                         std::string>({
      {R"({"type":"ask_user_request","id":"k1","questions":[{"question":"Which?","choices":["a","b"],"multiple":false}]})",
       "Which?", "choice", R"("b")",
       R"({"type":"ask_user_response","id":"k1","answers":[{"answer":["b"]}]})"},
      {R"({"type":"tool_approval_request","hint":"Delete it?","tools":[{"id":"t1","call_id":"c1","name":"rm","args":{}}]})",
       "Delete it?", "form", "false",
       R"({"type":"tool_approval_response","approvals":[{"id":"t1","approved":false}]})"},
  }));
  push_receiver kagent;
  kagent.answer_with([&, asks = request](const received_post& asked) {
    return kagents_answer(kagent, asked, asks);
  });
  hop a("A");
  delegation_options how;
  a2a::target to;
  to.url = kagent.url("/");
  how.targets.push_back({"K", to});
  a.may_ask(std::move(how));
  a.begin(a2a_task("x", R"({"target":"K","text":"go"})"));
  const auto shown = wait_for_question(a);
  CHECK(at(shown, "/prompt") == prompt);
  CHECK(at(shown, "/kind") == kind);
  CHECK(at(shown, "/data/troupe~1v1~1asker/0/target") == "K");
  answer_question(a, shown, value);
  REQUIRE(a.reaches("TASK_STATE_COMPLETED"));
  std::string sent;
  for (const auto& each : kagent.received())
    if (each.body.find("_response\"") != std::string::npos)
      sent = each.body;
  const auto message = json::parse(sent).at("params").at("message");
  CHECK(at(message, "/metadata/https:~1~1kagent.dev~1extensions~1hitl~1v1") == response);
  CHECK(at(message, "/taskId") == "r");
  CHECK(at(message, "/contextId") == "c");
}

// -- traces ---------------------------------------------------------------------------------------

TEST_CASE("a request that came back through an agent that names no servers is known by its trace",
          "[net][delegation][trace]") {
  hop f("F", "puppet"); // The test does what it would do.
  hop a("A");
  a.may_ask({&f});
  const std::string clients =
      "traceparent: 00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01\r\n"
      "tracestate: vendor=1\r\n";
  const auto create =
      rpc("objectives/create",
          R"({"id":"trip","name":"Trip","start":true,"plans":[{"name":"P","tasks":[)"
              + a2a_task("x", R"({"target":"F","text":"go"})") + "]}]}");
  const bool has_trace = GENERATE(false, true);
  static_cast<void>(
      a.bed.call(create, "A2A-Version: 1.0\r\n" + (has_trace ? clients : std::string{})));
  const auto order = f.bed.puppet->asked(0);
  CHECK(order->tracestate == (has_trace ? "troupe=A,vendor=1" : "troupe=A"));
  const auto send = [&](const std::string& headers) {
    return at(
        a.bed.call(rpc("SendMessage", text_message("back")), "A2A-Version: 1.0\r\n" + headers),
        "/error/message");
  };
  const auto parent = "traceparent: " + order->traceparent + "\r\n";
  CHECK(send(parent + "tracestate: " + order->tracestate + "\r\n")
            .find("the task came through this server before: A -> A")
        != std::string::npos);
  if (has_trace) // The client may ask twice in its trace.
    CHECK(send(parent) == "(none)");
  else
    CHECK(send(parent).find("as its trace says: A -> ... -> A") != std::string::npos);
  const auto tasks = tasks_of(a.bed).size();
  CHECK(tasks == (has_trace ? 2 : 1));
  f.bed.puppet->port(0)->report(report_completed{});
  REQUIRE(a.reaches("TASK_STATE_COMPLETED"));
  CHECK(comes_true([&] { return send(parent) == "(none)"; })); // the delegation is over
}
