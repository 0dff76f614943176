// What the disk can do to a store, and what it says then. Its directory: directory_test.cpp.
#include "store/journal/file_disk.hpp"
#include "store/rocksdb/resumable_file_system.hpp"
#include "store/rocksdb/rocksdb_store.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/store/rocksdb/small_file_system.hpp"
#include "tests/support/answer_in_time.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
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
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <stdexcept>
#include <thread>

#include <fcntl.h>

using namespace troupe;
using namespace troupe::testing;

namespace fs = std::filesystem;

namespace {

/// `nearly_full`: there is room for tables, not for the journal. `tables_full`: the other way
/// round. `tables_slow`: a write of a table ends when the mood is another one. `read_only`: nothing
/// can be written, as after the operating system has found an error on the disk.
enum class mood : std::uint8_t {
  good,
  full,
  nearly_full,
  tables_full,
  broken,
  forgetful,
  unreadable,
  tables_slow,
  read_only,
};

struct moody_disk {
  std::atomic<mood> now{mood::good};
  std::atomic<int> refusals{0};
  std::atomic<int> slow_writes{0};     ///< Of tables, begun as they are slow.
  std::atomic<int> syncs{0};           ///< Of the journal.
  std::atomic<int> reads_left{-1};     ///< Of tables, before they fail; below 0: all go well.
  std::atomic<bool> fails_once{false}; ///< Then all go well again.
};

/// A file of the tables that refuses to grow when the disk is full or broken, and to be made safe
/// when it is forgetful: then what was written since the last sync is lost.
class moody_file final : public rocksdb::FSWritableFileOwnerWrapper {
public:
  moody_file(std::unique_ptr<rocksdb::FSWritableFile>&& file, moody_disk& disk)
      : FSWritableFileOwnerWrapper(std::move(file)), disk_(disk) {}

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
    const bool may_sync = now == mood::good || now == mood::nearly_full || now == mood::unreadable
                          || now == mood::tables_slow;
    if (!may_sync) {
      if (now == mood::forgetful)
        FSWritableFileOwnerWrapper::Truncate(safe_bytes_, options, debug).PermitUncheckedError();
      return refusal();
    }
    safe_bytes_ = GetFileSize(options, debug);
    return FSWritableFileOwnerWrapper::Sync(options, debug);
  }

private:
  [[nodiscard]] bool may_grow() const {
    if (disk_.now == mood::tables_slow)
      ++disk_.slow_writes;
    if (!comes_true([this] { return disk_.now != mood::tables_slow; }))
      return false;
    const auto now = disk_.now.load();
    return now != mood::full && now != mood::broken && now != mood::tables_full
           && now != mood::read_only;
  }
  [[nodiscard]] rocksdb::IOStatus refusal() const {
    const auto now = disk_.now.load();
    ++disk_.refusals;
    return now == mood::full || now == mood::tables_full
               ? rocksdb::IOStatus::NoSpace("No space left on device, injected")
               : rocksdb::IOStatus::IOError("Input/output error, injected");
  }
  moody_disk& disk_;
  std::uint64_t safe_bytes_ = 0;
};

/// A file that cannot be read when the disk is unreadable.
class moody_source final : public rocksdb::FSRandomAccessFileOwnerWrapper {
public:
  moody_source(std::unique_ptr<rocksdb::FSRandomAccessFile>&& file, moody_disk& disk)
      : FSRandomAccessFileOwnerWrapper(std::move(file)), disk_(disk) {}

  rocksdb::IOStatus Read(std::uint64_t offset, std::size_t count, const rocksdb::IOOptions& options,
                         rocksdb::Slice* out, char* scratch,
                         rocksdb::IODebugContext* debug) const override {
    const auto left = disk_.reads_left.load();
    if (left > 0)
      --disk_.reads_left;
    if (left == 0 && disk_.fails_once)
      disk_.reads_left = -1;
    if (disk_.now == mood::unreadable || left == 0)
      return rocksdb::IOStatus::IOError("Input/output error, injected");
    return FSRandomAccessFileOwnerWrapper::Read(offset, count, options, out, scratch, debug);
  }

private:
  moody_disk& disk_;
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
      *file = std::make_unique<moody_file>(std::move(*file), *this);
    return status;
  }
  rocksdb::IOStatus NewRandomAccessFile(const std::string& name,
                                        const rocksdb::FileOptions& options,
                                        std::unique_ptr<rocksdb::FSRandomAccessFile>* file,
                                        rocksdb::IODebugContext* debug) override {
    auto status = FileSystemWrapper::NewRandomAccessFile(name, options, file, debug);
    if (status.ok())
      *file = std::make_unique<moody_source>(std::move(*file), *this);
    return status;
  }
};

