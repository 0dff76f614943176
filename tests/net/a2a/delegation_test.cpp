// A task that another server does: the agent `a2a` of one server against a second one, in every
// version and binding, over connections that break, and against servers that answer badly.
#include "agents/a2a/a2a_agent.hpp"
#include "net/version.hpp"
#include "protocol/a2a/idempotent_send.hpp"
#include "tests/net/a2a/delegation_bed.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/push_receiver.hpp"
#include "tests/support/relay.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

namespace json = boost::json;

static_assert(idempotent_send_extension == net::idempotent_send_uri);

/// A server with the agent `a2a`, whose target `there` is at `url`.
struct delegating_bed {
  explicit delegating_bed(const std::string& url, std::optional<wire::wire_format> format = {}) {
    a2a::target to;
    to.url = url;
    if (format) {
      to.version = format->version;
      to.binding = format->binding;
    }
    delegation_options how;
    how.targets.push_back({"there", to});
    how.server_id = [] { return std::string("server-here"); };
    bed.agents.add("a2a", std::make_shared<a2a_agent>(std::move(how))); // before any request
  }

  /// Begins an objective with one task of the agent, of this input; the id of the task.
  std::string begin(const std::string& input, const std::string& more = {}) {
    const auto id = "trip" + std::to_string(++begun);
    static_cast<void>(bed.result_of(
        "objectives/create",
        R"({"id":")" + id
            + R"(","name":"Trip","start":true,"plans":[{"name":"P","tasks":[{"name":"T",)"
              R"("agent":"a2a","input":)"
            + input + more + "}]}]}"));
    return id + ".p0.t0";
  }

  [[nodiscard]] json::value get(const std::string& task) const {
    return bed.result_of("GetTask", R"({"id":")" + task + R"("})");
  }
  /// Waits; false if it never was.
  [[nodiscard]] bool reaches(const std::string& task, std::string_view state) const {
    return comes_true([&] { return at(get(task), "/status/state") == state; });
  }
  [[nodiscard]] std::string words(const std::string& task) const {
    return at(get(task), "/status/message/parts/0/text");
  }
  void answer(const std::string& task, const std::string& text) const {
    static_cast<void>(
        bed.result_of("SendMessage", R"({"message":{"messageId":"a1","role":"ROLE_USER","taskId":")"
                                         + task + R"(","parts":[{"text":")" + text + R"("}]},)"
                                         + R"("configuration":{"returnImmediately":true}})"));
  }

  net_bed bed;
  int begun = 0;
};

const std::string hello = R"({"target":"there","text":"hello"})";

constexpr auto delegation_formats = std::to_array<wire::wire_format>({
    {wire::a2a_version::v1_0, wire::a2a_binding::json_rpc},
    {wire::a2a_version::v1_0, wire::a2a_binding::rest},
    {wire::a2a_version::v0_3, wire::a2a_binding::json_rpc},
    {wire::a2a_version::v0_3, wire::a2a_binding::rest},
});

} // namespace

TEST_CASE("a task is done by another server in every version and binding", "[net][delegation]") {
  const net_bed there;
  for (const auto& format : delegation_formats) {
    delegating_bed here(url_of_bed(there), format);
    const auto task = here.begin(hello);
    REQUIRE(here.reaches(task, "TASK_STATE_COMPLETED"));
    CHECK(at(here.get(task), "/artifacts/0/parts/0/text") == "hello");
  }
  CHECK(tasks_of(there).size() == delegation_formats.size());
}

