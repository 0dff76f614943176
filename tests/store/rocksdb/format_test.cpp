// Directories of format 1, whose truth was RocksDB's own log, and what becomes of them.
#include "store/rocksdb/old_log.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/source_dir.hpp"

#include <rocksdb/db.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <random>

using namespace troupe;
using namespace troupe::testing;

namespace fs = std::filesystem;

namespace {

/// A directory as the last program of format 1 left it when it was killed.
const fs::path old_directory = fs::path{source_dir()} / "tests/store/rocksdb/data/format-1";

std::string read_bytes(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream{path, std::ios::binary} << bytes;
}

fs::path log_of(const fs::path& directory) {
  for (const auto& entry : fs::directory_iterator{directory})
    if (entry.path().extension() == ".log")
      return entry.path();
  throw std::runtime_error("there is no log");
}

std::map<std::string, std::string> files_of(const fs::path& directory) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::directory_iterator{directory})
    if (entry.is_regular_file() && entry.path().filename() != "troupe.lock")
      out[entry.path().filename().string()] = read_bytes(entry.path());
  return out;
}

/// What is in the directory is there, and a change is taken.
void check_content(const std::string& directory) {
  const auto records = open_or_fail(directory);
  const auto found = recover_or_fail(*records);
  REQUIRE(found.objectives.size() == 1);
  CHECK(found.objectives[0]->id.str() == "trip");
  CHECK(found.lone_tasks.empty());
  CHECK(find_objective(*records, objective_id{"done"})->state == objective_state::completed);
  CHECK(find_task(*records, task_id{"flight"})->status.state == task_state::completed);
  CHECK(find_task(*records, task_id{"wait"})->status.state == task_state::working);
  CHECK(find_task(*records, task_id{"trip.p0.t2"})->status.state == task_state::submitted);
  list_tasks query;
  query.context = "talk";
  CHECK(list(*records, query)->total_size == 3);
  const auto pushes = records->pushes().list(task_id{"wait"});
  REQUIRE(pushes.size() == 1);
  CHECK(pushes[0].config.token == "secret");
}

std::string format_of(const std::string& directory) {
  rocksdb::DB* db = nullptr;
  REQUIRE(rocksdb::DB::OpenForReadOnly({}, directory, &db).ok());
  std::string out;
  REQUIRE(db->Get({}, "f", &out).ok());
  delete db;
  return out;
}

} // namespace

TEST_CASE("A directory of format 1 is opened with all that it has, and is of format 2 from then on",
          "[store][format]") {
  const temporary_directory place;
  const auto directory = place / "data";
  fs::copy(old_directory, directory);
  const bool grown = GENERATE(false, true); // As a log that had grown ahead of its records.
  if (grown)
    write_bytes(log_of(directory), read_bytes(log_of(directory)) + std::string(100'000, '\0'));
  check_content(directory);
  CHECK(format_of(directory) == "2");
  {
    const auto records = open_or_fail(directory);
    recover_or_fail(*records);
    records->commit(about_lone("new", "c", 1, born_lone("new", "c", 1)));
    records->flush();
  }
  const auto records = open_or_fail(directory);
  CHECK(recover_or_fail(*records).lone_tasks.size() == 1);
}

TEST_CASE("A crash at any point of the change of format leaves a directory that opens",
          "[store][format]") {
  const temporary_directory place;
  // After the tables were opened: RocksDB has replayed its log.
  fs::copy(old_directory, place / "replayed");
  rocksdb::DB* db = nullptr;
  REQUIRE(rocksdb::DB::Open({}, place / "replayed", &db).ok());
  delete db;
  check_content(place / "replayed");
  // The journal is there, and the tables do not know it yet.
  for (const bool is_whole : {false, true}) {
    const auto directory = place / (is_whole ? "whole" : "half");
    fs::copy(old_directory, directory);
    fs::create_directory(directory + "/journal");
    { const auto made = open_or_fail(place / "fresh"); }
    if (is_whole)
      for (const auto& entry : fs::directory_iterator{place / "fresh/journal"})
        fs::copy(entry.path(), directory + "/journal");
    check_content(directory);
    fs::remove_all(place / "fresh");
  }
}

TEST_CASE("A torn end of an old log is cut off and said", "[store][format]") {
  const temporary_directory place;
  const auto directory = place / "data";
  fs::copy(old_directory, directory);
  const auto log = log_of(directory);
  auto bytes = read_bytes(log);
  const bool zeros = GENERATE(false, true);
  const auto cut = bytes.size() - 20;
  bytes.replace(cut, std::string::npos, zeros ? 1000 : 0, '\0');
  write_bytes(log, bytes);
  const auto records = open_or_fail(directory);
  const auto found = recover_or_fail(*records);
  CHECK_THAT(found.repaired, ContainsSubstring(log.filename().string()));
  CHECK(find_task(*records, task_id{"flight"})->status.state == task_state::completed);
}

TEST_CASE("An old log that is damaged before its end is refused, named and left as it is",
          "[store][format]") {
  const temporary_directory place;
  const auto whole = read_bytes(log_of(old_directory));
  std::mt19937_64 dice{5};
  for (int i = 0; i < 50; ++i) {
    const auto directory = place / std::to_string(i);
    fs::copy(old_directory, directory);
    const auto log = log_of(directory);
    auto bytes = whole;
    const auto at = dice() % (whole.size() * 3 / 4);
    bytes[at] = static_cast<char>(bytes[at] ^ (1 << dice() % 8));
    write_bytes(log, bytes);
    CAPTURE(at);
    const auto before = files_of(directory);
    const auto opened = open_rocksdb_store({.directory = directory});
    REQUIRE(opened.has_error());
    CHECK(opened.error().code == errc::store_failed);
    CHECK_THAT(opened.error().message, ContainsSubstring(log.filename().string()));
    CHECK(files_of(directory) == before);
  }
}

TEST_CASE("The records of an old log are found to their end, over its blocks", "[store][format]") {
  const temporary_directory place;
  rocksdb::DB* db = nullptr;
  rocksdb::Options options;
  options.create_if_missing = true;
  REQUIRE(rocksdb::DB::Open(options, place / "data", &db).ok());
  std::vector<std::uintmax_t> ends{0};
  for (std::size_t i = 0; i < 60; ++i) { // A batch of 70,000 bytes lies in three blocks.
    rocksdb::WriteOptions now;
    now.sync = true;
    REQUIRE(db->Put(now, std::to_string(i), std::string(i % 10 == 3 ? 70'000 : i * 150, 'v')).ok());
    ends.push_back(fs::file_size(log_of(place / "data")));
  }
  const auto bytes = read_bytes(log_of(place / "data"));
  delete db;
  CHECK(scan_old_log(bytes).batches == 60);
  CHECK_FALSE(scan_old_log(bytes).bad_at);
  for (std::size_t i = 1; i + 1 < ends.size(); ++i) {
    CAPTURE(i);
    const auto cut = scan_old_log(bytes.substr(0, ends[i] + 10)); // Torn: the next is not whole.
    CHECK(cut.batches == i);
    CHECK(cut.bad_at);
    CHECK_FALSE(cut.readable_at);
    auto flipped = bytes;
    flipped[ends[i] + 8] = static_cast<char>(flipped[ends[i] + 8] ^ 4);
    const auto damaged = scan_old_log(flipped);
    CHECK(damaged.batches == i);
    CHECK(damaged.readable_at.has_value() == (i + 2 < ends.size()));
  }
}
