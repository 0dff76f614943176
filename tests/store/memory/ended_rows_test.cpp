// Which ended tasks a list of the memory store looks at.
#include "store/memory/ended_rows.hpp"
#include "store/memory/memory_archive.hpp"
#include "tests/support/catch.hpp"

#include <deque>
#include <memory>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace troupe;

namespace {

struct ended {
  std::string id;
  std::string owner = "";
  std::string context = "";
  task_state state = task_state::completed;
  std::int64_t ms = 0;
};

timestamp at(std::int64_t ms) {
  return timestamp{std::chrono::milliseconds{ms}};
}

task_ptr make(const ended& from) {
  auto out = std::make_shared<task>();
  out->id = task_id{from.id};
  out->owner = from.owner;
  out->context = from.context.empty() ? "c" + from.id : from.context;
  out->status.state = from.state;
  out->status.at = at(from.ms);
  return out;
}

std::string ids_of(const std::vector<task_ptr>& rows) {
  std::string out;
  for (const auto& each : rows)
    out += (out.empty() ? "" : " ") + each->id.str();
  return out;
}

struct page {
  std::string ids;
  std::uint64_t total = 0;

  bool operator==(const page&) const = default;
};

std::ostream& operator<<(std::ostream& out, const page& shown) {
  return out << shown.ids << " of " << shown.total;
}

/// 1,000 of "b", of ten contexts, and three of "a"; one of these failed.
struct kept_tasks {
  memory_archive archive{10'000, 100'000'000};

  kept_tasks() {
    for (int i = 0; i < 1000; ++i)
      archive.keep(make({.id = "b" + std::to_string(i),
                         .owner = "b",
                         .context = "k" + std::to_string(i % 10),
                         .ms = i}));
    archive.keep(make({.id = "a0", .owner = "a", .ms = 2000}));
    archive.keep(make({.id = "a1", .owner = "a", .state = task_state::failed, .ms = 2001}));
    archive.keep(make({.id = "a2", .owner = "a", .ms = 2002}));
  }

  page list(const task_filter& filter, std::size_t count) const {
    looked_at = archive.rows_looked_at();
    const auto found = archive.list_tasks(filter, std::nullopt, count, {});
    looked_at = archive.rows_looked_at() - looked_at;
    return {ids_of(found.rows), found.total};
  }
  mutable std::uint64_t looked_at = 0; ///< By the last list.
};

} // namespace

TEST_CASE("A list of ended tasks looks at those of its owner, state and context only",
          "[store][list]") {
  const kept_tasks in;
  CHECK(in.list({.owner = "a"}, 10) == page{"a2 a1 a0", 3});
  CHECK(in.looked_at == 3);
  CHECK(in.list({.owner = "a", .state = task_state::failed}, 10) == page{"a1", 1});
  CHECK(in.looked_at == 1);
  CHECK(in.list({.owner = "b", .context = "k7"}, 2) == page{"b997 b987", 100});
  CHECK(in.looked_at == 100);
  CHECK(in.list({.owner = "a", .context = "k7"}, 2) == page{"", 0});
  CHECK(in.list({.owner = "c"}, 10) == page{"", 0});
  CHECK(in.looked_at == 0);
}

TEST_CASE("A list of ended tasks looks no further than its page, and counts all", "[store][list]") {
  const kept_tasks in;
  CHECK(in.list({.owner = "b"}, 3) == page{"b999 b998 b997", 1000});
  CHECK(in.looked_at == 3);
  CHECK(in.list({.owner = "b", .status_after = at(998)}, 10) == page{"b999 b998", 2});
  CHECK(in.looked_at == 2);
}

TEST_CASE("Rows of forgotten tasks behind an old one do not gather", "[store][list]") {
  memory_archive archive{10'000, 100'000'000};
  archive.keep(make({.id = "old", .owner = "a", .ms = 1}));
  const auto keep = [&](const std::string& id) {
    archive.keep(make({.id = id, .owner = "a", .context = "c", .ms = 2}));
  };
  keep("early");
  for (int i = 0; i < 10'000; ++i) {
    objective_view gone;
    gone.root_task = task_id{"t" + std::to_string(i)};
    keep(gone.root_task.str());
    archive.forget(gone);
    REQUIRE(archive.rows() <= 2000);
  }
  keep("late");
  for (const auto* id : {"early", "late"}) { // They are found by their new numbers.
    objective_view gone;
    gone.root_task = task_id{id};
    CHECK(archive.find_task(gone.root_task));
    archive.forget(gone);
    CHECK_FALSE(archive.find_task(gone.root_task));
  }
  CHECK(archive.list_tasks({.owner = "a"}, std::nullopt, 10, {}).total == 1);
  CHECK(archive.list_tasks({.owner = "a", .context = "c"}, std::nullopt, 10, {}).total == 0);
}

TEST_CASE("Whatever ended tasks come and go, lists are those of a walk over all", "[store][list]") {
  const auto seed = GENERATE(range(1U, 30U));
  CAPTURE(seed);
  std::mt19937 random{seed}; // NOLINT: the same each time.
  const auto any = [&](std::uint32_t below) { return static_cast<std::int64_t>(random() % below); };
  const std::vector<std::string> names{"a", "b", "c"};
  const std::vector states{task_state::completed, task_state::failed, task_state::canceled};
  const auto name = [&] { return names[static_cast<std::size_t>(any(3))]; };
  const auto state = [&] { return states[static_cast<std::size_t>(any(3))]; };

  ended_rows rows;
  std::deque<std::pair<std::uint64_t, task_ptr>> all; // Null: taken out.
  for (int step = 0; step < 300; ++step) {
    const auto choice = any(10);
    if (choice < 6 || all.empty()) {
      // Times are nearly in order.
      auto made = make({.id = std::to_string(step),
                        .owner = name(),
                        .context = name(),
                        .state = state(),
                        .ms = step + any(20)});
      all.emplace_back(rows.add(made), made);
    } else if (any(20) == 0) {
      std::erase_if(all, [](const auto& each) { return !each.second; });
      auto next = all.begin();
      rows.renumber([&](const task_ptr& record, std::uint64_t number) {
        CHECK(record == next->second);
        (next++)->first = number;
      });
      CHECK(next == all.end());
    } else if (choice < 8) {
      auto& [number, kept] =
          all[static_cast<std::size_t>(any(static_cast<std::uint32_t>(all.size())))];
      if (kept)
        CHECK(rows.take(number) == std::exchange(kept, nullptr));
    } else {
      CHECK(rows.oldest() == all.front().second);
      CHECK(rows.drop_oldest() == all.front().second);
      all.pop_front();
    }
    CHECK(rows.empty() == all.empty());

    task_filter filter{.owner = name()};
    if (any(2) == 0)
      filter.context = name();
    if (any(2) == 0)
      filter.state = state();
    if (any(3) == 0)
      filter.status_after = at(step - any(50));
    std::optional<position> after;
    if (any(2) == 0)
      after = position{at(step - any(30)), "1"};
    const auto count = static_cast<std::size_t>(any(5));
    first_rows<task_ptr> found{after, count};
    rows.list(filter, found);
    first_rows<task_ptr> expected{after, count};
    for (const auto& [number, kept] : all)
      if (kept && kept->owner == filter.owner
          && (filter.context.empty() || kept->context == filter.context)
          && (!filter.state || kept->status.state == *filter.state)
          && (!filter.status_after || kept->status.at >= *filter.status_after))
        expected.offer(kept->status.at, kept->id.str(), kept);
    const auto is = found.take();
    const auto should_be = expected.take();
    CHECK(page{ids_of(is.rows), is.total} == page{ids_of(should_be.rows), should_be.total});
  }
}

TEST_CASE("Ended tasks count as memory, and the oldest go when the process is short of it",
          "[store][memory]") {
  const auto memory = std::make_shared<memory_budget>(1'000'000);
  {
    memory_archive archive{100, 100'000'000, memory};
    const auto has = [&](const std::string& id) { return archive.has_task(task_id{id}); };
    const auto keep = [&](const std::string& id) {
      auto ended = std::make_shared<task>(*make({.id = id}));
      auto made = std::make_shared<artifact>();
      made->parts = {text_part(std::string(300'000, 'x'))};
      ended->artifacts = {std::move(made)};
      archive.keep(std::move(ended));
    };
    keep("a");
    keep("b");
    CHECK(memory->held(memory_account::ended_tasks) > 600'000);
    keep("c");
    CHECK_FALSE(has("a"));
    CHECK(has("b"));
    memory->force(memory_account::live_work, 200'000);
    archive.shrink();
    CHECK_FALSE(has("b"));
    CHECK(has("c"));
    memory->force(memory_account::live_work, 800'000);
    archive.shrink();
    CHECK(has("c")); // Who waited for the newest one may still read it.
    CHECK(memory->held(memory_account::ended_tasks) < 310'000);
    memory->give_back(memory_account::live_work, 1'000'000);
  }
  CHECK(memory->held() == 0);
}
