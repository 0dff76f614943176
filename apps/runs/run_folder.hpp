// Where the runs of this user are kept: a directory for each, with its record, its `run.json` and
// what its programs wrote. Several processes may run, list and remove at the same time.
#pragma once

#include "apps/runs/run_entry.hpp"
#include <troupe/protocol/errc.hpp>

#include <memory>
#include <string>
#include <vector>

namespace troupe {

inline constexpr const char* run_entry_file = "run.json";
inline constexpr const char* run_log_file = "programs.jsonl";
/// Cancels that agents elsewhere have not answered (cancel_outbox).
inline constexpr const char* run_cancels_file = "cancels.jsonl";

/// `<state>/troupe/runs`; `<state>` is `xdg_state_home` or `<home>/.local/state` (XDG Base
/// Directory Specification 0.8). Error: unavailable if neither is set.
[[nodiscard]] result<std::string> runs_folder(const char* xdg_state_home, const char* home);
/// The same by the variables of this process.
[[nodiscard]] result<std::string> own_runs_folder();

/// 8 characters of `[0-9a-z]` without i, l, o and u: an id to type.
[[nodiscard]] std::string new_run_id();

/// Makes the directory of a new run, readable by its owner only. Errors: unavailable.
[[nodiscard]] result<std::string> make_run_directory(const std::string& folder,
                                                     const std::string& id);

/// All runs in `folder`, newest first; none if there is no such folder. Directories without an
/// entry are left out; those whose entry cannot be read are damaged runs.
[[nodiscard]] std::vector<run_entry> list_runs(const std::string& folder);
/// The run in `directory`. Errors: objective_not_found.
[[nodiscard]] result<run_entry> run_in(const std::string& directory);
/// The run that a person names: by its directory if there is a `/` in `name`, else as find_run.
[[nodiscard]] result<run_entry> named_run(const std::string& folder, const std::string& name);

/// `troupe run --resume k3v9`; of a run that is not in the folder of runs of this user
/// `troupe run --resume --data DIR`. `how`: `--resume`, `--retry`.
[[nodiscard]] std::string run_command_for(const std::string& how, const run_entry& entry);

/// Replaces the entry of its directory, whole or not at all. Errors: unavailable.
[[nodiscard]] result<void> keep_entry(const run_entry& entry);

/// Removes a run with its record. Errors: store_locked (it is running), unavailable.
[[nodiscard]] result<void> remove_run(const run_entry& entry);

/// Says to others that the run in a directory is running, until it is destroyed or the process
/// ends.
class run_hold {
public:
  /// Null if another process has it. Errors: unavailable.
  [[nodiscard]] static result<std::unique_ptr<run_hold>> take(const std::string& directory);
  /// Whether another process, or another holder in this one, has it. Disturbs no process.
  [[nodiscard]] static bool is_taken(const std::string& directory);

  ~run_hold();
  run_hold(const run_hold&) = delete;
  run_hold& operator=(const run_hold&) = delete;

private:
  explicit run_hold(int file) : file_(file) {}

  const int file_;
};

} // namespace troupe
