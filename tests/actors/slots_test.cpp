// Slots and answers on real threads.
#include "tests/support/actor_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"
#include "tests/support/specs.hpp"

#include <thread>

using namespace troupe;
using namespace troupe::testing;

namespace {

result<sent> answer_from(actor_bed& bed, const task_id& task, const std::string& text,
                         const std::string& question = {}) {
  send_message command;
  command.message.message_id = "m-" + text;
  command.message.from = role::user;
  command.message.parts.push_back(text_part(text));
  command.message.task_id = task.str();
  command.question = question;
  awaited<sent> done;
  bed.main_gateway().send(std::move(command), nullptr, done.to());
  return done.get();
}

} // namespace

TEST_CASE("ready tasks start in the order of the document on real threads", "[actors][slots]") {
  actor_bed bed;
  bed.held->limit = 1;
  std::vector<task_spec> tasks;
  for (int i = 0; i < 8; ++i)
    tasks.push_back(a_task("t" + std::to_string(i), {}, "held"));
  REQUIRE(bed.begin(an_objective({a_plan("p", std::move(tasks))})));
  for (int i = 0; i < 8; ++i) {
    const auto name = bed.held->started(i);
    CHECK(name == "t" + std::to_string(i));
    bed.held->port(name)->report(report_completed{});
  }
  bed.seen->wait_for(objective_state::completed);
}

TEST_CASE("a task that fails makes room during its backoff on real threads", "[actors][slots]") {
  actor_bed bed;
  bed.held->limit = 1;
  auto failing = a_task("a", {}, "held");
  failing.retry = {
      .attempts_max = 2, .backoff = std::chrono::hours{1}, .backoff_max = std::chrono::hours{1}};
  const auto made =
      bed.begin(an_objective({going_on(a_plan("p", {failing, a_task("b", {}, "held")}))}));
  REQUIRE(made);
  bed.held->port("a")->report(report_failed{"no", true});
  bed.held->port("b")->report(report_completed{}); // it has begun
  bed.seen->wait_for(task_state::completed);
}

TEST_CASE("of two answers sent at once the first wins, and the second is refused",
          "[actors][messages][question]") {
  for (int round = 0; round < 20; ++round) {
    actor_bed bed;
    const auto made = bed.begin(an_objective({a_plan("p", {a_task("a", {}, "held")})}));
    REQUIRE(made);
    bed.held->port("a")->report(report_question{"which?", false});
    const auto id = bed.seen->wait_for(task_state::input_required);
    const auto record = find_task(bed.records(), id);
    REQUIRE(record->question);
    CHECK(record->question->id == "question-1");
    CHECK(record->question->prompt == "which?");
    // Both name the question that they have seen: the second is refused in every order.
    std::optional<result<sent>> one, other;
    std::thread first{[&] { one = answer_from(bed, id, "this", record->question->id); }};
    std::thread second{[&] { other = answer_from(bed, id, "that", record->question->id); }};
    first.join();
    second.join();
    CHECK(one->has_value() != other->has_value());
    const auto& refused = one->has_value() ? *other : *one;
    CHECK(refused.error().code == errc::already_answered);
    CHECK_THAT(refused.error().message, ContainsSubstring("was answered by"));
    CHECK(bed.held->inputs(1).size() == 1);
    CHECK(find_task(bed.records(), id)->history.size() == 2); // the question and one answer
    CHECK_FALSE(find_task(bed.records(), id)->question);
    // No question is open now, so this is further input.
    CHECK(answer_from(bed, id, "and"));
    CHECK(bed.held->inputs(2).size() == 2);
  }
}
