// Three `troupe serve` in a chain: questions and answers through all of them, a fan of fifty whose
// middle is killed, the report of a cancel, and tasks that come back.
#include "tests/apps/chain_link.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/push_receiver.hpp"
#include <troupe/protocol/progress.hpp>
#include <troupe/protocol/time.hpp>
#include <troupe/protocol/time_source.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <chrono>
#include <set>

using namespace troupe::testing;

namespace {

namespace json = boost::json;

struct three_bed {
  three_bed() {
    c.start({{"A", a.url()}});
    b.start({{"A", a.url()}, {"C", c.url()}});
    a.start({{"B", b.url()}});
  }
  chain_link a;
  chain_link b;
  chain_link c;
};

/// A task at B that has a plan with one task at C.
std::string over_b_to_c(const std::string& name, const std::string& steps) {
  return delegated(name, "B", planned(delegated("w", "C", scripted(steps))));
}

} // namespace

TEST_CASE("fifty tasks go over three servers, ask, and end, though the middle one is killed",
          "[binary][delegation]") {
  constexpr int count = 50;
  three_bed bed;
  std::string tasks;
  for (int i = 0; i < count; ++i)
    tasks += (i == 0 ? "" : ",")
             + over_b_to_c("t" + std::to_string(i),
                           R"([{"ask":"Go on?"},{"artifactFromAnswer":{"name":"said"}},)"
                           R"({"complete":"done"}])");
  bed.a.begin("fan", tasks);
  constexpr std::chrono::seconds long_enough{60};
  REQUIRE(comes_true([&] { return bed.a.question_count() == count; }, long_enough));
  const auto asked = bed.a.server().ask("inputs/list", R"({"pageSize":1})").at("inputs").at(0);
  CHECK(at(asked, "/prompt") == "Go on?");
  CHECK(at(asked, "/data/troupe~1v1~1asker/0/target") == "B");
  CHECK(at(asked, "/data/troupe~1v1~1asker/1/target") == "C");
  const auto inbox = run_program({troupe_binary(), "inbox", "-o", "wide", "--server", bed.a.url()});
  CAPTURE(inbox.out, inbox.err);
  CHECK(inbox.out.find("B: " + at(asked, "/data/troupe~1v1~1asker/0/taskId") + " > C: ")
        != std::string::npos);
  bed.b.kill();
  for (int i = 0; i < count; i += 2) // half of the answers while it is away
    bed.a.answer("fan.p0.t" + std::to_string(i), "yes " + std::to_string(i),
                 "a" + std::to_string(i));
  bed.b.start_again();
  // The others are asked again when it is back; some of these questions are withdrawn meanwhile.
  const auto answer_again = [&] {
    const auto open =
        bed.a.server().ask("inputs/list", R"({"pageSize":100})").at("inputs").as_array();
    for (const auto& each : open) {
      const auto task = at(each, "/taskId");
      const auto number = task.substr(task.rfind('t') + 1);
      static_cast<void>(bed.a.server().client().post(
          request_of("inputs/answer",
                     R"({"id":")" + at(each, "/id") + R"(","value":"yes )" + number + R"("})")));
    }
    return bed.a.server()
               .ask("ListTasks", R"({"status":"TASK_STATE_COMPLETED"})")
               .at("totalSize")
               .as_int64()
           == count;
  };
  CHECK(comes_true(answer_again, long_enough));
  for (int i = 0; i < count; ++i) {
    const auto task = "fan.p0.t" + std::to_string(i);
    CAPTURE(task, bed.a.words(task));
    REQUIRE(bed.a.server().reaches(task, "TASK_STATE_COMPLETED"));
    CHECK(at(bed.a.task(task), "/artifacts/0/parts/0/text") == "yes " + std::to_string(i));
  }
  CHECK(bed.c.task_count() == count);
  CHECK(bed.b.server().ask("objectives/list", "{}").at("totalSize").as_int64() == count);
}

