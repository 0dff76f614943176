// A store that says how much waits for the disk, and what a plan does about it.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/passing_store.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/limits.hpp>
#include <troupe/protocol/memory_budget.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A store whose status is what the test says.
class busy_store final : public passing_store {
public:
  [[nodiscard]] store_status status() const override {
    auto out = passing_store::status();
    out.backlog_changes = backlog;
    out.backlog_bytes = backlog_bytes;
    out.forgotten_early = forgotten;
    return out;
  }

  std::size_t backlog = 0;
  std::size_t backlog_bytes = 0;
  std::uint64_t forgotten = 0;
};

} // namespace

TEST_CASE("a plan releases no further burst while too much waits for the disk",
          "[actors][backlog][time]") {
  auto owned = std::make_unique<busy_store>();
  auto& records = *owned;
  clock_bed bed{std::move(owned), {}, std::nullopt};
  std::vector<task_spec> all;
  for (std::size_t i = 0; i < 3 * release_burst_max; ++i)
    all.push_back(a_task("t" + std::to_string(i), {}, "hand"));
  records.backlog = release_backlog_max + 1;
  bed.begin(an_objective({a_plan("wide", std::move(all))}));
  CHECK(bed.hand->attempts.size() == release_burst_max);
  bed.pass(std::chrono::minutes{1});
  CHECK(bed.hand->attempts.size() == release_burst_max);
  records.backlog = release_backlog_max;
  CHECK(bed.clock.next_due() == release_pause);
  bed.pass(release_pause);
  CHECK(bed.hand->attempts.size() == 3 * release_burst_max);
}

TEST_CASE("a plan releases no further burst while too many bytes wait for the disk",
          "[actors][backlog][time]") {
  auto owned = std::make_unique<busy_store>();
  auto& records = *owned;
  clock_bed bed{std::move(owned), {}, std::nullopt};
  std::vector<task_spec> all;
  for (std::size_t i = 0; i < 2 * release_burst_max; ++i)
    all.push_back(a_task("t" + std::to_string(i), {}, "hand"));
  records.backlog_bytes = release_backlog_bytes_max + 1;
  bed.begin(an_objective({a_plan("wide", std::move(all))}));
  bed.pass(std::chrono::minutes{1});
  CHECK(bed.hand->attempts.size() == release_burst_max);
  records.backlog_bytes = release_backlog_bytes_max;
  bed.pass(release_pause);
  CHECK(bed.hand->attempts.size() == 2 * release_burst_max);
}

TEST_CASE("new work is refused while too much waits for the disk, and what runs goes on",
          "[actors][backlog][time]") {
  auto owned = std::make_unique<busy_store>();
  auto& records = *owned;
  executor_options options;
  options.backlog_changes_max = 10;
  options.backlog_bytes_max = 1000;
  clock_bed bed{std::move(owned), options, std::nullopt};
  const auto begins = [&] {
    const auto how = std::make_shared<std::optional<result<objective_ptr>>>();
    create_objective command;
    command.spec = an_objective({a_plan("p", {a_task("a", {}, "hand")})});
    command.start = true;
    bed.main_gateway().create(std::move(command), nullptr,
                              [how](result<objective_ptr> made) { *how = std::move(made); });
    bed.pass(std::chrono::seconds{1});
    REQUIRE(how->has_value());
    return **how;
  };
  REQUIRE(begins().has_value());
  records.backlog_bytes = 1001;
  bed.pass(std::chrono::seconds{1});
  const auto by_bytes = begins();
  REQUIRE(by_bytes.has_error());
  CHECK(by_bytes.error().code == errc::overloaded);
  CHECK_THAT(by_bytes.error().message, ContainsSubstring("limits.backlog-bytes"));
  REQUIRE(bed.hand->attempts.size() == 1);
  bed.hand->attempts[0]->port->report(report_completed{});
  bed.pass(std::chrono::seconds{1});
  CHECK(records.status().live_tasks == 0);
  records.backlog_bytes = 1000;
  records.backlog = 11;
  bed.pass(std::chrono::seconds{1});
  const auto by_changes = begins();
  REQUIRE(by_changes.has_error());
  CHECK_THAT(by_changes.error().message, ContainsSubstring("limits.backlog-changes"));
  records.backlog = 10;
  bed.pass(std::chrono::seconds{1});
  CHECK(begins().has_value());
}

