// `troupe serve` and `troupe run` with a server of models: a text is planned by a model, its tasks
// are done by one, a person is asked, and what was asked survives `kill -9`.
#include "tests/apps/served.hpp"
#include "tests/models/model_server.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <signal.h>

using namespace troupe::testing;

namespace {

constexpr const char* with_extension =
    "A2A-Version: 1.0\r\nA2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1\r\n";

/// Two tasks: the first asks a person by its model, the second tells what was heard.
constexpr const char* trip_plan =
    R"({"name":"Trip","tasks":[)"
    R"({"name":"Ask","agent":"llm","input":{"prompt":"Where to?","tools":["ask_person"]}},)"
    R"({"name":"Tell","agent":"llm","input":{"model":"obedient","prompt":"!say All is booked."},)"
    R"("dependencies":["Ask"]}],"assumptions":["one traveller"]})";

struct models_bed {
  explicit models_bed(const std::string& planner = "ok", const std::string& plan = trip_plan,
                      const std::string& of_plans = {}, const std::string& rest = {})
      : models_bed(planner, std::vector{plan, plan}, of_plans, rest) { // also to be mended
  }
  /// `of_plans`: further lines of the planner's model; `rest`: of `[agents]`, and what follows.
  models_bed(const std::string& planner, const std::vector<std::string>& contents,
             const std::string& of_plans, const std::string& rest) {
    models.say(planner, contents);
    std::ofstream config(where.path() / "c.toml");
    config << "[models.plans]\nurl = \"" << models.url() << "\"\nmodel = \"" << planner << "\"\n"
           << of_plans << "[models.talks]\nurl = \"" << models.url() << "\"\nmodel = \"tool\"\n"
           << "[models.obedient]\nurl = \"" << models.url() << "\"\nmodel = \"obey\"\n"
           << "[planner]\nmodel = \"plans\"\nagents = [\"llm\", \"a2a\"]\n[agents]\nllm-model = "
              "\"talks\"\n"
           << rest;
    config.close();
    start();
  }
  void start(const std::vector<std::string>& launcher = {"/usr/bin/env",
                                                         "TROUPE_TEST_KEY=sk-never-shown"}) {
    here = std::make_unique<served>(
        std::vector<std::string>{"--data", data(), "--config", (where.path() / "c.toml").string(),
                                 "--allow-commands", "--log-level", "debug"},
        std::string{}, launcher);
  }
  void kill() const {
    here->program().signal(SIGKILL);
    CHECK(here->program().wait() == 128 + SIGKILL);
  }
  [[nodiscard]] std::string data() const { return (where.path() / "data").string(); }
  /// The task that stands for the objective of the text.
  [[nodiscard]] boost::json::value send(const std::string& text) const {
    return result_of(here->client().post(
        request_of("SendMessage",
                   R"({"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"text":")" + text
                       + R"("}]},"configuration":{"returnImmediately":true}})"),
        with_extension));
  }
  /// The answer to the open question, once there is one.
  [[nodiscard]] bool answer(const std::string& root, const std::string& value) const {
    const auto body =
        request_of("SendMessage", R"({"message":{"messageId":"a1","role":"ROLE_USER","taskId":")"
                                      + root + R"(","parts":[{"text":")" + value + R"("}]},)"
                                      + R"("configuration":{"returnImmediately":true}})");
    // Right after a restart the task may not have asked again: then the answer is refused.
    return here->reaches(root, "TASK_STATE_INPUT_REQUIRED") && comes_true([&] {
             return here->client().post(body).body.find("\"error\"") == std::string::npos;
           });
  }
  [[nodiscard]] std::string objective(const std::string& id) const {
    return boost::json::serialize(
        here->ask("objectives/get", R"({"id":")" + id + R"(","includeTasks":true})"));
  }

  temporary_directory where;
  model_server models;
  std::unique_ptr<served> here;
};

} // namespace

