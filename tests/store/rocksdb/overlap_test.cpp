// The next groups are staged while one is on its way to the disk.
#include "store/rocksdb/change_queue.hpp"
#include "tests/store/describe_all.hpp"
#include "tests/store/journal/held_disk.hpp"
#include "tests/store/kinds.hpp"
#include "tests/store/random_changes.hpp"
#include "tests/store/rocksdb/image.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"
#include <troupe/store/limits.hpp>

#include <algorithm>
#include <chrono>
#include <random>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr std::int64_t far_future_ms = 4'000'000'000'000;

/// What the same changes lead to in a store that has one group at a time. One state for each number
/// of changes.
std::vector<std::string> states_of(std::uint32_t seed, int changes, const random_changes& ids) {
  image files;
  const auto records = files.open();
  recover_or_fail(*records);
  random_changes script{seed};
  std::vector<std::string> out{describe_all(*records, ids)};
  for (int i = 0; i < changes; ++i) {
    records->commit(script.next());
    records->flush();
    out.push_back(describe_all(*records, ids));
  }
  return out;
}

/// The ids that the first `changes` bring into the world.
random_changes ids_of(std::uint32_t seed, int changes) {
  random_changes out{seed};
  for (int i = 0; i < changes; ++i)
    static_cast<void>(out.next());
  return out;
}

/// A store that begins the next group with its first change.
std::unique_ptr<turned_store> open_held(image& files, held_disk& disk) {
  files.options.journal_files = &disk;
  files.options.group_ahead_changes = 1;
  auto out = files.open();
  recover_or_fail(*out);
  return out;
}

} // namespace

TEST_CASE("Groups that are in flight together lead to what one after another leads to",
          "[store][recovery]") {
  const std::uint32_t seed = GENERATE(31u, 32u, 33u, 34u, 35u, 36u);
  CAPTURE(seed);
  constexpr int changes = 300;
  const auto ids = ids_of(seed, changes);
  const auto states = states_of(seed, changes, ids);
  image files;
  held_disk disk{files.disk()};
  random_changes script{seed};
  std::mt19937 dice{seed};
  std::size_t acknowledged = 0;
  int overlaps = 0;
  {
    const auto open = open_held(files, disk);
    auto& records = *open;
    for (int i = 0; i < changes;) {
      disk.is_held = dice() % 4 != 0;
      int begun = 0;
      for (auto more = 1 + dice() % 4; more > 0 && i < changes; --more, ++i)
        records.commit(script.next(), [&] { ++acknowledged; });
      while (records.turn())
        ++begun;
      overlaps += disk.is_held && begun > 0 && records.status().backlog_changes > 4 ? 1 : 0;
      if (dice() % 8 == 0)
        records.evict(at_ms(far_future_ms));
      if (dice() % 16 != 0)
        continue;
      // The process is killed here: everything acknowledged is there, and nothing is half there.
      const auto copy = files.with_journal(files.journal());
      const auto again = copy->open();
      recover_or_fail(*again);
      const auto now = describe_all(*again, ids);
      const auto least = states.begin() + static_cast<std::ptrdiff_t>(acknowledged);
      CAPTURE(i, acknowledged, now);
      REQUIRE(std::find(least, states.end(), now) != states.end());
    }
    disk.is_held = false;
    records.flush();
    CHECK(acknowledged == changes);
    CHECK(records.status().backlog_changes == 0);
    REQUIRE(describe_all(records, ids) == states.back());
    records.evict(at_ms(far_future_ms));
    REQUIRE(describe_all(records, ids) == states.back());
  }
  CHECK(overlaps > 5);
  const auto again = files.open();
  recover_or_fail(*again);
  CHECK(describe_all(*again, ids) == states.back());
}

