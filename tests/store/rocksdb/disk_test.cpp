// What the disk and the directory can do to a store, and what it says then.
#include "store/rocksdb/rocksdb_store.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"
#include <troupe/store/await.hpp>
#include <troupe/store/limits.hpp>

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <future>
#include <thread>

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

using namespace troupe;
using namespace troupe::testing;

namespace fs = std::filesystem;

namespace {

error refusal(const std::string& directory) {
  auto out = open_rocksdb_store({.directory = directory, .durability = durability::async});
  REQUIRE(out.has_error());
  return out.error();
}

enum class mood : std::uint8_t { good, full, nearly_full, broken, forgetful, unreadable };

struct moody_disk {
  std::atomic<mood> now{mood::good};
  std::atomic<int> refusals{0};
};

/// A file that refuses to grow when the disk is full or broken, and to be made safe when it is
/// forgetful. On a disk that is nearly full there is room for tables, not for the journal.
class moody_file final : public rocksdb::FSWritableFileOwnerWrapper {
public:
  moody_file(std::unique_ptr<rocksdb::FSWritableFile>&& file, moody_disk& disk, bool is_journal)
      : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk), is_journal_(is_journal) {}

  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           rocksdb::IODebugContext* debug) override {
    return may_grow() ? FSWritableFileOwnerWrapper::Append(data, options, debug) : refusal();
  }
  rocksdb::IOStatus Append(const rocksdb::Slice& data, const rocksdb::IOOptions& options,
                           const rocksdb::DataVerificationInfo& info,
                           rocksdb::IODebugContext* debug) override {
    return may_grow() ? FSWritableFileOwnerWrapper::Append(data, options, info, debug) : refusal();
  }
  rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& data, std::uint64_t offset,
                                     const rocksdb::IOOptions& options,
                                     rocksdb::IODebugContext* debug) override {
    return may_grow() ? FSWritableFileOwnerWrapper::PositionedAppend(data, offset, options, debug)
                      : refusal();
  }
  rocksdb::IOStatus PositionedAppend(const rocksdb::Slice& data, std::uint64_t offset,
                                     const rocksdb::IOOptions& options,
                                     const rocksdb::DataVerificationInfo& info,
                                     rocksdb::IODebugContext* debug) override {
    return may_grow()
               ? FSWritableFileOwnerWrapper::PositionedAppend(data, offset, options, info, debug)
               : refusal();
  }
  rocksdb::IOStatus Sync(const rocksdb::IOOptions& options,
                         rocksdb::IODebugContext* debug) override {
    const auto now = disk_.now.load();
    const bool may_sync = now == mood::good || now == mood::nearly_full || now == mood::unreadable;
    return may_sync ? FSWritableFileOwnerWrapper::Sync(options, debug) : refusal();
  }

private:
  [[nodiscard]] bool may_grow() const {
    const auto now = disk_.now.load();
    return now != mood::full && now != mood::broken && (now != mood::nearly_full || !is_journal_);
  }
  [[nodiscard]] rocksdb::IOStatus refusal() const {
    const auto now = disk_.now.load();
    ++disk_.refusals;
    return now == mood::full || now == mood::nearly_full
               ? rocksdb::IOStatus::NoSpace("No space left on device, injected")
               : rocksdb::IOStatus::IOError("Input/output error, injected");
  }
  moody_disk& disk_;
  const bool is_journal_;
};

/// A file that cannot be read when the disk is unreadable.
class moody_source final : public rocksdb::FSRandomAccessFileOwnerWrapper {
public:
  moody_source(std::unique_ptr<rocksdb::FSRandomAccessFile>&& file, const std::atomic<mood>& now)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), now_(now) {}

  rocksdb::IOStatus Read(std::uint64_t offset, std::size_t count, const rocksdb::IOOptions& options,
                         rocksdb::Slice* out, char* scratch,
                         rocksdb::IODebugContext* debug) const override {
    if (now_ == mood::unreadable)
      return rocksdb::IOStatus::IOError("Input/output error, injected");
    return FSRandomAccessFileOwnerWrapper::Read(offset, count, options, out, scratch, debug);
  }