TEST_CASE("a text that a model plans runs to its end, with a question to a person in it",
          "[binary][models]") {
  models_bed bed;
  const auto sent = bed.send("Organize my holidays somehow");
  const auto root = at(sent, "/task/id");
  const auto objective = at(sent, "/task/contextId");
  REQUIRE(root != "(none)");
  REQUIRE(bed.answer(root, "Rome"));
  REQUIRE(bed.here->reaches(root, "TASK_STATE_COMPLETED"));
  const auto all = bed.objective(objective);
  CHECK_THAT(all, ContainsSubstring("\"who\":\"model\""));
  CHECK_THAT(all, ContainsSubstring("one traveller"));
  const auto done = bed.here->ask("GetTask", R"({"id":")" + root + R"("})");
  CHECK_THAT(boost::json::serialize(done), ContainsSubstring("All is booked."));
  CHECK(bed.here->program().read_until(
      [](const process& server) {
        return server.err().find("model plans: 11 + ") != std::string::npos;
      },
      std::chrono::seconds{20}));
  CHECK(bed.models.requests_for("tool") == 2);
  const auto command = [&](const std::string& name, const std::string& id) {
    process run({troupe_binary(), name, id, "--server",
                 "http://127.0.0.1:" + std::to_string(bed.here->port())});
    CHECK(run.wait() == 0);
    return run.out();
  };
  CHECK_THAT(command("show", objective), ContainsSubstring("\nmodels: 4 calls, "));
  const auto asked = at(boost::json::parse(all), "/objective/plans/0/tasks/0/id");
  CHECK_THAT(command("task", asked), ContainsSubstring("\nmodels: 2 calls, "));
}

TEST_CASE("a planned text runs no program and reaches no host of its own, nor by a model it tasks",
          "[binary][models]") {
  const temporary_directory place;
  const auto file = place / "came";
  const auto program =
      R"({"name":"x","agent":"command","input":{"argv":["touch",")" + file + R"("]}})";
  // A task of `llm` that lets its model call this one, and has it do so.
  const auto calls = [](const std::string& listed, const std::string& name) {
    return R"({"name":")" + name
           + R"(","agent":"llm","input":{"model":"obedient","tools":["call_agent"],)"
           + R"("prompt":"!call call_agent {\"agent\":\"x\",\"text\":\"go\"}","agents":[)" + listed
           + "]}}";
  };
  const std::string host =
      R"({"name":"x","agent":"a2a","input":{"url":"http://127.0.0.1:9/","text":"x"}})";
  const std::vector<std::string> tasks{program, calls(program, "t"),
                                       calls(calls(program, "x"), "t"), host, calls(host, "t")};
  const auto& task = tasks.at(GENERATE(range(std::size_t{0}, std::size_t{5})));
  CAPTURE(task);
  models_bed bed("ok", R"({"name":"P","tasks":[)" + task + "]}");
  const auto sent = bed.send("Organize my holidays somehow");
  const auto id = at(sent, "/task/id");
  REQUIRE(bed.here->reaches(id, "TASK_STATE_COMPLETED"));
  CHECK_FALSE(std::filesystem::exists(file));
  // One task of the default agent does it.
  const auto made = boost::json::parse(bed.objective(at(sent, "/task/contextId")));
  CHECK(at(made, "/objective/plans/0/tasks/0/agent") == "(none)");
  CHECK(at(made, "/objective/plans/0/tasks/1/id") == "(none)");
  CHECK(bed.models.requests_for("obey") == 0);
}

TEST_CASE("kill -9 while a person is asked makes no answered call again", "[binary][models]") {
  models_bed bed;
  const auto root = at(bed.send("Organize my holidays somehow"), "/task/id");
  REQUIRE(bed.here->reaches(root, "TASK_STATE_INPUT_REQUIRED"));
  bed.kill();
  CHECK(bed.models.requests_for("tool") == 1);
  bed.start();
  REQUIRE(bed.answer(root, "Oslo"));
  REQUIRE(bed.here->reaches(root, "TASK_STATE_COMPLETED"));
  CHECK(bed.models.requests_for("tool") == 2);
  CHECK(bed.models.requests_for("ok") == 1);
}

