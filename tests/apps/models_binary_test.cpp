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
#include <memory>
#include <string>

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
  explicit models_bed(const std::string& planner = "ok", const std::string& plan = trip_plan) {
    models.say(planner, {plan, plan}); // Also when it is asked to mend it.
    std::ofstream config(where.path() / "c.toml");
    config << "[models.plans]\nurl = \"" << models.url() << "\"\nmodel = \"" << planner
           << "\"\n[models.talks]\nurl = \"" << models.url() << "\"\nmodel = \"tool\"\n"
           << "[models.obedient]\nurl = \"" << models.url() << "\"\nmodel = \"obey\"\n"
           << "[planner]\nmodel = \"plans\"\nagents = [\"llm\", \"a2a\"]\n[agents]\nllm-model = "
              "\"talks\"\n";
    config.close();
    start();
  }
  void start() {
    here = std::make_unique<served>(
        std::vector<std::string>{"--data", (where.path() / "data").string(), "--config",
                                 (where.path() / "c.toml").string(), "--allow-commands"});
  }
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
  bed.here->program().signal(SIGKILL);
  CHECK(bed.here->program().wait() == 128 + SIGKILL);
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
