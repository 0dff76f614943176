// Long changes go into the journal in parts, in groups of others. The process is killed after each
// step: an unfinished change is not there, and a finished one is whole.
#include "protocol/record/record.hpp"
#include "store/journal/file_disk.hpp"
#include "store/journal/readable_groups.hpp"
#include "store/long_changes.hpp"
#include "store/rocksdb/rocksdb_open.hpp"
#include "store/session/session_chain.hpp"
#include "store/session/session_follower.hpp"
#include "store/tools/check.hpp"
#include "store/tools/repair.hpp"
#include "tests/store/journal/held_disk.hpp"
#include "tests/store/rocksdb/image.hpp"
#include "tests/store/session/faulty_files.hpp"
#include "tests/store/session/session_bed.hpp"
#include "tests/store/tools/tool_bed.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/reads.hpp"

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

/// A group has at most 2 kB, a context 256 bytes of it in its turn.
constexpr group_limits small_groups{64, 2048, 256};

void make_small(rocksdb_internals& of) {
  of.groups = small_groups;
  of.journal.segment_bytes_min = of.journal.segment_bytes_max = 8192;
  of.journal_forget_bytes = 1;
}

/// A text of so many bytes that no other one is like.
std::string long_text(const std::string& name, std::size_t bytes) {
  std::string out;
  for (std::size_t i = 0; out.size() < bytes; ++i)
    out += name + " " + std::to_string(i) + ". ";
  return out;
}

/// Takes turns until nothing is left; time passes while the tables are behind.
void take_all_turns(turned_store& records, hand_time& time) {
  REQUIRE(comes_true([&] {
    while (records.turn()) {
    }
    time.pass(20ms); // RocksDB flushes on its own thread.
    return records.status().backlog_changes == 0;
  }));
}

/// Tasks of their own contexts, to which artifacts are added: most are short, some are long.
class writers {
public:
  explicit writers(std::uint32_t seed) : dice_(seed) {}

  void begin(turned_store& records) {
    for (std::size_t i = 0; i < tasks; ++i) {
      const auto id = name(i);
      records.commit(about_lone(id, "c" + id, 1, born_lone(id, "c" + id, 1)));
    }
    records.flush();
  }
  /// The next artifact of one of the tasks.
  void commit_one(turned_store& records) {
    const auto of = dice_() % tasks;
    auto& artifacts = expected[of];
    const auto id = std::to_string(artifacts.size());
    const auto size = dice_() % 4 == 0 ? 2048 + dice_() % 20'000 : 1 + dice_() % 300;
    artifacts.push_back(long_text(name(of) + "-" + id, size));
    // Now and then its time is before that of the change before it.
    const auto at = static_cast<std::int64_t>(200 + artifacts.size() * 100 - dice_() % 150);
    records.commit(about_lone(name(of), "c" + name(of), at,
                              task_artifact{output(id, artifacts.back()), false, true}),
                   [this, of] { ++acknowledged[of]; });
  }
  /// What was acknowledged is there, whole and in order, and nothing that was never committed. The
  /// number of artifacts of each task.
  std::vector<std::size_t> check(turned_store& records) const {
    std::vector<std::size_t> out;
    for (std::size_t i = 0; i < tasks; ++i) {
      CAPTURE(i);
      const auto found = find_task(records, task_id{name(i)});
      REQUIRE(found);
      const auto& artifacts = found->artifacts;
      CHECK(artifacts.size() >= acknowledged[i]);
      REQUIRE(artifacts.size() <= expected[i].size());
      std::size_t next = 0;
      for (const auto& each : artifacts)
        REQUIRE(text_of(each->parts) == expected[i][next++]);
      out.push_back(artifacts.size());
    }
    return out;
  }
  /// What is not there any more was never committed.
  void forget_behind(const std::vector<std::size_t>& found) {
    for (std::size_t i = 0; i < tasks; ++i) {
      expected[i].resize(found[i]);
      acknowledged[i] = found[i];
    }
  }
  static std::string name(std::size_t index) { return "t" + std::to_string(index); }

  static constexpr std::size_t tasks = 4;
  std::vector<std::vector<std::string>> expected = std::vector<std::vector<std::string>>(tasks);
  std::vector<std::size_t> acknowledged = std::vector<std::size_t>(tasks);

private:
  std::mt19937 dice_;
};

