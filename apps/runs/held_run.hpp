// A run that no process runs, opened so that a command can change it through the service that
// changes the objectives of a server. Its actors live, and nothing of it begins.
#pragma once

#include "actors/service/service.hpp"
#include "apps/runs/run_entry.hpp"
#include "apps/runs/run_record.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <cstdint>
#include <memory>
#include <optional>

namespace troupe {

enum class held_for : std::uint8_t {
  looking,  ///< Nothing changes but questions: the states of the run stay as they are recorded.
  changing, ///< Plans that work are recorded as blocked. `--resume` takes that back.
};

/// Whether a command may open the run: no process runs it, and it has not ended. Errors:
/// store_locked, store_unreadable, invalid_transition; the message says what helps.
[[nodiscard]] result<void> check_held(const run_entry& entry);

class held_run {
public:
  /// Reads its record. Errors: those of check_held and open_record; invalid_transition (its record
  /// says that it has ended, or is being canceled).
  [[nodiscard]] static result<std::unique_ptr<held_run>> open(const run_entry& entry);

  /// As its record was when it was opened.
  [[nodiscard]] const objective_view& view() const { return *record_.view; }

  /// Brings its actors up, in place of those of an earlier call. The service ends with the next
  /// call, or with `close`. Errors: those of reading the record.
  [[nodiscard]] result<service> start(held_for purpose);

  /// Ends its actors, waits until all is written, and brings `run.json` up to date. The entry as it
  /// is then. Errors: those of reading the record and of keep_entry.
  [[nodiscard]] result<run_entry> close();

private:
  held_run(run_entry entry, run_record record);

  run_entry entry_;
  run_record record_;
  const timestamp opened_;
  agent_registry agents_;
  std::optional<gateway> gateway_;
};

} // namespace troupe
