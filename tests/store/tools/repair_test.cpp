// `store repair` and `store migrate`: what is kept, what is lost, and that a server starts then.
#include "store/journal/file_disk.hpp"
#include "store/journal/frame.hpp"
#include "store/journal/journal.hpp"
#include "store/journal/layout.hpp"
#include "store/journal/readable_groups.hpp"
#include "store/journal/rewrite.hpp"
#include "store/tools/migrate.hpp"
#include "store/tools/stat.hpp"
#include "tests/store/journal/simulated_disk.hpp"
#include "tests/store/rocksdb/small_file_system.hpp"
#include "tests/store/tools/tool_bed.hpp"
#include "tests/support/source_dir.hpp"

#include <cerrno>
#include <set>

#include <unistd.h>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr int changes = 40;
constexpr const char* segment = "segment-00000001";

/// A store that was killed after `changes` groups; the tables have the first `in_tables` of them.
struct killed_store {
  explicit killed_store(int in_tables = 0) : directory(place / "data") {
    random_changes script{31};
    if (in_tables > 0) {
      const auto records = open_turned(place / "lives");
      live_on(*records, script, in_tables);
    }
    if (in_tables > 0)
      fs::copy(place / "lives", place / "first", fs::copy_options::recursive);
    const auto records = open_turned(place / "lives");
    live_on(*records, script, changes - in_tables);
    fs::copy(place / "lives", directory, fs::copy_options::recursive);
    objectives = script.objectives;
    tasks = script.tasks;
  }

  /// Where each group is, of the segment files that are there.
  struct group {
    journal::position at = 0;
    std::string file;
    std::uint64_t offset = 0;
    std::string bytes;
  };
  [[nodiscard]] std::vector<group> groups() const { return groups_in(directory); }
  static std::vector<group> groups_in(const std::string& directory) {
    std::vector<group> out;
    const auto files = journal::make_file_disk(directory + "/journal");
    REQUIRE(journal::for_each_readable_group(*files, std::nullopt,
                                             [&](const journal::readable_group& each) {
                                               out.push_back({each.at, std::string{each.file},
                                                              each.offset,
                                                              std::string{each.bytes}});
                                             })
                .has_value());
    return out;
  }
  void damage(journal::position at) const { damage_in(directory, at); }
  static void damage_in(const std::string& directory, journal::position at) {
    for (const auto& each : groups_in(directory))
      if (each.at == at) {
        const auto path = directory + "/journal/" + each.file;
        auto bytes = read_bytes(path);
        bytes[each.offset] = static_cast<char>(bytes[each.offset] ^ 1);
        write_bytes(path, bytes);
        return;
      }
    FAIL("there is no such group");
  }

  /// What the store says of everything that was ever committed.
  [[nodiscard]] std::string tell_all(turned_store& in) const {
    std::string out;
    for (const auto& id : objectives)
      out += describe(find_objective(in, objective_id{id})) + "\n";
    for (const auto& id : tasks)
      out += describe(find_task(in, task_id{id})) + "\n";
    return out;
  }
  /// The same of a store that had only the first `kept` changes.
  [[nodiscard]] std::string tell_first(int kept) const {
    random_changes script{31};
    const temporary_directory other;
    const auto records = open_turned(other / "data");
    live_on(*records, script, kept);
    return tell_all(*records);
  }

  temporary_directory place;
  std::string directory;
  std::set<std::string> objectives;
  std::set<std::string> tasks;
};

std::string refusal(const std::string& directory) {
  const auto opened = try_open(directory);
  REQUIRE(opened.has_error());
  CHECK(opened.error().code == errc::store_failed);
  return opened.error().message;
}

repair_report planned(const std::string& directory) {
  const auto out = plan_repair(directory);
  INFO((out ? std::string{} : out.error().message));
  REQUIRE(out.has_value());
  CHECK(out->copy.empty());
  return *out;
}

repair_report repaired(const std::string& directory) {
  const auto out = repair_store(directory);
  INFO((out ? std::string{} : out.error().message));
  REQUIRE(out.has_value());
  return *out;
}

/// A segment with the groups up to `last`, which say their number. The frames name `safe`.
std::string segment_of(const journal::segment_header& header, journal::position last,
                       journal::position safe) {
  std::string out;
  append_segment_header(out, header);
  for (auto at = header.first; at <= last; ++at)
    append_frame(out, header, {at, safe}, "group " + std::to_string(at));
  out.resize(header.size);
  return out;
}