/// The objective "o" has failed, and has left memory.
void commit_evicted_objective(turned_store& records) {
  const auto spec = make_objective("o", {1});
  records.commit(about("o", 1, objective_created{spec, {}}));
  records.commit(about_task(*spec, 0, 0, 2, born(*spec, 0, 0, 2), moved(task_state::failed)));
  records.commit(about("o", 5, objective_moved{objective_event::work, ""},
                       objective_moved{objective_event::fail, "t0 failed"}));
  records.flush();
  records.flush();
  records.evict(at_ms(6));
  REQUIRE(records.status().live_objectives == 0);
}

/// Every group of the journal, as its items.
template<class Look>
void for_each_item(image& of, const Look& look) {
  REQUIRE(journal::for_each_readable_group(of.disk(), std::nullopt,
                                           [&](const journal::readable_group& group) {
                                             const auto items = read_group(group.bytes);
                                             REQUIRE(items.has_value());
                                             for (const auto& item : *items)
                                               look(group.at, item);
                                           })
              .has_value());
}

template<class Item>
std::size_t count_of(image& of) {
  std::size_t out = 0;
  for_each_item(of, [&](journal::position, const group_item& item) {
    out += std::holds_alternative<Item>(item) ? 1 : 0;
  });
  return out;
}

/// Whether the journal ends between two parts of a change.
bool ends_between_parts(image& of) {
  long_changes parts;
  REQUIRE(journal::for_each_readable_group(of.disk(), std::nullopt,
                                           [&](const journal::readable_group& group) {
                                             REQUIRE(parts.take(group.at, group.bytes).has_value());
                                           })
              .has_value());
  return parts.first_needed().has_value();
}

} // namespace

TEST_CASE("A process may be killed between any two parts of a long change",
          "[store][recovery][parts]") {
  const auto seed = GENERATE(1u, 2u);
  const auto how = GENERATE(durability::sync, durability::async);
  CAPTURE(seed, how);
  image files;
  make_small(files.options);
  writers script{seed};
  std::mt19937 dice{seed};
  int between = 0;
  auto records = files.open(how);
  recover_or_fail(*records);
  script.begin(*records);
  for (int step = 0; step < 150; ++step) {
    for (auto more = dice() % 3; more > 0; --more)
      script.commit_one(*records);
    if (!records->turn())
      files.time.pass(20ms);
    if (dice() % 6 != 0)
      continue;
    const auto copy = files.with_journal(files.journal());
    between += ends_between_parts(*copy) ? 1 : 0;
    auto after = script;
    auto again = copy->open(how);
    recover_or_fail(*again);
    after.forget_behind(script.check(*again));
    // It goes on there, and is killed again.
    for (int i = 0; i < 5; ++i) {
      after.commit_one(*again);
      static_cast<void>(again->turn());
    }
    const auto last = copy->with_journal(copy->journal());
    const auto third = last->open(how);
    recover_or_fail(*third);
    static_cast<void>(after.check(*third));
    take_all_turns(*again, copy->time);
    static_cast<void>(after.check(*again));
  }
  CHECK(between > 3);
  take_all_turns(*records, files.time);
  static_cast<void>(script.check(*records));
  records.reset();
  records = files.open(how);
  CHECK(recover_or_fail(*records).events_replayed >= writers::tasks);
  const auto found = script.check(*records);
  for (std::size_t i = 0; i < writers::tasks; ++i)
    CHECK(found[i] == script.expected[i].size());
}