TEST_CASE("a model that fails loses no message: it becomes a task of the default agent",
          "[binary][models]") {
  models_bed bed("401");
  const auto sent = bed.send("Organize my holidays somehow");
  const auto root = at(sent, "/task/id");
  REQUIRE(bed.here->reaches(root, "TASK_STATE_COMPLETED"));
  CHECK_THAT(bed.objective(at(sent, "/task/contextId")),
             ContainsSubstring("the model plans: the server answered 401"));
}

TEST_CASE("a planner's model asks a person, and plans with the answer, also after kill -9",
          "[binary][models]") {
  const std::string question = R"({"question":"How many travellers?","choices":["one","two"]})";
  const std::string plan = R"({"name":"Trip","tasks":[{"name":"Pack for two"}]})";
  models_bed bed("ok", {question, plan}, "", "");
  const auto sent = bed.send("Organize my holidays somehow");
  const auto root = at(sent, "/task/id");
  const auto id = at(sent, "/task/contextId");
  REQUIRE(bed.here->reaches(root, "TASK_STATE_INPUT_REQUIRED"));
  CHECK_THAT(bed.objective(id), ContainsSubstring("How many travellers?"));
  if (GENERATE(false, true)) {
    bed.kill();
    bed.start();
  }
  REQUIRE(bed.answer(root, "two"));
  REQUIRE(bed.here->reaches(root, "TASK_STATE_COMPLETED"));
  const auto all = bed.objective(id);
  CHECK_THAT(all, ContainsSubstring("Pack for two"));
  CHECK_THAT(all, ContainsSubstring(R"("modelUsage":{"calls":2,)"));
  REQUIRE(bed.models.requests_for("ok") == 2);
  const auto told = boost::json::serialize(bed.models.requests().back().body.at("messages"));
  CHECK_THAT(told, ContainsSubstring("How many travellers?"));
  CHECK_THAT(told, ContainsSubstring(R"("role":"user","content":"two")"));
}

TEST_CASE("the key of a model is sent to its server, and is found nowhere else",
          "[binary][models]") {
  const std::string failing = GENERATE("ok", "401"); // whose message repeats the key
  models_bed bed(failing, trip_plan, "key-env = \"TROUPE_TEST_KEY\"\n");
  const auto sent = bed.send("Organize my holidays somehow");
  const auto root = at(sent, "/task/id");
  if (failing == "ok")
    REQUIRE(bed.answer(root, "Rome"));
  REQUIRE(bed.here->reaches(root, "TASK_STATE_COMPLETED"));
  CHECK(bed.models.requests().front().headers.at("authorization") == "Bearer sk-never-shown");
  std::string seen = bed.objective(at(sent, "/task/contextId"));
  seen += boost::json::serialize(bed.here->ask("GetTask", R"({"id":")" + root + R"("})"));
  for (const auto* path : {"/.well-known/agent-card.json", "/readyz", "/metrics", "/"})
    seen += bed.here->client().get(path).body;
  CHECK(bed.here->stop() == 0);
  seen += bed.here->program().out() + bed.here->program().err();
  CHECK_THAT(seen, ContainsSubstring("model plans: "));
  std::size_t files = 0;
  for (const auto& each : std::filesystem::recursive_directory_iterator(bed.data()))
    if (each.is_regular_file()) {
      std::ifstream in(each.path(), std::ios::binary);
      seen += std::string{std::istreambuf_iterator<char>(in), {}};
      ++files;
    }
  CHECK(files > 3);
  CHECK(seen.find("sk-never-shown") == std::string::npos);
}

TEST_CASE("a budget of the day survives kill -9", "[binary][models]") {
  models_bed bed("ok", R"({"tasks":[{"name":"Pack"}]})",
                 "budget-day-tokens = 6000\nmax-tokens = 100\n");
  const auto first = bed.send("Organize my holidays somehow");
  REQUIRE(bed.here->reaches(at(first, "/task/id"), "TASK_STATE_COMPLETED"));
  const auto kept = [&] {
    std::ifstream in(bed.data() + "/model-days.json");
    return std::string{std::istreambuf_iterator<char>(in), {}};
  };
  CHECK_THAT(kept(), StartsWith(R"({"plans":{"day":)") && ContainsSubstring(R"("tokens":)"));
  bed.kill();
  auto days = boost::json::parse(kept());
  days.at("plans").at("tokens") = 5999;
  std::ofstream(bed.data() + "/model-days.json") << boost::json::serialize(days);
  bed.start();
  const auto refused = bed.send("Organize all of my holidays");
  REQUIRE(bed.here->reaches(at(refused, "/task/id"), "TASK_STATE_COMPLETED"));
  CHECK_THAT(bed.objective(at(refused, "/task/contextId")),
             ContainsSubstring("the budget day-tokens is 6000; 5999 of it are spent"));
  CHECK(bed.models.requests_for("ok") == 1);
}

