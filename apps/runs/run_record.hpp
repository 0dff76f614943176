// The record of a run that no process runs, for commands that read it, and which run or plan they
// mean.
#pragma once

#include "apps/runs/run_entry.hpp"
#include "apps/runs/run_folder.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/store/store.hpp>

#include <memory>
#include <string>

namespace troupe {

/// A run of this computer, or one of its plans.
struct run_or_plan {
  run_entry run;
  std::string plan; ///< Its id; empty: all of the run.
};

/// `k3v9`, `k3v9.p0`, `DIR/`, `DIR/k3v9.p0`. Whether there is such a plan, the record says
/// (check_plan_of). Errors: those of named_run.
[[nodiscard]] result<run_or_plan> run_or_plan_named(const std::string& name);

/// Empty: no plan is meant. Errors: plan_not_found.
[[nodiscard]] result<void> check_plan_of(const objective_view& run, const std::string& plan);

struct run_record {
  std::unique_ptr<run_hold> hold; ///< No process goes on with the run meanwhile.
  std::unique_ptr<store> records;
  objective_ptr view;
};

/// Errors: store_locked (a process runs it), unavailable, and those of its store.
[[nodiscard]] result<run_record> open_record(const run_entry& entry);

} // namespace troupe
