// The record of a run that no process runs, for commands that read it.
#pragma once

#include "apps/runs/run_entry.hpp"
#include "apps/runs/run_folder.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/store/store.hpp>

#include <memory>

namespace troupe {

struct run_record {
  std::unique_ptr<run_hold> hold; ///< No process goes on with the run meanwhile.
  std::unique_ptr<store> records;
  objective_ptr view;
};

/// Errors: store_locked (a process runs it), unavailable, and those of its store.
[[nodiscard]] result<run_record> open_record(const run_entry& entry);

} // namespace troupe
