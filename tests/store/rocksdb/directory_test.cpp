// Which directories a store opens, and what it says of the others.
#include "store/directory_lock.hpp"
#include "store/rocksdb/rocksdb_store.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/store/ordinary_user.hpp"
#include "tests/store/rocksdb/small_file_system.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"

#include <rocksdb/db.h>
#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <atomic>
#include <csignal>
#include <filesystem>
#include <fstream>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/mount.h>
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

} // namespace

TEST_CASE("A second store on the same directory is refused", "[store][disk]") {
  const temporary_directory directory;
  const auto first = open_or_fail(directory / "data");
  const auto why = refusal(directory / "data");
  CHECK(why.code == errc::store_locked);
  CHECK_THAT(why.message, ContainsSubstring("in use by another process"));
}

TEST_CASE("A second store on the same directory is refused by any path to it", "[store][disk]") {
  const temporary_directory directory;
  const auto first = open_or_fail(directory / "data");
  fs::create_directory_symlink(directory / "data", directory / "other");
  const auto why = refusal(directory / "other");
  CHECK(why.code == errc::store_locked);
  CHECK_THAT(why.message, ContainsSubstring("in use by another process"));
}

TEST_CASE("A directory that another process uses is refused also through a bind mount",
          "[store][disk]") {
  const temporary_directory directory;
  fs::create_directory(directory / "data");
  fs::create_directory(directory / "mounted");
  if (::mount((directory / "data").c_str(), (directory / "mounted").c_str(), nullptr, MS_BIND,
              nullptr)
      != 0) {
    WARN("skipped: this user may not mount a directory");
    return;
  }
  int ready[2];
  REQUIRE(::pipe(ready) == 0);
  const auto lock_path = directory / "data" + "/" + lock_name;
  const auto child = ::fork();
  REQUIRE(child >= 0);
  if (child == 0) { // Takes the lock as a store does; only what is safe after a fork.
    const int file = ::open(lock_path.c_str(), O_RDWR | O_CREAT, 0600);
    const char answer = ::flock(file, LOCK_EX | LOCK_NB) == 0 ? 'y' : 'n';
    if (::write(ready[1], &answer, 1) == 1)
      ::pause();
    ::_exit(0);
  }
  char answer = 0;
  CHECK(::read(ready[0], &answer, 1) == 1);
  CHECK(answer == 'y');
  const auto of_other = refusal(directory / "mounted");
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  ::close(ready[0]);
  ::close(ready[1]);
  CHECK(of_other.code == errc::store_locked);
  {
    const auto first = open_or_fail(directory / "data");
    CHECK(refusal(directory / "mounted").code == errc::store_locked);
  }
  CHECK(open_or_fail(directory / "mounted"));
  CHECK(::umount2((directory / "mounted").c_str(), MNT_DETACH) == 0);
}

TEST_CASE("A data directory that is removed while it is used takes no more changes",
          "[store][disk]") {
  const auto how = GENERATE(durability::sync, durability::async);
  const temporary_directory directory;
  const auto opened = open_rocksdb_store({.directory = directory / "data", .durability = how},
                                         {.retry_interval = std::chrono::milliseconds{1}});
  REQUIRE(opened.has_value());
  auto& records = **opened;
  std::atomic<int> acknowledged{0};
  const auto commit = [&](const std::string& id) {
    records.commit(about_lone(id, "c", 1, born_lone(id, "c", 1)), [&] { ++acknowledged; });
  };
  commit("first");
  records.flush();
  REQUIRE(acknowledged == 1);
  fs::remove_all(directory / "data");
  for (int i = 0; i < 50; ++i)
    commit("late " + std::to_string(i));
  CHECK(comes_true([&] { return !records.status().writable; }));
  CHECK_THAT(records.status().problem, ContainsSubstring("No such file"));
  CHECK(acknowledged == 1);
  CHECK(find_task(records, task_id{"first"})); // Reading goes on.
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
  CHECK_THAT(refusal(directory / "file/below").message, ContainsSubstring("cannot be created"));
  CHECK(refusal("").code == errc::store_failed);
}

TEST_CASE("A directory with other files is refused and left as it is", "[store][disk]") {
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
  CHECK_THAT(refusal(directory / "data/below").message, ContainsSubstring("cannot be created"));
  CHECK(open_or_fail(directory / "mine"));
}

TEST_CASE("A lock that finds no room asks for room", "[store][disk]") {
  const small_file_system place{"nr_inodes=1"}; // For its root.
  if (!place.is_mounted) {
    WARN("skipped: this user may not mount a tmpfs");
    return;
  }
  const auto why = refusal(place.path);
  CHECK(why.code == errc::store_failed);
  CHECK_THAT(why.message, ContainsSubstring("cannot be locked") && ContainsSubstring("make room"));
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
  put("f", "3");
  CHECK_THAT(refusal(directory / "data").message, ContainsSubstring("newer version"));
  put("f", "two");
  CHECK_THAT(refusal(directory / "data").message, ContainsSubstring("format number"));
  put("f", "2");
  CHECK_THAT(refusal(directory / "data").message, ContainsSubstring("no valid journal position"));
  put("f", "1");
  CHECK(open_or_fail(directory / "data"));
  put("n", "short");
  CHECK_THAT(refusal(directory / "data").message, ContainsSubstring("damaged"));
}

