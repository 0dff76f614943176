// Budgets: a call that could exceed one is refused before it is made.
#include "client/models/budget.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"

using namespace std::chrono_literals;
using namespace troupe::models;
using troupe::timestamp;

namespace {

const call_account of_task{"t1", "o1"};

budget_limits limits_of(budget_scope scope, spending_limits limits) {
  budget_limits out{};
  out[static_cast<std::size_t>(scope)] = limits;
  return out;
}

std::string refusal_of(budget_ledger& ledger, const call_account& account, spending most,
                       timestamp now = {}) {
  const auto admitted = ledger.admit(account, most, now);
  return admitted ? "admitted" : admitted.error().field;
}

} // namespace

TEST_CASE("each scope and unit has its budget, which is named when it refuses",
          "[client][models]") {
  for (const auto scope :
       {budget_scope::call, budget_scope::task, budget_scope::objective, budget_scope::day}) {
    const std::string name(to_string(scope));
    budget_ledger tokens(limits_of(scope, {100, {}, {}}));
    CHECK(refusal_of(tokens, of_task, {101, 0, 1s}) == name + "-tokens");
    budget_ledger money_only(limits_of(scope, {{}, 5'000'000, {}}));
    CHECK(refusal_of(money_only, of_task, {0, 5'000'001, 1s}) == name + "-money");
    CHECK(refusal_of(money_only, of_task, {0, 5'000'000, 1s}) == "admitted");
    budget_ledger time(limits_of(scope, {{}, {}, 500ms}));
    CHECK(refusal_of(time, of_task, {0, 0, 1s}) == name + "-seconds");
  }
}