/// The journal's files, in a directory that has a journal.
class moody_journal final : public journal::disk {
public:
  moody_journal(const std::string& directory, moody_disk& moods)
      : files_(journal::make_file_disk(directory)), moods_(moods) {}

  void open(const std::string& name, journal::open_mode how,
            journal::disk_read_done<journal::file_id> done) override {
    files_->open(name, how, std::move(done));
  }
  void close(journal::file_id file) override { files_->close(file); }
  void allocate(journal::file_id file, std::uint64_t size, journal::disk_done done) override {
    files_->allocate(file, size, unless_refused(true, std::move(done)));
  }
  void write(journal::file_id file, std::uint64_t offset, std::string_view bytes,
             journal::disk_done done) override {
    const bool may_grow = !refusal(true);
    files_->write(file, offset, may_grow ? bytes : std::string_view{},
                  unless_refused(true, std::move(done)));
  }
  void sync(journal::file_id file, journal::disk_done done) override {
    ++moods_.syncs;
    files_->sync(file, unless_refused(false, std::move(done)));
  }
  void read(journal::file_id file, std::uint64_t offset, std::size_t size,
            journal::disk_read_done<std::string> done) override {
    files_->read(file, offset, size, std::move(done));
  }
  void size(journal::file_id file, journal::disk_read_done<std::uint64_t> done) override {
    files_->size(file, std::move(done));
  }
  void sync_directory(journal::disk_done done) override { files_->sync_directory(std::move(done)); }
  void rename(const std::string& from, const std::string& to, journal::disk_done done) override {
    files_->rename(from, to, std::move(done));
  }
  void remove(const std::string& name, journal::disk_done done) override {
    files_->remove(name, std::move(done));
  }
  void list(journal::disk_read_done<std::vector<std::string>> done) override {
    files_->list(std::move(done));
  }
  bool turn() override { return files_->turn(); }
  bool wait() override { return files_->wait(); }

private:
  [[nodiscard]] std::error_code refusal(bool grows) const {
    const auto now = moods_.now.load();
    if (grows && (now == mood::full || now == mood::nearly_full))
      return {ENOSPC, std::generic_category()};
    if (now == mood::broken || (!grows && now == mood::forgetful))
      return {EIO, std::generic_category()};
    if (now == mood::read_only)
      return {EROFS, std::generic_category()};
    return {};
  }
  journal::disk_done unless_refused(bool grows, journal::disk_done done) {
    const auto refused = refusal(grows);
    if (!refused)
      return done;
    ++moods_.refusals;
    return [refused, done = std::move(done)](std::error_code) { done(refused); };
  }

  const std::unique_ptr<journal::file_disk> files_;
  moody_disk& moods_;
};

/// A data directory on a disk that has moods.
struct moody_bed {
  /// A directory with a store.
  static std::string made(std::string path) {
    open_or_fail(path);
    return path;
  }
  [[nodiscard]] rocksdb_internals internals() {
    return {.env = env.get(),
            .journal_files = &journal,
            .retry_interval = std::chrono::milliseconds{1}};
  }

  temporary_directory directory;
  const std::string data = made(directory / "data");
  std::shared_ptr<moody_file_system> disk = std::make_shared<moody_file_system>();
  std::unique_ptr<rocksdb::Env> env = rocksdb::NewCompositeEnv(disk);
  moody_journal journal{data + "/journal", *disk};
};

/// Waits for another thread to bring something about.
template<class Condition>
void wait_until(Condition condition) {
  if (!comes_true(condition))
    throw std::runtime_error("what another thread should bring about has not come");
}

const std::string text(2000, 'x');

} // namespace