TEST_CASE("questions, answers, progress and artifacts of another server's task are ours",
          "[net][delegation]") {
  for (const auto& format : delegation_formats) {
    net_bed there({}, "puppet");
    delegating_bed here(url_of_bed(there), format);
    const auto task = here.begin(hello);
    const auto remote = there.puppet->port(0);
    CHECK(there.puppet->asked(0)->path == std::vector<std::string>{"server-here"});
    remote->report(report_artifact{text_artifact("log", "one "), false, false});
    remote->report(report_question{"Which city?"});
    REQUIRE(here.reaches(task, "TASK_STATE_INPUT_REQUIRED"));
    CHECK(here.words(task) == "Which city?");
    here.answer(task, "Oslo");
    CHECK(there.puppet->input(0) == "Oslo");
    CHECK(here.reaches(task, "TASK_STATE_WORKING"));
    report_progress progress;
    progress.report.trackers.emplace_back().id = "pages";
    remote->report(progress);
    remote->report(report_completed{{text_artifact("result", "booked")}, "done"});
    REQUIRE(here.reaches(task, "TASK_STATE_COMPLETED"));
    const auto made = here.get(task);
    CHECK(at(made, "/artifacts/0/parts/0/text") == "one ");
    CHECK(at(made, "/artifacts/1/parts/0/text") == "booked");
    CHECK(tasks_of(there).size() == 1);
  }
}

TEST_CASE("a question is withdrawn if the other server's task goes on", "[net][delegation]") {
  net_bed there({}, "puppet");
  delegating_bed here(url_of_bed(there));
  const auto task = here.begin(hello);
  const auto remote = there.puppet->port(0);
  report_question asked{"Which city?"};
  asked.key = "city";
  remote->report(asked);
  REQUIRE(here.reaches(task, "TASK_STATE_INPUT_REQUIRED"));
  remote->report(report_withdrawal{"city", "found it"});
  CHECK(here.reaches(task, "TASK_STATE_WORKING"));
  remote->report(report_completed{});
  CHECK(here.reaches(task, "TASK_STATE_COMPLETED"));
}

TEST_CASE("a cancel reaches the other server's task", "[net][delegation]") {
  net_bed there({}, "puppet");
  delegating_bed here(url_of_bed(there));
  const auto task = here.begin(hello);
  static_cast<void>(there.puppet->port(0));
  const auto canceled = here.bed.result_of("CancelTask", R"({"id":")" + task + R"("})");
  CHECK(at(canceled, "/metadata/troupe~1v1~1cancel/0/path/0") == task);
  CHECK(at(canceled, "/metadata/troupe~1v1~1cancel/0/target") == "there");
  CHECK(at(canceled, "/metadata/troupe~1v1~1cancel/0/outcome") == "acknowledged");
  CHECK(at(here.get(task), "/metadata/troupe~1v1~1cancel") == "(none)");
  CHECK(here.reaches(task, "TASK_STATE_CANCELED"));
  CHECK(comes_true([&] {
    const auto all = tasks_of(there);
    return all.size() == 1 && at(all[0], "/status/state") == "TASK_STATE_CANCELED";
  }));
}

TEST_CASE("failures of another server's task are ours, and a rejection is not tried again",
          "[net][delegation]") {
  net_bed there({}, "puppet");
  delegating_bed here(url_of_bed(there));
  const std::string retry = R"(,"retry":{"maxAttempts":2,"backoff":0})";
  const auto rejected = here.begin(hello, retry);
  there.puppet->port(0)->report(report_rejected{"not my field"});
  REQUIRE(here.reaches(rejected, "TASK_STATE_FAILED"));
  CHECK(here.words(rejected) == "the agent \"there\" rejected the task: not my field");
  CHECK(tasks_of(there).size() == 1);
  const auto failed = here.begin(hello, retry);
  there.puppet->port(1)->report(report_failed{"no ticket"});
  there.puppet->port(2)->report(report_completed{});
  CHECK(here.reaches(failed, "TASK_STATE_COMPLETED"));
  CHECK(tasks_of(there).size() == 3);
}

TEST_CASE("a request whose answer is lost makes one task, and a stream that breaks goes on",
          "[net][delegation]") {
  const auto [version, cut] = GENERATE(table<wire::a2a_version, std::string>({
      {wire::a2a_version::v1_0, "text/event-stream"}, // before the first frame
      {wire::a2a_version::v1_0, "TASK_STATE_WORKING"},
      {wire::a2a_version::v0_3, "text/event-stream"},
  }));
  relay between;
  server_options options;
  options.card.url = between.url() + "/";
  net_bed there(options, "puppet");
  between.lead_to(there.port);
  between.cut_after(cut);
  delegating_bed here(between.url(), wire::wire_format{version, wire::a2a_binding::json_rpc});
  const auto task = here.begin(hello);
  static_cast<void>(there.puppet->port(0));
  CHECK(comes_true([&] { return between.cuts() == 1; }));
  there.puppet->port(0)->report(report_completed{{text_artifact("result", "booked")}, "done"});
  REQUIRE(here.reaches(task, "TASK_STATE_COMPLETED"));
  CHECK(at(here.get(task), "/artifacts/0/parts/0/text") == "booked");
  CHECK(tasks_of(there).size() == 1);
}