private:
  const std::atomic<mood>& now_;
};

class moody_file_system final : public rocksdb::FileSystemWrapper, public moody_disk {
public:
  moody_file_system() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
  [[nodiscard]] const char* Name() const override { return "moody"; }
  rocksdb::IOStatus NewWritableFile(const std::string& name, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override {
    auto status = FileSystemWrapper::NewWritableFile(name, options, file, debug);
    if (status.ok())
      *file = std::make_unique<moody_file>(std::move(*file), *this, name.ends_with(".log"));
    return status;
  }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override {
    auto status = FileSystemWrapper::NewRandomAccessFile(name, options, file, debug);
    if (status.ok())
      *file = std::make_unique<moody_source>(std::move(*file), now);
    return status;
  }
};

/// While it lives, the process has no special rights.
class ordinary_user {
public:
  ordinary_user() : was_superuser_(::geteuid() == 0) {
    if (was_superuser_)
      REQUIRE(::seteuid(nobody) == 0);
  }
  ~ordinary_user() {
    if (was_superuser_ && ::seteuid(0) != 0)
      std::abort();
  }
  ordinary_user(const ordinary_user&) = delete;
  ordinary_user& operator=(const ordinary_user&) = delete;

private:
  static constexpr ::uid_t nobody = 65534;
  bool was_superuser_;
};

/// Waits for another thread to bring something about; the test's own time limit bounds it.
template<class Condition>
void wait_until(Condition condition) {
  while (!condition())
    std::this_thread::yield();
}

} // namespace

TEST_CASE("A disk that refuses keeps changes waiting, says so, and loses none", "[store][disk]") {
  const auto bad = GENERATE(mood::full, mood::broken, mood::forgetful);
  CAPTURE(static_cast<int>(bad));
  const temporary_directory directory;
  const auto file_system = std::make_shared<moody_file_system>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  const rocksdb_internals internals{.env = env.get(),
                                    .retry_interval = std::chrono::milliseconds{1}};
  std::atomic<int> acknowledged{0};
  const auto done = [&] { ++acknowledged; };
  {
    auto opened = open_rocksdb_store(
        {.directory = directory / "data", .durability = durability::sync}, internals);
    REQUIRE(opened.has_value());
    auto& records = **opened;
    records.commit(about_lone("t0", "c", 1, born_lone("t0", "c", 1)), done);
    records.flush();
    CHECK(acknowledged == 1);
    for (int round = 1; round <= 3; ++round) {
      file_system->now = bad;
      const auto id = "t" + std::to_string(round);
      const auto end_id = "end" + std::to_string(round);
      records.commit(about_lone(id, "c", round, born_lone(id, "c", round)), done);
      wait_until([&] { return !records.status().writable; });
      records.commit(about_lone(end_id, "c", round, born_lone(end_id, "c", round),
                                moved(task_state::completed)),
                     done);
      const auto status = records.status();
      CHECK(status.backlog_changes == 2);
      CHECK_THAT(status.problem, ContainsSubstring(bad == mood::full ? "full" : "fails"));
      CHECK_THAT(status.problem, ContainsSubstring(directory / "data"));
      CHECK(acknowledged == 1 + 2 * (round - 1));
      CHECK(find_task(records, task_id{id}) == nullptr); // Not visible before it is safe.
      CHECK(find_task(records, task_id{"t0"}));          // Reading goes on.
      file_system->now = mood::good;
      records.flush();
      CHECK(records.status().writable);
      CHECK(records.status().problem.empty());
      CHECK(acknowledged == 1 + 2 * round);
      CHECK(find_task(records, task_id{id}));
      CHECK(list(records, list_tasks{})->total_size == static_cast<std::size_t>(1 + 2 * round));
    }
    // Closing does not wait for a disk that never comes back.
    file_system->now = bad;
    records.commit(about_lone("lost", "c", 9, born_lone("lost", "c", 9)), done);
    wait_until([&] { return !records.status().writable; });
  }
  CHECK(acknowledged == 7);
  file_system->now = mood::good;
  const auto records = open_or_fail(directory / "data");
  // What was never acknowledged may be there if only its being safe was in doubt.
  const auto live = recover_or_fail(*records).lone_tasks.size();
  CHECK((live == 4 || (bad == mood::forgetful && live == 5)));
  CHECK(find_task(*records, task_id{"end3"})->status.state == task_state::completed);
  CHECK(list(*records, list_tasks{})->total_size == 3 + live);
}