TEST_CASE("A database that was killed while it was being made is made again", "[store][disk]") {
  const temporary_directory directory;
  fs::create_directory(directory / "data");
  for (const auto* name :
       {"LOCK", "troupe.lock", "LOG", "IDENTITY", "MANIFEST-000001", "000001.dbtmp"})
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

TEST_CASE("A missing table and a list of tables that is cut are named", "[store][disk]") {
  const temporary_directory directory;
  { const auto records = open_or_fail(directory / "data"); }
  std::string list;
  std::string table;
  for (const auto& entry : fs::directory_iterator{directory / "data"}) {
    const auto name = entry.path().filename().string();
    if (name.starts_with("MANIFEST"))
      list = entry.path().string();
    if (name.ends_with(".sst"))
      table = name;
  }
  REQUIRE_FALSE(table.empty());
  SECTION("a table") {
    fs::remove(directory / ("data/" + table));
    CHECK_THAT(refusal(directory / "data").message,
               ContainsSubstring("the table file " + table + " is missing"));
  }
  SECTION("the list") {
    fs::resize_file(list, 20);
    CHECK_THAT(refusal(directory / "data").message,
               ContainsSubstring("the list of its table files, MANIFEST, is cut off or damaged"));
  }
  SECTION("the file that names the list") {
    fs::resize_file(directory / "data/CURRENT", 3);
    CHECK_THAT(refusal(directory / "data").message, ContainsSubstring("CURRENT"));
  }
  SECTION("the journal") {
    fs::remove_all(directory / "data/journal");
    CHECK_THAT(refusal(directory / "data").message,
               ContainsSubstring("The journal is missing")
                   && ContainsSubstring("troupe store repair --lose-after"));
  }
}

TEST_CASE("A failed start names a damaged file only if one is damaged", "[store][disk]") {
  const temporary_directory place;
  const auto directory = place / "MANIFEST of CURRENT.sst";
  { const auto records = open_or_fail(directory); }
  SECTION("there is no room for an open file") {
    class crowded final : public rocksdb::FileSystemWrapper {
    public:
      crowded() : FileSystemWrapper(rocksdb::FileSystem::Default()) {}
      [[nodiscard]] const char* Name() const override { return "crowded"; }
      rocksdb::IOStatus NewSequentialFile(const std::string& name, const rocksdb::FileOptions&,
                                          std::unique_ptr<rocksdb::FSSequentialFile>*,
                                          rocksdb::IODebugContext*) override {
        return rocksdb::IOStatus::IOError("While opening a file: " + name, "Too many open files");
      }
    };
    const auto env = rocksdb::NewCompositeEnv(std::make_shared<crowded>());
    const auto opened = open_rocksdb_store(
        {.directory = directory, .durability = durability::async}, {.env = env.get()});
    REQUIRE(opened.has_error());
    const auto& why = opened.error().message;
    CHECK_THAT(why, ContainsSubstring("Too many open files") && !ContainsSubstring("damaged")
                        && !ContainsSubstring("backup"));
  }
  SECTION("the row of the format is damaged") {
    for (const auto& entry : fs::directory_iterator{directory})
      if (entry.path().extension() == ".sst") {
        std::fstream file{entry.path(), std::ios::in | std::ios::out};
        file << "nonsense";
      }
    const auto why = refusal(directory).message;
    CHECK_THAT(why, ContainsSubstring("is damaged;"));
  }
  SECTION("a table is missing") {
    std::string table;
    for (const auto& entry : fs::directory_iterator{directory})
      if (entry.path().extension() == ".sst")
        table = entry.path().filename().string();
    fs::remove(directory + "/" + table);
    CHECK_THAT(refusal(directory).message,
               ContainsSubstring("the table file " + table + " is missing"));
  }
}

TEST_CASE("A journal of another store is refused without the advice to repair it",
          "[store][disk]") {
  const temporary_directory place;
  for (const auto* name : {"data", "other"})
    const auto records = open_or_fail(place / name);
  fs::remove_all(place / "data/journal");
  fs::copy(place / "other/journal", place / "data/journal", fs::copy_options::recursive);
  CHECK_THAT(refusal(place / "data").message, ContainsSubstring("is not the one")
                                                  && ContainsSubstring("from a backup")
                                                  && !ContainsSubstring("repair"));
}

TEST_CASE("A change in the tables that cannot be read stops the start with its name",
          "[store][disk]") {
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
  const auto why = refusal(directory / "data");
  CHECK(why.code == errc::store_failed);
  CHECK_THAT(why.message, ContainsSubstring("lone") && ContainsSubstring("2"));
}
