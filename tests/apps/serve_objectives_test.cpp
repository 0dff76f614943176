// Objectives as a client of the real binary sees them: which task starts first, what holds a slot,
// what an answer shows, what the root task says.
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/array.hpp>
#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <csignal>
#include <fstream>

using namespace troupe::testing;
namespace json = boost::json;

namespace {

constexpr const char* working = "TASK_STATE_WORKING";
constexpr const char* completed = "TASK_STATE_COMPLETED";
constexpr const char* input_required = "TASK_STATE_INPUT_REQUIRED";

/// Params that make and start an objective of one plan. Its tasks are `ID.p0.t0`, `ID.p0.t1` ...
std::string started(const std::string& id, const std::string& tasks,
                    const std::string& members = {}) {
  return R"({"id":")" + id + R"(","name":"o","start":true,)" + members
         + R"("plans":[{"name":"p","onFailure":"continue","tasks":[)" + tasks + "]}]}";
}

std::string scripted(const std::string& name, const std::string& steps,
                     const std::string& members = {}) {
  return R"({"name":")" + name + R"(","agent":"scripted",)" + members + R"("input":{"steps":[)"
         + steps + "]}}";
}

std::string message_to(const std::string& task, const std::string& id) {
  return request_of("SendMessage", R"({"message":{"messageId":")" + id + R"(","taskId":")" + task
                                       + R"(","role":"ROLE_USER","parts":[{"text":")" + id
                                       + R"("}]},"configuration":{"returnImmediately":true}})");
}

/// How many of the tasks of an objective are in `state` (of OPT).
std::size_t tasks_in(const served& server, const std::string& objective, const std::string& state) {
  const auto shown = server.ask("objectives/get", R"({"id":")" + objective + R"("})");
  std::size_t out = 0;
  for (const auto& task : shown.at_pointer("/objective/plans/0/tasks").as_array())
    out += at(task, "/status") == state ? 1 : 0;
  return out;
}

} // namespace

TEST_CASE("an answer may name its question, and is for that one only",
          "[apps][binary][objectives]") {
  const served server({"--store", "memory"});
  server.ask("objectives/create",
             started("o", scripted("a", R"({"ask":"which?"},{"ask":"why?"},{"hang":true})")));
  const std::string task = "o.p0.t0";
  REQUIRE(server.reaches(task, input_required));
  const auto asks = [&] {
    const auto shown = server.ask("GetTask", R"({"id":")" + task + R"("})");
    return at(shown, "/status/message/metadata/opt~1v1~1inputId");
  };
  int messages = 0;
  const auto answer = [&](const std::string& question) {
    auto client = server.client();
    client.send(http_client::post_text(request_of(
        "SendMessage", R"({"message":{"messageId":"m-)" + std::to_string(++messages)
                           + R"(","role":"ROLE_USER","taskId":")" + task
                           + R"(","parts":[{"text":"x"}],"metadata":{"opt/v1/inputId":)" + question
                           + R"(}},"configuration":{"returnImmediately":true}})")));
    return json::parse(client.receive().body);
  };
  CHECK(asks() == "o.p0.t0.question-1");
  CHECK(at(answer(R"("question-2")"), "/error/data/0/reason") == "NO_QUESTION");
  CHECK(asks() == "o.p0.t0.question-1");
  CHECK(at(answer("7"), "/error/code") == "-32602");
  CHECK(at(answer(R"("question-1")"), "/result/task/id") == task);
  REQUIRE(comes_true([&] { return asks() == "o.p0.t0.question-2"; }));
  CHECK(at(answer(R"("o.p0.t0.question-1")"), "/error/data/0/reason") == "ALREADY_ANSWERED");
  CHECK(asks() == "o.p0.t0.question-2");
}

TEST_CASE("a lone task has its times for a client that activated the extension",
          "[apps][binary][objectives]") {
  const served server({"--store", "memory"});
  const auto made = server.ask(
      "SendMessage", R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"x"}]}})");
  CHECK(made.at("task").as_object().if_contains("metadata") == nullptr);
  const auto task = at(made, "/task/id");
  auto client = server.client();
  client.send(http_client::post_text(request_of("GetTask", R"({"id":")" + task + R"("})"),
                                     "A2A-Version: 1.0\r\nA2A-Extensions: "
                                     "https://github.com/zeroasterisk/a2a-opt/v1\r\n"));
  const auto shown = result_of(client.receive());
  CHECK(shown.at_pointer("/metadata/troupe~1v1~1readyAt").is_string());
}

