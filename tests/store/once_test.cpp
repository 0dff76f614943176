// What may come once: the conditions of changes, on each kind of store, and what is left of them
// after a restart.
#include "store/once_table.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"

#include <algorithm>
#include <filesystem>
#include <optional>
#include <string>

using namespace troupe;
using namespace troupe::testing;

namespace {

namespace fs = std::filesystem;

once_ptr condition(const std::string& key, const std::string& answer = "{}",
                   const std::string& owner = "", std::int64_t until_ms = 1000) {
  return std::make_shared<const once>(
      once{once_kind::message, owner, key, 7, at_ms(until_ms), answer});
}

/// Creates a lone task, if its condition holds.
change once_born(const std::string& task, const once_ptr& only, std::int64_t ms = 1) {
  auto out = about_lone(task, "ctx", ms, born_lone(task, "ctx", ms));
  out.conditions = {only};
  return out;
}

/// What came before, as the continuation is told; null: the change is committed.
once_ptr outcome_of(store& in, change change) {
  std::optional<once_ptr> out;
  in.commit(std::move(change), [&](const commit_outcome& outcome) { out = outcome.conflict; });
  in.flush();
  REQUIRE(out);
  return *out;
}

once_ptr known(const store& in, const once_ptr& wanted, std::int64_t now_ms = 2) {
  auto out = await_read<once_ptr>(
      [&](read_done<once_ptr> done) { in.read_once(*wanted, at_ms(now_ms), std::move(done)); });
  REQUIRE(out.has_value());
  return *out;
}

/// Another process finds what one that was killed now would have left.
std::unique_ptr<store> killed(const rocksdb_kind& kind, const std::string& name) {
  kind.records->flush();
  const auto copy = kind.directory / name;
  fs::copy(kind.directory / "data", copy, fs::copy_options::recursive);
  return open_or_fail(copy);
}

std::unique_ptr<store> reopened(rocksdb_kind& kind) {
  kind.records.reset();
  return open_or_fail(kind.directory / "data");
}

} // namespace

TEMPLATE_TEST_CASE("Of changes with one condition the first is made, and the others are told of it",
                   "[store][once]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto first = condition("m", "first");
  CHECK(known(records, first) == nullptr);
  CHECK(outcome_of(records, once_born("t1", first)) == nullptr);
  const auto before = outcome_of(records, once_born("t2", condition("m", "second")));
  REQUIRE(before);
  CHECK(before->answer == "first");
  CHECK(find_task(records, task_id{"t1"}));
  CHECK_FALSE(is_known(records, task_id{"t2"}));
  REQUIRE(known(records, condition("m")));
  CHECK(*known(records, condition("m")) == *first);
}

TEMPLATE_TEST_CASE("Changes with one condition in one group are decided in their order",
                   "[store][once]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  std::vector<std::string> told;
  for (int i = 0; i < 8; ++i)
    records.commit(once_born("t" + std::to_string(i), condition("m", std::to_string(i))),
                   [&told](const commit_outcome& outcome) {
                     told.push_back(outcome.conflict ? outcome.conflict->answer : "made");
                   });
  records.flush();
  CHECK(told == std::vector<std::string>{"made", "0", "0", "0", "0", "0", "0", "0"});
}

TEMPLATE_TEST_CASE("Owner, kind and key make a condition, and one that failed leaves no trace",
                   "[store][once]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  CHECK_FALSE(outcome_of(records, once_born("t1", condition("m"))));
  CHECK_FALSE(outcome_of(records, once_born("t2", condition("m", "{}", "1:ab"))));
  CHECK_FALSE(outcome_of(records, once_born("t3", condition("m2"))));
  auto other = *condition("m");
  other.kind = once_kind::request;
  CHECK_FALSE(outcome_of(records, once_born("t4", std::make_shared<const once>(other))));
  // One of two: nothing is changed, and the other may still come.
  auto both = once_born("t5", condition("new"));
  both.conditions.push_back(condition("m"));
  CHECK(outcome_of(records, std::move(both)));
  CHECK_FALSE(is_known(records, task_id{"t5"}));
  CHECK(known(records, condition("new")) == nullptr);
  CHECK_FALSE(outcome_of(records, once_born("t6", condition("new"))));
}

TEMPLATE_TEST_CASE("Changes of one command share their condition", "[store][once]", memory_kind,
                   rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto only = condition("m", "first");
  CHECK_FALSE(outcome_of(records, once_born("t1", only)));
  CHECK_FALSE(outcome_of(records, once_born("t2", only)));
  const auto other = condition("m", "second");
  CHECK(outcome_of(records, once_born("t3", other)));
  CHECK(outcome_of(records, once_born("t4", other)));
  CHECK(is_known(records, task_id{"t2"}));
  CHECK_FALSE(is_known(records, task_id{"t4"}));
}