TEST_CASE("A group may end tasks of the group before it, before either is durable", "[store]") {
  image files;
  held_disk disk{files.disk()};
  const auto open = open_held(files, disk);
  auto& records = *open;
  const auto spec = make_objective("o", {1});
  int acknowledged = 0;
  disk.is_held = true;
  const auto in_a_group = [&](change each) {
    records.commit(std::move(each), [&] { ++acknowledged; });
    REQUIRE(records.turn()); // It is begun,
    REQUIRE_FALSE(records.turn());
    REQUIRE(acknowledged == 0); // and not durable.
  };
  in_a_group(
      about("o", 1, objective_created{spec, {}}, objective_moved{objective_event::work, ""}));
  in_a_group(about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2), moved(task_state::working, 1)));
  in_a_group(about_task(*spec, 0, 0, 3, moved(task_state::completed)));
  // A late result of what has ended, also while that is not durable.
  in_a_group(about_task(*spec, 0, 0, 4, moved(task_state::failed)));
  CHECK_FALSE(find_objective(records, objective_id{"o"}));
  disk.is_held = false;
  records.flush();
  CHECK(acknowledged == 4);
  const auto ended = find_task(records, spec->plans[0]->tasks[0].id);
  REQUIRE(ended);
  CHECK(ended->status.state == task_state::completed);
}