TEST_CASE("A disk that refuses keeps changes waiting, the status says so, and none is lost",
          "[store][disk]") {
  const auto bad =
      GENERATE(mood::full, mood::nearly_full, mood::broken, mood::forgetful, mood::read_only);
  const bool is_full = bad == mood::full || bad == mood::nearly_full;
  CAPTURE(static_cast<int>(bad));
  moody_bed bed;
  std::atomic<int> acknowledged{0};
  const auto done = [&] { ++acknowledged; };
  {
    auto opened = open_rocksdb_store({.directory = bed.data, .durability = durability::sync},
                                     bed.internals());
    REQUIRE(opened.has_value());
    auto& records = **opened;
    records.commit(about_lone("t0", "c", 1, born_lone("t0", "c", 1)), done);
    records.flush();
    CHECK(acknowledged == 1);
    for (int round = 1; round <= 3; ++round) {
      bed.disk->now = bad;
      const auto id = "t" + std::to_string(round);
      const auto end_id = "end" + std::to_string(round);
      records.commit(about_lone(id, "c", round, born_lone(id, "c", round)), done);
      wait_until([&] { return !records.status().writable; });
      records.commit(about_lone(end_id, "c", round, born_lone(end_id, "c", round),
                                moved(task_state::completed)),
                     done);
      const auto status = records.status();
      CHECK(status.backlog_changes == 2);
      CHECK_THAT(status.problem, ContainsSubstring(is_full ? "full" : "fails"));
      CHECK_THAT(status.problem, ContainsSubstring(bed.data));
      CHECK(acknowledged == 1 + 2 * (round - 1));
      CHECK(find_task(records, task_id{id}) == nullptr); // Not visible before it is safe.
      CHECK(find_task(records, task_id{"t0"}));          // Reading goes on.
      bed.disk->now = mood::good;
      records.flush();
      CHECK(records.status().writable);
      CHECK(records.status().problem.empty());
      CHECK(acknowledged == 1 + 2 * round);
      CHECK(find_task(records, task_id{id}));
      CHECK(list(records, list_tasks{})->total_size == static_cast<std::size_t>(1 + 2 * round));
    }
    // Closing does not wait for a disk that never comes back.
    bed.disk->now = bad;
    records.commit(about_lone("lost", "c", 9, born_lone("lost", "c", 9)), done);
    wait_until([&] { return !records.status().writable; });
  }
  CHECK(acknowledged == 7);
  bed.disk->now = mood::good;
  const auto records = open_or_fail(bed.data);
  // What was never acknowledged may be there if only its being safe was in doubt.
  const auto live = recover_or_fail(*records).lone_tasks.size();
  CHECK((live == 4 || (bad == mood::forgetful && live == 5)));
  CHECK(find_task(*records, task_id{"end3"})->status.state == task_state::completed);
  CHECK(list(*records, list_tasks{})->total_size == 3 + live);
}

TEST_CASE("Tables that cannot be written make the store wait for them, and nothing is lost",
          "[store][disk]") {
  const auto bad = GENERATE(mood::tables_full, mood::broken, mood::forgetful);
  CAPTURE(static_cast<int>(bad));
  moody_bed bed;
  journal::disk& files = bed.journal;
  auto internals = bed.internals();
  // Only the tables have moods.
  const auto healthy = journal::make_file_disk(bed.data + "/journal");
  internals.journal_files = bad == mood::tables_full ? &files : healthy.get();
  internals.journal_behind_bytes = 20'000;
  internals.journal_forget_bytes = 10'000;
  internals.journal.segment_bytes_min = 16'384;
  internals.journal.segment_bytes_max = 16'384;
  std::atomic<int> acknowledged{0};
  int committed = 0;
  const auto segments = [&] {
    return std::ranges::count_if(fs::directory_iterator{bed.data + "/journal"}, [](const auto& e) {
      return e.path().filename().string().starts_with("segment");
    });
  };
  {
    const auto opened =
        open_rocksdb_store({.directory = bed.data, .durability = durability::sync}, internals);
    REQUIRE(opened.has_value());
    auto& records = **opened;
    const auto commit = [&] {
      const auto id = "t" + std::to_string(committed++);
      records.commit(about_lone(id, "c", 1, born_lone(id, "c", 1), task_message{say(text)}),
                     [&] { ++acknowledged; });
    };
    for (int round = 1; round <= 3; ++round) {
      bed.disk->now = bad;
      for (int i = 0; records.status().writable; ++i) {
        REQUIRE(i < 100); // The journal does not grow for ever.
        commit();
        wait_until([&] { return acknowledged == committed || !records.status().writable; });
      }
      CHECK(acknowledged == committed - 1);
      CHECK(find_task(records, task_id{"t0"})); // Reading goes on.
      bed.disk->now = mood::good;
      records.flush();
      CHECK(records.status().writable);
      CHECK(acknowledged == committed);
    }
    // What the tables have is forgotten.
    for (int i = 0; i < 100; ++i) {
      commit();
      records.flush();
      CHECK(segments() <= 8);
    }
  }
  CHECK(recover_or_fail(*open_or_fail(bed.data)).lone_tasks.size()
        == static_cast<std::size_t>(committed));
  CHECK(segments() <= 2);
}

