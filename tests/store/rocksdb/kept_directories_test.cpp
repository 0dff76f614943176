// Directories as the programs of each format left them. They are kept, and opened for ever after.
//
// `data/format-N` was closed, `data/format-N-killed` was left by a process that was killed, and the
// file of the same name with `.jsonl` has its changes, a line each (docs/events.md). Before
// rows::format_version grows, the last program of the old format has made its directories with
// `troupe_store_tests '[make-kept]'`. `data/format-2-parts` was killed with a long change in parts
// in its journal, `data/session-jsonl` is of the store of session files, closed.
#include "store/rocksdb/rocksdb_rows.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/random_changes.hpp"
#include "tests/store/tools/tool_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/source_dir.hpp"

#include <filesystem>
#include <fstream>
#include <memory>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::testing;

namespace {

const fs::path kept = fs::path{source_dir()} / "tests/store/rocksdb/data";

constexpr std::uint32_t script_seed = 7;
constexpr int script_changes = 60;
constexpr std::int64_t far_future_ms = 4'000'000'000'000;

std::string name_of(std::uint32_t format) {
  return "format-" + std::to_string(format);
}

constexpr const char* kept_sessions = "session-jsonl";
constexpr std::size_t long_bytes = 20'000;

/// The names of all directories with tables that are kept.
std::vector<std::string> kept_directories() {
  std::vector<std::string> out;
  for (const auto& entry : fs::directory_iterator{kept})
    if (entry.is_directory() && entry.path().filename() != kept_sessions)
      out.push_back(entry.path().filename().string());
  return out;
}

/// The changes of a directory, a line each.
std::vector<std::string> lines_of(const std::string& directory) {
  const auto found = check_or_fail(directory);
  CHECK(found.all().empty());
  return found.lines;
}

std::vector<std::string> kept_lines(const std::string& name) {
  std::vector<std::string> out;
  std::ifstream in{kept / (name + ".jsonl")};
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

once_ptr kept_message() {
  return std::make_shared<const once>(
      once{once_kind::message, "ann", "m1", 7, at_ms(far_future_ms), R"({"task":"of ann"})"});
}

task_created born_of(const std::string& owner, const std::string& id) {
  auto out = born_lone(id, "talk", 10);
  out.record->owner = owner;
  return out;
}

/// What a directory of format 2 has, beside the changes of a script: an owner's task that may come
/// once, chosen ids, a push configuration, a large record, an objective that was sealed, and one
/// that lives again.
void add_content(store& in) {
  auto only = about_lone("of ann", "talk", 10, born_of("ann", "of ann"), moved(task_state::working),
                         task_artifact{output("a", "made"), false, true},
                         moved(task_state::completed, 1, say("done")));
  only.conditions = {kept_message()};
  in.commit(std::move(only));
  in.commit(about_lone("works", "talk", 11, born_lone("works", "talk", 11)));
  push_config config;
  config.id = "hook";
  config.task = task_id{"works"};
  config.url = "https://a.example/x";
  config.token = "secret";
  in.pushes().save(config, {}, [](const result<push_row>& saved) { REQUIRE(saved.has_value()); });
  in.commit(about_lone("large", "talk", 12, born_lone("large", "talk", 12),
                       task_message{say(std::string(10'000, 'x'))}, moved(task_state::completed)));
  auto trip = make_objective("trip", {2});
  auto plan = std::make_shared<plan_spec>(*trip->plans[0]);
  plan->id = plan_id{"chosen plan"};
  plan->tasks.edit(0).id = task_id{"chosen task"};
  trip->plans[0] = plan;
  in.commit(about("trip", 13, objective_created{trip, {}}));
  for (const auto* id : {"sealed", "again"})
    in.commit(about(id, 14, objective_created{make_objective(id, {1}), {}},
                    objective_moved{objective_event::work, ""},
                    objective_moved{objective_event::fail, "no"}));
  in.flush();
  in.flush(); // Both are sealed.
  in.commit(about("again", 15, objective_moved{objective_event::reopen, ""}));
  in.flush();
}

/// Of a turned store a read takes its turns: the type of the store says so.
template<class Store>
void check_content(Store& in) {
  CHECK(find_task(in, task_id{"of ann"})->owner == "ann");
  CHECK(find_task(in, task_id{"of ann"})->artifacts.at(0)->artifact_id == "a");
  CHECK(find_task(in, task_id{"works"})->status.state == task_state::submitted);
  CHECK(find_task(in, task_id{"large"})->history.size() == 2);
  CHECK(find_task(in, task_id{"chosen task"})->context == "trip");
  CHECK(find_objective(in, objective_id{"trip"})->plans[0].spec->id.str() == "chosen plan");
  CHECK(find_objective(in, objective_id{"sealed"})->state == objective_state::failed);
  CHECK(find_objective(in, objective_id{"again"})->state == objective_state::submitted);
  const auto pushes = in.pushes().list(task_id{"works"});
  REQUIRE(pushes.size() == 1);
  CHECK(pushes[0].config.token == "secret");
  once_ptr came;
  in.read_once(*kept_message(), at_ms(20), [&](const result<once_ptr>& found) { came = *found; });
  REQUIRE(came);
  CHECK(*came == *kept_message());
}

/// A change that is longer than a group of open_small.
void add_long_change(store& in) {
  in.commit(about_lone("long", "talk", 16, born_lone("long", "talk", 16),
                       task_message{say(std::string(long_bytes, 'y'))}));
  in.flush();
}

/// Small files and groups, so that little is kept.
std::unique_ptr<turned_store> open_small(const std::string& directory,
                                         const group_limits& groups = {}) {
  rocksdb_internals how;
  how.groups = groups;
  how.journal.segment_bytes_min = how.journal.segment_bytes_max = 16 << 10;
  auto out = make_rocksdb_store({.directory = directory}, how);
  REQUIRE(out.has_value());
  return std::move(*out);
}

/// Without what the next start makes anew, and what names this machine.
void keep(const std::string& directory, const std::string& name) {
  fs::copy(directory, kept / name, fs::copy_options::recursive);
  for (const auto& entry : fs::directory_iterator{kept / name}) {
    const auto file = entry.path().filename().string();
    if (file.starts_with("OPTIONS") || file.starts_with("LOG") || file.ends_with("LOCK")
        || file.ends_with(".lock"))
      fs::remove(entry.path());
  }
}

} // namespace

TEST_CASE("A directory that the program of any format left is opened, and has all that it had",
          "[store][format]") {
  for (const auto& name : kept_directories()) {
    CAPTURE(name);
    const temporary_directory place;
    const auto directory = place / "data";
    fs::copy(kept / name, directory, fs::copy_options::recursive);
    {
      const auto records = open_turned(directory);
      recover_or_fail(*records);
      if (name != "format-1")
        check_content(*records);
      if (name.ends_with("-parts"))
        CHECK(text_of(find_task(*records, task_id{"long"})->history.back()->parts).size()
              == long_bytes);
    }
    const auto lines = lines_of(directory);
    CHECK_FALSE(lines.empty());
    CHECK(lines == kept_lines(name));
    // It goes on as any other.
    {
      const auto records = open_turned(directory);
      recover_or_fail(*records);
      records->commit(about_lone("new", "c", 100, born_lone("new", "c", 100)));
      records->flush();
    }
    CHECK(find_task(*open_turned(directory), task_id{"new"}));
    CHECK(lines_of(directory).size() == lines.size() + 1);
  }
}

TEST_CASE("A directory with session files that an earlier program left is opened, and goes on",
          "[store][format]") {
  const temporary_directory place;
  const auto directory = place / "data";
  fs::copy(kept / kept_sessions, directory, fs::copy_options::recursive);
  {
    const auto records = open_sessions_or_fail(directory);
    recover_or_fail(*records);
    check_content(*records);
    records->commit(about_lone("new", "c", 100, born_lone("new", "c", 100)));
    records->flush();
  }
  const auto records = open_sessions_or_fail(directory);
  recover_or_fail(*records);
  check_content(*records);
  CHECK(find_task(*records, task_id{"new"}));
  std::size_t sessions = 0;
  for (const auto& entry : fs::directory_iterator{kept / kept_sessions / "sessions"})
    if (const auto name = entry.path().filename().string(); name.ends_with(".jsonl")) {
      CAPTURE(name);
      ++sessions;
      CHECK(read_bytes(fs::path{directory} / "sessions" / name)
                .starts_with(read_bytes(entry.path())));
    }
  CHECK(sessions >= 3);
}

TEST_CASE("A directory of each format is kept", "[store][format]") {
  for (std::uint32_t format = 1; format <= rows::format_version; ++format) {
    CAPTURE(format);
    CHECK(fs::is_directory(kept / name_of(format)));
    CHECK_FALSE(kept_lines(name_of(format)).empty());
  }
}

// Only by name: makes what is not there.
TEST_CASE("directories of the present format are made", "[.][make-kept]") {
  const temporary_directory place;
  const auto name = name_of(rows::format_version);
  random_changes script{script_seed};
  const auto lives = place / "lives";
  {
    const auto records = open_small(lives);
    live_on(*records, script, script_changes);
  }
  {
    const auto records = open_small(lives);
    recover_or_fail(*records);
    add_content(*records);
    if (!fs::exists(kept / (name + "-killed")))
      keep(lives, name + "-killed");
  }
  if (!fs::exists(kept / name))
    keep(lives, name);
  if (!fs::exists(kept / (name + "-parts"))) {
    const auto parts = place / "parts";
    const auto records = open_small(parts, {.group_bytes = 2048, .turn_bytes = 1024});
    add_content(*records);
    add_long_change(*records);
    keep(parts, name + "-parts");
  }
  if (!fs::exists(kept / kept_sessions)) {
    const auto sessions = place / "sessions";
    {
      rocksdb_internals how;
      how.journal.segment_bytes_min = how.journal.segment_bytes_max = 16 << 10;
      const auto records = open_sessions_or_fail(sessions, how);
      recover_or_fail(*records);
      add_content(*records);
    }
    keep(sessions, kept_sessions);
  }
  for (const auto& each : kept_directories()) {
    const auto text = kept / (each + ".jsonl");
    if (fs::exists(text))
      continue;
    fs::copy(kept / each, place / each, fs::copy_options::recursive);
    { const auto converted = open_turned(place / each); }
    std::ofstream out{text};
    for (const auto& line : lines_of(place / each))
      out << line << '\n';
  }
}