TEMPLATE_TEST_CASE("A change that changes nothing keeps no condition", "[store][once]", memory_kind,
                   rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  auto late = about_lone("unknown", "ctx", 1, moved(task_state::working));
  late.conditions = {condition("m")};
  CHECK_FALSE(outcome_of(records, std::move(late)));
  CHECK(known(records, condition("m")) == nullptr);
}

TEMPLATE_TEST_CASE("A change of a condition alone is kept", "[store][once]", memory_kind,
                   rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto only = [] {
    change out;
    out.at = at_ms(1);
    out.conditions = {condition("m", "said")};
    return out;
  };
  CHECK_FALSE(outcome_of(records, only()));
  CHECK(known(records, condition("m"))->answer == "said");
  CHECK(outcome_of(records, only()));
}

TEMPLATE_TEST_CASE("What may come once may come again when its time is over", "[store][once]",
                   memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  CHECK_FALSE(outcome_of(records, once_born("t1", condition("m", "one", "", 100))));
  CHECK(known(records, condition("m"), 99));
  CHECK_FALSE(known(records, condition("m"), 100));
  CHECK(outcome_of(records, once_born("t2", condition("m", "two", "", 300), 99)));
  CHECK_FALSE(outcome_of(records, once_born("t3", condition("m", "three", "", 300), 100)));
  CHECK(known(records, condition("m"), 101)->answer == "three");
  records.forget_expired(at_ms(299));
  records.flush();
  CHECK(known(records, condition("m"), 101));
  records.forget_expired(at_ms(300));
  records.flush();
  CHECK_FALSE(known(records, condition("m"), 101)); // Whatever the clock says.
}

TEST_CASE("What came once is known to the next process, killed or closed", "[store][once]") {
  rocksdb_kind kind;
  const auto first = condition("m", "first", "3:abc");
  CHECK_FALSE(outcome_of(*kind.records, once_born("t1", first)));
  change only;
  only.at = at_ms(1);
  only.conditions = {condition("alone", "said")};
  CHECK_FALSE(outcome_of(*kind.records, only));
  for (const bool is_killed : {true, false}) {
    const auto records = is_killed ? killed(kind, "killed") : reopened(kind);
    REQUIRE(known(*records, first));
    CHECK(*known(*records, first) == *first);
    CHECK(known(*records, condition("alone"))->answer == "said");
    CHECK(outcome_of(*records, once_born("t2", condition("m", "second", "3:abc"))));
    CHECK_FALSE(is_known(*records, task_id{"t2"}));
  }
}

TEST_CASE("What was forgotten has no row any more", "[store][once]") {
  rocksdb_kind kind;
  CHECK_FALSE(outcome_of(*kind.records, once_born("t1", condition("m", "one", "", 100))));
  CHECK_FALSE(outcome_of(*kind.records, once_born("t2", condition("n", "two", "", 200))));
  kind.records->forget_expired(at_ms(100));
  const auto records = reopened(kind);
  CHECK_FALSE(known(*records, condition("m"), 1));
  CHECK(known(*records, condition("n"), 1));
}

// -- the table ------------------------------------------------------------------------------------

namespace {

void take_in(once_table& table, const once_ptr& value, std::int64_t ms = 1) {
  table.stage(value, at_ms(ms));
  table.publish(value);
}

} // namespace

TEST_CASE("Who holds most makes room, with its oldest", "[store][once]") {
  once_table table({.entries = 4});
  const auto is_known = [&](const std::string& key, const std::string& owner) {
    return table.find(*condition(key, "{}", owner), at_ms(1)) != nullptr;
  };
  for (const auto* key : {"a", "b", "c", "d"}) // While there is room, one may have all.
    take_in(table, condition(key, "{}", "1:x"));
  CHECK(table.forgotten_early() == 0);
  take_in(table, condition("e", "{}", "1:y"));
  CHECK_FALSE(is_known("a", "1:x"));
  CHECK(is_known("b", "1:x"));
  take_in(table, condition("f", "{}", "1:y"));
  CHECK_FALSE(is_known("b", "1:x"));
  for (int i = 0; i < 100; ++i) // Anonymous callers are one owner.
    take_in(table, condition(std::to_string(i), "{}", ""));
  CHECK(is_known("d", "1:x"));
  CHECK(is_known("f", "1:y"));
  CHECK(is_known("99", ""));
  CHECK(table.forgotten_early() == 102);
  CHECK(table.take_forgotten().size() == 102);
  table.forget_expired(at_ms(1000)); // That is not early.
  CHECK(table.take_forgotten().size() == 4);
  CHECK(table.forgotten_early() == 102);
}

