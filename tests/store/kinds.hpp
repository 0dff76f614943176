// The two stores behind one table of behaviours, a directory that goes away with the test, and records as text to compare them by.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include <unistd.h>

#include "protocol/record.hpp"
#include "store/rocksdb_store.hpp"
#include "store/store.hpp"
#include "tests/support/catch.hpp"

namespace troupe::testing {

/// An empty directory, removed at the end.
class temporary_directory {
public:
  temporary_directory() {
    auto pattern = (std::filesystem::temp_directory_path() / "troupe-store-XXXXXX").string();
    REQUIRE(::mkdtemp(pattern.data()) != nullptr);
    path_ = pattern;
  }
  ~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }

private:
  std::filesystem::path path_;
};

inline std::unique_ptr<store> open_or_fail(const std::string& directory, const rocksdb_internals& internals = {}) {
  // A test that is killed loses nothing that matters, and fsync is what takes the time: only what tests it asks for it.
  auto out = open_rocksdb_store({.directory = directory, .durability = durability::async}, internals);
  if (!out)
    FAIL(out.error().message);
  return std::move(*out);
}

inline recovered recover_or_fail(store& in) {
  auto out = in.recover();
  if (!out)
    FAIL(out.error().message);
  return std::move(*out);
}

struct memory_kind {
  std::unique_ptr<store> records = make_memory_store();
};

struct rocksdb_kind {
  temporary_directory directory;
  std::unique_ptr<store> records = open_or_fail(directory / "data");
};

inline std::string describe(const task_ptr& what) {
  std::string out;
  if (what)
    record::write(out, *what);
  return out.empty() ? "nothing" : out;
}

inline std::string describe(const objective_ptr& what) {
  std::string out;
  if (what)
    record::write(out, *what);
  return out.empty() ? "nothing" : out;
}

} // namespace troupe::testing
