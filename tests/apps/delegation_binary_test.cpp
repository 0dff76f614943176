// A chain of two `troupe serve`: a task of the first is done by the second. Results, questions and
// cancels go through, and `kill -9` of the first never leads to a second remote task.
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <filesystem>
#include <fstream>
#include <memory>

#include <signal.h>

using namespace troupe::testing;

namespace {

/// Input of the agent `a2a` for a server whose agent is `scripted`.
std::string steps_there(const std::string& steps) {
  return R"({"target":"there","data":{"steps":)" + steps + "}}";
}

struct chain_bed {
  chain_bed() {
    configure("there");
    start();
  }

  void configure(const std::string& default_target) const {
    std::ofstream config(where.path() / "here.toml");
    config << "agent = \"a2a\"\n[agents]\na2a-target = \"" << default_target << "\"\n"
           << "[[targets]]\nalias = \"there\"\nurl = \"http://127.0.0.1:" << there.port() << "\"\n";
  }
  void start() {
    here = std::make_unique<served>(
        std::vector<std::string>{"--data", (where.path() / "data").string(), "--config",
                                 (where.path() / "here.toml").string()});
  }
  void kill_and_start() {
    here->program().signal(SIGKILL);
    CHECK(here->program().wait() == 128 + SIGKILL);
    start();
  }

  /// Begins an objective with one task of the agent `a2a`; the id of the task.
  std::string begin(const std::string& input) {
    const auto id = "trip" + std::to_string(++begun);
    static_cast<void>(
        here->ask("objectives/create",
                  R"({"id":")" + id
                      + R"(","name":"Trip","start":true,"plans":[{"name":"P","tasks":[{"name":"T",)"
                        R"("agent":"a2a","input":)"
                      + input + "}]}]}"));
    return id + ".p0.t0";
  }
  [[nodiscard]] std::string words(const std::string& task) const {
    return at(here->ask("GetTask", R"({"id":")" + task + R"("})"), "/status/message/parts/0/text");
  }
  void answer(const std::string& task, const std::string& text) const {
    static_cast<void>(
        here->ask("SendMessage", R"({"message":{"messageId":"a1","role":"ROLE_USER","taskId":")"
                                     + task + R"(","parts":[{"text":")" + text + R"("}]},)"
                                     + R"("configuration":{"returnImmediately":true}})"));
  }
  [[nodiscard]] boost::json::array remote_tasks() const {
    return there.ask("ListTasks", "{}").at("tasks").as_array();
  }

  temporary_directory where;
  served there{{"--store", "memory", "--agent", "scripted"}};
  std::unique_ptr<served> here;
  int begun = 0;
};

} // namespace

TEST_CASE("a task is done by another server, with its question and its answer",
          "[binary][delegation]") {
  chain_bed bed;
  const auto task = bed.begin(steps_there(
      R"([{"artifact":{"name":"log","text":"looked"}},{"ask":"Which city?"},{"artifactFromAnswer":{"name":"city"}},{"complete":"booked"}])"));
  REQUIRE(bed.here->reaches(task, "TASK_STATE_INPUT_REQUIRED"));
  CHECK(bed.words(task) == "Which city?");
  bed.answer(task, "Oslo");
  REQUIRE(bed.here->reaches(task, "TASK_STATE_COMPLETED"));
  const auto made = bed.here->ask("GetTask", R"({"id":")" + task + R"("})");
  CHECK(at(made, "/artifacts/0/parts/0/text") == "looked");
  CHECK(at(made, "/artifacts/1/parts/0/text") == "Oslo");
  CHECK(bed.remote_tasks().size() == 1);
}

TEST_CASE("a plain message goes to the default target, and is one task there",
          "[binary][delegation]") {
  chain_bed bed;
  const auto asked = bed.here->ask(
      "SendMessage",
      R"({"message":{"messageId":"m1","role":"ROLE_USER","parts":[{"data":{"steps":)"
      R"([{"ask":"Which city?"},{"artifactFromAnswer":{"name":"city"}},{"complete":"booked"}]}}]}})");
  CHECK(at(asked, "/task/status/state") == "TASK_STATE_INPUT_REQUIRED");
  CHECK(at(asked, "/task/status/message/parts/0/text") == "Which city?");
  const auto task = at(asked, "/task/id");
  const std::string disturbed = GENERATE("not", "killed", "killed and no longer configured");
  CAPTURE(disturbed);
  if (disturbed != "not") {
    bed.configure(disturbed == "killed" ? "there" : "");
    bed.kill_and_start();
    REQUIRE(bed.here->reaches(task, "TASK_STATE_INPUT_REQUIRED"));
  }
  bed.answer(task, "Oslo");
  REQUIRE(bed.here->reaches(task, "TASK_STATE_COMPLETED"));
  CHECK(bed.words(task) == "booked");
  const auto made = bed.here->ask("GetTask", R"({"id":")" + task + R"("})");
  CHECK(at(made, "/artifacts/0/parts/0/text") == "Oslo");
  const auto there = bed.remote_tasks();
  REQUIRE(there.size() == 1);
  CHECK(at(there[0], "/status/state") == "TASK_STATE_COMPLETED");
}

