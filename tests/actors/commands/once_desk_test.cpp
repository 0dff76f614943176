// Commands that may come once and are under way: who is first, who waits, and who is next.
#include "actors/commands/once_answer.hpp"
#include "actors/commands/once_desk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/holding_store.hpp"
#include <troupe/actors/limits.hpp>

#include <atomic>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace troupe;
using namespace troupe::testing;

namespace {

timestamp test_now() {
  return timestamp{std::chrono::seconds{1}};
}

once wanted(const std::string& key, std::uint64_t content = 1) {
  return {once_kind::message, "", key, content, timestamp{std::chrono::seconds{10}}, {}};
}

/// What a command was told.
struct told {
  int times = 0;
  std::optional<error> refused;
  once_ptr before;
  once_conditions mine; ///< Set: it is the first.

  once_desk::next_fn next() {
    return [this](const result<once_ptr>& found, once_conditions conditions) {
      ++times;
      if (found)
        before = *found;
      else
        refused = found.error();
      mine = std::move(conditions);
    };
  }
  [[nodiscard]] bool is_first() const { return times == 1 && mine && !before && !refused; }
};

struct desk_bed {
  std::unique_ptr<store> records = make_memory_store();
  once_desk desk{*records, &test_now};

  /// What was under way is done, and durable.
  void finish(told& first, const std::string& answer) {
    change made;
    made.at = test_now();
    made.conditions = answered(first.mine, {.task = task_id{answer}});
    records->commit(std::move(made));
    desk.leave(first.mine);
  }
};

} // namespace

TEST_CASE("a command that comes again while the first is under way waits for its answer",
          "[actors][once]") {
  desk_bed bed;
  told first;
  told again;
  bed.desk.enter({wanted("m")}, 100, first.next());
  REQUIRE(first.is_first());
  bed.desk.enter({wanted("m")}, 100, again.next());
  CHECK(again.times == 0);
  bed.finish(first, "t1");
  REQUIRE(again.before);
  CHECK(read_once_answer(*again.before)->task.str() == "t1");
  told late;
  bed.desk.enter({wanted("m")}, 100, late.next());
  CHECK(late.before == again.before);
}

TEST_CASE("another content under the same key is refused once the first is done",
          "[actors][once]") {
  struct row {
    once_kind kind;
    errc code;
    std::string field;
  };
  const auto [kind, code, field] = GENERATE(
      values<row>({{once_kind::message, errc::invalid_params, "message.messageId"},
                   {once_kind::request, errc::duplicate_request, "requestId"},
                   {once_kind::idempotency_key, errc::idempotency_key_reused, "Idempotency-Key"}}));
  desk_bed bed;
  auto key = wanted("k");
  key.kind = kind;
  told first;
  bed.desk.enter({key}, 100, first.next());
  key.content = 2;
  told meanwhile;
  bed.desk.enter({key}, 100, meanwhile.next());
  CHECK(meanwhile.times == 0); // If the process ends now, the key is free.
  bed.finish(first, "t1");
  told later;
  bed.desk.enter({key}, 100, later.next());
  for (const auto* other : {&meanwhile, &later}) {
    REQUIRE(other->refused);
    CHECK(other->refused->code == code);
    CHECK(other->refused->field == field);
  }
}

TEST_CASE("another content has the key if the first fails", "[actors][once]") {
  desk_bed bed;
  told first;
  told other;
  told repeat;
  bed.desk.enter({wanted("m")}, 100, first.next());
  bed.desk.enter({wanted("m", 2)}, 100, other.next());
  bed.desk.enter({wanted("m")}, 100, repeat.next());
  first.mine = nullptr;
  CHECK(other.is_first());
  CHECK(repeat.times == 0);
  bed.finish(other, "t2");
  REQUIRE(repeat.refused);
  CHECK(repeat.refused->code == errc::invalid_params);
}

TEST_CASE("commands that wait count as memory, and have a bound", "[actors][once][memory]") {
  const auto records = make_memory_store();
  const auto memory = std::make_shared<memory_budget>(10'000'000);
  const auto held = [&] { return memory->held(memory_account::live_work); };
  {
    once_desk desk(*records, &test_now, memory);
    told first;
    desk.enter({wanted("m")}, 5'000'000, first.next());
    CHECK(held() == 0);
    told again;
    desk.enter({wanted("m")}, 5'000'000, again.next());
    CHECK(held() == 5'000'000);
    told large;
    desk.enter({wanted("m")}, 5'000'000, large.next());
    REQUIRE(large.refused);
    CHECK(large.refused->code == errc::overloaded);
    CHECK_THAT(large.refused->message, ContainsSubstring("limits.memory"));
    std::vector<told> many(once_waits_max);
    for (auto& each : many)
      desk.enter({wanted("m")}, 1, each.next());
    CHECK_FALSE(many[once_waits_max - 2].refused);
    REQUIRE(many.back().refused);
    CHECK_THAT(many.back().refused->message, ContainsSubstring("once_waits_max"));
    change made;
    made.at = test_now();
    made.conditions = answered(first.mine, {.task = task_id{"t1"}});
    records->commit(std::move(made));
    desk.leave(first.mine);
    CHECK(again.before);
    CHECK(many.front().before);
    CHECK(held() == 0);
  }
}