TEST_CASE("A store whose tables are behind does not wait for them, and the status says so",
          "[store][disk]") {
  moody_bed bed;
  hand_time time;
  auto internals = bed.internals();
  internals.journal_behind_bytes = 5'000;
  internals.time = &time;
  auto made =
      make_rocksdb_store({.directory = bed.data, .durability = durability::sync}, internals);
  REQUIRE(made.has_value());
  auto& records = **made;
  bed.disk->now = mood::tables_slow;
  std::size_t committed = 0;
  std::size_t acknowledged = 0;
  bool goes_on = true;
  while (goes_on) {
    REQUIRE(committed < 100);
    const auto id = "t" + std::to_string(committed++);
    records.commit(about_lone(id, "c", 1, born_lone(id, "c", 1), task_message{say(text)}),
                   [&] { ++acknowledged; });
    goes_on = records.turn();
  }
  CHECK_FALSE(records.status().writable);
  CHECK_THAT(records.status().problem, ContainsSubstring("behind"));
  CHECK(acknowledged == committed - 1);
  CHECK_FALSE(records.turn()); // Too early.
  bed.disk->now = mood::good;
  wait_until([&] {
    time.pass(internals.retry_interval);
    return records.turn();
  });
  CHECK(acknowledged == committed);
  CHECK(records.status().writable);
}

TEST_CASE("A store that closes waits for rows on their way to the disk, which are not read again",
          "[store][disk]") {
  moody_bed bed;
  hand_time time;
  auto internals = bed.internals();
  internals.journal_behind_bytes = 1; // The rows of a group go to the disk as the next one comes.
  internals.time = &time;
  auto made =
      make_rocksdb_store({.directory = bed.data, .durability = durability::sync}, internals);
  REQUIRE(made.has_value());
  bed.disk->now = mood::tables_slow;
  for (const std::string id : {"t0", "t1"}) {
    (*made)->commit(about_lone(id, "c", 1, born_lone(id, "c", 1)));
    REQUIRE((*made)->turn());
  }
  wait_until([&] { return bed.disk->slow_writes > 0; });
  std::atomic<bool> is_closed{false};
  std::thread closing([&] {
    made->reset();
    is_closed = true;
  });
  CHECK_FALSE(comes_true([&] { return is_closed.load(); }, std::chrono::seconds{1}));
  bed.disk->now = mood::good;
  closing.join();
  {
    const auto tables = open_tables_to_read(bed.data);
    REQUIRE(tables.has_value());
    REQUIRE(tables->mark.has_value());
    CHECK(tables->mark->at == 2); // All groups.
  }
  CHECK(recover_or_fail(*open_or_fail(bed.data)).lone_tasks.size() == 2);
}

TEST_CASE("A store whose tables refuse is closed at once, and the next start has everything",
          "[store][disk]") {
  moody_bed bed;
  auto internals = bed.internals();
  internals.journal_behind_bytes = 5'000;
  internals.retry_interval = std::chrono::hours{1};
  std::size_t committed = 0;
  {
    const auto opened =
        open_rocksdb_store({.directory = bed.data, .durability = durability::sync}, internals);
    REQUIRE(opened.has_value());
    auto& records = **opened;
    bed.disk->now = mood::tables_full;
    std::atomic<std::size_t> acknowledged{0};
    while (records.status().writable) {
      REQUIRE(committed < 100);
      const auto id = "t" + std::to_string(committed++);
      records.commit(about_lone(id, "c", 1, born_lone(id, "c", 1), task_message{say(text)}),
                     [&] { ++acknowledged; });
      wait_until([&] { return acknowledged == committed || !records.status().writable; });
    }
    CHECK(acknowledged == committed - 1);
    wait_until([&] { return bed.disk->refusals == 1; });
    const auto id = "t" + std::to_string(committed++); // Not yet in the journal.
    records.commit(about_lone(id, "c", 1, born_lone(id, "c", 1)));
  }
  CHECK(bed.disk->refusals == 1); // Nobody tried again.
  bed.disk->now = mood::good;
  CHECK(recover_or_fail(*open_or_fail(bed.data)).lone_tasks.size() == committed);
}