TEST_CASE("A disk that refuses before anything is in the memory table is waited for as well",
          "[store][disk]") {
  const auto bad = GENERATE(mood::full, mood::nearly_full, mood::broken, mood::forgetful);
  CAPTURE(static_cast<int>(bad));
  const temporary_directory directory;
  const auto file_system = std::make_shared<moody_file_system>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  const auto open = [&] {
    auto out =
        open_rocksdb_store({.directory = directory / "data", .durability = durability::sync},
                           {.env = env.get(), .retry_interval = std::chrono::milliseconds{1}});
    REQUIRE(out.has_value());
    return std::move(*out);
  };
  open()->commit(about_lone("before", "c", 1, born_lone("before", "c", 1)));
  {
    const auto records = open(); // What it read goes into a file: the table is empty.
    recover_or_fail(*records);
    std::atomic<int> acknowledged{0};
    const auto done = [&] { ++acknowledged; };
    for (int round = 1; round <= 3;
         ++round) { // After a retry that failed the table is empty again.
      file_system->now = bad;
      const auto id = "t" + std::to_string(round);
      records->commit(about_lone(id, "c", round, born_lone(id, "c", round)), done);
      const auto enough = file_system->refusals + 3;
      wait_until([&] { return file_system->refusals >= enough; });
      CHECK(acknowledged == round - 1);
      file_system->now = mood::good;
      records->flush();
      CHECK(acknowledged == round);
    }
  }
  CHECK(recover_or_fail(*open()).lone_tasks.size() == 4);
}

TEST_CASE("A list of live streams that cannot be read is not taken for a short one",
          "[store][disk]") {
  const temporary_directory directory;
  const auto file_system = std::make_shared<moody_file_system>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  const int count =
      100; // With long names, so that their list is longer than what the opening happens to read.
  {
    const auto records = open_or_fail(directory / "data");
    for (int i = 0; i < count; ++i) {
      const auto id = std::to_string(i) + std::string(200, 'x');
      records->commit(about_lone(id, "c", 1, born_lone(id, "c", 1)));
    }
  }
  { const auto records = open_or_fail(directory / "data"); } // Out of the journal, into a file.
  const auto records = open_or_fail(directory / "data", {.env = env.get()});
  file_system->now = mood::unreadable;
  const auto recovered = records->recover();
  REQUIRE(recovered.has_error());
  CHECK_THAT(recovered.error().message,
             ContainsSubstring("list of what was going on cannot be read"));
  file_system->now = mood::good;
  CHECK(recover_or_fail(*records).lone_tasks.size() == count);
}

TEST_CASE("Who drains a store whose disk refuses is let go, and the changes are not lost",
          "[store][disk]") {
  const temporary_directory directory;
  const auto file_system = std::make_shared<moody_file_system>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  auto opened =
      open_rocksdb_store({.directory = directory / "data", .durability = durability::sync},
                         {.env = env.get(), .retry_interval = std::chrono::milliseconds{1}});
  REQUIRE(opened.has_value());
  auto& records = **opened;
  std::atomic<int> acknowledged{0};
  auto held = std::make_shared<int>(0);
  const auto done = [&acknowledged, held] { ++acknowledged; };
  const std::weak_ptr<int> alive = std::exchange(held, nullptr);
  records.commit(about_lone("good", "c", 1, born_lone("good", "c", 1)), done);
  records.drain();
  CHECK(acknowledged == 1);
  CHECK(alive.use_count() == 1);
  file_system->now = mood::full;
  records.commit(about_lone("written", "c", 2, born_lone("written", "c", 2)), done);
  wait_until([&] { return !records.status().writable; });
  records.commit(about_lone("queued", "c", 3, born_lone("queued", "c", 3)), done);
  CHECK(alive.use_count() == 3);
  records.drain();
  CHECK(acknowledged == 1);
  CHECK(alive.use_count() == 1);
  file_system->now = mood::good;
  records.flush();
  CHECK(acknowledged == 1);
  CHECK(find_task(records, task_id{"written"}));
  CHECK(find_task(records, task_id{"queued"}));
}

