// The parts of a check. Internal to store/tools.
#pragma once

#include "store/journal/disk.hpp"
#include "store/rocksdb/rocksdb_open.hpp"
#include "store/tools/check.hpp"

#include <rocksdb/db.h>

#include <string>
#include <string_view>

namespace troupe {

/// Where the parts of a check report to.
class check_desk {
public:
  explicit check_desk(const check_watch& watch) : watch_(watch) {}

  void find(std::string place, std::string problem) {
    ++report.findings;
    if (watch_.on_finding)
      watch_.on_finding({std::move(place), std::move(problem)});
  }
  void note(const std::string& sentence) const {
    if (watch_.on_note)
      watch_.on_note(sentence);
  }
  void show(const record::keyed_row& row, std::uint64_t group = 0) const {
    if (watch_.on_change)
      watch_.on_change(row, group);
  }
  void advance(std::string_view stage, std::uint64_t count) const {
    constexpr std::uint64_t step = 1024;
    if (watch_.on_progress && count % step == 0)
      watch_.on_progress(stage, count);
  }

  check_report report;

private:
  const check_watch& watch_;
};

/// A key with what is not printable as \xNN, and the sequence of a change as a number.
[[nodiscard]] std::string show_key(std::string_view key);

/// Reads every row of the tables, and compares what belongs together.
void check_tables(rocksdb::DB& db, check_desk& desk);

/// Reads every group of the journal. `tables`: what they are compared with; null if these cannot be
/// read. Errors: store_unreadable.
[[nodiscard]] result<void> check_journal(journal::disk& files, const read_tables* tables,
                                         check_desk& desk);

} // namespace troupe