TEST_CASE("Without sync, acknowledged groups become safe although the tables refuse",
          "[store][disk]") {
  moody_bed bed;
  hand_time time;
  auto internals = bed.internals();
  internals.journal_behind_bytes = 5'000;
  internals.retry_interval = std::chrono::hours{1};
  internals.time = &time;
  auto made =
      make_rocksdb_store({.directory = bed.data, .durability = durability::async}, internals);
  REQUIRE(made.has_value());
  auto& records = **made;
  bed.disk->now = mood::tables_full;
  bool goes_on = true;
  for (int i = 0; goes_on; ++i) {
    REQUIRE(i < 100);
    const auto id = "t" + std::to_string(i);
    records.commit(about_lone(id, "c", 1, born_lone(id, "c", 1), task_message{say(text)}));
    goes_on = records.turn();
  }
  const auto syncs = bed.disk->syncs.load();
  time.pass(internals.journal.sync_interval);
  CHECK_FALSE(records.turn());
  CHECK(bed.disk->syncs == syncs + 1);
  wait_until([&] { return bed.disk->refusals > 0; });
  bed.disk->now = mood::good;
}

TEST_CASE("Without sync, a store says that acknowledged groups cannot be made safe",
          "[store][disk]") {
  moody_bed bed;
  hand_time time;
  auto internals = bed.internals();
  internals.time = &time;
  auto made =
      make_rocksdb_store({.directory = bed.data, .durability = durability::async}, internals);
  REQUIRE(made.has_value());
  auto& records = **made;
  records.commit(about_lone("t", "c", 1, born_lone("t", "c", 1)));
  records.flush();
  CHECK(records.status().writable);
  bed.disk->now = mood::broken;
  time.pass(internals.journal.sync_interval);
  wait_until([&] { // The disk answers when it has tried.
    CHECK_FALSE(records.turn());
    return !records.status().writable;
  });
  CHECK_THAT(records.status().problem, ContainsSubstring("fails"));
  bed.disk->now = mood::good;
  time.pass(internals.retry_interval);
  wait_until([&] {
    CHECK_FALSE(records.turn());
    return records.status().writable;
  });
}

TEST_CASE("A small file system that is full fifty times never ends the process, and goes on",
          "[store][disk]") {
  const auto how = GENERATE(durability::sync, durability::async);
  const small_file_system place;
  if (!place.is_mounted) {
    WARN("skipped: this user may not mount a tmpfs");
    return;
  }
  rocksdb_internals internals{.retry_interval = std::chrono::milliseconds{1},
                              .write_buffer_bytes = 128 << 10,
                              .journal_behind_bytes = 256 << 10,
                              .journal_forget_bytes = 64 << 10};
  internals.journal.segment_bytes_min = internals.journal.segment_bytes_max = 256 << 10;
  std::atomic<int> acknowledged{0};
  int committed = 0;
  {
    const auto opened =
        open_rocksdb_store({.directory = place.path + "/data", .durability = how}, internals);
    REQUIRE(opened.has_value());
    auto& records = **opened;
    for (int episode = 0; episode < 50; ++episode) {
      CAPTURE(episode);
      place.fill();
      for (int i = 0; records.status().writable; ++i) {
        REQUIRE(i < 2000);
        if (i % 100 == 99)
          place.fill(); // A compaction has made room.
        const auto id = "t" + std::to_string(committed++);
        records.commit(about_lone(id, "c", 1, born_lone(id, "c", 1), task_message{say(text)}),
                       [&] { ++acknowledged; });
        wait_until([&] { return acknowledged == committed || !records.status().writable; });
      }
      CHECK(find_task(records, task_id{"t0"})); // Reading goes on.
      place.make_room();
      records.flush();
      REQUIRE(acknowledged == committed);
      wait_until([&] { return records.status().writable; }); // The journal itself tries again.
    }
  }
  CHECK(recover_or_fail(*open_or_fail(place.path + "/data")).lone_tasks.size()
        == static_cast<std::size_t>(committed));
}

