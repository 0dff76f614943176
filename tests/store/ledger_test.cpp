// How much of the ledger a list looks at.
#include "store/ledger.hpp"
#include "store/memory/memory_archive.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct listed_ledger {
  memory_archive ended{1000, 1'000'000};
  ledger live{ended};

  void add(const std::string& id, const std::string& owner, std::int64_t ms) {
    live.publish(about(id, ms, objective_created{make_objective(id, {1}), {}, owner}));
  }
  void move(const std::string& id, objective_event on, std::int64_t ms) {
    live.publish(about(id, ms, objective_moved{on, ""}));
  }
  /// The ids in list order, and how many objectives were looked at for them.
  std::pair<std::string, std::uint64_t> list(const list_objectives& query) {
    const auto before = live.rows_looked_at();
    const auto page = live.list(query, ended).value();
    std::string out;
    for (const auto& each : page.objectives)
      out += (out.empty() ? "" : " ") + each->id.str();
    return {out, live.rows_looked_at() - before};
  }
};

using found = std::pair<std::string, std::uint64_t>;

} // namespace

TEST_CASE("A list of objectives looks at those of its owner and state only", "[store][list]") {
  listed_ledger in;
  for (int i = 0; i < 200; ++i)
    in.add("b" + std::to_string(i), i % 2 == 0 ? "b" : "", i);
  list_objectives query;
  query.who.id = "a";
  query.page_size = 10;
  const auto a = owner_of(query.who);
  for (int i = 0; i < 3; ++i)
    in.add("a" + std::to_string(i), a, 1000 + i);
  CHECK(in.list(query) == found{"a2 a1 a0", 3});
  in.move("a0", objective_event::work, 2000);
  CHECK(in.list(query) == found{"a0 a2 a1", 3});
  query.states = {objective_state::working};
  CHECK(in.list(query) == found{"a0", 1});
  query.states = {objective_state::completed};
  CHECK(in.list(query) == found{"", 0});
  query.who.id = "nobody";
  CHECK(in.list(query) == found{"", 0});
}

TEST_CASE("An objective that leaves memory for good leaves the lists", "[store][list]") {
  listed_ledger in;
  for (int i = 0; i < 100; ++i) {
    in.add("o" + std::to_string(i), "", i);
    in.live.publish(about("o" + std::to_string(i), 1000 + i,
                          tasks_withdrawn{0, {0}, task_state::canceled, ""},
                          objective_moved{objective_event::cancel, ""}));
  }
  for (const auto& each : in.live.settled())
    if (each.id.str() != "o7" && each.id.str() != "o8")
      in.live.forget(each);
  list_objectives query;
  query.page_size = 10;
  CHECK(in.list(query) == found{"o8 o7", 2});
}