TEST_CASE("a command for what is there is taken while new work is refused, up to twice the limits",
          "[actors][backlog][time]") {
  auto owned = std::make_unique<busy_store>();
  auto& records = *owned;
  executor_options options;
  options.backlog_changes_max = 10;
  options.backlog_bytes_max = 1000;
  clock_bed bed{std::move(owned), options, std::nullopt};
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {}, "hand")})}));
  const auto canceled = [&](const std::string& name) {
    const auto how = std::make_shared<std::optional<result<task_ptr>>>();
    bed.main_gateway().cancel(cancel_task{{}, bed.task(name)->id, {}},
                              [how](result<task_ptr> ended) { *how = std::move(ended); });
    bed.pass(std::chrono::seconds{1});
    REQUIRE(how->has_value());
    return **how;
  };
  const auto updated = [&] {
    std::optional<result<plan_id>> how;
    update_plan command;
    command.id = bed.objective()->plans[0].spec->id;
    command.state = plan_state::blocked;
    command.if_revision = 1'000'000; // It would be refused once all is durable.
    bed.main_gateway().update(std::move(command),
                              [&](result<plan_id> done) { how = std::move(done); });
    bed.pass(std::chrono::seconds{1});
    REQUIRE(how.has_value());
    return how->error();
  };
  records.backlog = 21;
  records.backlog_bytes = 2001;
  bed.pass(std::chrono::seconds{1});
  CHECK(canceled("a").has_value());
  CHECK(updated().code == errc::revision_mismatch);
  records.backlog = 22;
  bed.pass(std::chrono::seconds{1});
  CHECK(canceled("b").error().code == errc::overloaded);
  CHECK_THAT(updated().message, ContainsSubstring("limits.backlog-changes"));
  records.backlog = 0;
  records.backlog_bytes = 2002;
  bed.pass(std::chrono::seconds{1});
  CHECK_THAT(canceled("b").error().message,
             ContainsSubstring("limits.backlog-bytes") && ContainsSubstring("try again later"));
  records.backlog_bytes = 0;
  bed.pass(std::chrono::seconds{1});
  CHECK(canceled("b").has_value());
}

TEST_CASE("memory that runs short is said in the log, and that there is memory again",
          "[actors][memory][time]") {
  std::vector<std::string> lines;
  executor_options options;
  options.memory = std::make_shared<memory_budget>(std::size_t{100} << 20);
  options.warn = [&](const std::string& line) { lines.push_back(line); };
  clock_bed bed{options};
  auto& memory = *bed.main_gateway().memory();
  constexpr std::size_t much = 85 << 20;
  memory.force(memory_account::bodies, much);
  bed.pass(std::chrono::seconds{2});
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], ContainsSubstring("limits.memory"));
  CHECK_THAT(lines[0], ContainsSubstring("bodies"));
  memory.give_back(memory_account::bodies, much);
  bed.pass(std::chrono::seconds{2});
  REQUIRE(lines.size() == 2);
  CHECK_THAT(lines[1], ContainsSubstring("there is memory again"));
}

TEST_CASE("requests that were forgotten before their time are said in the log, once a minute",
          "[actors][once][time]") {
  std::vector<std::string> lines;
  executor_options options;
  options.warn = [&](const std::string& line) { lines.push_back(line); };
  auto owned = std::make_unique<busy_store>();
  auto& records = *owned;
  clock_bed bed{std::move(owned), options, std::nullopt};
  static_cast<void>(bed.main_gateway());
  bed.pass(std::chrono::seconds{1});
  CHECK(lines.empty());
  records.forgotten = 3;
  bed.pass(std::chrono::seconds{1});
  REQUIRE(lines.size() == 1);
  CHECK_THAT(lines[0], ContainsSubstring("to make room: 3;"));
  records.forgotten = 10;
  bed.pass(std::chrono::seconds{30});
  CHECK(lines.size() == 1);
  bed.pass(std::chrono::minutes{1});
  REQUIRE(lines.size() == 2);
  CHECK_THAT(lines[1], ContainsSubstring("to make room: 7;"));
  bed.pass(std::chrono::minutes{2});
  CHECK(lines.size() == 2);
}