TEST_CASE("A compaction does not keep its room while the disk refuses", "[store][disk]") {
  const temporary_directory directory;
  const auto base = std::make_shared<moody_file_system>();
  const auto patience = std::make_shared<write_patience>(std::chrono::hours{1});
  const auto files = make_resumable(base, patience);
  std::unique_ptr<rocksdb::FSWritableFile> file;
  REQUIRE(files->NewWritableFile(directory / "table", {}, &file, nullptr).ok());
  file->SetIOPriority(rocksdb::Env::IO_LOW);
  patience->begin();
  base->now = mood::full;
  const auto refused = file->Append("row", {}, nullptr);
  CHECK(refused.IsIOError());
  CHECK(refused.GetRetryable());
  CHECK(patience->refusal().ok());
}

TEST_CASE("Live streams that cannot be read are not taken for none", "[store][disk]") {
  const temporary_directory directory;
  const auto file_system = std::make_shared<moody_file_system>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  const int count = 100; // With long names, so that their list has several blocks.
  {
    const auto records = open_or_fail(directory / "data");
    for (int i = 0; i < count; ++i) {
      const auto id = std::to_string(i) + std::string(200, 'x');
      records->commit(about_lone(id, "c", 1, born_lone(id, "c", 1)));
    }
  }
  int refused = 0;
  for (bool is_open = false; !is_open; ++refused) {
    CAPTURE(refused);
    REQUIRE(refused < 1000);
    file_system->reads_left = refused;
    auto opened = open_rocksdb_store(
        {.directory = directory / "data", .durability = durability::async}, {.env = env.get()});
    is_open = opened.has_value();
    if (is_open)
      CHECK((*opened)->recover()->lone_tasks.size() == count);
    else
      CHECK((opened.error().code == errc::store_failed
             || opened.error().code == errc::store_unreadable));
  }
  CHECK(refused > 3);
}

TEST_CASE("A start that fails in the middle of a group leaves the files as they are",
          "[store][disk]") {
  const temporary_directory directory;
  const auto file_system = std::make_shared<moody_file_system>();
  const auto env = rocksdb::NewCompositeEnv(file_system);
  // Each record fills a block of its own. Other objectives stand around that of "far", so that what
  // the start reads does not bring it along.
  const auto near = make_objective("near", {1});
  const auto far = make_objective("far", {1});
  const auto canceled = [](const std::string& id) {
    return about(id, 2, tasks_withdrawn{0, {0}, task_state::canceled, ""},
                 objective_moved{objective_event::cancel, ""});
  };
  {
    const auto records = open_or_fail(directory / "data");
    for (const auto& spec : {near, make_objective("fa0", {1}), make_objective("fa1", {1}), far,
                             make_objective("fb0", {1}), make_objective("fb1", {1})}) {
      spec->description = std::string(8192, 'x');
      records->commit(about(spec->id.str(), 1, objective_created{spec, {}}));
      if (spec != near)
        records->commit(canceled(spec->id.str()));
    }
    records->flush();
  }
  {
    auto made = make_rocksdb_store({.directory = directory / "data"}, {});
    REQUIRE(made.has_value());
    auto& records = **made;
    recover_or_fail(records);
    records.flush();
    records.evict(at_ms(3));
    // Watched, it is in memory, and its change needs no group of its own.
    const auto who = std::make_shared<recorder>();
    records.snapshot_objective(far->id, who, [](const auto& found) { REQUIRE(found); }, {});
    records.flush();
    records.commit(canceled("near"));
    records.commit(
        about("far", 4, objective_moved{objective_event::reopen, "retry"}, tasks_renewed{0, {0}}));
    CHECK(records.turn());
    CHECK(records.status().backlog_changes == 0);
    // What a process that is killed now leaves.
    fs::copy(directory / "data", directory / "killed", fs::copy_options::recursive);
  }
  int failed_starts = 0;
  file_system->fails_once = true;
  bool has_failed = true;
  for (int reads = 0; has_failed; ++reads) {
    CAPTURE(reads);
    REQUIRE(reads < 1000);
    const auto data = directory / ("copy" + std::to_string(reads));
    fs::copy(directory / "killed", data, fs::copy_options::recursive);
    file_system->reads_left = reads;
    failed_starts +=
        open_rocksdb_store({.directory = data, .durability = durability::async}, {.env = env.get()})
            ? 0
            : 1;
    has_failed = file_system->reads_left.exchange(-1) < 0;
    const auto records = open_or_fail(data, {.env = env.get()});
    CHECK(find_objective(*records, near->id)->state == objective_state::canceled);
    CHECK(find_objective(*records, far->id)->state == objective_state::submitted);
  }
  CHECK(failed_starts > 3);
}