TEST_CASE("an answer in the middle wins over one that is on its way from the root",
          "[binary][delegation]") {
  three_bed bed;
  bed.a.begin("trip", over_b_to_c("t", R"([{"ask":"Which city?"},{"artifactFromAnswer":)"
                                       R"({"name":"city"}},{"complete":"booked"}])"));
  REQUIRE(bed.a.server().reaches("trip.p0.t0", "TASK_STATE_INPUT_REQUIRED"));
  bed.b.door().swallow_request(R"("SendMessage")");
  bed.a.answer("trip.p0.t0", "Rome");
  REQUIRE(comes_true([&] { return bed.b.door().swallowed() > 0; }));
  const auto middle = at(bed.b.server().ask("inputs/list", "{}"), "/inputs/0/id");
  static_cast<void>(
      bed.b.server().ask("inputs/answer", R"({"id":")" + middle + R"(","value":"Oslo"})"));
  bed.b.door().reset();
  REQUIRE(bed.a.server().reaches("trip.p0.t0", "TASK_STATE_COMPLETED"));
  CHECK(at(bed.a.task("trip.p0.t0"), "/artifacts/0/parts/0/text") == "Oslo");
}

TEST_CASE("progress comes through three servers", "[binary][delegation]") {
  three_bed bed;
  bed.a.begin("trip", over_b_to_c("t", R"([{"progress":{"id":"pages","progress":1,"total":2}},)"
                                       R"({"hang":true}])"));
  const auto plan = [&] { // of B, as the task of A shows it
    const auto task = result_of(bed.a.server().client().post(
        request_of("GetTask", R"({"id":"trip.p0.t0"})"),
        "A2A-Version: 1.0\r\nA2A-Extensions: " + std::string(troupe::progress_uri) + "\r\n"));
    boost::system::error_code failed;
    const auto* found = task.find_pointer(
        "/metadata/https:~1~1a2a-protocol.org~1extensions~1task-progress~1v1/trackers/0", failed);
    return found == nullptr ? json::value{} : *found;
  };
  CHECK(
      comes_true([&] { return at(plan(), "/message") == "p" && at(plan(), "/progress") != "0"; }));
  CAPTURE(json::serialize(plan()));
  CHECK(bed.a.server().state_of("trip.p0.t0") == "TASK_STATE_WORKING");
  static_cast<void>(bed.a.server().ask("CancelTask", R"({"id":"trip.p0.t0"})"));
  CHECK(bed.a.server().reaches("trip.p0.t0", "TASK_STATE_CANCELED"));
}

TEST_CASE("a deadline that passes cancels the leaf behind two servers", "[binary][delegation]") {
  three_bed bed;
  bed.a.begin("trip", over_b_to_c("t", R"([{"hang":true}])"));
  const auto leaves = [&](const std::string& state) {
    return bed.c.server()
        .ask("ListTasks", R"({"status":")" + state + R"("})")
        .at("totalSize")
        .as_int64();
  };
  REQUIRE(comes_true([&] { return leaves("TASK_STATE_WORKING") == 1; }));
  const auto soon = troupe::to_rfc3339(troupe::system_time().now() + std::chrono::seconds{3});
  static_cast<void>(bed.a.server().ask(
      "objectives/modify",
      R"({"id":"trip","operations":[{"op":"setObjective","deadline":")" + soon + R"("}]})"));
  CHECK(comes_true([&] { return leaves("TASK_STATE_CANCELED") == 1; }));
  CHECK(bed.a.server().reaches("trip.p0.t0", "TASK_STATE_CANCELED"));
}

