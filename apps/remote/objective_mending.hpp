// The file of a plan that was mended, and the objective of a server that was made of it: what
// `troupe retry ID FILE` changes there before it is tried again. The counterpart of run/run_mending
// for runs of this computer; what differs is found by the same plan/mended_plan.
#pragma once

#include "apps/plan/mended_plan.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/remote/server_link.hpp"
#include <troupe/protocol/errc.hpp>

#include <string>

namespace troupe {

/// The file as `troupe submit` sends it. Errors: those of read_plan_file; the first thing that is
/// wrong with its dependencies, with its line.
[[nodiscard]] result<checked_file> read_for_server(const std::string& path,
                                                   const param_values& params);

/// What the objective is to change by the file. A server does not show the ids in the file, and the
/// metadata of tasks: tasks and plans are told by their names, and other metadata alone is no
/// change. Tasks that others have added since, and those that tasks have called, stay. Errors:
/// those of mend_run; invalid_params, if two tasks of a plan have the same name; the server's.
[[nodiscard]] result<mended_run> mend_objective(const server_link& on, const std::string& id,
                                                const checked_file& file);

/// Changes the objective, which was moved to `submitted`. All is tried first, so that nothing is
/// changed if the server refuses a part of it. Errors: the server's.
[[nodiscard]] result<void> send_mended(const server_link& on, const std::string& id,
                                       const mended_run& mended);

} // namespace troupe