TEST_CASE("a URL of a plan reaches public addresses only", "[net][delegation]") {
  net_bed there;
  delegating_bed here("https://agents.example.org");
  const auto task = here.begin(R"({"url":")" + url_of_bed(there) + R"(","text":"hello"})");
  REQUIRE(here.reaches(task, "TASK_STATE_FAILED"));
  CHECK(here.words(task).find("an address that is loopback; only public addresses may be reached")
        != std::string::npos);
  CHECK(tasks_of(there).empty());
  // That of a target is configured, and so allowed.
  delegating_bed configured(url_of_bed(there));
  const auto other = configured.begin(R"({"url":")" + url_of_bed(there) + R"(/","text":"hello"})");
  CHECK(configured.reaches(other, "TASK_STATE_COMPLETED"));
}

// -- servers that answer badly --------------------------------------------------------------------

namespace {

/// A card of 1.0 whose interface is the receiver itself.
std::string card_answer(const push_receiver& server) {
  return answer_text(
      200, "Content-Type: application/json\r\n",
      R"({"name":"Hostile","version":"1","capabilities":{"streaming":true},"skills":[],)"
      R"("defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],)"
      R"("supportedInterfaces":[{"url":")"
          + server.url("/") + R"(","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})");
}

std::string event_of(const std::string& result) {
  return R"(data: {"jsonrpc":"2.0","id":1,"result":)" + result + "}\n\n";
}

std::string status_event(const std::string& task, const std::string& state) {
  return event_of(R"({"statusUpdate":{"taskId":")" + task
                  + R"(","contextId":"c","status":{"state":")" + state + R"("}}})");
}

std::string stream_answer(const std::string& events) {
  return answer_text(200, "Content-Type: text/event-stream\r\n", events);
}

std::string json_answer(const std::string& result) {
  return answer_text(200, "Content-Type: application/json\r\n",
                     R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}");
}

const std::string working_event =
    event_of(R"({"task":{"id":"r1","contextId":"c","status":{"state":"TASK_STATE_WORKING"}}})");

} // namespace

TEST_CASE("frames of other tasks and frames after the end change nothing", "[net][delegation]") {
  push_receiver server;
  const std::string ended =
      R"({"id":"r1","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"},)"
      R"("artifacts":[{"artifactId":"a","parts":[{"text":"right"}]}]})";
  server.script({card_answer(server),
                 stream_answer(working_event + status_event("r2", "TASK_STATE_FAILED")
                               + status_event("r1", "TASK_STATE_COMPLETED")
                               + status_event("r1", "TASK_STATE_FAILED")),
                 json_answer(ended)});
  delegating_bed here(server.url(""));
  const auto task = here.begin(hello);
  REQUIRE(here.reaches(task, "TASK_STATE_COMPLETED"));
  CHECK(at(here.get(task), "/artifacts/0/parts/0/text") == "right");
}

TEST_CASE("an event that is too long, or is none, fails the task with its reason",
          "[net][delegation]") {
  push_receiver server;
  const auto [events, words] = GENERATE(table<std::string, std::string>({
      {"data: " + std::string(std::size_t{17} << 20, 'x'), "16777216"},
      {event_of(R"({"task":{"id":7}})"), "id"},
      {event_of(R"("hello")"), "the request failed (answer: expected an object"},
      {"data: <html>\n\n", "no JSON"},
  }));
  server.script({card_answer(server), stream_answer(events)});
  delegating_bed here(server.url(""));
  const auto task = here.begin(hello);
  REQUIRE(here.reaches(task, "TASK_STATE_FAILED"));
  CHECK_THAT(here.words(task), ContainsSubstring(words));
}