TEST_CASE("A disk that cannot be read is not taken for an empty one", "[store][disk]") {
  const temporary_directory directory;
  const auto file_system = std::make_shared<moody_file_system>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  // Each row fills a block of its own, so that what the start reads does not bring the next one
  // along.
  const std::string block(8192, 'x');
  const auto specs = {make_objective("a", {1}), make_objective("far", {1}),
                      make_objective("near", {1})};
  {
    const auto records = open_or_fail(directory / "data");
    for (const auto* id : {"a", "ended"})
      records->commit(about_lone(id, "c", 1, born_lone(id, "c", 1),
                                 moved(task_state::completed, 1, say(block))));
    for (const auto& spec : specs) {
      spec->description = block;
      records->commit(about(spec->id.str(), 1, objective_created{spec, {}}));
      records->commit(about(spec->id.str(), 2, tasks_withdrawn{0, {0}, task_state::canceled, ""},
                            objective_moved{objective_event::cancel, ""}));
    }
    records->flush();
    records->flush(); // They are sealed by the batch behind that.
  }
  { // Out of the journal, which is read at the start, into files, which are read when they are
    // needed.
    rocksdb::DB* db = nullptr;
    REQUIRE(rocksdb::DB::Open({}, directory / "data", &db).ok());
    REQUIRE(db->Flush({}).ok());
    delete db;
  }
  const auto records = open_or_fail(
      directory / "data", {.env = env.get(), .retry_interval = std::chrono::milliseconds{1}});
  recover_or_fail(*records);
  list_objectives canceled;
  canceled.state = objective_state::canceled;
  const auto renewed = [](const std::string& id, std::int64_t ms) {
    return about(id, ms, objective_moved{objective_event::reopen, "retry"}, tasks_renewed{0, {0}});
  };
  // One of the two is in memory, broken open and sealed again.
  records->commit(renewed("near", 3));
  records->commit(about("near", 4, tasks_withdrawn{0, {0}, task_state::canceled, ""},
                        objective_moved{objective_event::cancel, ""}));
  records->flush();
  records->flush();

  file_system->now = mood::unreadable;
  CHECK_THROWS_AS(find_task(*records, task_id{"ended"}), read_failed);
  CHECK_THROWS_AS(find_objective(*records, objective_id{"far"}), read_failed);
  CHECK(list(*records, list_tasks{}).error().code == errc::store_unreadable);
  CHECK_THROWS_AS(snapshot_task(*records, task_id{"ended"}, nullptr), read_failed);
  const auto read = [&] {
    return await_read<task_ptr>(
        [&](auto done) { records->read_task(task_id{"ended"}, std::move(done)); });
  };
  const auto failed = records->status().reads.failed;
  CHECK(read().error().code == errc::store_unreadable);
  CHECK(records->status().reads.failed == failed + 1);
  file_system->now = mood::good;
  CHECK(read());

  // What is to be written about a record that cannot be read waits until it can; what stands beside
  // it in the batch does not.
  std::atomic<int> acknowledged{0};
  const auto done = [&] { ++acknowledged; };
  file_system->now = mood::good;
  std::promise<void>
      written; // Continuations hold up the writer: what comes meanwhile is one batch.
  std::promise<void> gathered;
  records->commit(about_lone("first", "c", 5, born_lone("first", "c", 5)), [&] {
    written.set_value();
    gathered.get_future().wait();
    done();
  });
  written.get_future().wait();
  file_system->now = mood::unreadable;
  records->commit(renewed("near", 6), done);
  records->commit(renewed("far", 6), done);
  gathered.set_value();
  wait_until([&] { return acknowledged == 2 && !records->status().writable; });
  CHECK_THAT(records->status().problem, ContainsSubstring("cannot be read"));
  CHECK(find_objective(*records, objective_id{"near"})->state == objective_state::submitted);
  file_system->now = mood::good;
  records->flush();
  CHECK(acknowledged == 3);
  CHECK(records->status().writable);
  CHECK(find_task(*records, task_id{"ended"})->status.state == task_state::completed);
  for (const auto* id : {"near", "far"})
    CHECK(find_objective(*records, objective_id{id})->state == objective_state::submitted);
  CHECK(list(*records, canceled)->total_size == 1);
  CHECK(list(*records, list_objectives{})->total_size == 3);
}

