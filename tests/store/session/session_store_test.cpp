// The store whose records are session files: what was acknowledged survives, cut files lead to
// their last whole line, damage is refused.
#include "store/session/session_store.hpp"
#include "tests/store/describe_all.hpp"
#include "tests/store/session/session_bed.hpp"

#include <future>

using namespace troupe;
using namespace troupe::testing;
namespace fs = std::filesystem;

namespace {

/// Beside a store of another kind that gets the same changes.
struct two_stores {
  void go_on(int changes) {
    for (int i = 0; i < changes; ++i) {
      records->commit(script.next());
      other->commit(twin.next());
    }
    records->flush();
    other->flush();
  }
  void check_same() { CHECK(describe_all(*records, script) == describe_all(*other, twin)); }

  std::uint32_t seed = 1;
  temporary_directory place;
  std::string data = place / "data";
  random_changes script{seed};
  random_changes twin{seed};
  std::unique_ptr<store> records = open_sessions_or_fail(data);
  std::unique_ptr<store> other = open_or_fail(place / "other");
};

/// What a process that is killed now would leave: nothing of it is made safe later.
std::string copy_of_killed(const two_stores& pair, const std::string& name) {
  const auto out = pair.place / name;
  fs::copy(pair.data, out, fs::copy_options::recursive);
  return out;
}

/// A follower that makes nothing safe by itself: all groups stay in the journal.
session_keeping unhurried() {
  session_keeping how;
  how.sync_interval = std::chrono::hours{1};
  return how;
}

error refusal_of(const std::string& directory) {
  const auto opened = open_session_store({.directory = directory});
  REQUIRE_FALSE(opened.has_value());
  return opened.error();
}

std::string sessions_in(const std::string& data) {
  return data + "/sessions";
}

/// The largest file of a session that grows.
std::string largest_session(const std::string& data) {
  std::string out;
  for (const auto& name : session_names_in(sessions_in(data)))
    if (sessions::session_file_of(name) == name)
      if (out.empty() || fs::file_size(sessions_in(data) + "/" + name) > fs::file_size(out))
        out = sessions_in(data) + "/" + name;
  REQUIRE_FALSE(out.empty());
  return out;
}

void write_file(const std::string& path, const std::string& bytes) {
  std::ofstream out{path, std::ios::binary | std::ios::trunc};
  out << bytes;
  REQUIRE(out.good());
}

} // namespace

TEST_CASE("A store of session files says the same after restarts as one of tables",
          "[store][session]") {
  two_stores pair;
  recover_or_fail(*pair.records);
  for (int life = 0; life < 4; ++life) {
    pair.go_on(150);
    pair.check_same();
    pair.records.reset();
    pair.records = open_sessions_or_fail(pair.data);
    pair.other.reset();
    pair.other = open_or_fail(pair.place / "other");
    const auto left = recover_or_fail(*pair.records);
    const auto expected = recover_or_fail(*pair.other);
    CHECK(left.objectives.size() == expected.objectives.size());
    CHECK(left.lone_tasks.size() == expected.lone_tasks.size());
    CHECK(left.repaired.empty());
    pair.check_same();
  }
}

TEST_CASE("The session files alone are the whole store", "[store][session]") {
  two_stores pair;
  pair.go_on(400);
  pair.records.reset();
  const auto copy = pair.place / "copy";
  fs::create_directories(copy);
  fs::copy(sessions_in(pair.data), sessions_in(copy), fs::copy_options::recursive);
  CHECK(refusal_of(copy).message.find("The journal is missing") != std::string::npos);
  fs::remove(sessions_in(copy) + "/troupe-position.json");
  pair.records = open_sessions_or_fail(copy);
  recover_or_fail(*pair.records);
  pair.check_same();
  pair.go_on(100);
  pair.check_same();
}