TEST_CASE("a budget of an objective counts its ended tasks and its planner after kill -9",
          "[binary][models]") {
  const std::string plan =
      R"({"name":"Trip","tasks":[{"name":"First","agent":"llm","input":{"model":"plans","prompt":"a"}},)"
      R"({"name":"Ask","agent":"llm","dependencies":["First"],)"
      R"("input":{"prompt":"Where to?","tools":["ask_person"]}},{"name":"Last","agent":"llm",)"
      R"("dependencies":["Ask"],"input":{"model":"plans","prompt":"b"}}]})";
  models_bed bed("ok", {plan, "said"}, "budget-objective-tokens = 6000\nmax-tokens = 100\n", "");
  const auto sent = bed.send("Organize my holidays somehow");
  const auto root = at(sent, "/task/id");
  const auto id = at(sent, "/task/contextId");
  REQUIRE(bed.here->reaches(root, "TASK_STATE_INPUT_REQUIRED"));
  bed.kill();
  REQUIRE(bed.models.requests_for("ok") == 2); // the planner, and the task that has ended
  const auto path = bed.data() + "/model-days.json";
  std::ifstream in(path, std::ios::binary);
  auto kept = boost::json::parse(std::string{std::istreambuf_iterator<char>(in), {}});
  auto& tokens = kept.at("plans").at("objectives").at(id).at("tokens");
  CHECK(tokens.to_number<int>() > 11 + 11);
  tokens = 5999;
  std::ofstream(path) << boost::json::serialize(kept);
  bed.start();
  REQUIRE(bed.answer(root, "Oslo"));
  REQUIRE(bed.here->reaches(root, "TASK_STATE_FAILED"));
  CHECK_THAT(bed.objective(id),
             ContainsSubstring("the budget objective-tokens is 6000; 5999 of it are spent"));
  CHECK(bed.models.requests_for("ok") == 2);
}

TEST_CASE("the agent llm answers a short question with a message, if it is told to",
          "[binary][models]") {
  const temporary_directory where;
  model_server models;
  models.say("ok", {"Paris"});
  const std::string direct = GENERATE("true", "false");
  const auto config =
      where.file("c.toml", "[models.m]\nurl = \"" + models.url()
                               + "\"\nmodel = \"ok\"\n[agents]\nllm-direct = " + direct + "\n");
  served here({"--data", where / "data", "--config", config, "--agent", "llm"});
  const auto answer = result_of(here.client().post(
      request_of("SendMessage", R"({"message":{"messageId":"m1","role":"ROLE_USER","parts":)"
                                R"([{"text":"What is the capital of France?"}]}})"),
      with_extension));
  INFO(answer);
  if (direct == "true") {
    CHECK(at(answer, "/message/parts/0/text") == "Paris");
    CHECK(at(answer, "/message/parts/1") == "(none)");
    CHECK(at(here.ask("ListTasks", "{}"), "/totalSize") == "0");
  } else {
    CHECK(at(answer, "/task/status/state") == "TASK_STATE_COMPLETED");
  }
}

