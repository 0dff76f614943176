// What was acknowledged is there after the process ended, however it ended.
#include "protocol/fold/waiting.hpp"
#include "store/rocksdb/rocksdb_store.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/describe_all.hpp"
#include "tests/store/kinds.hpp"
#include "tests/store/random_changes.hpp"
#include "tests/store/rocksdb/image.hpp"
#include "tests/store/session/session_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/sanitized.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr std::int64_t far_future_ms = 4'000'000'000'000;

/// Empty if equal, else the first line that differs, from both.
std::string difference(const std::string& a, const std::string& b) {
  std::istringstream left{a};
  std::istringstream right{b};
  std::string x;
  std::string y;
  while (true) {
    const bool more_left = !!std::getline(left, x);
    const bool more_right = !!std::getline(right, y);
    if (!more_left && !more_right)
      return {};
    if (!more_left || !more_right || x != y)
      return "\n  " + (more_left ? x : "no more") + "\n  " + (more_right ? y : "no more");
  }
}

/// Opens, recovers, describes.
std::string reopened(image& of, const random_changes& script, std::string* repaired = nullptr) {
  const auto records = of.open();
  const auto found = recover_or_fail(*records);
  if (repaired)
    *repaired = found.repaired;
  return describe_all(*records, script);
}

} // namespace

TEST_CASE("A store that was closed says the same when it is opened again", "[store][recovery]") {
  const std::uint32_t seed = GENERATE(1u, 2u, 3u, 4u, 5u, 6u, 7u, 8u);
  CAPTURE(seed);
  const temporary_directory directory;
  random_changes script{seed};
  random_changes same_script{seed};
  const auto reference = make_memory_store();
  auto records = open_or_fail(directory / "data");
  for (int i = 0; i < 400; ++i) {
    records->commit(script.next());
    reference->commit(same_script.next());
    if (i % 97 == 96) {
      records->flush();
      records->evict(at_ms(far_future_ms));
      REQUIRE(difference(describe_all(*records, script), describe_all(*reference, script)) == "");
      records.reset();
      records = open_or_fail(directory / "data");
      recover_or_fail(*records);
      REQUIRE(difference(describe_all(*records, script), describe_all(*reference, script)) == "");
    }
  }
}

TEST_CASE("Recovery gives back what is to be set going again", "[store][recovery]") {
  const temporary_directory directory;
  const auto spec = make_objective("o", {3});
  const auto settled = make_objective("settled", {1});
  {
    const auto records = open_or_fail(directory / "data");
    records->commit(
        about("o", 1, objective_created{spec, {}}, objective_moved{objective_event::work, ""}));
    records->commit(about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2), moved(task_state::completed)));
    records->commit(
        about_task(*spec, 0, 1, 3, born(*spec, 0, 1, 3), moved(task_state::working, 2)));
    records->commit(about("settled", 1, objective_created{settled, {}},
                          objective_moved{objective_event::work, ""},
                          objective_moved{objective_event::fail, "x"}));
    records->commit(
        about_lone("lone", "c", 4, born_lone("lone", "c", 4), moved(task_state::working)));
    records->commit(about_lone("gone", "c", 4, born_lone("gone", "c", 4)));
    records->commit(about_lone("gone", "c", 5, moved(task_state::completed)));
  }
  const auto records = open_or_fail(directory / "data");
  const auto found = recover_or_fail(*records);
  REQUIRE(found.objectives.size() == 1);
  CHECK(found.objectives[0]->id == spec->id);
  CHECK(found.objectives[0]->plans[0].tasks[1].state == task_state::working);
  REQUIRE(found.lone_tasks.size() == 1);
  CHECK(found.lone_tasks[0]->id.str() == "lone");
  CHECK(found.lone_tasks[0]->context == "c");
  CHECK(found.lone_tasks[0]->history.size() == 1);
  CHECK(found.events_replayed == 8);
  CHECK(found.repaired.empty());
  CHECK(records->status().live_tasks == 2);
  const auto running = find_task(*records, task_id{"o.p0.t1"});
  REQUIRE(running);
  CHECK(running->attempt == 2);
  CHECK(running->agent == "echo");
  CHECK(running->origin.spec().name == "task 1");
  CHECK(find_objective(*records, settled->id)->reason == "x");

  // Sequences go on where they were.
  const auto who = std::make_shared<recorder>();
  REQUIRE(watch_objective(*records, spec->id, who));
  REQUIRE(watch_task(*records, task_id{"lone"}, who));
  records->commit(about_task(*spec, 0, 1, 6, moved(task_state::completed)));
  records->commit(about_lone("lone", "c", 7, moved(task_state::completed)));
  records->flush();
  CHECK(who->sequences() == std::vector<std::uint64_t>{4, 2});
}