TEST_CASE("What a killed process has acknowledged is there, whatever its session files lack",
          "[store][session]") {
  two_stores pair;
  pair.records.reset();
  pair.records = open_sessions_or_fail(pair.data, {}, unhurried());
  for (int kill = 0; kill < 3; ++kill) {
    CAPTURE(kill);
    pair.go_on(100);
    const auto copy = copy_of_killed(pair, "killed-" + std::to_string(kill));
    if (kill == 1) // None of them.
      for (const auto& each : session_names_in(sessions_in(copy)))
        if (each != sessions::position_name)
          fs::remove(sessions_in(copy) + "/" + each);
    const auto next = open_sessions_or_fail(copy);
    recover_or_fail(*next);
    CHECK(describe_all(*next, pair.script) == describe_all(*pair.other, pair.twin));
  }
}

TEST_CASE("A session file that was cut at any byte is completed from the journal",
          "[store][session]") {
  two_stores pair;
  pair.records.reset();
  pair.records = open_sessions_or_fail(pair.data, {}, unhurried());
  pair.go_on(120);
  // All of it is in the files, and as nothing is known to be, the journal has everything, too.
  const auto killed = copy_of_killed(pair, "killed");
  pair.records.reset();
  fs::remove_all(sessions_in(killed));
  fs::copy(sessions_in(pair.data), sessions_in(killed), fs::copy_options::recursive);
  fs::remove(sessions_in(killed) + "/troupe-position.json");
  const auto expected = describe_all(*pair.other, pair.twin);
  for (const auto& path : {largest_session(killed), sessions_in(killed) + "/troupe-rest.jsonl"}) {
    const auto bytes = session_bytes(path);
    for (std::size_t size = 0; size < bytes.size(); size += 1 + bytes.size() / 25) {
      if (bytes[size] == '\n')
        continue; // A line that lacks nothing but its end is whole, or is not.
      CAPTURE(path, size);
      fs::remove_all(pair.place / "cut");
      fs::copy(killed, pair.place / "cut", fs::copy_options::recursive);
      const auto cut = pair.place / "cut" + path.substr(killed.size());
      write_file(cut, bytes.substr(0, size));
      {
        const auto next = open_sessions_or_fail(pair.place / "cut");
        const auto left = recover_or_fail(*next);
        CHECK(describe_all(*next, pair.script) == expected);
        const bool is_line_end = size == 0 || bytes[size - 1] == '\n';
        const bool is_begun = size > bytes.find('\n') + 1;
        const bool is_named = path.find("troupe-rest") == std::string::npos; // in sessions.json
        CHECK(left.repaired.empty() == (is_begun ? is_line_end : !is_named));
      }
      // And it has gone on with the files.
      const auto again = open_sessions_or_fail(pair.place / "cut");
      recover_or_fail(*again);
      REQUIRE(describe_all(*again, pair.script) == expected);
    }
  }
}

