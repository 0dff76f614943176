// What is known of a run without opening its record: the file `run.json` in its directory. It is
// written when the run begins, now and then while it goes on, and when it ends.
#pragma once

#include "apps/run/run_model.hpp"
#include "apps/run/run_timing.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/protocol/time.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// Of a run; its entry stays small however often it is resumed.
inline constexpr std::size_t stopped_times_max = 1000;

struct run_entry {
  std::string id;   ///< Also of its objective.
  std::string name; ///< Of its objective.
  std::string file; ///< Absolute; `-`: standard input.
  std::string text; ///< The hash of the file's text (hash_of_text).
  /// With which its plan was read: `--param` and `--only`. A retry reads the mended file so.
  std::vector<std::pair<std::string, std::string>> params;
  std::vector<std::string> only;
  std::string begun_in; ///< The directory in which it was begun: its programs run there.
  objective_state state = objective_state::submitted;
  timestamp started{};
  timestamp ended{};                 ///< Epoch: it goes on, or its process died.
  timestamp tried{};                 ///< When it was tried again, the last time; epoch: never.
  std::vector<stopped_time> stopped; ///< In order; of more than stopped_times_max the latest.
  std::uint64_t tasks = 0;
  std::uint64_t completed = 0;
  std::uint64_t failed = 0;

  // Not in the file:
  std::string directory;   ///< Where its record and its `run.json` are.
  bool is_running = false; ///< A process holds it.
  bool is_damaged = false; ///< Its `run.json` cannot be read; its id is the name of its directory.

  friend bool operator==(const run_entry&, const run_entry&) = default;
};

/// `running`, `damaged`, `completed`, `failed`, `canceled`; of one that no process holds and that
/// can go on: `waiting` (a question had nobody to answer it) or `interrupted`.
[[nodiscard]] std::string_view state_word(const run_entry& entry);

/// Its state is `waiting`.
[[nodiscard]] bool waits_for_answer(const run_entry& entry);
/// No process holds it, and it has not settled: `--resume` goes on with it.
[[nodiscard]] bool is_unfinished(const run_entry& entry);
/// It failed or was canceled: `--retry` does again what did not complete.
[[nodiscard]] bool can_be_retried(const run_entry& entry);

/// State, numbers and name as `model` has them.
void bring_up_to_date(run_entry& entry, const run_model& model);

/// No process ran it from `last_change` of its record, or from when it was left, until `now`.
/// False: that is no time.
bool note_stopped(run_entry& entry, timestamp last_change, timestamp now);

/// 16 hex digits (FNV-1a, 64 bits, draft-eastlake-fnv-17): tells texts apart, no more.
[[nodiscard]] std::string hash_of_text(std::string_view text);

/// As JSON with a newline.
[[nodiscard]] std::string write_entry(const run_entry& entry);
/// The same for scripts: `state` is its state_word, and its directory is told.
[[nodiscard]] std::string shown_entry(const run_entry& entry);
/// Errors: parse_error.
[[nodiscard]] result<run_entry> read_entry(std::string_view text);

} // namespace troupe