TEST_CASE("After a restart too, no change of a stream is dated before the one before it",
          "[store][recovery]") {
  const temporary_directory directory;
  const auto live = make_objective("live", {1});
  const auto settled = make_objective("settled", {1});
  {
    const auto records = open_or_fail(directory / "data");
    records->commit(about("live", 10, objective_created{live, {}}));
    records->commit(about_task(*live, 0, 0, 20, born(*live, 0, 0, 20), task_message{say("x")}));
    records->commit(about("settled", 10, objective_created{settled, {}}));
    records->commit(about("settled", 30, tasks_withdrawn{0, {0}, task_state::canceled, ""},
                          objective_moved{objective_event::cancel, ""}));
    records->commit(about_lone("lone", "c", 15, born_lone("lone", "c", 15)));
    records->commit(about_lone("lone", "c", 25, task_message{say("x")}));
    records->flush();
    records->flush(); // Sealed by the batch behind that.
  }
  const auto records = open_or_fail(directory / "data");
  recover_or_fail(*records);
  records->evict(at_ms(100));
  const auto all = std::make_shared<recorder>();
  records->watch_all(all);
  records->commit(about_task(*live, 0, 0, 1, moved(task_state::working)));
  records->commit(about("settled", 1, objective_moved{objective_event::reopen, "retry"},
                        tasks_renewed{0, {0}}));
  records->commit(about_lone("lone", "c", 1, moved(task_state::working)));
  records->flush();
  records->unwatch_all(all);
  std::map<std::string, timestamp> times;
  for (const auto& each : all->seen())
    times[each->stream()] = each->at;
  CHECK(times["live"] == at_ms(20));
  CHECK(times["settled"] == at_ms(30));
  CHECK(times["lone"] == at_ms(25));
}

TEST_CASE("A pause survives a restart", "[store][recovery]") {
  const temporary_directory directory;
  auto records = open_or_fail(directory / "data");
  const auto spec = make_objective("o", {1, 1});
  const auto other = make_objective("other", {1, 1});
  records->commit(
      about("o", 1, objective_created{spec, {}}, objective_moved{objective_event::work, ""}));
  records->commit(about("o", 2, pause_changed{true}));
  records->commit(
      about("other", 1, objective_created{other, {}}, objective_moved{objective_event::work, ""}));
  records->commit(
      about("other", 2, pause_changed{true}, pause_changed{false}, pause_changed{true, 1}));
  records->flush();
  records.reset();
  records = open_or_fail(directory / "data");
  REQUIRE(recover_or_fail(*records).objectives.size() == 2);
  const auto whole = find_objective(*records, spec->id);
  CHECK(whole->paused);
  CHECK(whole->plans[0].paused);
  CHECK(whole->plans[1].paused);
  const auto part = find_objective(*records, other->id);
  CHECK_FALSE(part->paused);
  CHECK_FALSE(part->plans[0].paused);
  CHECK(part->plans[1].paused);
}

TEST_CASE("A settled objective leaves memory, is read from disk, and lives again when retried",
          "[store][evict]") {
  const temporary_directory directory;
  auto records = open_or_fail(directory / "data");
  const auto spec = make_objective("o", {2});
  records->commit(about("o", 1, objective_created{spec, {}}));
  records->commit(about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2), moved(task_state::failed)));
  records->commit(about("o", 5, tasks_withdrawn{0, {1}, task_state::canceled, "because"},
                        objective_moved{objective_event::work, ""},
                        objective_moved{objective_event::fail, "t0 failed"}));
  records->flush();
  const auto before = describe(find_objective(*records, spec->id));
  records->evict(at_ms(5)); // Not before its time.
  CHECK(records->status().live_objectives == 1);
  records->evict(at_ms(6));
  CHECK(records->status().live_objectives == 0);
  CHECK(describe(find_objective(*records, spec->id)) == before);
  CHECK(is_known(*records, spec->id));
  CHECK(objective_of(*records, plan_id{"o.p0"}) == spec->id);
  CHECK(find_task(*records, task_id{"o.p0.t0"})->status.state == task_state::failed);
  const auto withdrawn = find_task(*records, task_id{"o.p0.t1"});
  REQUIRE(withdrawn);
  CHECK(text_of(withdrawn->status.message->parts) == "because");
  CHECK(list(*records, list_objectives{})->total_size == 1);
  CHECK(records->status().live_objectives == 0); // Reading does not bring it back.

  const bool reopen = GENERATE(false, true);
  if (reopen) {
    records.reset();
    records = open_or_fail(directory / "data");
    const auto found = recover_or_fail(*records);
    CHECK(found.objectives.empty());
    CHECK(found.events_replayed == 0);
  }
  const auto who = std::make_shared<recorder>();
  CHECK(watch_task(*records, task_id{"o.p0.t0.r1"}, who) == nullptr);
  records->commit(
      about("o", 7, objective_moved{objective_event::reopen, "retry"}, tasks_renewed{0, {0, 1}}));
  records->flush();
  CHECK(records->status().live_objectives == 1);
  CHECK(find_task(*records, task_id{"o.p0.t0.r1"})->status.state == task_state::submitted);
  REQUIRE(watch_objective(*records, spec->id, who));
  CHECK(list(*records, list_objectives{})->total_size == 1);
  list_objectives failed;
  failed.states = {objective_state::failed};
  CHECK(list(*records, failed)->total_size == 0);
  records->commit(about("o", 8, objective_moved{objective_event::work, ""}));
  records->flush();
  CHECK(who->sequences() == std::vector<std::uint64_t>{5});

  records.reset();
  records = open_or_fail(directory / "data");
  const auto found = recover_or_fail(*records);
  REQUIRE(found.objectives.size() == 1);
  CHECK(found.objectives[0]->state == objective_state::working);
  CHECK(found.objectives[0]->plans[0].tasks[0].generation == 1);
}

