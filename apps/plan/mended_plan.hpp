// A run that did not complete, and the file of its plan as it is now: what has to change in the run
// before it is tried again. A plain value of both; `run --retry FILE` carries it out.
#pragma once

#include "actors/graph/objective_graph.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/objective_operation.hpp>
#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/spec.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <set>
#include <string>
#include <vector>

namespace troupe {

/// For plans/modify of one plan.
struct mended_plan {
  plan_id plan;
  std::vector<wanted_operation> operations;
};

struct mended_run {
  std::vector<mended_plan> plans; ///< To be done first. None is without operations.
  std::vector<wanted_objective_operation> objective; ///< For objectives/modify.
  std::size_t changed = 0;                           ///< Tasks with another definition.
  std::size_t added = 0;                             ///< Tasks, those of new plans too.
  std::size_t removed = 0;                           ///< Tasks, those of plans that are gone too.
  /// Names of tasks that the file has changed, or has no more, and that stay: they have completed.
  std::vector<std::string> staying;

  [[nodiscard]] bool empty() const noexcept { return plans.empty() && objective.empty(); }
};

/// The only plan of the run, apart from `made_plans`: in a file of one plan it may have another
/// name. Nothing if there are several.
[[nodiscard]] std::optional<std::uint32_t> only_plan_of(const objective_view& recorded,
                                                        const std::set<std::uint32_t>& made_plans);

/// Plans and tasks are the same in both if they have the same id in the file, else the same name,
/// which no other one has. `file` has no ids of its own (make_ids_local), and `edges` are its
/// dependencies. Tasks in `made_by_tasks` and plans in `made_plans` are in no file, and stay. The
/// operations are for a run that was renewed: tasks that did not complete have not begun. Errors:
/// invalid_params names a difference that no operation makes.
[[nodiscard]] result<mended_run> mend_run(const objective_view& recorded,
                                          const objective_spec& file,
                                          const resolved_objective& edges,
                                          const std::set<task_position>& made_by_tasks = {},
                                          const std::set<std::uint32_t>& made_plans = {});

/// `2 tasks changed, 1 added`.
[[nodiscard]] std::string mended_text(const mended_run& mended);

/// What a person is told of it before it is done, of a file of that name: what has changed in it,
/// and which completed tasks stay.
[[nodiscard]] std::vector<std::string> mended_lines(const mended_run& mended,
                                                    const std::string& file);

} // namespace troupe
