// What somebody asks for, the same value whichever version and binding it came through. Every command says who asks and
// carries the trace it belongs to.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include <boost/json/object.hpp>

#include "protocol/ids.hpp"
#include "protocol/message.hpp"
#include "protocol/objective.hpp"
#include "protocol/plan_state.hpp"
#include "protocol/spec.hpp"
#include "protocol/task_state.hpp"

namespace troupe {

/// Who asks (A2A 1.0 section 13.1), and the W3C trace context of the request.
struct caller {
  std::string principal = "anonymous";
  std::string tenant;      ///< Empty: none.
  std::string traceparent; ///< As received; empty: none. W3C Trace Context section 3.2.
};

/// Whose what is made by this caller: the key by which tasks and objectives are kept apart, tenant and principal as one text.
/// Empty: the anonymous caller's, who is everybody where nobody has to say who they are.
[[nodiscard]] inline std::string owner_of(const caller& who) {
  if (who.tenant.empty() && who.principal == caller{}.principal)
    return {};
  return std::to_string(who.tenant.size()) + ":" + who.tenant + who.principal;
}

/// SendMessage / message/send and their streaming forms. `history_length` etc. concern the answer, not the work.
struct send_message {
  caller who;
  message what;
  boost::json::object metadata;
  std::vector<std::string> accepted_output_modes;
};

/// How a task is to be shown.
struct task_view_options {
  std::optional<std::uint32_t> history_length{}; ///< Absent: all. 0: none.
  bool include_artifacts = true;
  bool include_progress = false; ///< For a client that activated the Task Progress extension.
  const objective_view* objective = nullptr; ///< The objective a task stands for, to be shown in its metadata (docs/a2a.md, D15).
};

/// GetTask / tasks/get.
struct get_task {
  caller who;
  task_id id;
  task_view_options view;
};

/// ListTasks.
struct list_tasks {
  caller who;
  std::string context; ///< Empty: any.
  std::optional<task_state> state;
  std::optional<timestamp> status_after; ///< Inclusive.
  std::uint32_t page_size = 50;          ///< 1 to 100.
  std::string page_token;
  task_view_options view{.history_length = std::nullopt, .include_artifacts = false};
};

/// CancelTask / tasks/cancel.
struct cancel_task {
  caller who;
  task_id id;
  boost::json::object metadata;
};

/// SubscribeToTask / tasks/resubscribe.
struct subscribe_to_task {
  caller who;
  task_id id;
};

/// objectives/create, or a plan file. Two phases: nothing runs before it is started.
struct create_objective {
  caller who;
  objective_spec spec; ///< Ids may be empty; the gateway fills them in.
  bool start = false;
  message_ptr request; ///< Set if a message asked for it: a root task then stands for the whole (`objective_view::root_task`).
  std::vector<std::string> accepted_output_modes{}; ///< As `request` came with them.
};

/// objectives/update.
struct update_objective {
  caller who;
  objective_id id;
  std::optional<objective_state> state;
  std::string name;        ///< Empty: unchanged.
  std::string description; ///< Empty: unchanged.
  std::optional<std::uint64_t> revision; ///< Refused if it is not the current one.
};

/// objectives/get.
struct get_objective {
  caller who;
  objective_id id;
  bool include_plans = true;
  bool include_tasks = true;
};

/// objectives/list.
struct list_objectives {
  caller who;
  std::optional<objective_state> state;
  std::uint32_t page_size = 50;
  std::string page_token;
};

/// plans/create.
struct create_plan {
  caller who;
  objective_id objective;
  plan_spec spec;
  bool start = false;
};

/// plans/update.
struct update_plan {
  caller who;
  plan_id id;
  std::optional<plan_state> state;
  std::optional<std::uint64_t> revision;
};

/// plans/get.
struct get_plan {
  caller who;
  plan_id id;
  bool include_tasks = true;
};

} // namespace troupe
