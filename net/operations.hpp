// What a client can ask for: A2A's operations (A2A 1.0 section 3.1) and those of the OPT extension. The tables of the bindings
// (net/json_rpc.cpp, net/rest.cpp) name them; each decodes its params before it first waits.
#pragma once

#include "net/operation.hpp"

namespace troupe::net {

// -- A2A: a2a_operations.cpp -------------------------------------------------------------------------------------------

[[nodiscard]] awaitable<void> send_message_operation(operation_call& call);
[[nodiscard]] awaitable<void> send_streaming_message_operation(operation_call& call);
[[nodiscard]] awaitable<void> get_task_operation(operation_call& call);
[[nodiscard]] awaitable<void> list_tasks_operation(operation_call& call);
[[nodiscard]] awaitable<void> cancel_task_operation(operation_call& call);
[[nodiscard]] awaitable<void> subscribe_to_task_operation(operation_call& call);
[[nodiscard]] awaitable<void> get_extended_card_operation(operation_call& call);

// -- push notifications: push_operations.cpp ---------------------------------------------------------------------------

[[nodiscard]] awaitable<void> create_push_config_operation(operation_call& call);
[[nodiscard]] awaitable<void> get_push_config_operation(operation_call& call);
[[nodiscard]] awaitable<void> list_push_configs_operation(operation_call& call);
[[nodiscard]] awaitable<void> delete_push_config_operation(operation_call& call);

// -- OPT: opt_operations.cpp -------------------------------------------------------------------------------------------

[[nodiscard]] awaitable<void> create_objective_operation(operation_call& call);
[[nodiscard]] awaitable<void> get_objective_operation(operation_call& call);
[[nodiscard]] awaitable<void> list_objectives_operation(operation_call& call);
[[nodiscard]] awaitable<void> update_objective_operation(operation_call& call);
[[nodiscard]] awaitable<void> create_plan_operation(operation_call& call);
[[nodiscard]] awaitable<void> get_plan_operation(operation_call& call);
[[nodiscard]] awaitable<void> update_plan_operation(operation_call& call);

} // namespace troupe::net
