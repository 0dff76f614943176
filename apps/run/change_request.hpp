// What `modify` asks for, and how the answer is told: of a server, and of a run.
#pragma once

#include "apps/options.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace troupe {

/// A plan, or an objective.
struct changed_object {
  std::string id;
  bool is_plan = false;
};

/// The params of plans/modify or objectives/modify, without `id`. Errors: invalid_params (neither a
/// file nor a task, or both), invalid_document, and those of reading the file.
[[nodiscard]] result<boost::json::object> modification_of(const modify_options& options);

/// Whether all its operations are those of plans/modify, and name no plan.
[[nodiscard]] bool is_change_of_plan(const boost::json::object& change);

/// The only one of `plans`, which are those of `objective`. Errors: invalid_params (there are
/// several, or none; the message lists them).
[[nodiscard]] result<std::string> the_only_plan(const std::string& objective,
                                                const std::vector<std::string>& plans);

/// `plan trip.p0 is at revision 2`, and a line for each list of the answer: `added trip.p0.t3`.
[[nodiscard]] std::string draw_report(const boost::json::object& report, const changed_object& of);

} // namespace troupe