TEST_CASE("What waits for the disk is counted in bytes until it is durable", "[store][memory]") {
  const auto memory = std::make_shared<memory_budget>();
  image files;
  files.memory = memory;
  held_disk disk{files.disk()};
  {
    const auto open = open_held(files, disk);
    auto& records = *open;
    disk.is_held = true;
    auto begun = about_lone("t", "c", 1, born_lone("t", "c", 1));
    auto made = std::make_shared<artifact>();
    made->parts = {text_part(std::string(100'000, 'x'))};
    begun.events.emplace_back(task_artifact{made, false, true});
    records.commit(std::move(begun));
    CHECK(records.status().backlog_bytes >= 200'000); // The change, and its row.
    CHECK(records.status().backlog_bytes < 210'000);
    REQUIRE(records.turn());
    CHECK(records.status().backlog_bytes >= 400'000); // And the rows of its group.
    CHECK(memory->held(memory_account::backlog) == records.status().backlog_bytes);
    disk.is_held = false;
    records.flush();
    CHECK(records.status().backlog_bytes == 0);
    disk.is_held = true;
    records.commit(about_lone("u", "c", 1, born_lone("u", "c", 1)));
    CHECK(memory->held(memory_account::backlog) > 0);
    const auto before = records.status().backlog_bytes;
    for (int i = 0; i < 10; ++i)
      records.commit({}, [] {}); // A refusal waits so.
    CHECK(records.status().backlog_bytes >= before + 10 * waiting_change_bytes);
    disk.is_held = false;
  }
  CHECK(memory->held(memory_account::backlog) == 0);
}

TEST_CASE("Groups in flight are kept, in their order, while the disk refuses", "[store]") {
  image files;
  held_disk disk{files.disk()};
  const auto records = open_held(files, disk);
  std::string acknowledged;
  disk.is_held = true;
  for (const char* const name : {"a", "b", "c"}) {
    records->commit(about(name, 1, objective_created{make_objective(name, {1}), {}}),
                    [&acknowledged, name] { acknowledged += name; });
    REQUIRE(records->turn()); // It is begun.
  }
  files.disk().refuse = [](journal::disk_call, const std::string&) {
    return std::make_error_code(std::errc::io_error);
  };
  disk.is_held = false;
  CHECK_FALSE(records->turn());
  CHECK_FALSE(records->status().writable);
  CHECK(acknowledged.empty());
  files.disk().refuse = nullptr;
  files.time.pass(std::chrono::seconds{2});
  records->flush();
  CHECK(acknowledged == "abc");
  CHECK(records->status().writable);
  const auto copy = files.with_journal(files.journal());
  const auto again = copy->open();
  recover_or_fail(*again);
  for (const char* const name : {"a", "b", "c"})
    CHECK(find_objective(*again, objective_id{name}));
}

TEST_CASE("What comes again while the disk refuses is told of the first once that is durable",
          "[store][once]") {
  image files;
  held_disk disk{files.disk()};
  const auto records = open_held(files, disk);
  once wanted{once_kind::message, "", "m", 1, at_ms(far_future_ms), {}};
  std::string told;
  const auto send = [&](const char* task) {
    auto born = about_lone(task, "c", 1, born_lone(task, "c", 1));
    wanted.answer = task;
    born.conditions = {std::make_shared<const once>(wanted)};
    records->commit(std::move(born), [&told](const commit_outcome& outcome) {
      told += outcome.conflict ? outcome.conflict->answer + " came before; " : "made; ";
    });
  };
  const auto is_known = [&](turned_store& in) {
    once_ptr found;
    in.read_once(wanted, at_ms(2), [&](const result<once_ptr>& read) { found = *read; });
    return found != nullptr;
  };
  disk.is_held = true;
  send("t1");
  REQUIRE(records->turn());
  files.disk().refuse = [](journal::disk_call, const std::string&) {
    return std::make_error_code(std::errc::io_error);
  };
  disk.is_held = false;
  CHECK_FALSE(records->turn());
  send("t2"); // In a group of its own, behind the one that is refused.
  CHECK_FALSE(records->turn());
  CHECK(told.empty());
  CHECK_FALSE(is_known(*records));
  files.disk().refuse = nullptr;
  files.time.pass(std::chrono::seconds{2});
  records->flush();
  CHECK(told == "made; t1 came before; ");
  CHECK(is_known(*records));
  const auto copy = files.with_journal(files.journal());
  const auto again = copy->open();
  recover_or_fail(*again);
  CHECK(is_known(*again));
  CHECK(find_task(*again, task_id{"t1"}));
  CHECK_FALSE(find_task(*again, task_id{"t2"}));
}

TEST_CASE("A group is cut where the answers that are kept with its changes make it too large",
          "[store][once]") {
  image files;
  const auto records = files.open();
  recover_or_fail(*records);
  const auto before = records->status().writes.groups;
  for (const char* const key : {"a", "b", "c"}) {
    change kept;
    kept.at = at_ms(1);
    kept.conditions = {
        std::make_shared<const once>(once{once_kind::message, "", key, 1, at_ms(far_future_ms),
                                          std::string(writer_group_bytes_max - 1000, 'x')})};
    records->commit(std::move(kept));
  }
  records->flush();
  CHECK(records->status().writes.groups == before + 3);
}

TEST_CASE("Waiting for groups that only the owner of the disk can end does not hang", "[store]") {
  image files;
  held_disk disk{files.disk()};
  const auto records = open_held(files, disk);
  disk.is_held = true;
  bool is_acknowledged = false;
  records->commit(about("o", 1, objective_created{make_objective("o", {1}), {}}),
                  [&] { is_acknowledged = true; });
  records->drain();
  CHECK_FALSE(is_acknowledged);
  disk.is_held = false;
  records->drain();
  CHECK(is_acknowledged);
}

TEST_CASE("A change of nothing is acknowledged after those before it, without a read", "[store]") {
  image files;
  held_disk disk{files.disk()};
  const auto records = open_held(files, disk);
  std::string acknowledged;
  disk.is_held = true;
  records->commit(about("o", 1, objective_created{make_objective("o", {1}), {}}),
                  [&] { acknowledged += "o"; });
  REQUIRE(records->turn());
  records->commit({}, [&] { acknowledged += "-"; });
  REQUIRE(records->turn());
  CHECK(acknowledged.empty());
  disk.is_held = false;
  records->flush();
  CHECK(acknowledged == "o-");
  CHECK(records->status().reads.disk_reads == 0);
}

TEST_CASE("A disk that does not answer for seconds makes the store one that cannot write, until it "
          "answers",
          "[store][disk]") {
  image files;
  held_disk disk{files.disk()};
  const auto records = open_held(files, disk);
  disk.is_held = true;
  records->commit(about_lone("a", "c", 1, born_lone("a", "c", 1)));
  REQUIRE(records->turn());
  files.time.pass(disk_silence_max - std::chrono::milliseconds{1});
  CHECK(records->status().writable);
  records->commit(about_lone("b", "c", 1, born_lone("b", "c", 1)));
  REQUIRE(records->turn()); // The next group does not count as an answer.
  files.time.pass(std::chrono::milliseconds{1});
  CHECK_FALSE(records->status().writable);
  CHECK_THAT(records->status().problem, ContainsSubstring("has not answered"));
  disk.is_held = false;
  records->flush();
  CHECK(records->status().writable);
  CHECK(find_task(*records, task_id{"b"}));
  files.time.pass(2 * disk_silence_max); // Nothing waits.
  CHECK(records->status().writable);
}
