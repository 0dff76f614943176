// `troupe store stat`: numbers about a data directory. Changes nothing.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/protocol/task_state.hpp>

#include <array>
#include <cstdint>
#include <string>

namespace troupe {

struct store_stat {
  std::uint32_t format = 0;
  std::uint64_t mark = 0; ///< The last group in the tables.
  // The journal; zeros in format 1:
  std::uint64_t first = 0; ///< Group.
  std::uint64_t last = 0;  ///< Group.
  std::uint64_t safe = 0;  ///< Groups up to this are known to be synced.
  std::uint64_t segments = 0;
  std::uint64_t journal_bytes = 0; ///< Of the segment files, reserved room included.
  std::string journal_problem;     ///< Why the server would not start, in sentences.
  // The tables, as after the group `mark`:
  std::uint64_t table_files = 0;
  std::uint64_t table_bytes = 0;
  std::uint64_t live_objectives = 0;
  std::uint64_t live_tasks = 0; ///< That have begun and not ended, lone ones included.
  std::uint64_t lone_tasks = 0; ///< Of these.
  std::array<std::uint64_t, task_state_count> ended_tasks{}; ///< By state.
  std::array<std::uint64_t, objective_state_count> sealed_objectives{};
  std::uint64_t push_configs = 0;
};

/// Errors: store_locked, store_failed (there is no store, or the tables cannot be read),
/// store_unreadable.
[[nodiscard]] result<store_stat> stat_store(const std::string& directory);

} // namespace troupe
