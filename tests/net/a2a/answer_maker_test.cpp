// Who writes long answers, in whose turn, and what is refused or given up.
#include "net/a2a/answer_maker.hpp"
#include "net/a2a/answer_size.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"

#include <stdexcept>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::net;

namespace {

/// A maker whose turns the test takes.
struct bench {
  explicit bench(const answer_maker_limits& limits = {}) : maker(limits) {}

  result<answer_maker::pending> ask(const std::string& client, std::size_t bytes = 1) {
    return maker.make(
        client, "{",
        [this, client, bytes](std::string& text) {
          order += client;
          text.append(bytes, 'x');
        },
        nullptr);
  }
  void take_turns() {
    while (maker.turn()) {
    }
  }

  std::string order; ///< Of the clients whose answers were written.
  answer_maker maker;
};

} // namespace

TEST_CASE("Clients that ask for long answers take turns, however many each asks for",
          "[net][long]") {
  bench on;
  std::vector<result<answer_maker::pending>> asked;
  for (const auto* client : {"a", "a", "a", "a", "b", "b"})
    asked.push_back(on.ask(client));
  on.take_turns();
  CHECK(on.order == "ababaa");
  for (const auto& each : asked)
    CHECK(each->is_made());
  CHECK(asked[0]->take() == "{x");
}

TEST_CASE("A client whose answers are longer gets fewer of them", "[net][long]") {
  bench on;
  std::vector<result<answer_maker::pending>> asked;
  for (int i = 0; i < 2; ++i)
    asked.push_back(on.ask("a", 4 * long_answer_turn_bytes));
  for (int i = 0; i < 6; ++i)
    asked.push_back(on.ask("b"));
  on.take_turns();
  CHECK(on.order == "abbbbbab");
}

TEST_CASE("An answer that was given up is not written", "[net][long]") {
  bench on;
  {
    const auto gone = on.ask("a");
    REQUIRE(gone);
  }
  const auto wanted = on.ask("b");
  on.take_turns();
  CHECK(on.order == "b");
}

TEST_CASE("So many long answers wait, and so many of one client", "[net][long]") {
  bench on{{.answers_max = 3, .answers_per_client_max = 2}};
  std::vector<result<answer_maker::pending>> asked;
  for (const auto* client : {"a", "a", "a", "b", "c"})
    asked.push_back(on.ask(client));
  CHECK(asked[1]);
  REQUIRE(asked[2].has_error());
  CHECK(asked[2].error().code == errc::overloaded);
  CHECK(asked[2].error().field == "long_answers_per_client_max");
  CHECK(asked[3]);
  REQUIRE(asked[4].has_error());
  CHECK(asked[4].error().field == "long_answers_max");
  on.take_turns();
  CHECK(on.ask("c"));
}

TEST_CASE("An exception while an answer is written reaches its reader", "[net][long]") {
  bench on;
  auto asked = on.maker.make(
      "a", "", [](std::string&) { throw std::runtime_error("no memory"); }, nullptr);
  REQUIRE(asked);
  on.take_turns();
  REQUIRE(asked->is_made());
  CHECK_THROWS_WITH(asked->take(), "no memory");
}

TEST_CASE("A maker that closes has written what waited", "[net][long]") {
  bench on;
  const auto asked = on.ask("a");
  on.maker.start(2);
  on.maker.close();
  CHECK(asked->is_made());
}

TEST_CASE("A long answer is found without looking at all of it", "[net][long]") {
  task shown;
  CHECK_FALSE(answer_size{}.add(shown, {}).is_long());
  auto large = std::make_shared<artifact>();
  large->parts.push_back(text_part(std::string(long_answer_bytes, 'x')));
  shown.artifacts.push_back(large);
  CHECK(answer_size{}.add(shown, {}).is_long());
  CHECK_FALSE(answer_size{}.add(shown, {.include_artifacts = false}).is_long());
  shown.artifacts.push_back(nullptr); // Not looked at.
  CHECK(answer_size{}.add(shown, {}).is_long());
  shown.artifacts.clear();
  auto said = std::make_shared<message>();
  said->parts.push_back(text_part(std::string(long_answer_bytes, 'x')));
  shown.history.push_back(said);
  CHECK(answer_size{}.add(shown, {}).is_long());
  CHECK_FALSE(answer_size{}.add(shown, {.history_length = 0}).is_long());

  objective_view whole;
  plan_spec spec;
  spec.tasks.resize(10'000);
  whole.plans.emplace_back().spec = std::make_shared<const plan_spec>(spec);
  CHECK(answer_size{}.add(whole, true, true).is_long());
  CHECK_FALSE(answer_size{}.add(whole, true, false).is_long());
  CHECK_FALSE(answer_size{}.add(whole, false, false).is_long());
}

TEST_CASE("One plan of a large objective is a long answer, for others have to be looked at",
          "[net][long]") {
  plan_spec spec;
  objective_view small;
  small.plans.emplace_back().spec = std::make_shared<const plan_spec>(spec);
  CHECK_FALSE(answer_size{}.add_plan(small, 0, true).is_long());
  auto by_tasks = small;
  spec.tasks.resize(long_answer_bytes);
  by_tasks.plans.emplace_back().spec = std::make_shared<const plan_spec>(spec);
  CHECK(answer_size{}.add_plan(by_tasks, 0, false).is_long());
  CHECK(answer_size{}.add(by_tasks, true, false).is_long());
  CHECK_FALSE(answer_size{}.add(by_tasks, false, false).is_long());
  auto by_dependencies = small;
  spec.tasks.clear();
  spec.outside.resize(long_answer_bytes + 1);
  by_dependencies.plans.emplace_back().spec = std::make_shared<const plan_spec>(spec);
  CHECK(answer_size{}.add_plan(by_dependencies, 0, false).is_long());
  auto by_plans = small;
  by_plans.plans.resize(long_answer_bytes, small.plans.front());
  CHECK(answer_size{}.add_plan(by_plans, 0, false).is_long());
}
