// What tasks make is bounded: for one objective, for a lone task, and for the process. The task
// that makes too much fails with the limit's name, alone.
#include "protocol/change_size.hpp"
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"
#include "tests/support/specs.hpp"
#include "tests/support/temporary_directory.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Agent `echo` says `text`, in which others may be referred to.
task_spec saying(std::string name, std::vector<std::string> after, const std::string& text) {
  auto out = a_task(std::move(name), std::move(after), "echo");
  out.input["text"] = text;
  return out;
}

/// Few bytes that make many: each doubling says twice what the one before said, each copy what the
/// last doubling said.
objective_spec growing(int doublings, int copies) {
  std::vector<task_spec> tasks{saying("d0", {}, std::string(1000, 'x'))};
  std::string last = "d0";
  for (int i = 1; i <= doublings; ++i) {
    const auto name = "d" + std::to_string(i);
    const auto before = "${tasks." + last + ".artifacts[0].text}";
    tasks.push_back(saying(name, {last}, before + before));
    last = name;
  }
  for (int i = 0; i < copies; ++i)
    tasks.push_back(
        saying("copy" + std::to_string(i), {last}, "${tasks." + last + ".artifacts[0].text}"));
  return an_objective({going_on(a_plan("p", std::move(tasks)))});
}

/// With a retry policy that would try again.
task_spec trying_again(task_spec task) {
  task.retry.attempts_max = 3;
  return task;
}

report_artifact some_output(std::size_t bytes) {
  report_artifact out;
  out.artifact.parts = {text_part(std::string(bytes, 'x'))};
  return out;
}

/// The status message of each failed task of the first plan.
std::vector<std::string> failures(store& records, const objective_view& of) {
  std::vector<std::string> out;
  const auto& plan = of.plans[0];
  for (std::size_t i = 0; i < plan.tasks.size(); ++i)
    if (plan.tasks[i].state == task_state::failed)
      out.push_back(text_of(find_task(records, plan.task_at(i))->status.message->parts));
  return out;
}

std::unique_ptr<store> store_in(const std::string& directory) {
  auto opened = open_rocksdb_store({.directory = directory, .durability = durability::async});
  REQUIRE(opened.has_value());
  REQUIRE((*opened)->recover().has_value());
  return std::move(*opened);
}