TEST_CASE("another task in answer to GetTask fails the task", "[net][delegation]") {
  push_receiver server;
  server.script(
      {card_answer(server), stream_answer(working_event),
       json_answer(R"({"id":"r2","contextId":"c","status":{"state":"TASK_STATE_COMPLETED"}})")});
  delegating_bed here(server.url(""));
  const auto task = here.begin(hello);
  REQUIRE(here.reaches(task, "TASK_STATE_FAILED"));
  CHECK(here.words(task).find("answered with another task") != std::string::npos);
}

namespace {

const std::string to_a = R"({"target":"A","text":"go"})";

} // namespace

TEST_CASE("a task that comes back to its server is refused there, over one server or two",
          "[net][delegation]") {
  hop a("A");
  hop b("B");
  hop c("C");
  a.may_ask({&b});
  b.may_ask({&a, &c});
  c.may_ask({&a});
  SECTION("A, B, A") {
    const auto words = a.refusal_of(through("B", to_a));
    CAPTURE(words);
    CHECK(words.find("the task came through this server before: A -> B -> A") != std::string::npos);
    CHECK(tasks_of(c.bed).empty());
  }
  SECTION("A, B, C, A") {
    const auto words = a.refusal_of(through("B", through("C", to_a)));
    CAPTURE(words);
    CHECK(words.find("the task came through this server before: A -> B -> C -> A")
          != std::string::npos);
    CHECK_FALSE(tasks_of(c.bed).empty());
  }
  CHECK(tasks_of(a.bed).size() == 1); // nothing began when it came back
}

TEST_CASE("a task that has come too far is refused where it is too far", "[net][delegation]") {
  hop a("A");
  hop b("B");
  hop c("C");
  a.may_ask({&b});
  b.may_ask({&c});
  c.may_ask({}, 2);
  const auto words = a.refusal_of(through("B", R"({"target":"C","text":"go"})"));
  CAPTURE(words);
  CHECK(words.find("would go through more than 2 servers: A -> B -> C") != std::string::npos);
  CHECK(tasks_of(c.bed).empty());
}

TEST_CASE("a cancel that is not answered in time is delivered in the background",
          "[net][delegation]") {
  relay between;
  server_options options;
  options.card.url = between.url() + "/";
  const net_bed there(options, "puppet");
  between.lead_to(there.port);
  net_bed here;
  delegation_options how;
  a2a::target to;
  to.url = between.url();
  how.targets.push_back({"there", to});
  how.terms.cancel_wait = std::chrono::milliseconds{50};
  here.agents.add("a2a", std::make_shared<a2a_agent>(std::move(how)));
  static_cast<void>(here.result_of(
      "objectives/create",
      R"({"id":"trip","name":"Trip","start":true,"plans":[{"name":"P","tasks":[{"name":"T",)"
      R"("agent":"a2a","input":{"target":"there","text":"go"}}]}]})"));
  const auto remote = there.puppet->asked(0)->id.str();
  REQUIRE(comes_true([&] {
    return at(here.result_of("GetTask", R"({"id":"trip.p0.t0"})"), "/status/state")
           == "TASK_STATE_WORKING";
  }));
  between.lead_to(0);
  const auto canceled = here.result_of("CancelTask", R"({"id":"trip.p0.t0"})");
  CHECK(at(canceled, "/metadata/troupe~1v1~1cancel/0/outcome") == "no answer");
  CHECK(at(canceled, "/metadata/troupe~1v1~1cancel/0/target") == "there");
  CHECK(at(there.result_of("GetTask", R"({"id":")" + remote + R"("})"), "/status/state")
        != "TASK_STATE_CANCELED");
  between.lead_to(there.port);
  CHECK(comes_true([&] {
    return at(there.result_of("GetTask", R"({"id":")" + remote + R"("})"), "/status/state")
           == "TASK_STATE_CANCELED";
  }));
}

TEST_CASE("a deadline goes along with a task", "[net][delegation]") {
  const net_bed there({}, "puppet");
  delegating_bed here(url_of_bed(there));
  const auto task =
      here.begin(R"({"target":"there","text":"go"})", R"(,"deadline":"2036-07-01T12:00:00.000Z")");
  const auto due = parse_rfc3339("2036-07-01T12:00:00.000Z");
  CHECK(there.puppet->asked(0)->deadline == due);
  there.puppet->port(0)->report(report_completed{{}, ""});
  CHECK(here.reaches(task, "TASK_STATE_COMPLETED"));
}