std::string damaged(std::string bytes, const std::string& group) {
  const auto at = bytes.find(group);
  REQUIRE(at != std::string::npos);
  bytes[at] = static_cast<char>(bytes[at] ^ 1);
  return bytes;
}

/// The groups after the mark, up to the first one that cannot be read.
std::vector<std::string> kept_in(journal::disk& files, const journal::follower_mark& mark) {
  std::vector<std::string> out;
  REQUIRE(journal::for_each_readable_group(files, mark.journal_id,
                                           [&](const journal::readable_group& each) {
                                             if (each.at == mark.at + 1 + out.size())
                                               out.emplace_back(each.bytes);
                                           })
              .has_value());
  return out;
}

/// What two processes leave behind that were killed after ten changes each. Each begins a segment.
std::string killed_twice(const temporary_directory& place) {
  random_changes script{31};
  std::string directory = place / "first";
  for (const auto* next : {"second", "third"}) {
    const auto records = open_turned(directory);
    live_on(*records, script, 10);
    fs::copy(directory, place / next, fs::copy_options::recursive);
    directory = place / next;
  }
  return directory;
}

} // namespace

TEST_CASE("A repair keeps everything before the damage, says what is lost, and the store opens",
          "[store][tools][crash]") {
  const auto damaged = GENERATE(1, 2, 17, 39);
  const killed_store left;
  left.damage(static_cast<journal::position>(damaged));
  const auto before = files_of(left.directory);
  const auto why = refusal(left.directory);
  CHECK(files_of(left.directory) == before);
  CHECK_THAT(why,
             ContainsSubstring(segment)
                 && ContainsSubstring("troupe store repair --lose-after --data " + left.directory));
  const auto behind = changes - damaged;
  CHECK_THAT(why, ContainsSubstring("Behind the damage " + std::to_string(behind)));
  const auto plan = planned(left.directory);
  CHECK(files_of(left.directory) == before);
  CHECK(plan.is_needed);
  CHECK(plan.last == static_cast<std::uint64_t>(damaged - 1));
  CHECK(plan.lost_groups == static_cast<std::uint64_t>(behind));
  CHECK(plan.unreadable_groups == 1);
  std::uint64_t lost = 0;
  for (const auto& each : plan.lost)
    lost += each.changes;
  CHECK(lost == plan.lost_groups);

  std::vector<std::string> lines;
  const auto report = repair_store(left.directory, [&](const auto& row, std::uint64_t group) {
    record::write_line(lines.emplace_back(), row, group);
  });
  REQUIRE(report.has_value());
  CHECK(lines.size() == plan.lost_groups);
  CHECK(report->lost_groups == plan.lost_groups);
  CHECK(report->copy == left.directory + ".before-repair-1");
  CHECK(files_of(report->copy) == before);
  CHECK(check_or_fail(left.directory).all().empty());
  CHECK_FALSE(planned(left.directory).is_needed);
  const auto again = open_turned(left.directory);
  CHECK(left.tell_all(*again) == left.tell_first(damaged - 1));
  again->commit(about_lone("later", "c", 1, born_lone("later", "c", 1)));
  again->flush();
  CHECK(find_task(*again, task_id{"later"}));
}

TEST_CASE("The refusal counts the readable groups of all segments behind the damage",
          "[store][tools][crash]") {
  const temporary_directory place;
  const auto directory = killed_twice(place);
  const auto groups = killed_store::groups_in(directory);
  REQUIRE(groups.size() == 20);
  REQUIRE(groups.front().file != groups.back().file);
  killed_store::damage_in(directory, 3);
  const auto why = refusal(directory);
  CHECK_THAT(why, ContainsSubstring("Behind the damage 17 groups can be read"));
  CHECK(planned(directory).lost_groups == 17);
}

TEST_CASE("Damage in a group that the tables have loses nothing", "[store][tools][crash]") {
  const killed_store left{20};
  // The second process has removed the segment of the first one. Put all groups into one segment.
  std::vector<std::string> groups;
  for (const auto& directory : {left.place / "first", left.directory})
    for (const auto& each : killed_store::groups_in(directory))
      groups.push_back(each.bytes);
  REQUIRE(groups.size() == changes);
  {
    const auto files = journal::make_file_disk(left.directory + "/journal");
    const auto id = journal::inspect(*files)->journal_id;
    REQUIRE(journal::rewrite_journal(*files, id, 1, groups).has_value());
  }
  left.damage(7);
  CHECK_THAT(refusal(left.directory), ContainsSubstring("is damaged"));
  const auto report = repaired(left.directory);
  CHECK(report.is_needed);
  CHECK(report.mark == 20);
  CHECK(report.last == changes);
  CHECK(report.lost_groups == 0);
  CHECK(report.unreadable_groups == 0);
  CHECK(report.lost.empty());
  const auto again = open_turned(left.directory);
  CHECK(left.tell_all(*again) == left.tell_first(changes));
}

