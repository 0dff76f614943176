// Session files beside a store: written behind it, by a follower whose disk may fail.
#include "store/session/session_follower.hpp"
#include "store/session/session_store.hpp"
#include "store/session/watched_feed.hpp"
#include "store/tools/export_sessions.hpp"
#include "tests/store/random_changes.hpp"
#include "tests/store/session/faulty_files.hpp"
#include "tests/store/session/session_bed.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/hand_time.hpp"

#include <atomic>
#include <condition_variable>
#include <mutex>

using namespace troupe;
using namespace troupe::testing;
using namespace std::chrono_literals;
namespace fs = std::filesystem;

namespace {

constexpr std::uint64_t feed_id = 7;

/// A follower whose turns the test takes, of changes that the test makes.
class follower_bed {
public:
  explicit follower_bed(std::string directory) : directory_(std::move(directory)) {
    fs::create_directories(directory_);
  }

  void tell(const std::vector<change>& changes) {
    for (const auto& news : changes)
      feed.on_change(std::make_shared<const change>(news));
  }
  /// Goes on where the files are.
  void begin(std::uint64_t behind_bytes_max = sessions::follower_behind_bytes_max) {
    follower.reset();
    follower = taken(sessions::session_follower::open(*history, feed,
                                                      {.directory = directory_,
                                                       .files = &files,
                                                       .time = &time,
                                                       .behind_bytes_max = behind_bytes_max},
                                                      nullptr));
  }
  /// Until nothing is left to do; time passes when it has to. False: that never comes.
  [[nodiscard]] bool goes_to_the_end(int turns = 1000) {
    for (int i = 0; i < turns; ++i) {
      if (follower->is_up_to_date())
        return true;
      if (!follower->turn())
        time.pass(1000ms);
    }
    return false;
  }

  hand_time time{at_ms(1)};
  faulty_files files;
  sessions::watched_feed feed{feed_id};
  std::unique_ptr<store> history = make_memory_store();
  std::unique_ptr<sessions::session_follower> follower;

private:
  const std::string directory_;
};

std::vector<change> whole_life() {
  trip_life life;
  life.fail();
  return life.changes;
}

/// The bytes of all files of sessions, and what the index says of them.
std::string everything_in(const std::string& directory) {
  std::string out;
  for (const auto& name : session_names_in(directory))
    if (!sessions::session_file_of(name).empty())
      out += name + "\n" + session_bytes(directory + "/" + name);
  for (const auto& entry : taken(sessions::read_index(directory)))
    out += entry.key + " " + entry.file + " " + entry.session_id + "\n";
  return out;
}

/// What it is without anything going wrong.
std::string everything_of(const std::vector<change>& changes) {
  const temporary_directory place;
  follower_bed bed{place / "."};
  bed.begin();
  bed.tell(changes);
  REQUIRE(bed.goes_to_the_end());
  return everything_in(place / ".");
}

/// A follower of a store with threads has written everything.
bool is_written(const store& records) {
  return comes_true([&] { return sessions_beside(records)->sessions().lag_groups == 0; });
}

} // namespace

TEST_CASE("A follower writes the bytes that an export writes", "[store][session]") {
  trip_life life;
  for (int step = 0; step < 3; ++step) {
    const temporary_directory place;
    const temporary_directory expected;
    follower_bed bed{place / "."};
    bed.begin();
    bed.tell(life.changes);
    REQUIRE(bed.goes_to_the_end());
    const auto entry = write_session(expected / ".", life.changes);
    CHECK(session_bytes(place / entry.file) == session_bytes(expected / entry.file));
    const auto index = taken(sessions::read_index(place / "."));
    REQUIRE(index.size() == 1);
    CHECK(index[0].file == entry.file);
    CHECK(index[0].session_id == entry.session_id);
    CHECK(bed.follower->status().lag_groups == 0);
    step == 0 ? life.fail() : life.retry();
  }
}

TEST_CASE("A retry that comes before the files were made safe begins a new file",
          "[store][session]") {
  trip_life life;
  life.fail();
  life.retry();
  const temporary_directory place;
  follower_bed bed{place / "."};
  bed.begin();
  bed.tell(life.changes);
  REQUIRE(bed.goes_to_the_end());
  const auto index = taken(sessions::read_index(place / "."));
  REQUIRE(index.size() == 1);
  const auto reading = taken(sessions::read_session_file(place / index[0].file));
  CHECK_FALSE(reading.head.parent.empty());
  CHECK(document_of(*reading.state.view()) == document_of(*state_of(life.changes).view()));
}

TEST_CASE("Its lag is the groups that are not safe yet", "[store][session]") {
  const temporary_directory place;
  follower_bed bed{place / "."};
  bed.begin();
  const auto changes = whole_life();
  bed.tell(changes);
  CHECK(bed.follower->status().lag_groups == changes.size());
  while (bed.follower->turn()) {
  }
  CHECK(bed.follower->status().lag_groups == changes.size()); // Written, and not safe.
  CHECK_FALSE(session_bytes(place / sessions::file_name_of(objective_id{"trip"})).empty());
  CHECK(bed.files.syncs == 0);
  bed.time.pass(1000ms);
  while (bed.follower->turn()) {
  }
  CHECK(bed.follower->status().lag_groups == 0);
  CHECK(taken(sessions::read_position(place / "."))->at == changes.size());
}