TEST_CASE("a budget that refuses is told by its code, that of a day with its next beginning",
          "[client][models]") {
  budget_ledger day(limits_of(budget_scope::day, {100, {}, {}}));
  const auto refused = day.admit(of_task, {101, 0, 1s}, timestamp{24h * 20'000 + 1h});
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == troupe::errc::budget_exceeded);
  CHECK_THAT(refused.error().message, ContainsSubstring("it begins anew at 2024-10-05T00:00:00"));
  budget_ledger task(limits_of(budget_scope::task, {100, {}, {}}));
  CHECK_THAT(task.admit(of_task, {101, 0, 1s}, {}).error().message,
             !ContainsSubstring("begins anew"));
}

TEST_CASE("a day that is kept goes on in the next process, with what was promised",
          "[client][models]") {
  const auto limits = limits_of(budget_scope::day, {100, {}, {}});
  const timestamp today{24h * 20'000};
  budget_ledger before(limits);
  const auto first = before.admit(of_task, {40, 0, 1s}, today);
  REQUIRE(first);
  before.settle(*first, {30, 5, 1s}, today);
  REQUIRE(before.admit(of_task, {50, 0, 1s}, today)); // under way as the process ends
  const auto [day, spent] = before.day_now();
  CHECK(day == 20'000);
  CHECK(spent.tokens == 80);
  budget_ledger after(limits);
  after.keep_day(day, spent);
  CHECK(after.of_day(today).tokens == 80);
  after.add(of_task, {30, 5, 1s}, today); // of the task that goes on: it is in the day already
  CHECK(after.of_day(today).tokens == 80);
  CHECK(after.of_task("t1").tokens == 30);
  CHECK(refusal_of(after, of_task, {21, 0, 1s}, today) == "day-tokens");
  CHECK(refusal_of(after, of_task, {21, 0, 1s}, today + 24h) == "admitted");
  budget_ledger late(limits);
  late.keep_day(day, spent);
  CHECK(late.of_day(today + 24h).tokens == 0);
}

TEST_CASE("an objective that is kept goes on in the next process, with what was promised",
          "[client][models]") {
  const auto limits = limits_of(budget_scope::objective, {100, {}, {}});
  budget_ledger before(limits);
  const auto ended = before.admit({"t1", "o1"}, {60, 0, 1s}, {});
  REQUIRE(ended);
  before.settle(*ended, {60, 0, 1s}, {});
  REQUIRE(before.admit({"t2", "o1"}, {20, 0, 1s}, {})); // under way as the process ends
  budget_ledger after(limits);
  after.keep_objectives(before.objectives_now());
  after.add({"t2", "o1"}, {10, 0, 1s}, {}); // of the task that goes on: it is in the file already
  CHECK(after.of_objective("o1").tokens == 80);
  CHECK(after.of_task("t2").tokens == 10);
  CHECK(refusal_of(after, {"t3", "o1"}, {21, 0, 1s}) == "objective-tokens");
  CHECK(refusal_of(after, {"t3", "o1"}, {20, 0, 1s}) == "admitted");
}

TEST_CASE("the objectives that are kept have a bound: those with the latest calls",
          "[client][models]") {
  budget_ledger ledger(limits_of(budget_scope::objective, {100, {}, {}}));
  for (std::size_t i = 0; i <= kept_objectives_max; ++i)
    ledger.add({"", "o" + std::to_string(i)}, {1, 0, 0ms}, timestamp{std::chrono::seconds{i}});
  const auto kept = ledger.objectives_now();
  REQUIRE(kept.size() == kept_objectives_max);
  CHECK(kept.front().first == "o1");
  CHECK(kept.back().first == "o" + std::to_string(kept_objectives_max));
}

TEST_CASE("what a call may cost is held back while it is under way", "[client][models]") {
  budget_ledger ledger(limits_of(budget_scope::task, {100, {}, {}}));
  const auto first = ledger.admit(of_task, {60, 0, 1s}, {});
  REQUIRE(first);
  CHECK(refusal_of(ledger, of_task, {60, 0, 1s}) == "task-tokens");
  CHECK(refusal_of(ledger, {"t2", "o1"}, {60, 0, 1s}) == "admitted");
  ledger.settle(*first, {10, 0, 1s}, {});
  CHECK(ledger.of_task("t1").tokens == 10);
  CHECK(refusal_of(ledger, of_task, {60, 0, 1s}) == "admitted");
}

TEST_CASE("an objective pays for all its tasks", "[client][models]") {
  budget_ledger ledger(limits_of(budget_scope::objective, {100, {}, {}}));
  for (const auto* task : {"t1", "t2"}) {
    const auto admitted = ledger.admit({task, "o1"}, {50, 0, 1s}, {});
    REQUIRE(admitted);
    ledger.settle(*admitted, {50, 0, 1s}, {});
  }
  CHECK(refusal_of(ledger, {"t3", "o1"}, {1, 0, 1s}) == "objective-tokens");
  CHECK(refusal_of(ledger, {"t3", "o2"}, {1, 0, 1s}) == "admitted");
  CHECK(ledger.of_objective("o1").tokens == 100);
}

TEST_CASE("a new day has its own budget, and a call of yesterday is settled with yesterday",
          "[client][models]") {
  budget_ledger ledger(limits_of(budget_scope::day, {100, {}, {}}));
  const timestamp evening{23h};
  const timestamp morning{25h};
  const auto late = ledger.admit(of_task, {100, 0, 1s}, evening);
  REQUIRE(late);
  CHECK(refusal_of(ledger, of_task, {1, 0, 1s}, evening) == "day-tokens");
  CHECK(refusal_of(ledger, of_task, {100, 0, 1s}, morning) == "admitted");
  ledger.settle(*late, {100, 0, 1s}, morning);
  CHECK(ledger.of_day(morning).tokens == 0);
  CHECK(ledger.of_day(evening).tokens == 0); // yesterday is over
}

TEST_CASE("a call gets the time that its budgets leave", "[client][models]") {
  budget_limits limits{};
  limits[static_cast<std::size_t>(budget_scope::task)].time = 10s;
  budget_ledger ledger(limits);
  const auto first = ledger.admit(of_task, {0, 0, 600s}, {});
  REQUIRE(first);
  CHECK(first->time_max == 10s);
  ledger.settle(*first, {0, 0, 7s}, {});
  const auto second = ledger.admit(of_task, {0, 0, 600s}, {});
  REQUIRE(second);
  CHECK(second->time_max == 3s);
}

TEST_CASE("what an earlier process has spent counts", "[client][models]") {
  budget_ledger ledger(limits_of(budget_scope::task, {100, {}, {}}));
  ledger.add(of_task, {60, 0, 1s}, {});
  ledger.add(of_task, {90, 0, 500ms}, {}); // the same, and more
  ledger.add(of_task, {90, 0, 1s}, {});
  CHECK(ledger.of_task(of_task.task) == spending{90, 0, 1s});
  CHECK(refusal_of(ledger, of_task, {11, 0, 1s}) == "task-tokens");
}

TEST_CASE("the accounts that are remembered have a bound, and open calls stay",
          "[client][models]") {
  budget_ledger ledger(limits_of(budget_scope::task, {100, {}, {}}));
  const auto open = ledger.admit({"open", ""}, {60, 0, 1s}, {});
  REQUIRE(open);
  for (std::size_t i = 0; i <= accounts_max; ++i)
    ledger.add({"t" + std::to_string(i), ""}, {1, 0, 0ms}, timestamp{std::chrono::seconds{i}});
  CHECK(ledger.of_task("t0").tokens == 0); // forgotten
  CHECK(ledger.of_task("t" + std::to_string(accounts_max)).tokens == 1);
  CHECK(refusal_of(ledger, {"open", ""}, {60, 0, 1s}) == "task-tokens");
}

TEST_CASE("a price is rounded up", "[client][models]") {
  const price_list prices{3'000'000, 15'000'000}; // 3 and 15 for a million
  CHECK(price_of(prices, 1'000'000, 0) == 3'000'000);
  CHECK(price_of(prices, 0, 1'000'000) == 15'000'000);
  CHECK(price_of(prices, 1, 1) == 18);
  CHECK(price_of({1, 0}, 1, 0) == 1);
  CHECK(price_of({}, 1'000'000, 1'000'000) == 0);
}