TEST_CASE("the report of a cancel has a leaf that refuses and one that hangs",
          "[binary][delegation]") {
  push_receiver stubborn;
  const std::string head = "Content-Type: application/json\r\n";
  stubborn.answer_with([&](const received_post& asked) {
    if (asked.method == "GET")
      return answer_text(200, head,
                         R"({"protocolVersion":"0.3.0","name":"S","version":"1","url":")"
                             + stubborn.url("/")
                             + R"(","preferredTransport":"JSONRPC","capabilities":{},"skills":[],)"
                               R"("defaultInputModes":[],"defaultOutputModes":[]})");
    if (asked.body.find("tasks/cancel") != std::string::npos)
      return answer_text(
          200, head, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32002,"message":"too late"}})");
    return answer_text(200, head,
                       R"({"jsonrpc":"2.0","id":1,"result":{"kind":"task","id":"r",)"
                       R"("contextId":"c","status":{"state":"working"}}})");
  });
  chain_link c;
  c.start({});
  chain_link b;
  b.start({{"C", c.url()}, {"S", stubborn.url("/")}});
  chain_link a;
  a.start({{"B", b.url()}}, "[timeouts]\ncancel-wait = 8\n");
  a.begin("trip", delegated("t", "B",
                            planned(delegated("v", "C", scripted(R"([{"hang":true}])")) + ","
                                    + delegated("w", "S", R"(,"text":"go")") + ","
                                    + delegated("x", "C", scripted(R"([{"complete":"done"}])")))));
  std::string there;
  REQUIRE(comes_true([&] {
    const auto all = b.server().ask("objectives/list", "{}").at("objectives").as_array();
    there = all.empty() ? std::string{} : at(all[0], "/id") + ".p0.t";
    return !there.empty() && b.server().state_of(there + "0") == "TASK_STATE_WORKING"
           && b.server().state_of(there + "1") == "TASK_STATE_WORKING"
           && b.server().state_of(there + "2") == "TASK_STATE_COMPLETED" && c.task_count() == 2
           && stubborn.received().size() >= 2;
  }));
  c.door().swallow_request("CancelTask");
  const auto canceled = run_program({troupe_binary(), "cancel", "trip", "--server", a.url()});
  CAPTURE(canceled.out, canceled.err);
  const auto line = [&](const std::string& rest) { return "  trip.p0.t0 > " + there + rest; };
  const auto lines = lines_of(canceled.out);
  CHECK(std::set<std::string>(lines.begin(), lines.end())
        == std::set<std::string>{"objective trip canceled", line("0: C: no answer"),
                                 line("1: S: refused, too late")});
  CHECK(std::ranges::any_of(stubborn.received(), [](const received_post& asked) {
    return asked.body.find(R"("troupe/v1/cancel-wait":)") != std::string::npos;
  }));
  // What did not arrive is delivered in the background.
  c.door().reset();
  CHECK(comes_true([&] {
    const auto tasks = c.server().ask("ListTasks", R"({"status":"TASK_STATE_CANCELED"})");
    return tasks.at("totalSize").as_int64() == 1;
  }));
}

TEST_CASE("a task that comes back to its server is refused there, with its path",
          "[binary][delegation]") {
  three_bed bed;
  const auto to_a = delegated("w", "A", R"(,"text":"go")");
  std::string servers;
  SECTION("A, B, A") {
    bed.a.begin("trip", delegated("t", "B", planned(to_a)));
    servers = "A -> B -> A";
  }
  SECTION("A, B, C, A") {
    bed.a.begin("trip", delegated("t", "B", planned(delegated("v", "C", planned(to_a)))));
    servers = "A -> B -> C -> A";
  }
  REQUIRE(bed.a.server().reaches("trip.p0.t0", "TASK_STATE_FAILED"));
  const auto id_of = [](const chain_link& of) {
    std::string out;
    std::ifstream(of.data() / "server-id") >> out;
    return out;
  };
  std::string path;
  for (const char c : servers)
    path += c == 'A'   ? id_of(bed.a)
            : c == 'B' ? id_of(bed.b)
            : c == 'C' ? id_of(bed.c)
                       : std::string(1, c);
  const auto words = bed.a.words("trip.p0.t0");
  CAPTURE(words);
  CHECK(words.find("the task came through this server before: " + path) != std::string::npos);
  CHECK(bed.a.task_count() == 1); // nothing began when it came back
}

TEST_CASE("how long an agent may say nothing is a setting", "[binary][delegation]") {
  chain_link b;
  b.start({});
  chain_link a;
  a.start({{"B", b.url()}}, "[agents]\na2a-lost-after = 4\n");
  a.begin("trip", delegated("t", "B", scripted(R"([{"hang":true}])")));
  REQUIRE(comes_true([&] { return b.task_count() == 1; }));
  b.server().program().signal(SIGSTOP);
  CHECK(a.server().reaches("trip.p0.t0", "TASK_STATE_FAILED"));
  b.server().program().signal(SIGCONT);
  CHECK(a.words("trip.p0.t0") == "the agent \"B\" has not answered for 4 s");
}

TEST_CASE("the servers through which a task may go are a setting", "[binary][delegation]") {
  chain_link c;
  c.start({}, "[agents]\na2a-max-hops = 1\n");
  chain_link b;
  b.start({{"C", c.url()}});
  chain_link a;
  a.start({{"B", b.url()}});
  a.begin("trip", over_b_to_c("t", R"([{"complete":"done"}])"));
  REQUIRE(a.server().reaches("trip.p0.t0", "TASK_STATE_FAILED"));
  const auto words = a.words("trip.p0.t0");
  CAPTURE(words);
  CHECK(words.find("would go through more than 1 servers: ") != std::string::npos);
  CHECK(c.task_count() == 0);
}