TEST_CASE("if the first fails, the second is the first, and the third waits for it",
          "[actors][once]") {
  desk_bed bed;
  told first;
  told second;
  told third;
  bed.desk.enter({wanted("m")}, 100, first.next());
  bed.desk.enter({wanted("m")}, 100, second.next());
  bed.desk.enter({wanted("m")}, 100, third.next());
  first.mine = nullptr;
  CHECK(second.is_first());
  CHECK(third.times == 0);
  bed.finish(second, "t2");
  REQUIRE(third.before);
  CHECK(read_once_answer(*third.before)->task.str() == "t2");
}

TEST_CASE("what failed keeps its key until the changes before it are durable", "[actors][once]") {
  holding_store records;
  once_desk desk(records, &test_now);
  told first;
  told second;
  desk.enter({wanted("m")}, 100, first.next());
  desk.enter({wanted("m")}, 100, second.next());
  records.hold();
  change late; // Of the first, whose actor died before it could answer.
  late.at = test_now();
  late.conditions = answered(first.mine, {.task = task_id{"t1"}});
  records.commit(std::move(late), nullptr, nullptr);
  first.mine = nullptr;
  CHECK(second.times == 0);
  records.release();
  CHECK(second.before);
}

TEST_CASE("a command with two keys waits for each, and is new only if both are", "[actors][once]") {
  desk_bed bed;
  told first;
  told second;
  told both;
  bed.desk.enter({wanted("a")}, 100, first.next());
  bed.desk.enter({wanted("b")}, 100, second.next());
  bed.desk.enter({wanted("a"), wanted("b")}, 100, both.next());
  first.mine = nullptr;
  CHECK(both.times == 0);
  bed.finish(second, "t2");
  REQUIRE(both.before);
  told fresh;
  bed.desk.enter({wanted("a"), wanted("c")}, 100, fresh.next());
  CHECK(fresh.is_first());
}

TEST_CASE("a desk that closes refuses who waits and who comes", "[actors][once]") {
  desk_bed bed;
  told first;
  told waiting;
  told late;
  bed.desk.enter({wanted("m")}, 100, first.next());
  bed.desk.enter({wanted("m")}, 100, waiting.next());
  bed.desk.close();
  bed.desk.enter({wanted("n")}, 100, late.next());
  REQUIRE(waiting.refused);
  CHECK(waiting.refused->code == errc::unavailable);
  REQUIRE(late.refused);
  CHECK(late.refused->code == errc::unavailable);
  first.mine = nullptr;
  CHECK(waiting.times == 1);
}

TEST_CASE("of many that come at once one is first, and all others get its answer",
          "[actors][once]") {
  desk_bed bed;
  constexpr int keys = 200;
  std::atomic<int> fresh{0};
  std::atomic<int> repeated{0};
  std::vector<std::thread> all;
  for (int i = 0; i < 4; ++i)
    all.emplace_back([&] {
      for (int n = 0; n < keys; ++n)
        bed.desk.enter({wanted(std::to_string(n))}, 100,
                       [&](const result<once_ptr>& before, const once_conditions& mine) {
                         if (before && *before) {
                           ++repeated;
                           return;
                         }
                         ++fresh;
                         told first;
                         first.mine = mine;
                         bed.finish(first, "t");
                       });
    });
  for (auto& one : all)
    one.join();
  CHECK(fresh == keys);
  CHECK(repeated == 3 * keys);
}

TEST_CASE("the answer of what came before is read as it was written", "[actors][once]") {
  once came;
  const auto round = [&](const once_answer& answer) {
    came.answer = write_once_answer(answer);
    return read_once_answer(came).value();
  };
  const auto task = round({.task = task_id{"t"}, .context = "c"});
  CHECK(task.task.str() == "t");
  CHECK(task.context == "c");
  CHECK(round({.objective = objective_id{"o"}}).objective.str() == "o");
  CHECK(round({.plan = plan_id{"p"}}).plan.str() == "p");
  auto said = std::make_shared<message>();
  said->message_id = "m";
  said->from = role::agent;
  said->parts.push_back(text_part("hello"));
  const auto answer = round({.message = said});
  REQUIRE(answer.message);
  CHECK(*answer.message == *said);
  came.answer = "[";
  CHECK(read_once_answer(came).has_error());
}
