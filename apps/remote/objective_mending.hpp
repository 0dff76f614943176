// The file of a plan that was mended, and the objective of a server that was made of it: what
// `troupe retry ID FILE` changes there before it is tried again. The counterpart of run/run_mending
// for runs of this computer; what differs is found by the same plan/mended_plan.
#pragma once

#include "apps/plan/mended_plan.hpp"
#include "apps/plan/plan_file.hpp"
#include "apps/remote/server_link.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <optional>
#include <set>
#include <string>

namespace troupe {

/// The file as `troupe submit` sends it. Errors: those of read_plan_file; the first thing that is
/// wrong with its dependencies, with its line.
[[nodiscard]] result<checked_file> read_for_server(const std::string& path,
                                                   const param_values& params);

/// An objective as its server shows it, and what of it is in no file.
struct mendable_objective {
  objective_view view;
  std::set<task_position> made_by_tasks; ///< Or added by others.
  std::set<std::uint32_t> made_plans;    ///< Added by others.
};

/// Errors: the server's.
[[nodiscard]] result<mendable_objective> read_mendable(const server_link& on,
                                                       const std::string& id);

/// Of the objective, which was moved to `submitted`: a plan that is skipped still is so by request,
/// which a server does not show. Errors: the server's.
[[nodiscard]] result<void> note_skipped_plans(const server_link& on, mendable_objective& of);

/// What the objective is to change by the file. A server does not show the ids in the file, and the
/// metadata of tasks: tasks and plans are told by their names, and other metadata alone is no
/// change. Plans and tasks that others have added since, and tasks that tasks have called, stay.
/// Errors: those of mend_run; invalid_params, if two plans, or two tasks of a plan, have the same
/// name.
[[nodiscard]] result<mended_run> mend_objective(const mendable_objective& of,
                                                const checked_file& file);

/// The `revision` that an answer says; nothing if it says none.
[[nodiscard]] std::optional<std::uint64_t> revision_in(const boost::json::value& answer);

/// Changes the objective, which was moved to `submitted`. All is tried first, so that nothing is
/// changed if the server refuses a part of it. `revision`: that of the objective after the last
/// change that the server has answered. Errors: the server's.
[[nodiscard]] result<void> send_mended(const server_link& on, const std::string& id,
                                       const mended_run& mended, std::uint64_t& revision);

/// Whether an error with this code says that the server has not done what it was asked, and will
/// not. Else it may have done it, or may do it later.
[[nodiscard]] bool is_refusal(errc code) noexcept;

} // namespace troupe