TEST_CASE("A session file that was cut after its end is completed while the journal has everything",
          "[store][session]") {
  const temporary_directory place;
  const bool has_journal = GENERATE(true, false);
  const auto data = place / "data";
  const auto spec = make_objective("o", {1});
  {
    const auto records = open_sessions_or_fail(data);
    records->commit(about("o", 1, objective_created{spec, {}}));
    for (int i = 2; i < 6; ++i)
      records->commit(about("o", i, objective_edited{"name " + std::to_string(i), ""}));
  }
  if (!has_journal) { // A later process lets go what is safe in the files.
    const auto records = open_sessions_or_fail(data);
    records->commit(about("p", 1, objective_created{make_objective("p", {1}), {}}));
    records->flush();
  }
  const auto path = largest_session(data);
  const auto bytes = session_bytes(path);
  std::size_t lines = 1;
  for (std::size_t size = bytes.find('\n') + 1; size <= bytes.size(); ++size) {
    // A line that lacks nothing but its end is whole. The first one has no change.
    const bool is_whole = bytes[size - 1] == '\n' || bytes[size] == '\n';
    if (bytes[size - 1] != '\n' && is_whole)
      ++lines;
    if (lines < 2)
      continue; // Without its first change there is no objective.
    const bool is_beside_end = is_whole || bytes[size - 2] == '\n' || bytes[size + 1] == '\n';
    if (!is_beside_end && size % 61 != 0)
      continue; // Two stores are opened for each one.
    CAPTURE(size);
    fs::remove_all(place / "cut");
    fs::copy(data, place / "cut", fs::copy_options::recursive);
    write_file(place / "cut/sessions/" + fs::path{path}.filename().string(), bytes.substr(0, size));
    {
      const auto records = open_sessions_or_fail(place / "cut");
      const auto left = recover_or_fail(*records);
      const auto found = find_objective(*records, spec->id);
      REQUIRE(found);
      // A cut between two lines is not noticed.
      const auto last = lines == 2 ? "objective o" : "name " + std::to_string(lines - 1);
      CHECK(found->name == (is_whole || !has_journal ? last : "name 5"));
      const bool was_cut = left.repaired.find("was cut short in line") != std::string::npos;
      CHECK(was_cut == !is_whole);
      const auto* const outcome = has_journal ? "The journal has what followed."
                                              : "What followed is lost: the journal no longer has";
      CHECK(was_cut == (left.repaired.find(outcome) != std::string::npos));
      records->commit(about("o", 50, objective_edited{"later", ""}));
    }
    const auto again = open_sessions_or_fail(place / "cut");
    CHECK(recover_or_fail(*again).repaired == "");
    CHECK(find_objective(*again, spec->id)->name == "later");
  }
}

TEST_CASE("A session file that is missing, or empty, is said and made again from the journal",
          "[store][session]") {
  const temporary_directory place;
  const auto data = place / "data";
  const auto spec = make_objective("o", {1});
  {
    const auto records = open_sessions_or_fail(data);
    records->commit(about("o", 1, objective_created{spec, {}}));
    records->commit(about("o", 2, objective_edited{"changed", ""}));
  }
  const auto path = largest_session(data);
  SECTION("missing") {
    fs::remove(path);
  }
  SECTION("empty") {
    write_file(path, "{");
  }
  {
    const auto records = open_sessions_or_fail(data);
    CHECK(
        recover_or_fail(*records).repaired.find("is missing or has no event. The journal has what "
                                                "followed.")
        != std::string::npos);
    CHECK(find_objective(*records, spec->id)->name == "changed");
  }
  const auto again = open_sessions_or_fail(data);
  CHECK(recover_or_fail(*again).repaired == "");
  CHECK(find_objective(*again, spec->id)->name == "changed");
}

TEST_CASE("Damage with good lines behind it is refused with the number of the line",
          "[store][session]") {
  two_stores pair;
  pair.go_on(200);
  pair.records.reset();
  for (const auto& path :
       {largest_session(pair.data), sessions_in(pair.data) + "/troupe-rest.jsonl"}) {
    const auto bytes = session_bytes(path);
    const auto first = bytes.find('\n');
    const auto second = bytes.find('\n', first + 1);
    REQUIRE(bytes.find('\n', second + 1) != std::string::npos);
    auto damaged = bytes;
    damaged[second - 40] = static_cast<char>(damaged[second - 40] ^ 1);
    write_file(path, damaged);
    const auto why = refusal_of(pair.data);
    CHECK(why.code == errc::store_failed);
    CHECK(why.message.find(path) != std::string::npos);
    CHECK(why.message.find("line 2") != std::string::npos);
    CHECK(session_bytes(path) == damaged);
    write_file(path, bytes);
  }
  pair.records = open_sessions_or_fail(pair.data);
  recover_or_fail(*pair.records);
  pair.check_same();
}

