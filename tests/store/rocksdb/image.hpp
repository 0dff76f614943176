// A store whose files are in memory: tables in RocksDB's file system in memory, the journal on a
// simulated disk.
#pragma once

#include "store/rocksdb/rocksdb_store.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/journal/simulated_disk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/temporary_directory.hpp"

#include <rocksdb/env.h>

#include <algorithm>
#include <map>
#include <memory>
#include <string>
#include <vector>

namespace troupe::testing {

/// The files of a store, held in memory: what a process that is killed leaves, without waiting for
/// a disk.
class image {
public:
  static constexpr std::size_t segment_bytes = std::size_t{256} << 10;
  using files = std::map<std::string, std::string>;

  explicit image(std::uint64_t seed = 1)
      : tables_(rocksdb::NewMemEnv(rocksdb::Env::Default())), disk_(seed) {
    options.journal.segment_bytes_min = segment_bytes;
  }

  /// The same tables, with these files of the journal.
  [[nodiscard]] std::unique_ptr<image> with_journal(const files& journal) const {
    return with(tables(), journal);
  }
  /// These files of the tables, and these of the journal.
  [[nodiscard]] std::unique_ptr<image> with(const files& tables, const files& journal) const {
    auto out = std::make_unique<image>();
    out->options = options;
    out->options.journal_files = nullptr;
    for (const auto& [name, content] : tables)
      REQUIRE(rocksdb::WriteStringToFile(out->tables_.get(), content, path(name), false).ok());
    for (const auto& [name, content] : journal)
      out->disk_.restore(name, content);
    return out;
  }

  /// Without threads: what is on the disk between two calls is known.
  [[nodiscard]] std::unique_ptr<turned_store> open(durability how = durability::sync) {
    auto out = try_open(how);
    INFO((out ? std::string{} : out.error().message));
    REQUIRE(out.has_value());
    return std::move(*out);
  }
  [[nodiscard]] result<std::unique_ptr<turned_store>> try_open(durability how = durability::sync) {
    return make_rocksdb_store({.directory = directory(), .durability = how, .memory = memory},
                              internals());
  }
  /// As the store is opened.
  [[nodiscard]] rocksdb_internals internals() {
    auto out = options;
    out.env = tables_.get();
    out.locks_directory = false;
    if (!out.journal_files)
      out.journal_files = &disk_;
    out.time = clock;
    return out;
  }

  [[nodiscard]] journal::simulated_disk& disk() noexcept { return disk_; }
  hand_time time{at_ms(1'700'000'000'000)};
  const time_source* clock = &time; ///< The store's.
  /// Tables and time aside. Its `journal_files`, if any, stands before `disk`.
  rocksdb_internals options;
  memory_budget_ptr memory{}; ///< Null: the store has one of its own.

  [[nodiscard]] files tables() const {
    files out;
    // A store that is still open may remove a file meanwhile; then the others are read again.
    for (int tries = 0; !read_tables(out); ++tries)
      REQUIRE(tries < 100);
    return out;
  }
  [[nodiscard]] files journal() {
    files out;
    for (const auto& name : disk_.names())
      out[name] = disk_.content(name);
    return out;
  }

  /// Of a journal with one segment: where its next frame begins.
  static std::size_t journal_end(const files& journal) {
    const auto end = journal.at(segment).find_last_not_of('\0') + 1;
    return std::max(journal::segment_header_bytes, (end + 7) / 8 * 8);
  }

  /// The journal `before`, after as many bytes of the groups behind it were written as stand before
  /// `at` in `behind`.
  static files torn_at(const files& before, const files& behind, std::size_t at) {
    auto out = before;
    auto bytes = behind.at(segment);
    bytes.replace(at, std::string::npos, bytes.size() - at, '\0');
    out[segment] = bytes;
    return out;
  }

private:
  static constexpr const char* segment = "segment-00000001";

  [[nodiscard]] static std::string path(const std::string& name) {
    return directory() + "/" + name;
  }

  /// False if a file was removed after the names were read.
  [[nodiscard]] bool read_tables(files& into) const {
    into.clear();
    const auto names = table_names();
    return std::all_of(names.begin(), names.end(), [&](const std::string& name) {
      return rocksdb::ReadFileToString(tables_.get(), path(name), &into[name]).ok();
    });
  }

  [[nodiscard]] std::vector<std::string> table_names() const {
    std::vector<std::string> out;
    REQUIRE(tables_->GetChildren(directory(), &out).ok());
    std::erase_if(
        out, [](const std::string& name) { return name == "." || name == ".." || name == "LOCK"; });
    return out;
  }

  /// The same for all images: only the store's check of the directory touches the disk.
  static std::string directory() {
    static const temporary_directory shared;
    return shared / "data";
  }

  std::unique_ptr<rocksdb::Env> tables_;
  journal::simulated_disk disk_;
};

} // namespace troupe::testing