TEST_CASE(
    "Changes of an objective that left memory twice before they were written keep their order",
    "[store][disk][evict]") {
  const temporary_directory directory;
  const auto file_system = std::make_shared<moody_file_system>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  hand_time time;
  auto made =
      make_rocksdb_store({.directory = directory / "data"}, {.env = env.get(), .time = &time});
  REQUIRE(made.has_value());
  auto& records = **made;
  records.commit(about("o", 1, objective_created{make_objective("o", {1}), {}}));
  records.commit(about("o", 2, tasks_withdrawn{0, {0}, task_state::canceled, ""},
                       objective_moved{objective_event::cancel, ""}));
  records.flush();
  const auto evict = [&] {
    records.evict(at_ms(3));
    REQUIRE(records.status().live_objectives == 0);
  };
  evict();

  // More than one group of changes waits for the objective.
  const std::size_t changes = group_changes_max + 100;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < changes; ++i)
    records.commit(about("o", 4, objective_edited{"name " + std::to_string(i), ""}),
                   [&, i] { order.push_back(i); });
  for (int turns = 0; turns < 10 && records.status().live_objectives == 0; ++turns)
    records.turn();
  REQUIRE(records.status().live_objectives == 1);
  REQUIRE(order.empty());
  evict();

  // The first group waits for it again. The disk refuses another row of that group, so the
  // objective is back before the second group has its turn.
  file_system->now = mood::full;
  records.pushes().save(push_config{}, {}, [](const result<push_row>&) {});
  CHECK(records.turn());
  REQUIRE(records.status().live_objectives == 1);
  REQUIRE(order.empty());
  file_system->now = mood::good;
  time.pass(std::chrono::seconds{2});
  records.flush();
  CHECK(order.size() == changes);
  CHECK(std::ranges::is_sorted(order));
}

TEST_CASE("A second store on the same directory is refused", "[store][disk]") {
  const temporary_directory directory;
  const auto first = open_or_fail(directory / "data");
  const auto why = refusal(directory / "data");
  CHECK(why.code == errc::store_locked);
  CHECK_THAT(why.message, ContainsSubstring("in use by another process"));
}

TEST_CASE("A directory that another process has open is refused until that one ends",
          "[store][disk]") {
  const temporary_directory directory;
  fs::create_directory(directory / "data");
  const auto lock_path = directory / "data/LOCK";
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) { // Takes the lock as RocksDB does; only what is safe after a fork.
    const int file = ::open(lock_path.c_str(), O_RDWR | O_CREAT, 0644);
    struct flock lock {};
    lock.l_type = F_WRLCK;
    lock.l_whence = SEEK_SET;
    const char answer = ::fcntl(file, F_SETLK, &lock) == 0 ? 'y' : 'n';
    if (::write(ready[1], &answer, 1) == 1)
      ::pause();
    ::_exit(0);
  }
  char answer = 0;
  REQUIRE(::read(ready[0], &answer, 1) == 1);
  REQUIRE(answer == 'y');
  const auto why = refusal(directory / "data");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  CHECK(why.code == errc::store_locked);
  CHECK_THAT(why.message, ContainsSubstring(directory / "data"));
  CHECK(open_or_fail(directory / "data"));
}