void check_one_grows_too_far(std::unique_ptr<store> records) {
  executor_options options;
  options.objective_bytes_max = 200'000;
  actor_bed bed{std::move(records), options};
  const auto honest = std::make_shared<recorder>();
  awaited<objective_ptr> made;
  create_objective beside;
  beside.spec = growing(3, 3);
  beside.start = true;
  bed.main_gateway().create(std::move(beside), honest, made.to());
  const auto end = bed.run(growing(5, 40), objective_state::failed); // 1.3 MB
  const auto said = failures(bed.records(), *end);
  REQUIRE(said.size() > 30);
  for (const auto& one : said)
    CHECK_THAT(one, ContainsSubstring("limits.objective-bytes") && ContainsSubstring("200000"));
  CHECK(end->made_bytes < 250'000);
  CHECK(end->made_bytes > 150'000);
  honest->wait_for(objective_state::completed);
}

} // namespace

TEST_CASE("an objective whose tasks make too much fails with the limit's name, alone",
          "[actors][bytes]") {
  SECTION("in memory") {
    check_one_grows_too_far(make_memory_store());
  }
  SECTION("on disk") {
    const temporary_directory directory;
    check_one_grows_too_far(store_in(directory / "data"));
  }
}

TEST_CASE("an agent that makes too much while it works is stopped, and not tried again",
          "[actors][bytes]") {
  executor_options options;
  options.objective_bytes_max = 100'000;
  actor_bed bed{options};
  const auto made = bed.begin(an_objective({a_plan("p", {trying_again(a_task("a", {}, "held"))})}));
  REQUIRE(made);
  const auto port = bed.held->port("a");
  for (int i = 0; i < 3; ++i)
    port->report(some_output(40'000));
  bed.seen->wait_for(objective_state::failed);
  CHECK(bed.held->cancels() == 1);
  CHECK(bed.held->starts() == 1);
  const auto end = find_objective(bed.records(), (*made)->id);
  CHECK_THAT(failures(bed.records(), *end).at(0), ContainsSubstring("limits.objective-bytes"));
  CHECK(find_task(bed.records(), end->plans[0].task_at(0))->artifacts.size() == 2);
}

TEST_CASE("messages, questions, and the words of an attempt that fails count, too",
          "[actors][bytes]") {
  executor_options options;
  options.objective_bytes_max = 100'000;
  actor_bed bed{options};
  const std::string long_text(150'000, 'x');
  report_message said;
  said.message.parts = {text_part(long_text)};
  report_question asked{long_text};
  report_failed failed{long_text, true};
  report_rejected rejected{long_text};
  report_completed completed{{}, long_text};
  const std::vector<agent_report> all{said, asked, failed, rejected, completed};
  std::vector<task_spec> tasks;
  for (std::size_t i = 0; i < all.size(); ++i)
    tasks.push_back(trying_again(a_task("t" + std::to_string(i), {}, "held")));
  const auto made = bed.begin(an_objective({going_on(a_plan("p", std::move(tasks)))}));
  REQUIRE(made);
  for (std::size_t i = 0; i < all.size(); ++i)
    bed.held->port("t" + std::to_string(i))->report(all[i]);
  bed.seen->wait_for(objective_state::failed);
  const auto end = find_objective(bed.records(), (*made)->id);
  const auto words = failures(bed.records(), *end);
  REQUIRE(words.size() == all.size());
  for (const auto& one : words) {
    CHECK_THAT(one, ContainsSubstring("limits.objective-bytes"));
    CHECK(one.size() < 1000);
  }
}

TEST_CASE("a plan and an objective repeat no more of a task's last words than a few lines",
          "[actors][bytes]") {
  actor_bed bed;
  const auto made = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held")})}));
  REQUIRE(made);
  const std::string words(10'000, 'x');
  bed.held->port("a")->report(report_failed{words, false});
  bed.seen->wait_for(objective_state::failed);
  const auto end = find_objective(bed.records(), (*made)->id);
  CHECK(failures(bed.records(), *end).at(0) == words);
  CHECK(end->reason.size() < 5000);
  CHECK_THAT(end->reason, ContainsSubstring("xxx"));
  CHECK(end->plans[0].reason.size() < 5000);
}

TEST_CASE("a lone task has the limit for itself", "[actors][bytes]") {
  executor_options options;
  options.objective_bytes_max = 100'000;
  actor_bed bed{options};
  bed.agents.default_agent = "echo";
  const auto say = [&](std::size_t bytes) {
    awaited<sent> done;
    send_message command;
    command.message.message_id = "m";
    command.message.from = role::user;
    command.message.parts = {text_part(std::string(bytes, 'x'))};
    const auto seen = std::make_shared<recorder>();
    bed.main_gateway().send(std::move(command), seen, done.to());
    REQUIRE(done.get().has_value());
    return seen;
  };
  for (int i = 0; i < 3; ++i)
    say(60'000)->wait_for(task_state::completed);
  const auto id = say(150'000)->wait_for(task_state::failed);
  CHECK_THAT(text_of(find_task(bed.records(), id)->status.message->parts),
             ContainsSubstring("the task has made 0 bytes")
                 && ContainsSubstring("limits.objective-bytes"));
}

TEST_CASE("what an objective has made is known after a restart", "[actors][bytes][restart]") {
  const temporary_directory directory;
  executor_options options;
  options.objective_bytes_max = 100'000;
  objective_id id;
  {
    actor_bed bed{store_in(directory / "data"), options};
    const auto made = bed.begin(an_objective(
        {a_plan("p", {saying("a", {}, std::string(60'000, 'x')), a_task("b", {"a"}, "held")})}));
    REQUIRE(made);
    id = (*made)->id;
    static_cast<void>(bed.held->port("b"));
    bed.stop();
  }
  auto opened = open_rocksdb_store({.directory = directory / "data"});
  REQUIRE(opened.has_value());
  auto left = (*opened)->recover();
  REQUIRE(left.has_value());
  REQUIRE(left->objectives.size() == 1);
  CHECK(left->objectives[0]->made_bytes > 60'000);
  actor_bed bed{std::move(*opened), options};
  bed.records().watch_all(bed.seen);
  bed.main_gateway().resume(*left);
  bed.held->port("b")->report(some_output(60'000));
  bed.seen->wait_for(objective_state::failed);
  const auto end = find_objective(bed.records(), id);
  CHECK_THAT(failures(bed.records(), *end).at(0), ContainsSubstring("limits.objective-bytes"));
  bed.records().unwatch_all(bed.seen);
}

TEST_CASE("by default one objective may make a quarter of the memory of the process",
          "[actors][bytes]") {
  executor_options options;
  options.memory = std::make_shared<memory_budget>(std::size_t{1} << 20);
  actor_bed bed{options};
  const auto made = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held")})}));
  REQUIRE(made);
  bed.held->port("a")->report(some_output(std::size_t{1} << 18));
  bed.seen->wait_for(objective_state::failed);
  const auto end = find_objective(bed.records(), (*made)->id);
  CHECK_THAT(failures(bed.records(), *end).at(0),
             ContainsSubstring("more than the 262144 that limits.objective-bytes allows"));
}

TEST_CASE("what live tasks have made is bounded together: large pieces first, small ones last, and "
          "new work before both",
          "[actors][bytes][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{1} << 20);
  executor_options options;
  options.memory = memory;
  options.objective_bytes_max = memory_budget::unlimited;
  actor_bed bed{options};
  const auto made = bed.begin(
      an_objective({going_on(a_plan("p", {a_task("a", {}, "held"), a_task("b", {}, "held"),
                                          a_task("c", {}, "held"), a_task("d", {}, "held")}))}));
  REQUIRE(made);
  const auto one_more = [&] {
    return bed.begin(an_objective({a_plan("q", {a_task("x")})}), false);
  };
  bed.held->port("a")->report(some_output(900'000));
  REQUIRE(comes_true([&] { return memory->held(memory_account::large_output) >= 900'000; }));
  CHECK(one_more().has_value());
  bed.held->port("b")->report(some_output(60'000));
  REQUIRE(comes_true([&] { return memory->held(memory_account::small_output) >= 60'000; }));
  const auto refused = one_more();
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::overloaded);
  CHECK_THAT(refused.error().message,
             ContainsSubstring("live-work") && ContainsSubstring("limits.memory"));

  bed.held->port("c")->report(some_output(70'000));
  const auto failed = bed.seen->wait_for(task_state::failed);
  CHECK_THAT(text_of(find_task(bed.records(), failed)->status.message->parts),
             ContainsSubstring("large-output") && ContainsSubstring("limits.memory"));
  bed.held->port("d")->report(some_output(60'000));
  REQUIRE(comes_true([&] { return memory->held(memory_account::small_output) >= 120'000; }));
  for (const auto* each : {"a", "b", "d"})
    bed.held->port(each)->report(report_completed{});
  bed.seen->wait_for(objective_state::failed);
  // Actors leave a moment after their last word.
  CHECK(comes_true([&] {
    return memory->held(memory_account::large_output) == 0
           && memory->held(memory_account::small_output) == 0;
  }));
  CHECK(comes_true([&] { return one_more().has_value(); }));
}

TEST_CASE("what tasks of an earlier process have made is counted, and they go on",
          "[actors][bytes][restart]") {
  const temporary_directory directory;
  {
    actor_bed bed{store_in(directory / "data"), {}};
    REQUIRE(bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held")})})));
    bed.held->port("a")->report(some_output(900'000));
    bed.seen->wait([](const auto& all) {
      return std::ranges::any_of(all, [](const change_ptr& one) {
        return std::ranges::any_of(one->events, [](const event& fact) {
          return std::holds_alternative<task_artifact>(fact);
        });
      });
    });
    bed.stop();
  }
  const auto memory = std::make_shared<memory_budget>(900'000);
  executor_options options;
  options.memory = memory;
  auto opened = open_rocksdb_store({.directory = directory / "data"});
  REQUIRE(opened.has_value());
  auto left = (*opened)->recover();
  REQUIRE(left.has_value());
  actor_bed bed{std::move(*opened), options};
  bed.records().watch_all(bed.seen);
  bed.main_gateway().resume(*left);
  const auto port = bed.held->port("a");
  CHECK(memory->held(memory_account::large_output) > 900'000);
  CHECK_FALSE(bed.begin(an_objective({a_plan("q", {a_task("x")})}), false).has_value());
  port->report(report_completed{});
  bed.seen->wait_for(objective_state::completed);
  bed.records().unwatch_all(bed.seen);
}

TEST_CASE("the note of an attempt counts as memory, once, and is no output",
          "[actors][bytes][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{1} << 20);
  executor_options options;
  options.memory = memory;
  options.objective_bytes_max = 20'000;
  actor_bed bed{options};
  const auto made = bed.begin(
      an_objective({going_on(a_plan("p", {a_task("a", {}, "held"), a_task("b", {}, "held")}))}));
  REQUIRE(made);
  const auto port = bed.held->port("a");
  for (const std::size_t bytes : {8'000u, 7'000u, 8'000u, 7'000u, 3'000u}) {
    port->report(report_note{std::string(bytes, 'x')});
    REQUIRE(comes_true([&] { return memory->held(memory_account::small_output) == bytes; }));
  }
  port->report(report_completed{});
  CHECK(comes_true([&] { return memory->held(memory_account::small_output) == 0; }));

  memory->force(memory_account::backlog, std::size_t{1} << 20);
  bed.held->port("b")->report(report_note{std::string(assured_output_bytes + 1, 'x')});
  const auto failed = bed.seen->wait_for(task_state::failed);
  CHECK_THAT(text_of(find_task(bed.records(), failed)->status.message->parts),
             ContainsSubstring("small-output") && ContainsSubstring("limits.memory"));
  memory->give_back(memory_account::backlog, std::size_t{1} << 20);
  bed.seen->wait_for(objective_state::failed);
}

TEST_CASE("short output of accepted work finds room when memory is full",
          "[actors][bytes][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{1} << 20);
  executor_options options;
  options.memory = memory;
  actor_bed bed{options};
  const auto made = bed.begin(
      an_objective({going_on(a_plan("p", {a_task("a", {}, "held"), a_task("b", {}, "held")}))}));
  REQUIRE(made);
  const auto short_one = bed.held->port("a");
  const auto long_one = bed.held->port("b");
  memory->force(memory_account::backlog, std::size_t{2} << 20);

  short_one->report(report_note{std::string(100, 'x')});
  short_one->report(some_output(1'000));
  short_one->report(some_output(2'000));
  short_one->report(report_completed{});
  const auto completed = bed.seen->wait_for(task_state::completed);
  CHECK(find_task(bed.records(), completed)->artifacts.size() == 2);

  // Piece by piece it is as long as at once.
  for (std::size_t bytes = 0; bytes <= assured_output_bytes; bytes += 1'000)
    long_one->report(some_output(1'000));
  const auto failed = bed.seen->wait_for(task_state::failed);
  CHECK_THAT(text_of(find_task(bed.records(), failed)->status.message->parts),
             ContainsSubstring("small-output") && ContainsSubstring("limits.memory"));
  bed.seen->wait_for(objective_state::failed);
  CHECK(comes_true([&] { return memory->held(memory_account::small_output) == 0; }));
  memory->give_back(memory_account::backlog, std::size_t{2} << 20);
}