TEST_CASE("Whichever call the disk refuses, the files end as if it had not", "[store][session]") {
  const auto changes = whole_life();
  const auto expected = everything_of(changes);
  bool was_refused = true;
  for (std::size_t at = 1; was_refused; ++at) {
    CAPTURE(at);
    const temporary_directory place;
    follower_bed bed{place / "."};
    was_refused = false;
    std::size_t left = 3; // It stays so for a while.
    bed.files.refuse = [&](file_call) {
      if (bed.files.calls < at || left == 0)
        return 0;
      --left;
      was_refused = true;
      return ENOSPC;
    };
    bed.begin();
    // In two parts, so that files are continued, too.
    bed.tell({changes.begin(), changes.begin() + 5});
    bool was_said = false;
    const auto take_turns = [&] {
      for (int i = 0; i < 200 && !bed.follower->is_up_to_date(); ++i) {
        if (!bed.follower->turn())
          bed.time.pass(1000ms);
        was_said = was_said || !bed.follower->status().problem.empty();
      }
    };
    take_turns();
    bed.tell({changes.begin() + 5, changes.end()});
    take_turns();
    REQUIRE(bed.follower->is_up_to_date());
    CHECK(was_said == was_refused);
    CHECK(bed.follower->status().problem.empty());
    CHECK(everything_in(place / ".") == expected);
  }
}

TEST_CASE("Whenever the process ends, the next one goes on where the files are",
          "[store][session]") {
  const auto changes = whole_life();
  const auto expected = everything_of(changes);
  bool was_killed = true;
  for (std::size_t at = 1; was_killed; ++at) {
    CAPTURE(at);
    const temporary_directory place;
    follower_bed bed{place / "."};
    was_killed = false;
    bed.files.refuse = [&](file_call) {
      was_killed = was_killed || bed.files.calls == at;
      return was_killed ? EIO : 0;
    };
    bed.begin();
    bed.tell({changes.begin(), changes.begin() + 5});
    for (int i = 0; i < 20; ++i)
      if (!bed.follower->turn())
        bed.time.pass(1000ms);
    // Of the one that was killed nothing is carried out any more; the journal has all groups.
    sessions::watched_feed journal{feed_id};
    for (const auto& news : changes)
      journal.on_change(std::make_shared<const change>(news));
    bed.follower.reset();
    bed.files.refuse = nullptr;
    const auto next = taken(sessions::session_follower::open(
        *bed.history, journal,
        {.directory = place / ".", .is_store = true, .files = &bed.files, .time = &bed.time},
        nullptr));
    for (int i = 0; i < 100 && !next->is_up_to_date(); ++i)
      if (!next->turn())
        bed.time.pass(1000ms);
    REQUIRE(next->is_up_to_date());
    CHECK(everything_in(place / ".") == expected);
  }
}

TEST_CASE("Many files are made safe at once", "[store][session]") {
  const temporary_directory place;
  follower_bed bed{place / "."};
  bed.begin();
  std::vector<change> changes;
  for (int i = 0; i < 64; ++i) {
    const auto spec = make_objective("o" + std::to_string(i), {1});
    changes.push_back(about(spec->id.str(), 1, objective_created{spec, {}}));
    changes.back().sequence = 1;
  }
  bed.tell(changes);
  REQUIRE(bed.goes_to_the_end());
  CHECK(bed.files.syncs < 10); // All files, their names, the index and the position.
  CHECK(taken(sessions::read_index(place / ".")).size() == 64);
}

TEST_CASE("What is wrong with one session stops this one only", "[store][session]") {
  const temporary_directory place;
  follower_bed bed{place / "."};
  bed.begin();
  const auto changes = whole_life();
  bed.tell({changes.begin(), changes.begin() + 5});
  REQUIRE(bed.goes_to_the_end());
  const auto path = place / sessions::file_name_of(objective_id{"trip"});
  auto bytes = session_bytes(path);
  bytes[bytes.find("\"seq\":3") + 20] ^= 1;
  place.file(sessions::file_name_of(objective_id{"trip"}), bytes);
  bed.begin(); // It has forgotten what it knew of the file.
  bed.tell({changes.begin() + 5, changes.end()});
  const auto other = make_objective("other", {1});
  auto created = about("other", 1, objective_created{other, {}});
  created.sequence = 1;
  bed.tell({created});
  REQUIRE(bed.goes_to_the_end());
  CHECK(session_bytes(path) == bytes);
  CHECK(fs::exists(place / sessions::file_name_of(objective_id{"other"})));
  const auto status = bed.follower->status();
  CHECK(status.lost == 1);
  CHECK(status.problem.empty());
  CHECK(status.loss.find("The session of trip is not kept") != std::string::npos);
  CHECK(status.loss.find("line 4") != std::string::npos);
}