TEST_CASE("A journal whose files are missing is repaired with what the tables and other files have",
          "[store][tools][crash]") {
  const killed_store left{20};
  const auto journal = left.directory + "/journal/";
  int kept = 20;
  SECTION("the manifest") {
    fs::remove(journal + "manifest");
    kept = changes;
  }
  SECTION("a damaged manifest") {
    write_bytes(journal + "manifest", "nonsense");
    kept = changes;
  }
  SECTION("the segment with the groups after the mark") {
    const auto last = left.groups().back();
    fs::remove(journal + last.file);
  }
  SECTION("its header") {
    const auto last = left.groups().back();
    auto bytes = read_bytes(journal + last.file);
    bytes[20] ^= 1;
    write_bytes(journal + last.file, bytes);
  }
  SECTION("all of it") {
    fs::remove_all(journal);
  }
  refusal(left.directory);
  const auto report = repaired(left.directory);
  CHECK(report.is_needed);
  CHECK(report.last == static_cast<std::uint64_t>(kept));
  CHECK(check_or_fail(left.directory).all().empty());
  const auto again = open_turned(left.directory);
  CHECK(left.tell_all(*again) == left.tell_first(kept));
}

TEST_CASE("A whole journal, and one with a torn end, are left as they are", "[store][tools]") {
  const killed_store left;
  const bool is_torn = GENERATE(false, true);
  if (is_torn) { // The last group was not acknowledged, as far as the files say.
    fs::remove(left.directory + "/journal/safe");
    left.damage(changes);
  }
  const auto before = files_of(left.directory);
  const auto report = repaired(left.directory);
  CHECK_FALSE(report.is_needed);
  CHECK(report.copy.empty());
  CHECK(report.lost_groups == 0);
  CHECK(files_of(left.directory) == before);
  CHECK_FALSE(fs::exists(left.directory + ".before-repair-1"));
}

TEST_CASE("The copy before a repair has what links name, and no lost+found", "[store][tools]") {
  const killed_store left;
  left.damage(30);
  const auto before = files_of(left.directory);
  fs::rename(left.directory + "/journal", left.place / "elsewhere");
  fs::create_directory_symlink(left.place / "elsewhere", left.directory + "/journal");
  fs::create_directory(left.directory + "/lost+found");
  const auto copy = repaired(left.directory).copy;
  CHECK_FALSE(fs::is_symlink(copy + "/journal"));
  CHECK_FALSE(fs::exists(copy + "/lost+found"));
  CHECK(files_of(copy) == before);
  CHECK(try_open(left.directory).has_value());
}

TEST_CASE("Only the owner of a directory repairs or converts it", "[store][tools]") {
  if (::geteuid() != 0) {
    WARN("skipped: this user may not give a directory away");
    return;
  }
  const killed_store left;
  left.damage(30);
  REQUIRE(::chown(left.directory.c_str(), 12'345, 12'345) == 0);
  const auto before = files_of(left.directory);
  const auto report = repair_store(left.directory);
  REQUIRE(report.has_error());
  CHECK_THAT(report.error().message, ContainsSubstring("belongs to the user 12345"));
  CHECK(files_of(left.directory) == before);
  CHECK(planned(left.directory).is_needed); // To look at it is allowed.

  const auto old = left.place / "old";
  fs::copy(fs::path{source_dir()} / "tests/store/rocksdb/data/format-1", old);
  REQUIRE(::chown(old.c_str(), 12'345, 12'345) == 0);
  const auto done = migrate_store(old);
  REQUIRE(done.has_error());
  CHECK_THAT(done.error().message, ContainsSubstring("belongs to the user 12345"));
  CHECK(stat_store(old)->format == 1);
}

TEST_CASE("A second repair makes a second copy", "[store][tools]") {
  const killed_store left;
  left.damage(30);
  CHECK(repaired(left.directory).copy == left.directory + ".before-repair-1");
  left.damage(20);
  const auto report = repaired(left.directory);
  CHECK(report.copy == left.directory + ".before-repair-2");
  CHECK(report.last == 19);
  CHECK(try_open(left.directory).has_value());
}