TEST_CASE("Settled objectives count as memory, and leave it early when the process is short of it",
          "[store][evict][memory]") {
  const temporary_directory directory;
  const auto memory = std::make_shared<memory_budget>(4'000'000);
  auto opened = open_rocksdb_store(
      {.directory = directory / "data", .durability = durability::async, .memory = memory});
  REQUIRE(opened);
  const auto records = std::move(*opened);
  for (const auto* id : {"o1", "o2"})
    records->commit(about(id, 1, objective_created{make_large_objective(id, 1'000'000), {}},
                          objective_moved{objective_event::work, ""},
                          objective_moved{objective_event::fail, ""}));
  records->flush();
  CHECK(memory->held(memory_account::ended_objectives) > 2'000'000);
  records->evict(at_ms(0)); // There is room, and it is not their time.
  CHECK(records->status().live_objectives == 2);
  memory->force(memory_account::live_work, 1'500'000);
  records->evict(at_ms(0));
  CHECK(records->status().live_objectives == 0);
  CHECK(memory->held(memory_account::ended_objectives) == 0);
  CHECK(find_objective(*records, objective_id{"o1"})->plans.size() == 1);
}

TEST_CASE("A start reads the end of the journal once", "[store][recovery]") {
  image files;
  {
    const auto records = files.open();
    recover_or_fail(*records);
    records->commit(about_lone("t", "ctx", 1, born_lone("t", "ctx", 1)));
    records->flush();
  }
  auto& log = files.disk().log;
  log.clear();
  const auto records = files.open();
  const auto is_read_of_segment = [](const journal::logged_call& call) {
    return call.kind == journal::disk_call::read && call.file.starts_with("segment-");
  };
  CHECK(std::ranges::count_if(log, is_read_of_segment) == 2); // The header, then everything.
  CHECK(find_task(*records, task_id{"t"}));
}

TEST_CASE("An objective that leaves memory takes its plans along, and its tasks are read from disk",
          "[store][evict][memory]") {
  const temporary_directory directory;
  const auto records = open_or_fail(directory / "data");
  auto spec = make_objective("o", {1});
  const std::weak_ptr<const plan_spec> plan = spec->plans[0];
  records->commit(about("o", 1, objective_created{spec, {}}));
  records->commit(about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2), moved(task_state::completed)));
  records->commit(about("o", 3, objective_moved{objective_event::work, ""},
                        objective_moved{objective_event::complete, ""}));
  records->flush();
  spec = nullptr;
  CHECK_FALSE(plan.expired());
  records->evict(at_ms(far_future_ms));
  CHECK(records->status().live_objectives == 0);
  CHECK(plan.expired());
  const auto read_before = records->status().reads.disk_reads;
  CHECK(find_task(*records, task_id{"o.p0.t0"})->status.state == task_state::completed);
  CHECK(records->status().reads.disk_reads > read_before);
}

