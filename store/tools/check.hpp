// `troupe store check`: reads everything in a data directory and says what does not fit together.
// Changes nothing.
#pragma once

#include "protocol/record/change_line.hpp"
#include <troupe/protocol/errc.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>

namespace troupe {

/// How much was read.
struct check_counts {
  // The journal:
  std::uint64_t groups = 0;
  std::uint64_t group_changes = 0;
  std::uint64_t group_pushes = 0; ///< New values of push configurations.
  // The tables:
  std::uint64_t rows = 0;
  std::uint64_t changes = 0; ///< Of the history.
  std::uint64_t objectives = 0;
  std::uint64_t lone_tasks = 0;
  std::uint64_t live_streams = 0;
  std::uint64_t ended_tasks = 0;
  std::uint64_t sealed_objectives = 0;
  std::uint64_t push_configs = 0;
};

/// Something that does not fit.
struct store_finding {
  std::string place; ///< A file and an offset, or the key of a row.
  std::string problem;
};

/// Called while the directory is read. All may be null.
struct check_watch {
  std::function<void(const store_finding&)> on_finding;
  /// Nothing is wrong, but it is worth knowing: a sentence.
  std::function<void(const std::string&)> on_note;
  /// Each change of the tables' history; then each of the journal that the tables do not have yet,
  /// with its group (else 0).
  std::function<void(const record::keyed_row&, std::uint64_t group)> on_change;
  /// Now and then: what is read, and how much of it has been.
  std::function<void(std::string_view stage, std::uint64_t count)> on_progress;
};

struct check_report {
  std::uint32_t format = 0; ///< 0: the tables cannot be opened.
  std::uint64_t mark = 0;   ///< The last group in the tables.
  std::uint64_t findings = 0;
  check_counts counts;
};

/// Errors: store_locked (a process uses the directory), store_failed (there is no store in it, or
/// it may not be read), store_unreadable (the disk fails). Damage is a finding.
[[nodiscard]] result<check_report> check_store(const std::string& directory,
                                               const check_watch& watch);

} // namespace troupe