TEST_CASE("A new data directory is its owner's alone, one that was there stays as it is",
          "[store][disk]") {
  const temporary_directory place;
  const auto mode = [](const fs::path& path) { return fs::status(path).permissions(); };
  const auto open = [](const fs::path& path) {
    REQUIRE(open_rocksdb_store({.directory = path.string(), .durability = durability::async})
                .has_value());
  };
  open(place.path() / "new");
  CHECK(mode(place.path() / "new") == fs::perms::owner_all);
  const auto shared = fs::perms::owner_all | fs::perms::group_read | fs::perms::group_exec;
  fs::create_directory(place.path() / "old");
  fs::permissions(place.path() / "old", shared);
  open(place.path() / "old");
  CHECK(mode(place.path() / "old") == shared);
}

TEST_CASE("A path that is a file is refused", "[store][disk]") {
  const temporary_directory directory;
  std::ofstream{directory / "file"} << "x";
  CHECK_THAT(refusal(directory / "file").message, ContainsSubstring("is a file"));
  CHECK_THAT(refusal(directory / "file/below").message, ContainsSubstring("cannot be made"));
  CHECK(refusal("").code == errc::store_failed);
}

TEST_CASE("A directory with somebody else's files is refused and left as it is", "[store][disk]") {
  const temporary_directory directory;
  fs::create_directory(directory / "home");
  std::ofstream{directory / "home/thesis.txt"} << "years of work";
  const auto why = refusal(directory / "home");
  CHECK(why.code == errc::store_failed);
  CHECK_THAT(why.message, ContainsSubstring("thesis.txt"));
  CHECK(std::distance(fs::directory_iterator{directory / "home"}, fs::directory_iterator{}) == 1);
}

TEST_CASE("A directory that cannot be written to is refused", "[store][disk]") {
  const temporary_directory directory;
  fs::permissions(directory.path(), fs::perms::all);
  fs::create_directory(directory / "data");
  fs::permissions(directory / "data", fs::perms{0555});
  const ordinary_user somebody; // The superuser may write anywhere.
  CHECK_THAT(refusal(directory / "data").message, ContainsSubstring("cannot be written to"));
  CHECK_THAT(refusal(directory / "data/below").message, ContainsSubstring("cannot be made"));
  CHECK(open_or_fail(directory / "mine"));
}

TEST_CASE("A lock that may not be opened is not taken for another process", "[store][disk]") {
  const temporary_directory directory;
  fs::permissions(directory.path(), fs::perms::all);
  fs::create_directory(directory / "data");
  fs::permissions(directory / "data", fs::perms::all);
  std::ofstream{directory / "data/LOCK"};
  fs::permissions(directory / "data/LOCK", fs::perms{0400});
  const ordinary_user somebody;
  const auto why = refusal(directory / "data");
  CHECK(why.code == errc::store_failed);
  CHECK_THAT(why.message, ContainsSubstring("permissions"));
}

TEST_CASE("A store is made at the root of a file system of its own", "[store][disk]") {
  const temporary_directory directory;
  fs::create_directories(directory / "data/lost+found");
  CHECK(open_or_fail(directory / "data"));
}

TEST_CASE("Another program's database, a newer format and an unreadable one are refused",
          "[store][disk]") {
  const temporary_directory directory;
  const auto put = [&](const std::string& key, const std::string& value) {
    rocksdb::Options options;
    options.create_if_missing = true;
    rocksdb::DB* db = nullptr;
    REQUIRE(rocksdb::DB::Open(options, directory / "data", &db).ok());
    REQUIRE(db->Put({}, key, value).ok());
    delete db;
  };
  put("somebody", "else");
  CHECK_THAT(refusal(directory / "data").message, ContainsSubstring("another program"));
  put("f", "2");
  CHECK_THAT(refusal(directory / "data").message, ContainsSubstring("newer version"));
  put("f", "two");
  CHECK_THAT(refusal(directory / "data").message, ContainsSubstring("format number"));
  put("f", "1");
  CHECK(open_or_fail(directory / "data"));
  put("n", "short");
  CHECK_THAT(refusal(directory / "data").message, ContainsSubstring("damaged"));
}