TEST_CASE("`drain` returns while the disk refuses, and the changes are not lost", "[store][disk]") {
  moody_bed bed;
  const auto& file_system = bed.disk;
  auto opened =
      open_rocksdb_store({.directory = bed.data, .durability = durability::sync}, bed.internals());
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

TEST_CASE(
    "What is dropped while a store is drained may commit, and is not waited for by anybody then",
    "[store][disk]") {
  moody_bed bed;
  auto opened =
      open_rocksdb_store({.directory = bed.data, .durability = durability::sync}, bed.internals());
  REQUIRE(opened.has_value());
  auto& records = **opened;
  bed.disk->now = mood::full;
  bool is_dropped = false;
  const auto when_destroyed = [](std::function<void()> then) {
    return std::shared_ptr<void>(nullptr, [then = std::move(then)](void*) { then(); });
  };
  // As a request that is refused when its actors are gone: it waits for what they have submitted.
  records.commit(about_lone("first", "c", 1, born_lone("first", "c", 1)),
                 [held = when_destroyed([&] {
                    records.commit(about_lone("second", "c", 2, born_lone("second", "c", 2)),
                                   [last = when_destroyed([&] { is_dropped = true; })] {});
                  })] {});
  wait_until([&] { return !records.status().writable; });
  records.drain();
  CHECK(is_dropped);
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
  canceled.states = {objective_state::canceled};
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
    answer_in_time(gathered.get_future(), "what comes meanwhile");
    done();
  });
  answer_in_time(written.get_future(), "the first change");
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
  moody_bed bed;
  hand_time time;
  auto internals = bed.internals();
  internals.time = &time;
  auto made = make_rocksdb_store({.directory = bed.data}, internals);
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
  bed.disk->now = mood::full;
  records.pushes().save(push_config{}, {}, [](const result<push_row>&) {});
  CHECK(records.turn());
  REQUIRE(records.status().live_objectives == 1);
  REQUIRE(order.empty());
  bed.disk->now = mood::good;
  time.pass(std::chrono::seconds{2});
  records.flush();
  CHECK(order.size() == changes);
  CHECK(std::ranges::is_sorted(order));
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

TEST_CASE("A store without a thread tries again by the clock that was passed in",
          "[store][turns][disk]") {
  moody_bed bed;
  const auto& file_system = bed.disk;
  hand_time time;
  auto internals = bed.internals();
  internals.retry_interval = std::chrono::milliseconds{100};
  internals.time = &time;
  auto made =
      make_rocksdb_store({.directory = bed.data, .durability = durability::sync}, internals);
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

TEST_CASE("buffers of tables are smaller in a process that may hold little", "[store]") {
  const rocksdb_internals wanted;
  const auto unlimited = fitted_to(memory_budget{}, wanted);
  CHECK(unlimited.write_buffer_bytes == wanted.write_buffer_bytes);
  CHECK(unlimited.block_cache_bytes == wanted.block_cache_bytes);
  CHECK(unlimited.journal_behind_bytes == wanted.journal_behind_bytes);
  constexpr std::size_t budget = std::size_t{256} << 20;
  const auto small = fitted_to(memory_budget{budget}, wanted);
  CHECK(small.write_buffer_bytes == budget / table_buffers_divisor);
  CHECK(small.block_cache_bytes == budget / table_buffers_divisor);
  CHECK(small.journal_behind_bytes == budget / table_buffers_divisor / 2);
  CHECK(fitted_to(memory_budget{1}, wanted).write_buffer_bytes == write_buffer_bytes_min);
}