TEST_CASE("A disk of sessions that refuses for long loses groups, and that is said",
          "[store][session]") {
  const temporary_directory place;
  follower_bed bed{place / "."};
  bed.begin(1); // A byte may wait.
  bed.files.refuse = [](file_call) { return ENOSPC; };
  bed.tell(whole_life());
  for (int i = 0; i < 20; ++i)
    if (!bed.follower->turn())
      bed.time.pass(1000ms);
  CHECK(bed.follower->status().loss.find("lack groups 1 to") != std::string::npos);
  bed.files.refuse = nullptr;
  const auto other = make_objective("other", {1});
  auto created = about("other", 1, objective_created{other, {}});
  created.sequence = 1;
  bed.begin();
  bed.tell({created});
  REQUIRE(bed.goes_to_the_end());
  CHECK(fs::exists(place / sessions::file_name_of(objective_id{"other"})));
}

TEST_CASE("Nothing is written where OpenClaw keeps its sessions", "[store][session]") {
  const temporary_directory place;
  fs::create_directories(place / "main/agent");
  place.file("main/agent/openclaw-agent.sqlite", "");
  session_keeping how;
  how.directory = place / "main/sessions";
  const auto refused = open_memory_store_with_sessions({}, how);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message.find("openclaw-agent.sqlite") != std::string::npos);
  CHECK_FALSE(fs::exists(place / "main/sessions"));
}

TEST_CASE("Beside a memory store all objectives have their sessions", "[store][session]") {
  const temporary_directory place;
  random_changes script{5};
  session_keeping how;
  how.directory = place / "sessions";
  const auto records = taken(open_memory_store_with_sessions({}, how));
  for (int i = 0; i < 300; ++i)
    records->commit(script.next());
  REQUIRE(is_written(*records));
  std::set<std::string> seen;
  for (const auto& entry : taken(sessions::read_index(place / "sessions"))) {
    const auto id = *sessions::objective_of(entry.key);
    seen.insert(id.str());
    const auto reading = taken(sessions::read_session_file(place / "sessions/" + entry.file));
    CHECK(document_of(*reading.state.view()) == document_of(*find_objective(*records, id)));
  }
  CHECK(seen == script.objectives);
}

TEST_CASE("Beside RocksDB the files are those of an export, after restarts, and if they begin late",
          "[store][session]") {
  const temporary_directory place;
  const auto data = place / "data";
  random_changes script{6};
  session_keeping how;
  how.directory = place / "sessions";
  const auto open_with_sessions = [&] {
    return taken(open_rocksdb_store_with_sessions(
        {.directory = data, .durability = durability::async}, how));
  };
  { // Before there are sessions.
    const auto records = open_or_fail(data);
    for (int i = 0; i < 60; ++i)
      records->commit(script.next());
  }
  for (int life = 0; life < 4; ++life) {
    auto records = open_with_sessions();
    recover_or_fail(*records);
    for (int i = 0; i < 150; ++i)
      records->commit(script.next());
    records->flush();
    if (life == 1)
      REQUIRE(is_written(*records));
  }
  const auto written = everything_in(place / "sessions");
  // An export adds what had ended before there were sessions, and nothing to the others.
  std::vector<std::string> lines;
  std::set<std::string> there;
  for (const auto& entry : taken(sessions::read_index(place / "sessions")))
    there.insert(sessions::objective_of(entry.key)->str());
  CHECK(there.size() > 3);
  export_watch watch;
  watch.on_session = [&](const exported_session& one) {
    if (one.added != 0)
      lines.push_back(one.id.str());
  };
  watch.on_failure = [&](const objective_id&, const error& why) { FAIL_CHECK(why.message); };
  taken(export_sessions({data, place / "sessions", {}}, watch));
  for (const auto& each : lines)
    CHECK_FALSE(there.contains(each));
}

TEST_CASE("A disk of sessions that hangs delays nobody", "[store][session]") {
  const temporary_directory place;
  std::mutex guard;
  std::condition_variable changed;
  bool is_held = true;
  faulty_files files;
  files.refuse = [&](file_call) {
    std::unique_lock lock{guard};
    changed.wait_for(lock, 20s, [&] { return !is_held; });
    return 0;
  };
  session_keeping how;
  how.directory = place / "sessions";
  how.files = &files;
  auto records = taken(open_rocksdb_store_with_sessions(
      {.directory = place / "data", .durability = durability::async}, how));
  std::atomic<int> committed{0};
  for (auto& news : whole_life()) {
    news.sequence = 0;
    for (auto& one : news.events)
      if (auto* created = std::get_if<task_created>(&one))
        created->record = std::make_shared<task>(*created->record);
    records->commit(std::move(news), [&] { ++committed; });
  }
  records->flush();
  CHECK(committed == static_cast<int>(whole_life().size()));
  CHECK(records->status().writable);
  CHECK(sessions_beside(*records)->sessions().lag_groups > 0);
  {
    const std::lock_guard lock{guard};
    is_held = false;
  }
  changed.notify_all();
  records.reset();
  CHECK(everything_in(place / "sessions") == everything_of(whole_life()));
}
