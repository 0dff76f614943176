// Many threads at once: nothing lost, nothing doubled, everything in order. Meant to be run under
// ThreadSanitizer as well.
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"

#include <atomic>
#include <set>
#include <thread>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr std::uint32_t writers = 4;
constexpr std::uint32_t tasks_each = 100;

std::vector<std::uint64_t> from_to(std::uint64_t first, std::uint64_t last) {
  std::vector<std::uint64_t> out;
  for (auto i = first; i <= last; ++i)
    out.push_back(i);
  return out;
}

} // namespace

TEMPLATE_TEST_CASE("Watchers see every change once and in order while many threads commit",
                   "[store][threads]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  const auto spec = make_objective("o", {writers * tasks_each});
  const auto everything = std::make_shared<recorder>();
  records.commit(about("o", 1, objective_created{spec, {}}), nullptr, everything);
  records.flush();

  std::vector<std::shared_ptr<recorder>> of_task(writers * tasks_each);
  std::atomic<std::uint64_t> continued{0};
  const auto write = [&](std::uint32_t writer) {
    for (std::uint32_t i = 0; i < tasks_each; ++i) {
      const auto index = writer * tasks_each + i;
      of_task[index] = std::make_shared<recorder>();
      const auto done = [&continued] { ++continued; };
      // Every second one is watched before it begins, the others follow.
      watcher_ptr follow = of_task[index];
      if (i % 2 == 0) {
        const auto now = watch_task(records, spec->plans[0]->tasks[index].id, of_task[index]);
        follow = now ? nullptr : follow;
      }
      records.commit(about_task(*spec, 0, index, 2, born(*spec, 0, index, 2)), done, follow);
      records.commit(about_task(*spec, 0, index, 3, moved(task_state::working)), done);
      records.commit(about_task(*spec, 0, index, 4, task_artifact{output("a", "x"), false, true}),
                     done);
      records.commit(about_task(*spec, 0, index, 5, moved(task_state::completed)), done);
    }
  };
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> wrong{0};
  const auto read = [&] {
    while (!stop) {
      const auto view = find_objective(records, spec->id);
      for (std::uint32_t index = 0; index < writers * tasks_each; index += 7) {
        const auto found = find_task(records, spec->plans[0]->tasks[index].id);
        // A task read after its objective is as far as that or further.
        if (!found
            || (is_terminal(view->plans[0].tasks[index].state)
                && !is_terminal(found->status.state)))
          ++wrong;
      }
      const auto page = list(records, list_tasks{});
      std::set<std::string> ids;
      for (const auto& each : page->tasks)
        ids.insert(each->id.str());
      if (ids.size()
          != page->tasks.size()) // Nothing appears twice on a page, whatever it was doing.
        ++wrong;
    }
  };
  std::vector<std::thread> threads;
  for (std::uint32_t writer = 0; writer < writers; ++writer)
    threads.emplace_back(write, writer);
  std::thread reader{read};
  for (auto& each : threads)
    each.join();
  records.flush();
  stop = true;
  reader.join();

  constexpr std::uint64_t changes = std::uint64_t{writers} * tasks_each * 4;
  CHECK(wrong == 0);
  CHECK(continued == changes);
  CHECK(everything->sequences() == from_to(1, changes + 1));
  std::uint64_t out_of_order = 0;
  for (const auto& each : of_task) {
    const auto seen = each->seen();
    out_of_order += seen.size() != 4 || seen[0]->events[0].index() != event{task_created{}}.index()
                    || std::get<task_moved>(seen[1]->events[0]).to != task_state::working
                    || std::get<task_moved>(seen[3]->events[0]).to != task_state::completed;
  }
  CHECK(out_of_order == 0);
  CHECK(records.status().live_tasks == 0);
  CHECK(list(records, list_tasks{})->total_size == writers * tasks_each);
}

TEMPLATE_TEST_CASE("A watcher that joins in the middle misses nothing and sees nothing twice",
                   "[store][threads]", memory_kind, rocksdb_kind, session_kind) {
  TestType kind;
  auto& records = *kind.records;
  constexpr int rounds = 30;
  constexpr std::uint32_t attempts = 40;
  int wrong = 0;
  for (int round = 0; round < rounds; ++round) {
    const auto id = "task-" + std::to_string(round);
    records.commit(about_lone(id, "c", 1, born_lone(id, "c", 1)));
    records.flush();
    std::thread writer{[&] {
      for (std::uint32_t attempt = 1; attempt <= attempts; ++attempt)
        records.commit(about_lone(id, "c", 1, moved(task_state::working, attempt)));
    }};
    const auto who = std::make_shared<recorder>();
    const auto now = watch_task(records, task_id{id}, who);
    writer.join();
    records.flush();
    // The attempt in the snapshot and the attempts seen afterwards are one row without gap.
    auto expected = now->attempt;
    for (const auto& each : who->seen())
      wrong += std::get<task_moved>(each->events[0]).attempt != ++expected;
    wrong += expected != attempts;
  }
  CHECK(wrong == 0);
}