TEST_CASE("a cancel goes through a chain of servers", "[binary][delegation]") {
  chain_bed bed;
  const auto task = bed.begin(steps_there(R"([{"hang":true}])"));
  REQUIRE(comes_true([&] { return bed.remote_tasks().size() == 1; }));
  static_cast<void>(bed.here->ask("CancelTask", R"({"id":")" + task + R"("})"));
  CHECK(bed.here->reaches(task, "TASK_STATE_CANCELED"));
  CHECK(bed.there.reaches(at(bed.remote_tasks()[0], "/id"), "TASK_STATE_CANCELED"));
}

TEST_CASE("a cancel that was not delivered is delivered by the next process",
          "[binary][delegation]") {
  chain_bed bed;
  const auto task = bed.begin(steps_there(R"([{"hang":true}])"));
  REQUIRE(comes_true([&] { return bed.remote_tasks().size() == 1; }));
  const auto remote = at(bed.remote_tasks()[0], "/id");
  REQUIRE(bed.here->reaches(task, "TASK_STATE_WORKING"));
  bed.there.program().signal(SIGSTOP); // the cancel does not arrive
  static_cast<void>(bed.here->ask("CancelTask", R"({"id":")" + task + R"("})"));
  const auto written = bed.where.path() / "data" / "cancels.jsonl";
  REQUIRE(comes_true([&] {
    std::error_code failed;
    return std::filesystem::file_size(written, failed) > 0 && !failed;
  }));
  bed.here->program().signal(SIGKILL);
  CHECK(bed.here->program().wait() == 128 + SIGKILL);
  bed.there.program().signal(SIGCONT);
  bed.start();
  CHECK(bed.there.reaches(remote, "TASK_STATE_CANCELED"));
  CHECK(bed.here->state_of(task) == "TASK_STATE_CANCELED");
}

TEST_CASE("a server that was killed finds the task that another one does for it",
          "[binary][delegation]") {
  chain_bed bed;
  const auto task = bed.begin(steps_there(R"([{"ask":"Which city?"},{"complete":"booked"}])"));
  REQUIRE(bed.here->reaches(task, "TASK_STATE_INPUT_REQUIRED"));
  const auto status = [&] {
    return bed.here->ask("GetTask", R"({"id":")" + task + R"("})").at("status");
  };
  const auto before = at(status(), "/timestamp");
  bed.kill_and_start();
  REQUIRE(comes_true([&] { // it asks again
    const auto now = status();
    return at(now, "/state") == "TASK_STATE_INPUT_REQUIRED" && at(now, "/timestamp") != before;
  }));
  CHECK(bed.words(task) == "Which city?");
  SECTION("and is answered then") {
    bed.answer(task, "Oslo");
  }
  SECTION("and is killed again after the answer") {
    bed.there.program().signal(SIGSTOP); // the answer does not arrive
    bed.answer(task, "Oslo");
    bed.here->program().signal(SIGKILL);
    CHECK(bed.here->program().wait() == 128 + SIGKILL);
    bed.there.program().signal(SIGCONT);
    bed.start();
  }
  CHECK(bed.here->reaches(task, "TASK_STATE_COMPLETED"));
  CHECK(bed.remote_tasks().size() == 1);
}

TEST_CASE("a request that was on its way when the server was killed makes one task",
          "[binary][delegation]") {
  const bool has_begun = GENERATE(false, true);
  chain_bed bed;
  // The card is known from now on.
  REQUIRE(bed.here->reaches(bed.begin(steps_there("[]")), "TASK_STATE_COMPLETED"));
  bed.there.program().signal(SIGSTOP);
  const auto task = bed.begin(steps_there(R"([{"complete":"booked"}])"));
  if (has_begun)
    REQUIRE(bed.here->reaches(task, "TASK_STATE_WORKING"));
  bed.here->program().signal(SIGKILL);
  CHECK(bed.here->program().wait() == 128 + SIGKILL);
  bed.there.program().signal(SIGCONT);
  bed.start();
  CHECK(bed.here->reaches(task, "TASK_STATE_COMPLETED"));
  CHECK(bed.remote_tasks().size() == 2);
}