TEST_CASE("a task refers to the one that did its dependency at the same target",
          "[net][delegation]") {
  const net_bed there({}, "puppet");
  delegating_bed here(url_of_bed(there));
  static_cast<void>(here.bed.result_of(
      "objectives/create",
      R"({"id":"trip","name":"Trip","start":true,"plans":[{"name":"P","tasks":[{"name":"a",)"
      R"("agent":"a2a","input":{"target":"there","text":"go"}},{"name":"b","agent":"a2a",)"
      R"("input":{"target":"there","text":"go on"},"dependencies":["a"]}]}]})"));
  const auto first = there.puppet->asked(0)->id;
  there.puppet->port(0)->report(report_completed{{text_artifact("log", "done")}, ""});
  const auto second = there.puppet->asked(1);
  CHECK(second->messages.at(0)->reference_task_ids == std::vector<std::string>{first.str()});
  there.puppet->port(1)->report(report_completed{{}, ""});
  CHECK(here.reaches("trip.p0.t1", "TASK_STATE_COMPLETED"));
}

TEST_CASE("a thousand delegations to a target that stalls delay none to another",
          "[net][delegation]") {
  push_receiver stalled;
  stalled.hold();
  const net_bed there({}, "echo");
  net_bed here;
  delegation_options how;
  a2a::target slow;
  slow.url = stalled.url("/");
  how.targets.push_back({"slow", slow, {.open_max = 20}});
  a2a::target quick;
  quick.url = url_of_bed(there);
  how.targets.push_back({"quick", quick});
  here.agents.add("a2a", std::make_shared<a2a_agent>(std::move(how)));
  std::string tasks;
  for (int i = 0; i < 1000; ++i)
    tasks += (i == 0 ? "" : ",") + std::string(R"({"name":"s)") + std::to_string(i)
             + R"(","agent":"a2a","input":{"target":"slow","text":"go"}})";
  static_cast<void>(
      here.result_of("objectives/create",
                     R"({"id":"many","name":"Many","start":true,"plans":[{"name":"P","tasks":[)"
                         + tasks + "]}]}"));
  REQUIRE(comes_true([&] { return stalled.connections() >= 1; }));
  static_cast<void>(here.result_of(
      "objectives/create",
      R"({"id":"one","name":"One","start":true,"plans":[{"name":"P","tasks":[{"name":"q",)"
      R"("agent":"a2a","input":{"target":"quick","text":"go"}}]}]})"));
  CHECK(comes_true([&] {
    return at(here.result_of("GetTask", R"({"id":"one.p0.t0"})"), "/status/state")
           == "TASK_STATE_COMPLETED";
  }));
  CHECK(stalled.connections() <= 20);
  static_cast<void>(here.result_of("objectives/update", R"({"id":"many","status":"canceled"})"));
  stalled.release();
}

TEST_CASE("a target that has too many is asked again, more slowly, and makes one task",
          "[net][delegation]") {
  push_receiver busy;
  const auto card = answer_text(
      200, "Content-Type: application/json\r\n",
      R"({"name":"A","version":"1","capabilities":{},"skills":[],"defaultInputModes":[],)"
      R"("defaultOutputModes":[],"supportedInterfaces":[{"url":")"
          + busy.url("/") + R"(","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})");
  const auto done =
      answer_text(200, "Content-Type: application/json\r\n",
                  R"({"jsonrpc":"2.0","id":1,"result":{"task":{"id":"r","contextId":"c",)"
                  R"("status":{"state":"TASK_STATE_COMPLETED"}}}})");
  busy.script({card, answer_text(429, "Retry-After: 0\r\n"), answer_text(503), done});
  delegating_bed here(busy.url("/"));
  const auto task = here.begin(R"({"target":"there","text":"go"})");
  CHECK(here.reaches(task, "TASK_STATE_COMPLETED"));
  CHECK(busy.received().size() == 4);
}