TEST_CASE("A repair that finds no room for its copy changes nothing", "[store][tools][disk]") {
  const small_file_system place{"size=12m"};
  if (!place.is_mounted) {
    WARN("skipped: this user may not mount a tmpfs");
    return;
  }
  const killed_store left;
  left.damage(3);
  const auto directory = place.path + "/data";
  fs::copy(left.directory, directory, fs::copy_options::recursive);
  const auto before = files_of(directory);
  const auto report = repair_store(directory);
  REQUIRE(report.has_error());
  CHECK_THAT(report.error().message,
             ContainsSubstring("cannot be copied") && ContainsSubstring("Make room"));
  CHECK(files_of(directory) == before);
  CHECK_FALSE(fs::exists(directory + ".before-repair-1"));
}

TEST_CASE("A repair is refused on a directory in use, and for a journal of another store",
          "[store][tools]") {
  const temporary_directory place;
  {
    const auto lives = open_turned(place / "data");
    CHECK(repair_store(place / "data").error().code == errc::store_locked);
    CHECK(plan_repair(place / "data").error().code == errc::store_locked);
  }
  { const auto other = open_turned(place / "other"); }
  fs::remove_all(place / "data/journal");
  fs::copy(place / "other/journal", place / "data/journal", fs::copy_options::recursive);
  const auto before = files_of(place / "data");
  CHECK_THAT(repair_store(place / "data").error().message,
             ContainsSubstring("is not the one") && ContainsSubstring("cannot help"));
  CHECK(files_of(place / "data") == before);
}

TEST_CASE("A repair that is interrupted anywhere keeps the same groups when it runs again",
          "[store][tools][crash]") {
  using namespace journal;
  const bool has_manifest = GENERATE(true, false);
  const bool is_power_lost = GENERATE(true, false); // Else the process was killed.
  const follower_mark mark{77, 3, 3};
  const std::vector<std::string> kept{"group 4", "group 5", "group 6"};
  int refusals = 0;
  for (int call = 0;; ++call) {
    CAPTURE(has_manifest, is_power_lost, call);
    simulated_disk files{static_cast<std::uint64_t>(call)};
    files.restore(segment_name(1), segment_of({77, 1, 1, 8192}, 4, 2));
    files.restore(segment_name(2), damaged(segment_of({77, 2, 5, 8192}, 7, 4), "group 7"));
    files.restore(segment_name(3), segment_of({77, 3, 8, 8192}, 9, 7));
    files.restore(manifest_name, has_manifest ? write_manifest({77, 1, 3}) : "damaged");
    files.restore(safe_name, write_safe_copy(77, 9));
    REQUIRE(kept_in(files, mark) == kept);
    int calls = 0;
    bool was_refused = false;
    files.refuse = [&](disk_call, const std::string&) {
      const bool is_it = calls++ == call;
      was_refused = was_refused || is_it;
      return is_it ? std::make_error_code(std::errc::io_error) : std::error_code{};
    };
    const auto done = rewrite_journal(files, 77, mark.at + 1, kept);
    files.refuse = nullptr;
    if (!was_refused) {
      REQUIRE(done.has_value());
      break;
    }
    CHECK(done.has_error());
    if (is_power_lost)
      files.lose_power();
    else
      files.end_process();
    const auto found = inspect(files, mark.at);
    REQUIRE(found.has_value());
    const bool is_taken = found->damage.empty() && describe_misfit(*found, mark).empty();
    refusals += is_taken ? 0 : 1;
    if (is_taken)
      CHECK(found->last == 6);
    const auto again = kept_in(files, mark);
    REQUIRE(again == kept);
    REQUIRE(rewrite_journal(files, 77, mark.at + 1, again).has_value());
    files.lose_power();
    CHECK(kept_in(files, mark) == kept);
    CHECK(inspect(files, mark.at)->last == 6);
    CHECK(files.names() == std::vector<std::string>{"manifest", "safe", files.names().back()});
  }
  CHECK(refusals > 0);
}

TEST_CASE("A segment that the manifest does not name hides no groups from a repair",
          "[store][tools][crash]") {
  const temporary_directory place;
  const auto directory = killed_twice(place);
  killed_store::damage_in(directory, 15);
  const auto id = journal::inspect(*journal::make_file_disk(directory + "/journal"))->journal_id;
  // A repair was killed while it wrote it.
  write_bytes(directory + "/journal/segment-00000003",
              segment_of({id, 3, 1, std::size_t{1} << 20}, 4, 0));
  const auto report = repaired(directory);
  CHECK(report.last == 14);
  CHECK(report.lost_groups == 5);
  CHECK(report.unreadable_groups == 1);
  CHECK(check_or_fail(directory).all().empty());
}