TEST_CASE("of two answers sent at once to a task the first wins, and the second is refused",
          "[apps][binary][objectives]") {
  const temporary_directory place;
  const served server({"--data", place / "data"});
  auto one = server.client();
  auto other = server.client();
  int refused = 0;
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    const auto id = "o" + std::to_string(round);
    server.ask("objectives/create",
               started(id, scripted("a", R"({"ask":"which?"},{"hang":true})")));
    const auto task = id + ".p0.t0";
    REQUIRE(server.reaches(task, input_required));
    one.send(http_client::post_text(message_to(task, "this")));
    other.send(http_client::post_text(message_to(task, "that")));
    const json::value answers[] = {json::parse(one.receive().body),
                                   json::parse(other.receive().body)};
    int accepted = 0;
    for (const auto& answer : answers) {
      accepted += at(answer, "/result/task/id") == task ? 1 : 0;
      if (at(answer, "/error/data/0/reason") == "ALREADY_ANSWERED")
        ++refused;
    }
    CHECK(accepted >= 1);
  }
  // A second answer that comes after the first has been committed is further input. Between the two
  // is a sync of the disk, so nearly all second answers come before.
  CHECK(refused > 0);
}

TEST_CASE("of two answers sent at once to a question exactly one is accepted",
          "[apps][binary][objectives]") {
  const temporary_directory place;
  const served server({"--data", place / "data"});
  auto one = server.client();
  auto other = server.client();
  for (int round = 0; round < 20; ++round) {
    const auto id = "o" + std::to_string(round);
    server.ask("objectives/create",
               started(id, scripted("a", R"({"ask":"which?"},{"hang":true})")));
    REQUIRE(server.reaches(id + ".p0.t0", input_required));
    const auto answer = [&](const std::string& value) {
      return http_client::post_text(
          request_of("inputs/answer",
                     R"({"id":")" + id + R"(.p0.t0.question-1","value":")" + value + R"("})"));
    };
    one.send(answer("this"));
    other.send(answer("that"));
    const json::value answers[] = {json::parse(one.receive().body),
                                   json::parse(other.receive().body)};
    const auto accepted = [](const json::value& of) { return of.as_object().contains("result"); };
    CHECK(accepted(answers[0]) != accepted(answers[1]));
    const auto& refused = accepted(answers[0]) ? answers[1] : answers[0];
    CHECK(at(refused, "/error/data/0/reason") == "ALREADY_ANSWERED");
  }
}

TEST_CASE("a plan says since when its tasks are ready and what they wait for",
          "[apps][binary][objectives]") {
  const served server;
  server.ask("objectives/create",
             R"({"id":"o","name":"o","plans":[{"name":"p","maxParallel":1,"tasks":[)"
                 + scripted("a", R"({"ask":"which?"},{"hang":true})") + ","
                 + scripted("b", R"({"hang":true})") + ","
                 + scripted("c", R"({"hang":true})", R"("dependencies":["a"],)") + "]}]}");
  const auto of_task = [&](int index, const std::string& member) {
    return at(server.ask("plans/get", R"({"id":"o.p0"})"),
              "/plan/tasks/" + std::to_string(index) + "/" + member);
  };
  CHECK(of_task(0, "waitingFor") == "start");
  server.ask("objectives/update", R"({"id":"o","status":"working"})");
  REQUIRE(server.reaches("o.p0.t0", input_required));
  CHECK(of_task(0, "waitingFor") == "question");
  CHECK(of_task(1, "waitingFor") == "slot");
  CHECK(of_task(2, "waitingFor") == "dependencies");
  CHECK(of_task(0, "readyAt").ends_with('Z'));
  CHECK(of_task(1, "readyAt").ends_with('Z'));
  CHECK(of_task(2, "readyAt") == "(none)");
}

TEST_CASE("the answer to a pause shows the pause, of an objective and of a plan",
          "[apps][binary][objectives]") {
  const temporary_directory place;
  const served server({"--data", place / "data"});
  server.ask("objectives/create", started("o", scripted("a", R"({"hang":true})")));
  REQUIRE(server.reaches("o.p0.t0", working));
  for (int round = 0; round < 20; ++round)
    for (const std::string status : {"blocked", "working"}) {
      const auto of_objective =
          server.ask("objectives/update", R"({"id":"o","status":")" + status + R"("})");
      CHECK(at(of_objective, "/objective/status") == status);
    }
  for (int round = 0; round < 20; ++round)
    for (const std::string status : {"blocked", "working"}) {
      const auto of_plan =
          server.ask("plans/update", R"({"id":"o.p0","status":")" + status + R"("})");
      CHECK(at(of_plan, "/plan/status") == status);
    }
  auto client = server.client();
  const auto patched = [&](const std::string& path, const std::string& status) {
    return json::parse(client.request("PATCH", path, R"({"status":")" + status + R"("})").body);
  };
  for (int round = 0; round < 20; ++round)
    for (const std::string status : {"blocked", "working"})
      CHECK(at(patched("/objectives/o", status), "/objective/status") == status);
  for (int round = 0; round < 20; ++round)
    for (const std::string status : {"blocked", "working"})
      CHECK(at(patched("/plans/o.p0", status), "/plan/status") == status);
}