TEST_CASE("A change of another context goes into the journal before the end of a long one",
          "[store][parts]") {
  image files;
  make_small(files.options);
  auto records = files.open();
  recover_or_fail(*records);
  writers script{1};
  script.begin(*records);
  std::vector<std::string> order;
  records->commit(about_lone("t0", "ct0", 10,
                             task_artifact{output("a", long_text("long", 50'000)), false, true}),
                  [&] { order.emplace_back("long"); });
  REQUIRE(records->turn());
  records->commit(about_lone("t1", "ct1", 10, task_artifact{output("b", "short"), false, true}),
                  [&] { order.emplace_back("short"); });
  records->flush();
  CHECK(order == std::vector<std::string>{"short", "long"});
  CHECK(count_of<group_long_change>(files) == 1);
  CHECK(count_of<group_part>(files) > 20);
  for_each_item(files, [](journal::position, const group_item& item) {
    if (const auto* part = std::get_if<group_part>(&item))
      CHECK(part->bytes.size() <= small_groups.group_bytes);
  });
}

TEST_CASE("Parts of a change that is refused are given up", "[store][parts]") {
  image files;
  make_small(files.options);
  auto records = files.open();
  recover_or_fail(*records);
  writers script{1};
  script.begin(*records);
  records->commit(about_lone("t0", "ct0", 10, moved(task_state::completed)));
  records->commit(about_lone(
      "t0", "ct0", 11, task_artifact{output("late", long_text("late", 10'000)), false, true}));
  records->commit(about_lone("t1", "ct1", 11,
                             task_artifact{output("b", long_text("whole", 10'000)), false, true}));
  records->flush();
  CHECK(count_of<group_parts_end>(files) == 1);
  CHECK(count_of<group_long_change>(files) == 1);
  CHECK_FALSE(ends_between_parts(files));
  CHECK(find_task(*records, task_id{"t0"})->artifacts.empty());
  CHECK(text_of((*find_task(*records, task_id{"t1"})->artifacts.begin())->parts)
        == long_text("whole", 10'000));
}

TEST_CASE("A long change of an objective that has left memory comes as it was", "[store][parts]") {
  image files;
  make_small(files.options);
  auto records = files.open();
  recover_or_fail(*records);
  commit_evicted_objective(*records);
  const auto reason = long_text("why", 10'000);
  records->commit(
      about("o", 7, objective_moved{objective_event::reopen, reason}, tasks_renewed{0, {0}}));
  records->flush();
  CHECK(find_objective(*records, objective_id{"o"})->reason == reason);
  CHECK(count_of<group_parts_end>(files) == 1);
  const auto copy = files.with_journal(files.journal());
  const auto again = copy->open();
  recover_or_fail(*again);
  CHECK(find_objective(*again, objective_id{"o"})->reason == reason);
}

TEST_CASE("Session files have long changes, also if the process is killed between parts",
          "[store][session][parts]") {
  image files;
  make_small(files.options);
  const temporary_directory place;
  const auto spec = make_objective("trip", {3});
  int copies = 0;
  int between = 0;
  const auto open_follower = [](turned_store& records, const std::string& directory,
                                const time_source& time) {
    return taken(sessions::session_follower::open(
        records, records, {.directory = directory, .time = &time, .sync_interval = 1ms}, nullptr));
  };
  const auto follow_to_end = [](turned_store& records, sessions::session_follower& follower,
                                hand_time& time) {
    REQUIRE(comes_true([&] {
      while (follower.turn() || records.turn()) {
      }
      time.pass(10ms);
      return follower.is_up_to_date();
    }));
  };
  const auto bytes_of = [](const change& news) {
    std::string out = std::to_string(news.sequence);
    record::write(out, news);
    return out;
  };
  /// The session of the objective says what the store says.
  const auto compare = [&](turned_store& records, const std::string& directory) {
    const auto known = taken(sessions::list_sessions(directory));
    REQUIRE(known.size() == 1);
    const auto& [file, kept] = *known.begin();
    const auto whole =
        taken(sessions::read_chain(directory + "/" + (kept.is_growing ? file : kept.archive)));
    const auto page = taken(answer_of<history_page>(records, [&](auto done) {
      records.read_changes(objective_id{"trip"}, history_range{}, std::move(done));
    }));
    REQUIRE(whole.changes.size() == page.changes.size());
    for (std::size_t i = 0; i < whole.changes.size(); ++i)
      CHECK(bytes_of(whole.changes[i]) == bytes_of(*page.changes[i]));
  };
  std::filesystem::create_directories(place / "sessions");
  auto records = files.open();
  recover_or_fail(*records);
  auto follower = open_follower(*records, place / "sessions", files.time);
  records->commit(
      about("trip", 1, objective_created{spec, {}}, objective_moved{objective_event::work, ""}));
  for (std::uint32_t task = 0; task < 3; ++task) {
    records->commit(
        about_task(*spec, 0, task, 2, born(*spec, 0, task, 2), moved(task_state::working)));
    records->commit(
        about_task(*spec, 0, task, 3,
                   task_artifact{output("a", long_text("artifact " + std::to_string(task), 12'000)),
                                 false, true}));
  }
  for (int step = 0; step < 200 && records->status().backlog_changes > 0; ++step) {
    const bool has_moved = records->turn();
    const bool has_followed = follower->turn();
    if (!has_moved && !has_followed)
      files.time.pass(10ms);
    if (step % 3 != 0)
      continue;
    // Killed here.
    const auto copy = files.with_journal(files.journal());
    between += ends_between_parts(*copy) ? 1 : 0;
    const auto directory = place / ("copy-" + std::to_string(copies++));
    std::filesystem::copy(place / "sessions", directory);
    const auto known = taken(sessions::read_position(directory));
    if (!known) // A follower that begins would have to wait for reads of the store.
      continue;
    copy->options.keep_groups_from = known->at + 1;
    const auto again = copy->open();
    recover_or_fail(*again);
    if (!find_objective(*again, objective_id{"trip"}))
      continue;
    const auto second = open_follower(*again, directory, copy->time);
    again->commit(about("trip", 9, pause_changed{true}));
    again->commit(
        about("trip", 10, objective_moved{objective_event::cancel, long_text("reason", 9'000)}));
    take_all_turns(*again, copy->time);
    follow_to_end(*again, *second, copy->time);
    compare(*again, directory);
  }
  CHECK(between > 3);
  take_all_turns(*records, files.time);
  follow_to_end(*records, *follower, files.time);
  compare(*records, place / "sessions");
}

TEST_CASE("Session files of a store go on in the middle of two long changes that overlap",
          "[store][session][parts]") {
  const bool is_killed = GENERATE(true, false); // Else the disk of the sessions fails once.
  image files;
  make_small(files.options);
  const temporary_directory place;
  const std::string directory = place / ".";
  auto records = files.open();
  recover_or_fail(*records);
  writers script{1};
  script.begin(*records);
  faulty_files session_files;
  const auto open_follower = [&](turned_store& of, const time_source& time) {
    return taken(sessions::session_follower::open(of, of,
                                                  {.directory = directory,
                                                   .is_store = true,
                                                   .files = &session_files,
                                                   .time = &time,
                                                   .sync_interval = 1ms},
                                                  nullptr));
  };
  const auto follow_to_end = [](turned_store& in, sessions::session_follower& by, hand_time& time) {
    REQUIRE(comes_true([&] {
      while (by.turn() || in.turn()) {
      }
      time.pass(1000ms);
      return by.is_up_to_date();
    }));
    CHECK(by.status().problem.empty());
  };
  auto follower = open_follower(*records, files.time);
  follow_to_end(*records, *follower, files.time);
  bool has_first = false;
  bool has_second = false;
  records->commit(about_lone("t0", "ct0", 10,
                             task_artifact{output("a", long_text("first", 12'000)), false, true}),
                  [&] { has_first = true; });
  REQUIRE(records->turn());
  records->commit(about_lone("t1", "ct1", 10,
                             task_artifact{output("b", long_text("second", 60'000)), false, true}),
                  [&] { has_second = true; });
  journal::position first = 0;
  for_each_item(files, [&](journal::position, const group_item& item) {
    if (const auto* part = std::get_if<group_part>(&item))
      first = part->id.first;
  });
  REQUIRE(first > 0);
  // The files have the first change, and the position is between its parts.
  const auto position = [&] { return taken(sessions::read_position(directory))->at; };
  for (int i = 0; i < 1000 && !(has_first && position() >= first); ++i) {
    static_cast<void>(records->turn());
    while (follower->turn()) {
    }
    files.time.pass(10ms);
  }
  REQUIRE(has_first);
  REQUIRE_FALSE(has_second);
  REQUIRE(position() >= first);
  if (is_killed) {
    const auto copy = files.with_journal(files.journal());
    copy->options.keep_groups_from = position() + 1;
    follower.reset();
    const auto again = copy->open();
    recover_or_fail(*again);
    const auto second = open_follower(*again, copy->time);
    again->commit(about_lone("t0", "ct0", 11, task_artifact{output("c", "next"), false, true}));
    follow_to_end(*again, *second, copy->time);
    return;
  }
  int refused = 0;
  session_files.refuse = [&](file_call) { return refused++ == 0 ? EIO : 0; };
  follow_to_end(*records, *follower, files.time);
  CHECK(refused > 1);
  CHECK(has_second);
}

TEST_CASE("A long change of an objective that leaves memory again and again is written once",
          "[store][parts]") {
  image files;
  make_small(files.options);
  auto records = files.open();
  recover_or_fail(*records);
  writers script{1};
  script.begin(*records);
  commit_evicted_objective(*records);
  bool is_written = false;
  records->commit(about("o", 7, objective_moved{objective_event::reopen, long_text("why", 40'000)},
                        tasks_renewed{0, {0}}),
                  [&] { is_written = true; });
  int turns = 0;
  for (; turns < 2000 && !is_written; ++turns) {
    static_cast<void>(records->turn());
    if (turns % 10 == 9) // Before all parts would have been written.
      records->evict(at_ms(8));
  }
  CHECK(is_written);
}

TEST_CASE("The position of session files does not wait for parts that an ended process left",
          "[store][session][parts]") {
  image files;
  make_small(files.options);
  const temporary_directory place;
  const std::string directory = place / ".";
  auto records = files.open();
  recover_or_fail(*records);
  writers script{1};
  script.begin(*records);
  const auto follow = [&](image& of, turned_store& in) {
    const auto follower = taken(sessions::session_follower::open(
        in, in, {.directory = directory, .time = &of.time}, nullptr));
    for (int i = 0; i < 10'000 && !follower->is_up_to_date(); ++i)
      if (!follower->turn() && !in.turn())
        of.time.pass(1000ms);
    REQUIRE(follower->is_up_to_date());
    return taken(sessions::read_position(directory))->at;
  };
  const auto before = follow(files, *records);
  CHECK(before == records->groups_reached().at);
  records->commit(about_lone("t0", "ct0", 10,
                             task_artifact{output("a", long_text("long", 50'000)), false, true}));
  for (int i = 0; i < 6; ++i)
    REQUIRE(records->turn());
  REQUIRE(ends_between_parts(files));
  const auto copy = files.with_journal(files.journal());
  copy->options.keep_groups_from = before + 1;
  const auto again = copy->open();
  recover_or_fail(*again);
  CHECK(again->groups_reached().at > before);
  CHECK(follow(*copy, *again) == again->groups_reached().at);
}

namespace {

/// Directories of a store that was killed after a long change and a short one. Their tables are as
/// they were after each turn before that: some have a part of the long change.
struct killed_directories {
  killed_directories() {
    rocksdb_internals how;
    make_small(how);
    how.time = &time;
    how.journal_behind_bytes = 6'000;
    how.journal_forget_bytes = std::size_t{1} << 30;
    const std::string lives = place / "lives";
    auto records = taken(make_rocksdb_store({.directory = lives}, how));
    script.begin(*records);
    for (int i = 0; i < 6; ++i)
      script.commit_one(*records);
    take_all_turns(*records, time);
    records->commit(
        about_lone("t0", "ct0", 10'000, task_artifact{output("long", text), false, true}));
    std::vector<std::string> copies;
    REQUIRE(comes_true([&] {
      while (records->turn()) {
        copies.push_back(place / ("copy-" + std::to_string(copies.size())));
        copy_tables(lives, copies.back());
      }
      time.pass(20ms); // RocksDB flushes on its own thread.
      return records->status().backlog_changes == 0;
    }));
    records->commit(about_lone("t0", "ct0", 10'001, task_artifact{output("z", "z"), false, true}));
    take_all_turns(*records, time);
    for (const auto& each : copies) {
      if (!open_tables_to_read(each)) // RocksDB has changed them meanwhile.
        continue;
      fs::copy(journal_path(lives), journal_path(each));
      directories.push_back(each);
    }
    REQUIRE_FALSE(directories.empty());
  }

  const temporary_directory place;
  hand_time time{at_ms(1'700'000'000'000)};
  writers script{3};
  const std::string text = long_text("long", 30'000);
  std::vector<std::string> directories;

private:
  static void copy_tables(const std::string& from, const std::string& to) {
    fs::create_directories(to);
    std::error_code gone;
    for (const auto& entry : fs::directory_iterator{from})
      if (entry.is_regular_file(gone))
        fs::copy_file(entry.path(), fs::path{to} / entry.path().filename(), gone);
  }
};

struct known_part {
  journal::position at = 0;
  std::string file;
  std::uint64_t offset = 0;
};

/// Groups with parts of the last long change.
std::vector<known_part> parts_in(const std::string& directory, journal::position* change = nullptr,
                                 journal::position* last_group = nullptr) {
  std::map<parts_id, std::vector<known_part>> found;
  parts_id last;
  const auto files = journal::make_file_disk(journal_path(directory));
  REQUIRE(journal::for_each_readable_group(
              *files, std::nullopt,
              [&](const journal::readable_group& group) {
                const auto items = read_group(group.bytes);
                REQUIRE(items.has_value());
                if (last_group)
                  *last_group = group.at;
                for (const auto& item : *items) {
                  if (const auto* part = std::get_if<group_part>(&item))
                    found[part->id].push_back({group.at, std::string{group.file}, group.offset});
                  if (const auto* longer = std::get_if<group_long_change>(&item)) {
                    last = longer->id;
                    if (change)
                      *change = group.at;
                  }
                }
              })
              .has_value());
  return found[last];
}

void damage_part(const std::string& directory, const known_part& at) {
  const auto path = journal_path(directory) + "/" + at.file;
  auto bytes = read_bytes(path);
  bytes[at.offset] = static_cast<char>(bytes[at.offset] ^ 1);
  write_bytes(path, bytes);
}

void damage_group(const std::string& directory, journal::position at) {
  std::optional<known_part> found;
  const auto files = journal::make_file_disk(journal_path(directory));
  REQUIRE(journal::for_each_readable_group(
              *files, std::nullopt,
              [&](const journal::readable_group& group) {
                if (group.at == at)
                  found = {group.at, std::string{group.file}, group.offset};
              })
              .has_value());
  REQUIRE(found.has_value());
  damage_part(directory, *found);
}

} // namespace

TEST_CASE("A check reads long changes, and finds one that lacks a part", "[store][tools][parts]") {
  const killed_directories killed;
  int damaged = 0;
  for (const auto& directory : killed.directories) {
    CAPTURE(directory);
    const auto whole = check_or_fail(directory);
    CHECK(whole.all() == "");
    journal::position change = 0;
    const auto parts = parts_in(directory, &change);
    REQUIRE(parts.size() > 3);
    if (change <= whole.report.mark)
      continue; // The tables have it.
    damage_part(directory, parts[1]);
    CHECK(check_or_fail(directory).all().find("lacks parts") != std::string::npos);
    ++damaged;
  }
  CHECK(damaged > 0);
}

TEST_CASE("A repair keeps long changes, and says which one is lost with a part of it",
          "[store][tools][parts]") {
  const killed_directories killed;
  int across = 0;
  for (const auto& directory : killed.directories) {
    CAPTURE(directory);
    journal::position change = 0;
    journal::position last = 0;
    const auto parts = parts_in(directory, &change, &last);
    const auto plan = taken(plan_repair(directory));
    CHECK_FALSE(plan.is_needed);
    if (change <= plan.mark)
      continue;
    const bool is_across = parts.front().at <= plan.mark;
    across += is_across ? 1 : 0;
    { // The last group is lost: the long change stays, also if the tables have parts of it.
      const std::string other = directory + "-other";
      fs::copy(directory, other, fs::copy_options::recursive);
      REQUIRE(last > change);
      damage_group(other, last);
      const auto done = taken(repair_store(other));
      CHECK(done.is_needed);
      CHECK(done.last == last - 1);
      CHECK(check_or_fail(other).all() == "");
      const auto records = taken(try_open(other));
      const auto task = find_task(*records, task_id{"t0"});
      REQUIRE(task);
      CHECK(text_of(task->artifacts.back()->parts) == killed.text);
    }
    damage_part(directory, is_across ? parts.front() : parts[1]);
    CHECK_FALSE(try_open(directory).has_value());
    const auto done = taken(repair_store(directory));
    CHECK(done.is_needed);
    CHECK(std::ranges::any_of(done.lost, [](const lost_stream& each) {
      return each.id == "t0" && each.is_lone && each.changes == 2;
    }));
    if (is_across)
      CHECK(done.damage.find("parts of it are damaged") != std::string::npos);
    CHECK(check_or_fail(directory).all() == "");
    const auto records = taken(try_open(directory));
    const auto task = find_task(*records, task_id{"t0"});
    REQUIRE(task);
    for (const auto& each : task->artifacts)
      CHECK(each->artifact_id != "long");
  }
  CHECK(across > 0);
}
