// Another agent sends artifacts without a pause, for as long as it is heard. Its task can be
// canceled and ends at its limit, and others are served meanwhile.
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/flooding_agent.hpp"
#include "tests/support/temporary_directory.hpp"

#include <fstream>
#include <memory>
#include <string>
#include <vector>

using namespace troupe::testing;

namespace {

struct flood_bed {
  explicit flood_bed(std::vector<std::string> words, const std::string& settings = {}) {
    std::ofstream config(where.path() / "here.toml");
    config << settings << "[[targets]]\nalias = \"flood\"\nurl = \"" << agent.url() << "\"\n";
    config.close();
    words.insert(words.end(), {"--config", (where.path() / "here.toml").string()});
    here = std::make_unique<served>(words);
  }

  /// Begins a task that the agent does; its id.
  std::string begin() {
    static_cast<void>(
        here->ask("objectives/create",
                  R"({"id":"o","name":"O","start":true,"plans":[{"name":"P","tasks":[{"name":"T",)"
                  R"("agent":"a2a","input":{"target":"flood","text":"go"}}]}]})"));
    return "o.p0.t0";
  }

  temporary_directory where;
  flooding_agent agent;
  std::unique_ptr<served> here;
};

} // namespace

TEST_CASE("an agent that floods its task disturbs nobody, and the task can be canceled",
          "[binary][delegation]") {
  const temporary_directory data;
  flood_bed bed{GENERATE(true, false)
                    ? std::vector<std::string>{"--data", (data.path() / "data").string()}
                    : std::vector<std::string>{"--store", "memory"}};
  const auto task = bed.begin();
  REQUIRE(comes_true([&] { return bed.agent.frames() > 200; }));
  for (int i = 0; i < 20; ++i) { // throws if it is refused
    const auto sent =
        bed.here->ask("SendMessage", R"({"message":{"messageId":"m)" + std::to_string(i)
                                         + R"(","role":"ROLE_USER","parts":[{"text":"hello"}]}})");
    CHECK(at(sent, "/task/status/state") == "TASK_STATE_COMPLETED");
  }
  static_cast<void>(bed.here->ask("CancelTask", R"({"id":")" + task + R"("})"));
  CHECK(bed.here->reaches(task, "TASK_STATE_CANCELED"));
}

TEST_CASE("an agent that floods its task is stopped by the limit of bytes",
          "[binary][delegation]") {
  flood_bed bed{{"--store", "memory"}, "[limits]\nobjective-bytes = 8388608\n"};
  const auto task = bed.begin();
  CHECK(bed.here->reaches(task, "TASK_STATE_FAILED"));
  const auto failed = bed.here->ask("GetTask", R"({"id":")" + task + R"("})");
  CHECK(at(failed, "/status/message/parts/0/text").find("limits.objective-bytes")
        != std::string::npos);
}