TEST_CASE("A damaged journal says what helps a store of session files, and that helps",
          "[store][session]") {
  two_stores pair;
  for (int i = 0; i < 20; ++i)
    pair.go_on(10);
  pair.records.reset();
  const auto journal = pair.data + "/journal";
  std::string largest;
  for (const auto& each : fs::directory_iterator{journal})
    if (largest.empty() || fs::file_size(each.path()) > fs::file_size(largest))
      largest = each.path();
  auto bytes = session_bytes(largest);
  // Zeros may stand between two groups, where a flipped bit damages nothing.
  const auto middle = bytes.find_last_not_of('\0', bytes.find_last_not_of('\0') / 2);
  bytes[middle] = static_cast<char>(bytes[middle] ^ 1);
  write_file(largest, bytes);
  const auto why = refusal_of(pair.data).message;
  CAPTURE(why);
  CHECK(why.find("The journal is damaged") != std::string::npos);
  CHECK(why.find("store repair") == std::string::npos);
  CHECK(why.find("move " + journal + " and " + sessions_in(pair.data)
                 + "/troupe-position.json to another place")
        != std::string::npos);
  fs::rename(journal, pair.place / "journal");
  fs::rename(sessions_in(pair.data) + "/troupe-position.json", pair.place / "position");
  pair.records = open_sessions_or_fail(pair.data);
  recover_or_fail(*pair.records);
  pair.check_same();
}

TEST_CASE("A group with changes of many objectives is made safe at once", "[store][session]") {
  const temporary_directory place;
  const auto records = taken(open_session_store({.directory = place / "data"}));
  std::vector<std::shared_ptr<objective_spec>> specs;
  for (int i = 0; i < 64; ++i)
    specs.push_back(make_objective("o" + std::to_string(i), {1}));
  const auto before = records->status().writes.syncs;
  for (const auto& spec : specs)
    records->commit(about(spec->id.str(), 1, objective_created{spec, {}}));
  records->flush();
  CHECK(records->status().writes.syncs - before < 64);
  CHECK(records->status().writes.groups < 64);
}

TEST_CASE("A directory is one of its own kind only", "[store][session]") {
  const temporary_directory place;
  { const auto records = open_sessions_or_fail(place / "sessions"); }
  { const auto records = open_or_fail(place / "tables"); }
  const auto tables = open_rocksdb_store({.directory = place / "sessions"});
  REQUIRE_FALSE(tables.has_value());
  CHECK(tables.error().message.find("session-jsonl") != std::string::npos);
  CHECK(refusal_of(place / "tables").message.find("rocksdb") != std::string::npos);
  const auto first = open_sessions_or_fail(place / "sessions");
  CHECK(refusal_of(place / "sessions").code == errc::store_locked);
}

TEST_CASE("Push configurations and what may come once survive beside the sessions",
          "[store][session]") {
  const temporary_directory place;
  const auto data = place / "data";
  const auto came = std::make_shared<const once>(once{.kind = once_kind::message,
                                                      .owner = "me",
                                                      .key = "m-1",
                                                      .content = 3,
                                                      .until = at_ms(1'000'000),
                                                      .answer = "task-1"});
  const auto save = [](store& in, const std::string& url) {
    push_config config;
    config.id = "p";
    config.task = task_id{"task-1"};
    config.url = url;
    std::promise<void> saved;
    in.pushes().save(config, {}, [&](const result<push_row>&) { saved.set_value(); });
    REQUIRE(saved.get_future().wait_for(std::chrono::seconds{20}) == std::future_status::ready);
  };
  {
    const auto records = open_sessions_or_fail(data);
    auto news = about_lone("task-1", "", 1, born_lone("task-1", "", 1));
    news.conditions = {came};
    records->commit(std::move(news));
    save(*records, "https://a.example/");
    save(*records, "https://b.example/");
  }
  const auto records = open_sessions_or_fail(data);
  const auto left = recover_or_fail(*records);
  CHECK(left.lone_tasks.size() == 1);
  REQUIRE(records->pushes().all().size() == 1);
  CHECK(records->pushes().all()[0].config.url == "https://b.example/");
  const auto known = await_read<once_ptr>(
      [&](read_done<once_ptr> done) { records->read_once(*came, at_ms(2), std::move(done)); });
  REQUIRE(known.has_value());
  REQUIRE(*known);
  CHECK(**known == *came);
}
