// The stores behind one table of behaviours, and records as text to compare them by.
#pragma once

#include "protocol/record/record.hpp"
#include "store/rocksdb/rocksdb_store.hpp"
#include "store/session/session_store.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"
#include <troupe/store/store.hpp>

#include <filesystem>
#include <memory>
#include <string>

#include <unistd.h>

namespace troupe::testing {

inline std::unique_ptr<store> open_or_fail(const std::string& directory,
                                           const rocksdb_internals& internals = {}) {
  // A test that is killed loses nothing that matters, and fsync is what takes the time: only what
  // tests it asks for it.
  auto out =
      open_rocksdb_store({.directory = directory, .durability = durability::async}, internals);
  if (!out)
    FAIL(out.error().message);
  return std::move(*out);
}

/// The same of a store of session files.
inline std::unique_ptr<store> open_sessions_or_fail(const std::string& directory,
                                                    const rocksdb_internals& internals = {},
                                                    const session_keeping& how = {}) {
  auto out =
      open_session_store({.directory = directory, .durability = durability::async}, internals, how);
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

struct session_kind {
  temporary_directory directory;
  std::unique_ptr<store> records = open_sessions_or_fail(directory / "data");
};

inline std::string describe(const task_ptr& task) {
  std::string out;
  if (task)
    record::write(out, *task);
  return out.empty() ? "nothing" : out;
}

inline std::string describe(const objective_ptr& objective) {
  std::string out;
  if (objective)
    record::write(out, *objective);
  return out.empty() ? "nothing" : out;
}

} // namespace troupe::testing