TEST_CASE("A database killed while it was being made is made anew", "[store][disk]") {
  const temporary_directory directory;
  fs::create_directory(directory / "data");
  for (const auto* name : {"LOCK", "LOG", "IDENTITY", "MANIFEST-000001", "000001.dbtmp"})
    std::ofstream{directory.path() / "data" / name};
  CHECK(open_or_fail(directory / "data"));
}

TEST_CASE("A damaged database file is refused, not half read", "[store][disk]") {
  const temporary_directory directory;
  { const auto records = open_or_fail(directory / "data"); }
  for (const auto& entry : fs::directory_iterator{directory / "data"})
    if (entry.path().filename().string().starts_with("MANIFEST"))
      std::ofstream{entry.path()} << "nonsense";
  const auto why = refusal(directory / "data");
  CHECK(why.code == errc::store_failed);
  CHECK_THAT(why.message, ContainsSubstring(directory / "data"));
}

TEST_CASE("A journal row that cannot be read stops recovery with its name", "[store][disk]") {
  const temporary_directory directory;
  {
    const auto records = open_or_fail(directory / "data");
    records->commit(about_lone("lone", "c", 1, born_lone("lone", "c", 1)));
    records->commit(about_lone("lone", "c", 2, moved(task_state::working)));
    records->commit(about_lone("lone", "c", 3, moved(task_state::working, 2)));
  }
  const bool missing = GENERATE(false, true);
  {
    rocksdb::DB* db = nullptr;
    REQUIRE(rocksdb::DB::Open({}, directory / "data", &db).ok());
    const std::string key = std::string{"e/tlone/"} + std::string(7, '\0') + '\2';
    REQUIRE((missing ? db->Delete({}, key) : db->Put({}, key, "{\"t\":")).ok());
    delete db;
  }
  const auto records = open_or_fail(directory / "data");
  const auto found = records->recover();
  REQUIRE(found.has_error());
  CHECK(found.error().code == errc::store_failed);
  CHECK_THAT(found.error().message, ContainsSubstring("lone") && ContainsSubstring("2"));
}

TEST_CASE("A store without a thread writes in its owner's turns, one group each",
          "[store][turns]") {
  const temporary_directory directory;
  auto made =
      make_rocksdb_store({.directory = directory / "data", .durability = durability::async}, {});
  REQUIRE(made.has_value());
  auto& records = **made;
  int acknowledged = 0;
  records.commit(about_lone("a", "c", 1, born_lone("a", "c", 1)), [&] { ++acknowledged; });
  records.commit(about_lone("b", "c", 1, born_lone("b", "c", 1)), [&] { ++acknowledged; });
  CHECK(records.status().live_tasks == 0); // Nothing happens by itself.
  CHECK(records.turn());
  CHECK(acknowledged == 2);
  CHECK(find_task(records, task_id{"a"}));
  CHECK_FALSE(records.turn());
  records.commit(about_lone("a", "c", 2, moved(task_state::completed)), [&] { ++acknowledged; });
  records.flush(); // takes the turns
  CHECK(acknowledged == 3);
}

TEST_CASE("A store without a thread tries again when the clock that was handed in says so",
          "[store][turns][disk]") {
  const temporary_directory directory;
  const auto file_system = std::make_shared<moody_file_system>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  hand_time time;
  const rocksdb_internals internals{
      .env = env.get(), .retry_interval = std::chrono::milliseconds{100}, .time = &time};
  auto made = make_rocksdb_store({.directory = directory / "data", .durability = durability::sync},
                                 internals);
  REQUIRE(made.has_value());
  auto& records = **made;
  int acknowledged = 0;
  file_system->now = mood::broken;
  records.commit(about_lone("a", "c", 1, born_lone("a", "c", 1)), [&] { ++acknowledged; });
  CHECK_FALSE(records.turn());
  CHECK_FALSE(records.status().writable);
  file_system->now = mood::good;
  const auto refusals = file_system->refusals.load();
  CHECK_FALSE(records.turn()); // too early
  CHECK(file_system->refusals == refusals);
  time.pass(std::chrono::milliseconds{100});
  CHECK(records.turn());
  CHECK(acknowledged == 1);
  CHECK(records.status().writable);
}
