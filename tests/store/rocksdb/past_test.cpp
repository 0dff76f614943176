// Reading the past: what read_changes gives back, and that a replay and a watch fit together
// without a hole and without a double.
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"
#include <troupe/store/limits.hpp>
#include <troupe/store/store.hpp>

#include <atomic>
#include <set>
#include <thread>

using namespace troupe;
using namespace troupe::testing;

namespace {

void put(store& in, change change) {
  in.commit(std::move(change));
  in.flush();
}

history_page read_or_fail(const store& in, const std::string& task,
                          const history_range& range = {}) {
  auto out = read_changes(in, task_id{task}, range);
  if (!out)
    FAIL(out.error().message);
  return std::move(*out);
}

std::vector<std::uint64_t> sequences(const history_page& page) {
  std::vector<std::uint64_t> out;
  for (const auto& each : page.changes)
    out.push_back(each->sequence);
  return out;
}

using numbers = std::vector<std::uint64_t>;

} // namespace

TEMPLATE_TEST_CASE("A snapshot says up to which change it goes", "[store][journal]", memory_kind,
                   rocksdb_kind) {
  TestType kind;
  auto& records = *kind.records;
  CHECK(snapshot_task(records, task_id{"lone"}, nullptr).record == nullptr);
  CHECK(snapshot_objective(records, objective_id{"o"}, nullptr).view == nullptr);
  put(records, about_lone("lone", "c", 1, born_lone("lone", "c", 1)));
  CHECK(snapshot_task(records, task_id{"lone"}, nullptr).sequence == 1);
  put(records, about_lone("lone", "c", 2, moved(task_state::working)));
  CHECK(snapshot_task(records, task_id{"lone"}, nullptr).sequence == 2);
  put(records, about_lone("lone", "c", 3, moved(task_state::completed)));
  CHECK(snapshot_task(records, task_id{"lone"}, nullptr).sequence == sequence_end);

  const auto spec = make_objective("o", {3});
  put(records, about("o", 1, objective_created{spec, {}}));
  CHECK(snapshot_task(records, task_id{"o.p0.t1"}, nullptr).sequence
        == 1); // Not begun: as the objective stands.
  put(records, about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2), moved(task_state::working)));
  put(records, about_task(*spec, 0, 1, 3, born(*spec, 0, 1, 3)));
  put(records, about_task(*spec, 0, 1, 4, moved(task_state::working)));
  CHECK(snapshot_task(records, task_id{"o.p0.t0"}, nullptr).sequence
        == 2); // Its own last change, not the objective's.
  CHECK(snapshot_task(records, task_id{"o.p0.t1"}, nullptr).sequence == 4);
  CHECK(snapshot_objective(records, spec->id, nullptr).sequence == 4);
  const auto who = std::make_shared<recorder>();
  CHECK(snapshot_task(records, task_id{"o.p0.t0"}, who).sequence == 2);
  put(records, about_task(*spec, 0, 0, 5, moved(task_state::completed)));
  CHECK(who->sequences() == numbers{5});
}

TEST_CASE("The past of a lone task is read in order, page by page, while it lives and after",
          "[store][journal]") {
  const temporary_directory directory;
  auto records = open_or_fail(directory / "data");
  put(*records, about_lone("lone", "c", 1, born_lone("lone", "c", 1)));
  put(*records, about_lone("lone", "c", 2, moved(task_state::working)));
  put(*records, about_lone("lone", "c", 3, task_artifact{output("a", "text"), false, true}));
  put(*records, about_lone("lonelier", "c", 3,
                           born_lone("lonelier", "c", 3))); // Begins with the same letters.
  const bool ended = GENERATE(false, true);
  const bool reopened = GENERATE(false, true);
  put(*records, about_lone("lone", "c", 4,
                           moved(ended ? task_state::completed : task_state::input_required)));
  if (reopened) {
    records.reset();
    records = open_or_fail(directory / "data");
    recover_or_fail(*records);
  }
  const auto all = read_or_fail(*records, "lone");
  CHECK(sequences(all) == numbers{1, 2, 3, 4});
  CHECK_FALSE(all.more);
  CHECK_FALSE(all.gone);
  CHECK(all.next_after == 4);
  CHECK(std::get<task_created>(all.changes[0]->events[0]).record->history.size() == 1);
  CHECK(all.changes[0]->context == "c");
  CHECK(std::get<task_artifact>(all.changes[2]->events[0]).artifact->artifact_id == "a");

  const auto first = read_or_fail(*records, "lone", {.after = 1, .max = 2});
  CHECK(sequences(first) == numbers{2, 3});
  CHECK(first.more);
  CHECK(sequences(read_or_fail(*records, "lone", {.after = first.next_after, .max = 2}))
        == numbers{4});
  CHECK(sequences(read_or_fail(*records, "lone", {.after = 1, .through = 3})) == numbers{2, 3});
  CHECK(read_or_fail(*records, "lone", {.after = 4}).changes.empty());
  CHECK(read_or_fail(*records, "lone", {.after = 1000}).changes.empty());
  CHECK(read_or_fail(*records, "lone", {.after = sequence_end}).changes.empty());
  CHECK(read_changes(*records, task_id{"lon"}, {}).error().code == errc::task_not_found);
  CHECK(read_changes(*records, objective_id{"lone"}, {}).error().code == errc::objective_not_found);
}