TEST_CASE("An objective that is watched, or whose task lives, stays in memory", "[store][evict]") {
  const temporary_directory directory;
  const auto records = open_or_fail(directory / "data");
  const auto watched = make_objective("watched", {1});
  const auto busy = make_objective("busy", {1});
  const auto who = std::make_shared<recorder>();
  records->commit(about("watched", 1, objective_created{watched, {}},
                        objective_moved{objective_event::work, ""},
                        objective_moved{objective_event::fail, ""}),
                  nullptr, who);
  records->commit(about("busy", 1, objective_created{busy, {}}));
  records->commit(about_task(*busy, 0, 0, 1, born(*busy, 0, 0, 1), moved(task_state::working)));
  records->commit(about("busy", 1, objective_moved{objective_event::cancel, ""}));
  records->flush();
  records->evict(at_ms(far_future_ms));
  CHECK(records->status().live_objectives == 2);
  records->unwatch("watched", who);
  records->commit(about_task(*busy, 0, 0, 2, moved(task_state::canceled)));
  records->flush();
  records->evict(at_ms(far_future_ms));
  CHECK(records->status().live_objectives == 0);
  // Watching brings an evicted one back, and a retry is seen.
  REQUIRE(watch_objective(*records, watched->id, who));
  CHECK(records->status().live_objectives == 1);
  records->commit(about("watched", 3, objective_moved{objective_event::reopen, "retry"}));
  records->flush();
  REQUIRE(who->seen().size() == 2);
  CHECK(who->seen()[1]->sequence == 2);
}

TEST_CASE("A pending task of an evicted objective can be watched until it begins",
          "[store][evict]") {
  const temporary_directory directory;
  const auto records = open_or_fail(directory / "data");
  const auto spec = make_objective("o", {1});
  records->commit(
      about("o", 1, objective_created{spec, {}}, objective_moved{objective_event::cancel, ""}));
  records->flush();
  records->evict(at_ms(far_future_ms));
  const auto who = std::make_shared<recorder>();
  REQUIRE(watch_task(*records, task_id{"o.p0.t0"}, who));
  records->evict(at_ms(far_future_ms));
  records->commit(about("o", 2, objective_moved{objective_event::reopen, "restart"}));
  records->commit(about_task(*spec, 0, 0, 3, born(*spec, 0, 0, 3), moved(task_state::working)));
  records->flush();
  CHECK(who->sequences() == std::vector<std::uint64_t>{3});
}