TEST_CASE("What is over when it makes room was not forgotten early", "[store][once]") {
  once_table table({.entries = 2});
  take_in(table, condition("a", "{}", "", 100));
  take_in(table, condition("b", "{}", "", 200));
  take_in(table, condition("c"), 100);
  CHECK(table.forgotten_early() == 0);
  take_in(table, condition("d"), 199);
  CHECK(table.forgotten_early() == 1);
  restore_once(table, *condition("e"), at_ms(1000));
  CHECK(table.forgotten_early() == 1);
  CHECK(table.take_forgotten().size() == 3);
}

TEST_CASE("One owner's many keys, or long answers, push out nothing of another", "[store][once]") {
  once_table table({.entries = 100, .bytes = 100'000});
  const auto first = condition("k", "{}", "1:x");
  take_in(table, first);
  for (int i = 0; i < 1000; ++i)
    take_in(table, condition(std::to_string(i), "{}", "1:y"));
  for (int i = 0; i < 20; ++i)
    take_in(table, condition(std::to_string(i), std::string(30'000, 'x'), "1:z"));
  CHECK(table.find(*first, at_ms(1)) == first);
}

TEST_CASE("The bounds are for each kind", "[store][once]") {
  once_table table({.entries = 1});
  auto key = *condition("m");
  key.kind = once_kind::idempotency_key;
  take_in(table, std::make_shared<const once>(key));
  take_in(table, condition("m"));
  CHECK(table.find(key, at_ms(1)));
  CHECK(table.find(*condition("m"), at_ms(1)));
}

TEST_CASE("Large answers make room for each other", "[store][once]") {
  once_table table({.bytes = 100'000});
  for (int i = 0; i < 20; ++i)
    take_in(table, condition(std::to_string(i), std::string(30'000, 'x')));
  CHECK_FALSE(table.find(*condition("16"), at_ms(1)));
  CHECK(table.find(*condition("19"), at_ms(1)));
}

TEST_CASE("What may come once is counted, and the oldest make room when memory is short",
          "[store][once][memory]") {
  const auto memory = std::make_shared<memory_budget>(std::size_t{100'000});
  const auto is_known = [](const once_table& table, const std::string& key) {
    return table.find(*condition(key), at_ms(1)) != nullptr;
  };
  {
    once_table table({}, memory);
    for (const auto* key : {"a", "b", "c"})
      take_in(table, condition(key));
    const auto three = memory->held(memory_account::remembered_requests);
    CHECK(three > 0);
    memory->force(memory_account::live_work, 75'000);
    take_in(table, condition("d")); // One makes room, not all.
    CHECK_FALSE(is_known(table, "a"));
    CHECK(is_known(table, "b"));
    CHECK(is_known(table, "d"));
    CHECK(memory->held(memory_account::remembered_requests) == three);
    memory->give_back(memory_account::live_work, 75'000);
    take_in(table, condition("e"));
    CHECK(is_known(table, "b"));
  }
  CHECK(memory->held() == 0);
}

TEST_CASE("What is staged conflicts, and is found only when it is published", "[store][once]") {
  once_table table({.entries = 1});
  const auto first = condition("m");
  table.stage(first, at_ms(1));
  CHECK(table.conflict_of({condition("m")}, at_ms(1)) == first);
  CHECK_FALSE(table.find(*first, at_ms(1)));
  table.stage(condition("n"), at_ms(1)); // `m` is on its way to the disk, and stays.
  CHECK(table.conflict_of({condition("m")}, at_ms(1)) == first);
  table.publish(first);
  CHECK(table.find(*first, at_ms(1)) == first);
}

TEST_CASE("Rows of what may come once are read as they were written, and damage is found",
          "[store][once]") {
  const auto value = *condition(std::string{"k\0\xff", 3}, R"({"task":"t"})", "3:abc");
  const auto key = once_key(value);
  const auto row = write_once_row(value);
  CHECK(read_once_row(key, row).value() == value);
  CHECK(read_once_row("", row).has_error());
  CHECK(read_once_row("x" + key.substr(1), row).has_error());
  CHECK(read_once_row(key.substr(0, 6), row).has_error());
  CHECK(read_once_row(key, row.substr(0, 15)).has_error());
}
