// The simulated disk keeps what was synced, and promises nothing else.
#include "tests/store/journal/simulated_disk.hpp"
#include "tests/support/catch.hpp"

#include <cerrno>
#include <set>
#include <string>

using namespace troupe::journal;

namespace {

void settle(simulated_disk& disk) {
  while (disk.turn()) {
  }
}

file_id open(simulated_disk& disk, const std::string& name, open_mode how = open_mode::emptied) {
  file_id out{};
  disk.open(name, how, [&](std::error_code failed, file_id file) {
    REQUIRE_FALSE(failed);
    out = file;
  });
  settle(disk);
  return out;
}

std::error_code write(simulated_disk& disk, file_id file, std::uint64_t offset,
                      const std::string& bytes) {
  std::error_code out;
  disk.write(file, offset, bytes, [&](std::error_code failed) { out = failed; });
  settle(disk);
  return out;
}

std::error_code sync(simulated_disk& disk, file_id file) {
  std::error_code out;
  disk.sync(file, [&](std::error_code failed) { out = failed; });
  settle(disk);
  return out;
}

void sync_names(simulated_disk& disk) {
  disk.sync_directory([](std::error_code failed) { REQUIRE_FALSE(failed); });
  settle(disk);
}

std::string read(simulated_disk& disk, const std::string& name) {
  std::string out;
  const auto file = open(disk, name, open_mode::reading);
  disk.read(file, 0, 1'000'000, [&](std::error_code failed, std::string bytes) {
    REQUIRE_FALSE(failed);
    out = std::move(bytes);
  });
  settle(disk);
  return out;
}

/// A file with synced sectors of `a`, in a disk whose sectors have four bytes.
file_id make_safe_file(simulated_disk& disk, const std::string& name) {
  disk.sector_bytes = 4;
  const auto file = open(disk, name);
  REQUIRE_FALSE(write(disk, file, 0, std::string(40, 'a')));
  REQUIRE_FALSE(sync(disk, file));
  sync_names(disk);
  return file;
}

} // namespace

TEST_CASE("a simulated disk keeps through a power failure what was synced", "[journal]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    simulated_disk disk(seed);
    make_safe_file(disk, "kept");
    disk.lose_power();
    REQUIRE(read(disk, "kept") == std::string(40, 'a'));
  }
}

TEST_CASE("each sector that was not synced is old or new after a power failure", "[journal]") {
  std::set<std::string> found;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    simulated_disk disk(seed);
    const auto file = make_safe_file(disk, "kept");
    REQUIRE_FALSE(write(disk, file, 8, std::string(12, 'b')));
    disk.lose_power();
    const auto left = read(disk, "kept");
    REQUIRE(left.size() == 40);
    for (std::size_t sector = 0; sector < left.size(); sector += 4) {
      const auto bytes = left.substr(sector, 4);
      const bool was_written = sector >= 8 && sector < 20;
      REQUIRE((bytes == "aaaa" || (was_written && bytes == "bbbb")));
    }
    found.insert(left.substr(8, 12));
  }
  CHECK(found.size() == 8); // All combinations of three sectors, also out of order.
}

TEST_CASE("a file that grew without a sync has its old size, or zeros, or what was written",
          "[journal]") {
  std::set<std::string> found;
  for (std::uint64_t seed = 1; seed <= 100; ++seed) {
    simulated_disk disk(seed);
    const auto file = make_safe_file(disk, "kept");
    REQUIRE_FALSE(write(disk, file, 40, "bbbb"));
    disk.lose_power();
    found.insert(read(disk, "kept").substr(40));
  }
  CHECK(found == std::set<std::string>{"", std::string(4, '\0'), "bbbb"});
}

TEST_CASE(
    "a name that was not synced is there or not after a power failure, and a process that ends "
    "loses nothing",
    "[journal]") {
  std::set<std::vector<std::string>> found;
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    simulated_disk disk(seed);
    make_safe_file(disk, "old");
    static_cast<void>(open(disk, "new"));
    disk.end_process();
    CHECK(disk.names() == std::vector<std::string>{"new", "old"});
    disk.lose_power();
    found.insert(disk.names());
  }
  CHECK(found == std::set<std::vector<std::string>>{{"old"}, {"new", "old"}});
}

TEST_CASE("a sync that fails forgets what it should have made safe", "[journal]") {
  for (std::uint64_t seed = 1; seed <= 50; ++seed) {
    simulated_disk disk(seed);
    const auto file = make_safe_file(disk, "kept");
    REQUIRE_FALSE(write(disk, file, 0, "bbbb"));
    disk.refuse = [](disk_call kind, const std::string&) {
      return kind == disk_call::sync ? std::error_code(EIO, std::generic_category())
                                     : std::error_code{};
    };
    REQUIRE(sync(disk, file).value() == EIO);
    disk.refuse = nullptr;
    REQUIRE_FALSE(sync(disk, file));
    disk.lose_power();
    REQUIRE(read(disk, "kept") == std::string(40, 'a'));
  }
}

TEST_CASE("a simulated disk without room refuses what needs more, and takes it again later",
          "[journal]") {
  simulated_disk disk;
  const auto file = make_safe_file(disk, "kept");
  CHECK(disk.used() == 40);
  disk.capacity = 42;
  CHECK(write(disk, file, 40, "bbbb").value() == ENOSPC);
  CHECK_FALSE(write(disk, file, 0, "bbbb")); // It has its room already.
  disk.capacity = 44;
  CHECK_FALSE(write(disk, file, 40, "bbbb"));
}

TEST_CASE("calls about one file of a simulated disk keep their order", "[journal]") {
  simulated_disk disk(3);
  const auto one = open(disk, "one");
  const auto two = open(disk, "two");
  std::string done_of_one;
  std::string done_of_all;
  for (char each = 'a'; each <= 'h'; ++each)
    for (const auto file : {one, two})
      disk.size(file, [&, each, file](std::error_code, std::uint64_t) {
        done_of_all += file == one ? '1' : '2';
        if (file == one)
          done_of_one += each;
      });
  settle(disk);
  CHECK(done_of_one == "abcdefgh");
  CHECK(done_of_all != "1212121212121212"); // Those of two files do not.
}
