// What a client can ask of an agent, and how each is named in every version and binding: one table.
#pragma once

#include <cstdint>
#include <string_view>

namespace troupe::a2a {

enum class operation : std::uint8_t {
  send,
  send_streaming,
  get_task,
  list_tasks, ///< Not of A2A 0.3, though some servers of 0.3 have it.
  cancel_task,
  subscribe_to_task,
  create_push,
  get_push,
  list_push,
  delete_push,
  get_extended_card,
  // Of the extension Objective-Plan-Task, the same in both versions.
  create_objective,
  get_objective,
  list_objectives,
  update_objective,
  subscribe_to_objective,
  list_inputs,
  get_input,
  answer_input,
  claim_input,
  release_input,
  modify_objective,
  replan_objective,
  objective_history,
  get_plan,
  modify_plan,
  plan_history,
};

struct operation_row {
  operation which;
  std::string_view rpc_1_0;
  std::string_view rpc_0_3;
  std::string_view verb; ///< On REST.
  std::string_view path; ///< On REST, behind `/v1` in 0.3. `{id}` is that member of the params.
  bool streams = false;
  std::string_view path_0_3{}; ///< Instead of it; empty: the same.
};
[[nodiscard]] const operation_row& row_of(operation which) noexcept;

} // namespace troupe::a2a
