// `store check` and `store stat` on whole, killed, old and damaged directories.
#include "store/journal/layout.hpp"
#include "store/tools/stat.hpp"
#include "tests/store/ordinary_user.hpp"
#include "tests/store/tools/tool_bed.hpp"

#include <algorithm>
#include <numeric>
#include <random>
#include <set>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A place of damage is a test of its own; a sanitizer takes ten times as long for one.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
constexpr int places = 10;
#else
constexpr int places = 50;
#endif

constexpr int changes = 120;

/// A lone task that has ended, one that works and has a push configuration, a large one, and an
/// objective that was sealed and lives again.
void fill(turned_store& in, random_changes& script) {
  live_on(in, script, changes);
  in.commit(about_lone("works", "talk", 1, born_lone("works", "talk", 1)));
  push_config config;
  config.id = "hook";
  config.task = task_id{"works"};
  config.url = "https://a.example/x";
  in.pushes().save(config, {}, [](const result<push_row>& saved) { REQUIRE(saved.has_value()); });
  in.commit(about_lone("large", "talk", 2, born_lone("large", "talk", 2),
                       task_message{say(std::string(20'000, 'x'))}, moved(task_state::completed)));
  const auto spec = make_objective("again", {1});
  in.commit(about("again", 3, objective_created{spec, {}},
                  objective_moved{objective_event::work, ""},
                  objective_moved{objective_event::fail, "no"}));
  in.commit(about("sealed", 3, objective_created{make_objective("sealed", {1}), {}},
                  objective_moved{objective_event::work, ""},
                  objective_moved{objective_event::complete, ""}));
  in.flush(); // Both are sealed.
  in.commit(about("again", 4, objective_moved{objective_event::reopen, ""}));
  in.flush();
}

/// A directory that was closed.
std::string closed_directory(const temporary_directory& place, std::uint32_t seed = 5) {
  const auto out = place / "data";
  random_changes script{seed};
  const auto records = open_turned(out);
  fill(*records, script);
  return out;
}

/// One whose process was killed: the tables have nothing yet.
std::string killed_directory(const temporary_directory& place, std::uint32_t seed = 5) {
  random_changes script{seed};
  const auto records = open_turned(place / "lives");
  fill(*records, script);
  fs::copy(place / "lives", place / "data", fs::copy_options::recursive);
  return place / "data";
}

std::string copy_of(const std::string& directory, const temporary_directory& place) {
  const auto out = place / "damaged";
  fs::remove_all(out);
  fs::copy(directory, out, fs::copy_options::recursive);
  return out;
}

} // namespace

TEST_CASE("A whole directory fits together, and a check changes nothing in it", "[store][tools]") {
  const temporary_directory place;
  const bool is_killed = GENERATE(false, true);
  const auto directory = is_killed ? killed_directory(place) : closed_directory(place);
  const auto before = files_of(directory);
  const auto found = check_or_fail(directory);
  CHECK(found.all().empty());
  CHECK(files_of(directory) == before);
  CHECK(found.report.format == 2);
  const auto& read = found.report.counts;
  CHECK(read.groups >= changes);
  CHECK(read.group_pushes > 0);
  CHECK(found.lines.size() == read.group_changes);
  CHECK(read.changes == (is_killed ? 0 : read.group_changes));
  if (is_killed) {
    REQUIRE(found.notes.size() == 1);
    CHECK_THAT(found.notes[0], ContainsSubstring("groups 1 to " + std::to_string(read.groups)));
  } else {
    CHECK(found.report.mark == read.groups);
    CHECK(read.ended_tasks > 5);
    CHECK(read.sealed_objectives > 0);
    CHECK(read.live_streams > 2);
    CHECK(read.push_configs == 1);
  }
  for (const auto& line : found.lines)
    REQUIRE(record::read_line(line).has_value());
}

TEST_CASE("A row of any kind that is missing or cannot be read is found", "[store][tools]") {
  const temporary_directory place;
  const auto directory = closed_directory(place);
  const auto rows = open_tables{copy_of(directory, place)}.rows();
  std::map<std::string, std::vector<std::string>> keys; // By the kind of row.
  for (const auto& [key, value] : rows)
    keys[key.substr(0, key[0] == 'y' ? 1 : std::min<std::size_t>(key.size(), 2))].push_back(key);
  for (const auto* kind :
       {"e/", "l/", "t/", "o/", "i/", "w/", "p/", "xc", "xs", "xo", "n", "f", "j"})
    REQUIRE(keys.contains(kind));
  std::mt19937_64 dice{3};
  for (const auto& [kind, of_kind] : keys)
    for (const bool is_removed : {true, false})
      for (int i = 0; i < 4; ++i) {
        // What is asked of a large record is read from the record itself then.
        const bool may_be_missing = kind == "w/" && is_removed;
        // Their values mean nothing.
        const bool is_empty = !is_removed && (kind == "l/" || kind == "xs" || kind == "xo");
        if (may_be_missing || is_empty)
          continue;
        const auto& key = of_kind[dice() % of_kind.size()];
        if (key == "o/again") // It lives again: its row is not read any more.
          continue;
        CAPTURE(key, is_removed);
        const auto damaged = copy_of(directory, place);
        {
          open_tables tables{damaged};
          if (is_removed)
            tables.remove(key);
          else
            tables.put(key, "");
        }
        CHECK(check_or_fail(damaged).report.findings > 0);
      }
  const auto damaged = copy_of(directory, place);
  open_tables{damaged}.put("q/new", "");
  CHECK_THAT(check_or_fail(damaged).all(), ContainsSubstring("row q/new: There is no such kind"));
}

TEST_CASE("A row that does not fit to another one is found, and named", "[store][tools]") {
  const temporary_directory place;
  const auto directory = closed_directory(place);
  const auto rows = open_tables{copy_of(directory, place)}.rows();
  const auto damaged = copy_of(directory, place);
  const auto first_with = [&](const std::string& prefix) {
    return rows.lower_bound(prefix)->first;
  };
  std::string expected;
  {
    open_tables tables{damaged};
    SECTION("a list row of a task that does not exist") {
      auto key = first_with("xs");
      key.back() = static_cast<char>(key.back() + 1);
      tables.put(key, "");
      expected = "What it lists is missing";
    }
    SECTION("a change behind the last one of a sealed objective") {
      std::string stream;
      for (const auto& [key, value] : rows)
        if (key.starts_with("o/") && !rows.contains("l/o" + key.substr(2)))
          stream = key.substr(2);
      REQUIRE_FALSE(stream.empty());
      const auto last = std::prev(rows.lower_bound("e/o" + stream + "0"));
      auto key = last->first;
      ++key.back();
      tables.put(key, R"({"t":1,"e":[]})");
      expected = "row o/" + stream + ": It is as after change";
    }
    SECTION("a live stream without a history") {
      tables.put("l/tnobody", "");
      expected = "row l/tnobody: The stream is live, and has no history";
    }
    SECTION("a gap in a live stream") {
      auto key = std::string{"e/oagain/"} + std::string(7, '\0') + '\1';
      REQUIRE(rows.contains(key));
      tables.remove(key);
      expected = "row e/oagain/2: Change 1 of the stream is missing";
    }
    SECTION("an ended task that is listed as live") {
      tables.put("l/tlarge", "");
      expected = "row l/tlarge: The task has ended, and is listed as live";
    }
    SECTION("an owner that is not the record's") {
      auto value = rows.at("w/tlarge");
      tables.put("w/tlarge", value + "somebody");
      expected = "row w/tlarge: It names another owner";
    }
    SECTION("a push configuration of no task") {
      tables.put("p/nobody/hook", rows.at("p/works/hook"));
      expected = "row p/nobody/hook: There is no such task";
    }
    SECTION("a place in an objective that does not exist") {
      tables.put("i/pplan", std::string(4, '\0') + "nowhere");
      expected = "row i/pplan: It points to objective nowhere";
    }
    SECTION("a change that is another than in the journal") {
      const auto key = std::string{"e/tworks/"} + std::string(7, '\0') + '\1';
      auto value = rows.at(key);
      const auto at = value.find("hello");
      REQUIRE(at != std::string::npos);
      tables.put(key, value.replace(at, 5, "hullo"));
      expected = "change 1 of works is not in the tables, or is another there";
    }
  }
  const auto found = check_or_fail(damaged);
  CHECK_THAT(found.all(), ContainsSubstring(expected));
}

TEST_CASE("A push configuration is compared only with a last group that was read",
          "[store][tools]") {
  const temporary_directory place;
  const auto directory = place / "data";
  const bool is_last = GENERATE(false, true);
  {
    const auto records = open_turned(directory);
    records->commit(about_lone("works", "talk", 1, born_lone("works", "talk", 1)));
    records->flush();
    push_config config;
    config.id = "hook";
    config.task = task_id{"works"};
    for (const auto* url : {"https://a.example/first", "https://a.example/second"}) {
      config.url = url;
      records->pushes().save(config, {},
                             [](const result<push_row>& saved) { REQUIRE(saved.has_value()); });
      records->flush();
    }
    if (!is_last) {
      records->commit(about_lone("more", "talk", 2, born_lone("more", "talk", 2)));
      records->flush();
    }
  }
  REQUIRE(check_or_fail(directory).all().empty());
  const auto changed = copy_of(directory, place);
  {
    open_tables tables{changed};
    auto row = tables.rows().at("p/works/hook");
    row.replace(row.find("second"), 6, "other!");
    tables.put("p/works/hook", row);
  }
  CHECK_THAT(check_or_fail(changed).all(), ContainsSubstring("row p/works/hook: It differs"));

  const auto journal = directory + "/journal/segment-00000001";
  auto bytes = read_bytes(journal);
  const auto second = bytes.find("https://a.example/second");
  REQUIRE(second != std::string::npos);
  bytes[second] = 'H';
  write_bytes(journal, bytes);
  const auto found = check_or_fail(directory);
  REQUIRE(found.findings.size() == 1);
  CHECK_THAT(found.all(), ContainsSubstring("journal/segment-00000001, byte "));
}

TEST_CASE("Damage anywhere in a file of the journal is found with its file, or nothing is missing",
          "[store][tools][crash]") {
  const temporary_directory place;
  const auto directory = killed_directory(place);
  const auto whole = check_or_fail(directory);
  const auto journal = fs::path{directory} / "journal";
  std::mt19937_64 dice{11};
  std::map<std::string, int> found_in;
  for (const auto& [name, content] : files_of(journal))
    for (int i = 0; i < places; ++i) {
      const auto used = content.find_last_not_of('\0') + 1;
      const auto at = dice() % used;
      auto bytes = content;
      bytes[at] = static_cast<char>(bytes[at] ^ (1 << dice() % 8));
      write_bytes(journal / name, bytes);
      CAPTURE(name, at);
      const auto found = check_or_fail(directory);
      if (found.report.findings == 0) {
        CHECK(found.lines == whole.lines);
      } else {
        ++found_in[name];
        CHECK_THAT(found.all(), ContainsSubstring("journal/" + name + ", byte "));
      }
      write_bytes(journal / name, content);
    }
  CHECK(found_in["segment-00000001"] > places / 2);
  CHECK(found_in["manifest"] > 0);
}

TEST_CASE("A damaged table file is found, even if the rest can be read", "[store][tools]") {
  const temporary_directory place;
  const auto directory = closed_directory(place);
  fs::path table;
  for (const auto& entry : fs::directory_iterator{directory})
    if (entry.path().extension() == ".sst")
      table = entry.path();
  REQUIRE_FALSE(table.empty());
  const auto content = read_bytes(table);
  std::mt19937_64 dice{13};
  for (int i = 0; i < places; ++i) {
    // Of the blocks: what follows says where they are, and has bytes that are not read.
    const auto at = dice() % (content.size() / 2);
    auto bytes = content;
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << dice() % 8));
    write_bytes(table, bytes);
    CAPTURE(at);
    const auto found = check_or_fail(directory);
    CHECK(found.report.findings > 0);
    CHECK(found.report.counts.groups > 0); // The journal is read in any case.
  }
}

TEST_CASE("Files of the tables that are cut or missing are findings, or nothing is missing",
          "[store][tools]") {
  const temporary_directory place;
  const auto directory = closed_directory(place);
  const auto whole = check_or_fail(directory);
  for (const auto& [name, content] : files_of(directory)) {
    const bool is_list = name.starts_with("MANIFEST");
    if (!is_list && !name.ends_with(".sst") && name != "CURRENT")
      continue;
    for (std::size_t kept = 0; kept <= content.size(); kept += content.size() / 7 + 1) {
      CAPTURE(name, kept);
      const auto damaged = copy_of(directory, place);
      if (kept == 0)
        fs::remove(damaged + "/" + name);
      else
        fs::resize_file(damaged + "/" + name, kept - 1);
      const auto found = check_or_fail(damaged);
      // RocksDB takes a list that was cut for an older one. The journal has what is missing then.
      if (is_list && found.findings.empty())
        CHECK(found.lines.size() == whole.lines.size());
      else
        CHECK_THAT(found.all(), ContainsSubstring("tables: "));
    }
  }
}

TEST_CASE("A missing journal, or one of another store, is a finding", "[store][tools]") {
  const temporary_directory place;
  const auto directory = closed_directory(place);
  fs::remove_all(directory + "/journal");
  CHECK_THAT(check_or_fail(directory).all(), ContainsSubstring("journal: The journal is missing"));
  { const auto other = open_turned(place / "other"); }
  fs::copy(place / "other/journal", directory + "/journal", fs::copy_options::recursive);
  CHECK_THAT(check_or_fail(directory).all(), ContainsSubstring("is not the one"));
}

TEST_CASE("A directory that is in use, missing, empty or a file is not checked", "[store][tools]") {
  const temporary_directory place;
  const auto refusal = [](const std::string& directory) {
    const auto found = check_store(directory, {});
    REQUIRE(found.has_error());
    return found.error();
  };
  {
    const auto lives = open_turned(place / "lives");
    CHECK(refusal(place / "lives").code == errc::store_locked);
  }
  CHECK(check_store(place / "lives", {}).has_value());
  CHECK_THAT(refusal(place / "nowhere").message, ContainsSubstring("does not exist"));
  CHECK_FALSE(fs::exists(place / "nowhere"));
  fs::create_directory(place / "empty");
  CHECK_THAT(refusal(place / "empty").message, ContainsSubstring("no store"));
  CHECK(fs::is_empty(place / "empty"));
  place.file("file", "x");
  CHECK_THAT(refusal(place / "file").message, ContainsSubstring("is a file"));
  CHECK(refusal("").code == errc::store_failed);
}

TEST_CASE("A directory that may only be read is checked, and one that may not is refused",
          "[store][tools]") {
  const temporary_directory place;
  fs::permissions(place.path(), fs::perms::all);
  const auto directory = closed_directory(place);
  for (const auto& entry : fs::recursive_directory_iterator{directory})
    fs::permissions(entry.path(), entry.is_directory() ? fs::perms{0555} : fs::perms{0444});
  fs::permissions(directory, fs::perms{0555});
  {
    const ordinary_user somebody;
    CHECK(check_or_fail(directory).all().empty());
  }
  fs::permissions(directory, fs::perms::owner_all);
  {
    const ordinary_user somebody;
    const auto found = check_store(directory, {});
    REQUIRE(found.has_error());
    CHECK_THAT(found.error().message,
               ContainsSubstring("cannot be read") && ContainsSubstring("correct its permissions"));
  }
}

TEST_CASE("No store opens a directory while it is checked", "[store][tools]") {
  const temporary_directory place;
  const auto directory = closed_directory(place);
  bool was_tried = false;
  check_watch watch;
  watch.on_change = [&](const record::keyed_row&, std::uint64_t) {
    if (std::exchange(was_tried, true))
      return;
    const auto opened = try_open(directory);
    REQUIRE(opened.has_error());
    CHECK(opened.error().code == errc::store_locked);
    CHECK(check_store(directory, {}).has_value()); // Another check may run.
  };
  REQUIRE(check_store(directory, watch).has_value());
  CHECK(was_tried);
  CHECK(try_open(directory).has_value());
}

TEST_CASE("The numbers of a directory are those of its store", "[store][tools]") {
  const temporary_directory place;
  const auto directory = place / "data";
  std::size_t live_tasks = 0;
  {
    random_changes script{5};
    const auto records = open_turned(directory);
    fill(*records, script);
    live_tasks = records->status().live_tasks;
  }
  const auto checked = check_or_fail(directory).report;
  const auto stat = stat_store(directory);
  REQUIRE(stat.has_value());
  CHECK(stat->format == 2);
  CHECK(stat->mark == checked.mark);
  CHECK(stat->last == checked.mark);
  CHECK(stat->live_tasks == live_tasks);
  CHECK(stat->live_objectives + stat->lone_tasks == checked.counts.live_streams);
  CHECK(std::accumulate(stat->ended_tasks.begin(), stat->ended_tasks.end(), std::uint64_t{0})
        == checked.counts.ended_tasks);
  CHECK(std::accumulate(stat->sealed_objectives.begin(), stat->sealed_objectives.end(),
                        std::uint64_t{0})
        == checked.counts.sealed_objectives);
  CHECK(stat->push_configs == 1);
  CHECK(stat->segments > 0);
  CHECK(stat->journal_bytes >= std::size_t{1} << 20);
  CHECK(stat->table_bytes > 0);
  CHECK(stat->journal_problem.empty());
  fs::remove(directory + "/journal/manifest");
  CHECK_THAT(stat_store(directory)->journal_problem, ContainsSubstring("\"manifest\""));
}