TEST_CASE("Groups behind damage are read only if they were written for certain", "[store][tools]") {
  using namespace journal;
  // Group 3 was never written whole. The second segment has another group 4.
  const auto old = damaged(segment_of({77, 1, 1, 8192}, 4, 2), "group 3");
  const auto positions = [](simulated_disk& of) {
    std::vector<std::string> out;
    REQUIRE(for_each_readable_group(of, 77, [&](const readable_group& each) {
              out.push_back(std::string{each.file.back()} + " " + std::string{each.bytes});
            }).has_value());
    return out;
  };
  simulated_disk files;
  files.restore("segment-00000001", old);
  files.restore("manifest", write_manifest({77, 1, 1}));
  CHECK(positions(files) == std::vector<std::string>{"1 group 1", "1 group 2"});
  files.restore("safe", write_safe_copy(77, 3));
  CHECK(positions(files) == std::vector<std::string>{"1 group 1", "1 group 2", "1 group 4"});
  files.restore("manifest", write_manifest({77, 1, 2})); // The second one is missing.
  CHECK(positions(files) == std::vector<std::string>{"1 group 1", "1 group 2"});
  files.restore("segment-00000002", segment_of({77, 2, 3, 8192}, 4, 2));
  CHECK(positions(files)
        == std::vector<std::string>{"1 group 1", "1 group 2", "2 group 3", "2 group 4"});
}

TEST_CASE("A batch that a power failure cut short is no damage, also if its end is whole",
          "[store][tools][crash]") {
  const killed_store left;
  constexpr journal::position safe = 19;
  const auto path = left.directory + "/journal/" + segment;
  const auto header = journal::read_segment_header(read_bytes(path)).header;
  REQUIRE(header);
  std::string bytes;
  append_segment_header(bytes, *header);
  for (const auto& each : left.groups())
    if (each.at <= safe + 3)
      append_frame(bytes, *header, {each.at, std::min(each.at - 1, safe)}, each.bytes);
  bytes.resize(header->size);
  write_bytes(path, bytes);
  left.damage(safe + 1);
  write_bytes(left.directory + "/journal/safe", journal::write_safe_copy(header->journal_id, safe));
  const auto found = check_or_fail(left.directory);
  CHECK(found.all().empty());
  CHECK(found.report.counts.groups == safe);
  const auto plan = planned(left.directory);
  CHECK_FALSE(plan.is_needed);
  CHECK(plan.last == safe);
  CHECK(plan.lost_groups == 0);
  CHECK(plan.unreadable_groups == 0);
  CHECK(plan.lost.empty());
  CHECK(left.tell_all(*open_turned(left.directory)) == left.tell_first(safe));
}

TEST_CASE("A directory of format 1 is checked, measured and converted", "[store][tools][format]") {
  const temporary_directory place;
  const auto directory = place / "data";
  fs::copy(fs::path{source_dir()} / "tests/store/rocksdb/data/format-1", directory);
  const auto before = files_of(directory);
  CHECK(check_or_fail(directory).all().empty());
  const auto stat = stat_store(directory);
  REQUIRE(stat.has_value());
  CHECK(stat->format == 1);
  CHECK(stat->live_objectives == 1);
  CHECK(stat->push_configs == 1);
  CHECK_THAT(plan_repair(directory).error().message, ContainsSubstring("troupe store migrate"));
  CHECK(files_of(directory) == before);

  const auto done = migrate_store(directory);
  REQUIRE(done.has_value());
  CHECK(done->from == 1);
  CHECK(done->to == 2);
  CHECK(check_or_fail(directory).all().empty());
  CHECK(check_or_fail(directory).report.format == 2);
  const auto again = migrate_store(directory);
  REQUIRE(again.has_value());
  CHECK(again->from == 2);
  CHECK(recover_or_fail(*open_turned(directory)).objectives.size() == 1);
}

TEST_CASE("Nothing is converted where there is no store", "[store][tools][format]") {
  const temporary_directory place;
  CHECK(migrate_store(place / "nowhere").error().code == errc::store_failed);
  CHECK_FALSE(fs::exists(place / "nowhere"));
}
