// Data directories for the tests of the tools, and ways to damage them.
#pragma once

#include "store/rocksdb/rocksdb_store.hpp"
#include "store/tools/check.hpp"
#include "store/tools/repair.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/store/random_changes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"

#include <rocksdb/db.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <iterator>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe::testing {

namespace fs = std::filesystem;

inline std::string read_bytes(const fs::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>{in}, {}};
}

inline void write_bytes(const fs::path& path, const std::string& bytes) {
  std::ofstream{path, std::ios::binary} << bytes;
}

/// The content of every file below `directory`, by its path.
inline std::map<std::string, std::string> files_of(const fs::path& directory) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator{directory})
    if (entry.is_regular_file())
      out[fs::relative(entry.path(), directory).string()] = read_bytes(entry.path());
  return out;
}

/// Without threads: each change is a group.
inline std::unique_ptr<turned_store> open_turned(const std::string& directory) {
  auto out = make_rocksdb_store({.directory = directory}, rocksdb_internals{});
  INFO((out ? std::string{} : out.error().message));
  REQUIRE(out.has_value());
  return std::move(*out);
}

inline result<std::unique_ptr<turned_store>> try_open(const std::string& directory) {
  return make_rocksdb_store({.directory = directory}, rocksdb_internals{});
}

struct checked {
  check_report report;
  std::vector<std::string> findings; ///< Place and problem.
  std::vector<std::string> notes;
  std::vector<std::string> lines; ///< Of changes.

  [[nodiscard]] std::string all() const {
    std::string out;
    for (const auto& each : findings)
      out += each + "\n";
    return out;
  }
};

inline checked check_or_fail(const std::string& directory) {
  checked out;
  check_watch watch;
  watch.on_finding = [&](const store_finding& found) {
    out.findings.push_back(found.place + ": " + found.problem);
  };
  watch.on_note = [&](const std::string& note) { out.notes.push_back(note); };
  watch.on_change = [&](const record::keyed_row& row, std::uint64_t group) {
    record::write_line(out.lines.emplace_back(), row, group);
  };
  auto report = check_store(directory, watch);
  INFO((report ? std::string{} : report.error().message));
  REQUIRE(report.has_value());
  out.report = *report;
  CHECK(out.report.findings == out.findings.size());
  return out;
}

/// Changes the rows of the tables as RocksDB itself does.
class open_tables {
public:
  explicit open_tables(const std::string& directory) {
    rocksdb::DB* raw = nullptr;
    REQUIRE(rocksdb::DB::Open({}, directory, &raw).ok());
    db_.reset(raw);
  }
  [[nodiscard]] std::map<std::string, std::string> rows() const {
    std::map<std::string, std::string> out;
    const std::unique_ptr<rocksdb::Iterator> each{db_->NewIterator({})};
    for (each->SeekToFirst(); each->Valid(); each->Next())
      out[each->key().ToString()] = each->value().ToString();
    return out;
  }
  void put(const std::string& key, const std::string& value) {
    REQUIRE(db_->Put({}, key, value).ok());
  }
  void remove(const std::string& key) { REQUIRE(db_->Delete({}, key).ok()); }

private:
  std::unique_ptr<rocksdb::DB> db_;
};

/// Commits `count` changes of the script, a group each.
inline void live_on(turned_store& in, random_changes& script, int count) {
  for (int i = 0; i < count; ++i) {
    in.commit(script.next());
    in.flush();
  }
}

} // namespace troupe::testing