TEST_CASE("ready commands start in the order of the document", "[apps][binary][objectives]") {
  const temporary_directory place;
  const auto file = place / "order";
  std::string tasks;
  for (int i = 0; i < 8; ++i)
    tasks += (i ? "," : "") + (R"({"name":"t)" + std::to_string(i))
             + R"(","agent":"command","input":{"argv":["/bin/sh","-c","echo )" + std::to_string(i)
             + " >> " + file + R"("]}})";
  const auto done = run_program(
      {troupe_binary(), "run", "-", "--store", "memory", "--max-parallel", "1", "--quiet"},
      R"({"name":"p","tasks":[)" + tasks + "]}");
  INFO(done.out << done.err);
  REQUIRE(done.code == 0);
  std::ifstream lines(file);
  std::string order;
  for (std::string line; std::getline(lines, line);)
    order += line;
  CHECK(order == "01234567");
}

TEST_CASE("tasks that wait for their next attempt do not keep others waiting",
          "[apps][binary][objectives]") {
  const served server({"--store", "memory", "--allow-commands"});
  const std::string retry = R"("retry":{"maxAttempts":2,"backoff":3600,"maxBackoff":3600})";
  const auto command = [](const std::string& name, const std::string& program,
                          const std::string& members = {}) {
    return R"({"name":")" + name + R"(","agent":"command","input":{"argv":[")" + program + R"("]})"
           + members + "}";
  };
  // A task at either end, so that one of them comes last in whatever order they begin.
  server.ask("objectives/create",
             started("o",
                     command("first", "true") + "," + command("a", "false", "," + retry) + ","
                         + command("b", "false", "," + retry) + "," + command("last", "true"),
                     R"("maxParallel":2,)"));
  CHECK(server.reaches("o.p0.t0", completed));
  CHECK(server.reaches("o.p0.t3", completed));
  CHECK(server.state_of("o.p0.t1") == working);
}

TEST_CASE("a task that asks does not keep others waiting if nothing of it runs",
          "[apps][binary][objectives]") {
  const served server({"--store", "memory", "--agent", "conformance"}); // it asks, and ends its run
  server.ask("objectives/create",
             started("o",
                     R"({"name":"first","agent":"noop"},{"name":"a","agent":"conformance"},)"
                     R"({"name":"last","agent":"noop"})",
                     R"("maxParallel":1,)"));
  REQUIRE(server.reaches("o.p0.t1", input_required));
  CHECK(server.reaches("o.p0.t0", completed));
  CHECK(server.reaches("o.p0.t2", completed));
  CHECK(server.state_of("o.p0.t1") == input_required);
}

TEST_CASE("the status of the root task of a blocked objective does not grow with its questions",
          "[apps][binary][objectives]") {
  const served server;
  constexpr std::size_t questions = 2'000;
  std::string tasks;
  for (std::size_t i = 0; i < questions; ++i)
    tasks += (i > 0 ? "," : "")
             + scripted("t" + std::to_string(i),
                        R"({"ask":"Which of the two?"},{"ask":"Which of the others?"})");
  const auto made = server.ask(
      "SendMessage", R"({"message":{"messageId":"m","role":"ROLE_USER","parts":[{"text":"go"}],)"
                     R"("metadata":{"opt/v1/plan":{"name":"p","tasks":[)"
                         + tasks + "]}}}}");
  const auto root = at(made, "/task/id");
  const auto objective = at(made, "/task/contextId");
  REQUIRE(at(made, "/task/status/state") == input_required);
  REQUIRE(tasks_in(server, objective, "input-required") == questions);
  const auto root_task = [&] {
    return server.client().post(request_of("GetTask", R"({"id":")" + root + R"("})")).body;
  };
  const auto before = root_task();
  CHECK(at(json::parse(before), "/result/status/message/parts/0/text").size() < 2'000);
  // Each answer leads to another question, so that the objective works and is blocked again.
  for (int i = 0; i < 10; ++i) {
    const auto task = objective + ".p0.t" + std::to_string(i);
    const auto asked =
        server.ask("SendMessage", R"({"message":{"messageId":"answer","taskId":")" + task
                                      + R"(","role":"ROLE_USER","parts":[{"text":"this"}]}})");
    CHECK(at(asked, "/task/status/state") == input_required);
  }
  REQUIRE(server.reaches(root, input_required));
  CHECK(root_task().size() < before.size() + 50'000);
}