TEST_CASE("A process that is killed again and again leaves a bounded number of segments",
          "[store][crash]") {
  constexpr std::size_t segments_max = 4;
  constexpr std::size_t segment_bytes = std::size_t{4} << 20; // Much more than is written.
  auto left = std::make_unique<image>();
  left->options.journal.segment_bytes_min = segment_bytes;
  left->options.journal_behind_bytes = segments_max * segment_bytes;
  left->options.journal_forget_bytes = 1;
  const auto segments = [&] {
    const auto names = left->disk().names();
    return static_cast<std::size_t>(std::ranges::count_if(
        names, [](const std::string& name) { return name.starts_with("segment"); }));
  };
  int committed = 0;
  for (int life = 0; life < 3 * static_cast<int>(segments_max); ++life) {
    CAPTURE(life);
    auto records = left->open();
    CHECK(recover_or_fail(*records).lone_tasks.size() == static_cast<std::size_t>(committed));
    const auto begun = segments();
    REQUIRE(begun <= segments_max);
    do { // At the limit the tables become safe by the way, and then the journal forgets.
      REQUIRE(committed < 50'000);
      const auto id = "t" + std::to_string(committed++);
      records->commit(about_lone(id, "c", 1, born_lone(id, "c", 1)));
      records->flush();
    } while (begun == segments_max && segments() >= segments_max);
    auto next = left->with_journal(left->journal());
    records.reset(); // Of no concern to what was copied.
    left = std::move(next);
  }
}

TEST_CASE("A journal cut anywhere keeps everything that was acknowledged before the cut",
          "[store][crash]") {
  const std::uint32_t seed = GENERATE(11u, 12u, 13u);
  CAPTURE(seed);
  image left; // While the store is still open: nothing is closed in order.
  random_changes script{seed};
  std::vector<std::string> states; // After so many changes.
  std::vector<image::files> journals;
  constexpr int changes = is_sanitized ? 8 : 25;
  const auto live = left.open();
  recover_or_fail(*live);
  for (int i = 0; i <= changes; ++i) {
    if (i > 0)
      live->commit(script.next());
    live->flush();
    journals.push_back(left.journal());
    states.emplace_back();
  }
  // The states, with the ids known only later.
  {
    const auto reference = make_memory_store();
    random_changes same_script{seed};
    for (std::size_t i = 0; i < states.size(); ++i) {
      states[i] = describe_all(*reference, script);
      if (i + 1 < states.size())
        reference->commit(same_script.next());
    }
  }
  for (std::size_t k = 0; k < journals.size(); ++k) {
    const auto& next = journals[std::min(k + 1, journals.size() - 1)];
    const auto begin = image::journal_end(journals[k]);
    const auto end = image::journal_end(next);
    // Right at the end of what was acknowledged, and torn at bytes of the next.
    for (const auto at : {begin, begin + 1, begin + 8, begin + 40, (begin + end) / 2, end - 8}) {
      if (at < begin || (at >= end && at != begin))
        continue;
      CAPTURE(k, begin, at, end);
      const auto cut = left.with_journal(image::torn_at(journals[k], next, at));
      std::string repaired;
      const auto found = reopened(*cut, script, &repaired);
      CHECK(repaired.empty() == (at == begin)); // What was cut off is said.
      REQUIRE(difference(found, states[k]) == "");
      REQUIRE(difference(reopened(*cut, script), found) == ""); // And stays so.
    }
  }
}

TEST_CASE("A journal written in groups and cut anywhere gives a state that once was",
          "[store][crash]") {
  const std::uint32_t seed = GENERATE(21u, 22u);
  CAPTURE(seed);
  image left;
  random_changes script{seed};
  constexpr int changes = 120;
  const auto live = left.open();
  const auto before = left.journal();
  for (int i = 0; i < changes; ++i) {
    live->commit(script.next());
    if (i % 7 == 0)
      live->flush();
  }
  live->flush();
  const auto whole = left.journal();
  std::vector<std::string> states;
  const auto reference = make_memory_store();
  random_changes same_script{seed};
  for (int i = 0; i < changes; ++i) {
    states.push_back(describe_all(*reference, script));
    reference->commit(same_script.next());
  }
  states.push_back(describe_all(*reference, script));
  const auto size = image::journal_end(whole);
  std::size_t reached = 0;
  std::set<std::size_t> seen;
  constexpr std::size_t step = is_sanitized ? 449 : 149; // Each group has some places.
  for (auto at = image::journal_end(before); at <= size;
       at += at + step < size ? step : std::max<std::size_t>(1, size - at)) {
    const auto cut = left.with_journal(image::torn_at(before, whole, at));
    const auto now = reopened(*cut, script);
    const auto found =
        std::find(states.begin() + static_cast<std::ptrdiff_t>(reached), states.end(), now);
    CAPTURE(at, size, difference(now, states.back()));
    REQUIRE(found != states.end()); // Never earlier than what a shorter journal gave.
    reached = static_cast<std::size_t>(found - states.begin());
    seen.insert(reached);
  }
  CHECK(reached == changes);
  CHECK(seen.size() >= changes / 7); // Each group by itself.
}

TEST_CASE("The start says how many live streams and groups it has read", "[store][crash]") {
  image left;
  const auto commit = [](turned_store& to, const std::string& id) {
    to.commit(about_lone(id, "c", 1, born_lone(id, "c", 1)));
    to.flush();
  };
  {
    const auto closed = left.open();
    for (const auto* id : {"a", "b", "c"})
      commit(*closed, id);
  }
  const auto live = left.open();
  for (const auto* id : {"d", "e"})
    commit(*live, id);
  const auto killed = left.with_journal(left.journal());
  std::vector<std::string> seen;
  killed->options.on_progress = [&](const start_progress& at) {
    seen.push_back(std::string{at.stage} + " " + std::to_string(at.done) + "/"
                   + std::to_string(at.all));
  };
  const auto opened = killed->open();
  CHECK(seen
        == std::vector<std::string>{"live streams 1/3", "live streams 2/3", "live streams 3/3",
                                    "groups 1/2", "groups 2/2"});
}

TEST_CASE("Since when a task was ready is known of an objective that was sealed", "[store]") {
  const temporary_directory place;
  trip_life life; // The second task depends on the first one.
  const auto state = state_of(life.changes);
  const auto expected = ready_at(*state.view(), 0, 1);
  REQUIRE(expected == at_ms(1004));
  life.fail();
  const auto before = document_of(*state_of(life.changes).view());
  REQUIRE(before.find("readyAt") != std::string::npos);
  const auto data = place / "data";
  {
    const auto records = open_or_fail(data);
    for (auto& news : life.changes)
      records->commit(std::move(news));
    records->flush();
  }
  const auto records = open_or_fail(data);
  CHECK(recover_or_fail(*records).objectives.empty());
  CHECK(records->status().live_objectives == 0);
  const auto sealed = find_objective(*records, objective_id{"trip"});
  REQUIRE(sealed);
  CHECK(ready_at(*sealed, 0, 1) == expected);
  CHECK(document_of(*sealed) == before);
}