TEST_CASE("troupe plan asks the planner that it is given", "[binary][models]") {
  const temporary_directory where;
  model_server models;
  models.say("ok", {R"({"name":"Trip","tasks":[{"name":"Book","agent":"llm"},)"
                    R"({"name":"Pack","dependencies":["Book"]}],"assumptions":["one traveller"]})",
                    R"({"question":"Where to?"})", R"({"answer":"Paris"})"});
  const auto config =
      where.file("c.toml", "[models.fast]\nurl = \"" + models.url()
                               + "\"\nmodel = \"ok\"\n[planner]\nagents = [\"llm\"]\n");
  const auto plan = [&](const std::string& by, const std::string& text,
                        const std::vector<std::string>& more = {}) {
    std::vector<std::string> words{troupe_binary(), "plan", "--planner", by, text};
    words.insert(words.end(), more.begin(), more.end());
    process run(words, {"TROUPE_CONFIG=" + config});
    const int code = run.wait();
    return std::to_string(code) + "\n" + run.out() + run.err();
  };
  const std::string list = "1. Buy\n2. Cook";
  CHECK(plan("fast", list) // a model is asked, whatever others could read
        == "0\nobjective: Trip\nplans:\n  plan-0 Trip\n    task-0 Book\n"
           "    task-1 Pack (after Book)\nassumed:\n  one traveller\n"
           "verdict: an objective (model)\n  the message names no task\n"
           "  it brings no objective and no plan\n  the client leaves it to the server\n"
           "  no template fits\n  the grammar is not asked\n  a model is configured\n"
           "  the model fast makes a plan\n");
  CHECK_THAT(plan("fast", list),
             StartsWith("1\n") && ContainsSubstring("the model fast asks: Where to?"));
  CHECK_THAT(plan("fast", list, {"--json"}),
             StartsWith("1\n") && ContainsSubstring("the model fast answers: Paris"));
  const std::string bad = R"({"name":"T","tasks":[{"name":"t","agent":"llm","input":)"
                          R"({"prompt":"p","tools":["call_agent"],"agents":[{"name":"x",)"
                          R"("agent":"command","input":{"shell":"true"}}]}}]})";
  models.say("ok", {bad, bad});
  CHECK_THAT(plan("fast", list, {"--json"}),
             StartsWith("1\n") && ContainsSubstring("which planned tasks may not name"));
  CHECK_THAT(plan("grammar", list),
             StartsWith("0\n") && ContainsSubstring("verdict: an objective (grammar)"));
  CHECK_THAT(plan("templates", list),
             StartsWith("1\n") && ContainsSubstring("the grammar is not asked"));
  CHECK_THAT(plan("templates", "Research tea and write a report"),
             StartsWith("0\n") && ContainsSubstring("verdict: an objective (template)"));
  CHECK_THAT(plan("grammar", "Research tea and write a report"),
             ContainsSubstring("no template fits"));
  CHECK_THAT(plan("grammar", list, {"--template", "blog-post"}),
             StartsWith("2\n") && ContainsSubstring("the planner grammar takes no template"));
  CHECK(plan("fats", list)
        == "2\ntroupe: --planner: there is no planner \"fats\"; known are templates, "
           "grammar, fast; did you mean \"fast\"?\n");
  process none({troupe_binary(), "plan", "--planner", "fast", list},
               {"TROUPE_CONFIG=" + (where / "no.toml")});
  CHECK(none.wait() == 2);
  CHECK_THAT(none.err(), ContainsSubstring("no.toml names no model ([models.NAME])"));
}

TEST_CASE("a configuration that names no model where one is wanted ends the start",
          "[binary][models]") {
  const temporary_directory where;
  const auto refused = [&](const std::string& text) {
    const auto file = where.file("c.toml", text);
    process serve({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--store", "memory",
                   "--config", file});
    CHECK(serve.wait() == 2);
    return serve.err();
  };
  CHECK_THAT(refused("[planner]\nmodel = \"none\"\n"),
             ContainsSubstring("planner.model: there is no [models.none]"));
  CHECK_THAT(refused("[planner]\nagents = [\"llmm\"]\n"),
             ContainsSubstring("planner.agents: there is no agent \"llmm\""));
  CHECK_THAT(refused("[planner]\nagents = [\"command\"]\n[agents]\ncommand = true\n"),
             ContainsSubstring("a text can never lead to the agent \"command\""));
  CHECK_THAT(refused("[models.a]\nurl = \"http://127.0.0.1:1\"\n"),
             ContainsSubstring("c.toml:1: in [models.a]"));
}