TEST_CASE("The past of a plan's task is its own changes, or its withdrawal", "[store][journal]") {
  const temporary_directory directory;
  auto records = open_or_fail(directory / "data");
  const auto spec = make_objective("o", {3});
  put(*records, about("o", 1, objective_created{spec, {}}));
  put(*records, about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2), moved(task_state::working)));
  put(*records, about_task(*spec, 0, 1, 3, born(*spec, 0, 1, 3), moved(task_state::working)));
  put(*records, about_task(*spec, 0, 0, 4, moved(task_state::failed)));
  put(*records, about("o", 5, tasks_withdrawn{0, {2}, task_state::canceled, "why"}));
  if (GENERATE(false, true)) {
    put(*records, about_task(*spec, 0, 1, 6, moved(task_state::failed)));
    put(*records, about("o", 7, objective_moved{objective_event::work, ""},
                        objective_moved{objective_event::fail, "x"}));
    records.reset();
    records = open_or_fail(directory / "data");
    recover_or_fail(*records);
    records->evict(at_ms(100));
    records->flush();
    CHECK(records->status().live_objectives == 0);
  }
  const auto first = read_or_fail(*records, "o.p0.t0");
  CHECK(sequences(first) == numbers{2, 4});
  const auto& made = std::get<task_created>(first.changes[0]->events[0]).record;
  REQUIRE(made->origin);
  CHECK(made->origin.spec().name == "task 0");
  CHECK(sequences(read_or_fail(*records, "o.p0.t1", {.after = 1, .through = 3})) == numbers{3});
  CHECK(sequences(read_or_fail(*records, "o.p0.t2")) == numbers{5});
  const auto all = read_changes(*records, spec->id, {.after = 1});
  REQUIRE(all.has_value());
  CHECK(all->changes.size() >= 4);
  CHECK(all->changes.front()->sequence == 2);
}

TEST_CASE("A page of one busy task among many ends after so many rows and goes on",
          "[store][journal]") {
  const temporary_directory directory;
  const auto records = open_or_fail(directory / "data");
  const auto spec = make_objective("o", {2});
  put(*records, about("o", 1, objective_created{spec, {}}));
  records->commit(about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2)));
  records->commit(about_task(*spec, 0, 1, 2, born(*spec, 0, 1, 2)));
  for (std::size_t i = 0; i < history_page_rows_max; ++i)
    records->commit(about_task(*spec, 0, 0, 3, task_message{say("noise")}));
  records->commit(about_task(*spec, 0, 1, 4, moved(task_state::completed)));
  records->flush();
  const auto first = read_or_fail(*records, "o.p0.t1");
  CHECK(sequences(first) == numbers{3});
  CHECK(first.more);
  const auto second = read_or_fail(*records, "o.p0.t1", {.after = first.next_after});
  CHECK(sequences(second) == numbers{history_page_rows_max + 4});
  CHECK_FALSE(second.more);
  const auto noise = read_or_fail(*records, "o.p0.t0", {.max = history_page_changes_max * 2});
  CHECK(noise.changes.size() == history_page_changes_max);
  CHECK(noise.more);
}

TEST_CASE("A store without journal says that the past is gone, unless nothing was missed",
          "[store][journal]") {
  const auto records = make_memory_store();
  put(*records, about_lone("lone", "c", 1, born_lone("lone", "c", 1)));
  put(*records, about_lone("lone", "c", 2, moved(task_state::working)));
  CHECK(read_or_fail(*records, "lone", {.after = 1}).gone);
  CHECK_FALSE(read_or_fail(*records, "lone", {.after = 2}).gone);
  CHECK_FALSE(read_or_fail(*records, "lone", {.after = 1, .through = 1}).gone);
  put(*records, about_lone("lone", "c", 3, moved(task_state::completed)));
  CHECK(read_or_fail(*records, "lone", {.after = 2}).gone);
  CHECK(read_changes(*records, task_id{"other"}, {}).error().code == errc::task_not_found);
}

TEST_CASE("A replay and a watch begun in the middle make the whole, once each",
          "[store][journal][threads]") {
  const temporary_directory directory;
  const auto records = open_or_fail(directory / "data");
  constexpr std::uint64_t changes = 3000;
  put(*records, about_lone("lone", "c", 1, born_lone("lone", "c", 1)));
  std::thread writer{[&] {
    for (std::uint64_t i = 2; i < changes; ++i)
      records->commit(about_lone("lone", "c", 2, task_message{say("m")}));
    records->flush();
    records->commit(about_lone("lone", "c", 3, moved(task_state::completed)));
    records->flush();
  }};
  bool ended = false;
  for (int looks = 0; !ended; ++looks) {
    REQUIRE(looks < 10'000'000); // The writer ends long before.
    const auto who = std::make_shared<recorder>();
    const auto now = snapshot_task(*records, task_id{"lone"}, who);
    REQUIRE(now.record);
    ended = is_terminal(now.record->status.state);
    const std::uint64_t begun = now.sequence == sequence_end ? 0 : now.sequence / 2;
    numbers seen;
    for (history_range range{.after = begun, .through = now.sequence};;) {
      const auto page = read_or_fail(*records, "lone", range);
      CHECK_FALSE(page.gone);
      const auto some = sequences(page);
      seen.insert(seen.end(), some.begin(), some.end());
      range.after = page.next_after;
      if (!page.more)
        break;
    }
    records->unwatch("lone", who);
    const auto live = who->sequences();
    seen.insert(seen.end(), live.begin(), live.end());
    bool whole = true;
    for (std::size_t i = 0; i < seen.size(); ++i)
      whole = whole && seen[i] == begun + i + 1;
    CHECK(whole);
    CHECK(seen.size() >= (ended ? changes : now.sequence - begun));
  }
  writer.join();
}