TEST_CASE("the document that objectives/get prints is run by troupe run",
          "[apps][binary][objectives]") {
  const served server({"--store", "memory"});
  server.ask(
      "objectives/create",
      R"({"id":"trip","name":"Trip","plans":[{"name":"p","onFailure":"continue","tasks":)"
      R"([{"name":"flight","agent":"scripted","input":{"steps":[{"fail":"no seats"}]}},)"
      R"({"name":"hotel","agent":"echo","input":{"text":"a room"}},)"
      R"({"name":"car","agent":"echo","input":{"text":"a car"},"dependencies":["hotel"]}]}]})");
  server.ask("plans/modify",
             R"({"id":"trip.p0","operations":[{"op":"removeTask","task":"trip.p0.t2"},)"
             R"({"op":"addTask","name":"bus","agent":"echo","input":{"text":"a bus to )"
             R"(${tasks.hotel.artifacts[0].text}"},"dependencies":["hotel"]}]})");
  server.ask("objectives/update", R"({"id":"trip","status":"working"})");
  REQUIRE(server.reaches("trip.p0.t0", "TASK_STATE_FAILED"));
  server.ask("plans/modify",
             R"({"id":"trip.p0","operations":[{"op":"retryTask","task":"trip.p0.t0",)"
             R"("with":{"agent":"echo","input":{"text":"a seat"}}}]})");
  REQUIRE(server.reaches("trip.p0.t0.r1", completed));

  const auto document =
      json::serialize(server.ask("objectives/get", R"({"id":"trip"})").at("objective"));
  const auto run = run_program({troupe_binary(), "run", "-", "--store", "memory"}, document);
  INFO(document);
  INFO(run.err);
  CHECK(run.code == 0);
  CHECK_THAT(run.out, ContainsSubstring("a seat") && ContainsSubstring("a bus to a room"));
  CHECK_THAT(run.out + run.err, ContainsSubstring("3 of 3 tasks"));
}

TEST_CASE("M23_restart: an open question survives kill -9, and its answer works",
          "[apps][binary][objectives]") {
  const temporary_directory place;
  const std::vector<std::string> words{"--data", place / "data"};
  const auto open = [](const served& server) {
    return server.ask("inputs/list", R"({"objectiveId":"trip"})");
  };
  boost::json::value before;
  {
    served server(words);
    server.ask(
        "objectives/create",
        R"({"id":"trip","name":"Trip","start":true,"plans":[{"name":"p","tasks":[)"
        R"({"name":"done","agent":"noop"},{"name":"ask","agent":"scripted","dependencies":["done"],)"
        R"("input":{"steps":[{"ask":"By the sea?"},{"complete":"booked"}]}},)"
        R"({"name":"last","agent":"noop","dependencies":["ask"]}]}]})");
    REQUIRE(comes_true([&] { return at(open(server), "/totalSize") == "1"; }));
    REQUIRE(server.reaches("trip.p0.t1", "TASK_STATE_INPUT_REQUIRED"));
    before = open(server);
    server.program().signal(SIGKILL);
    CHECK(server.program().wait() == 128 + SIGKILL);
  }
  served server(words);
  for (const auto* member : {"/totalSize", "/inputs/0/id", "/inputs/0/prompt"})
    CHECK(comes_true([&] { return at(open(server), member) == at(before, member); }));
  json::value objective;
  CHECK(comes_true([&] {
    objective = server.ask("objectives/get", R"({"id":"trip"})");
    return at(objective, "/objective/status") == "blocked";
  }));
  CHECK(at(objective, "/objective/plans/0/tasks/0/status") == "completed");
  CHECK(at(objective, "/objective/plans/0/tasks/1/status") == "input-required");
  CHECK(at(objective, "/objective/plans/0/tasks/2/status") == "pending");
  server.ask("inputs/answer", R"({"id":")" + at(before, "/inputs/0/id") + R"(","value":"yes"})");
  CHECK(server.reaches("trip.p0.t2", "TASK_STATE_COMPLETED"));
}
