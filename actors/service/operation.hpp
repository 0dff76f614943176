// The table of operations: all kinds of requests, independent of the binding. Each binding has its
// own column beside it (net/a2a/operation_table.hpp); a test checks that every row is in every
// column.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/principal.hpp>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <string_view>

namespace troupe {

enum class operation : std::uint8_t {
  send_message,
  send_streaming_message,
  get_task,
  list_tasks,
  cancel_task,
  subscribe_to_task,
  create_push_config,
  get_push_config,
  list_push_configs,
  delete_push_config,
  get_extended_card,
  create_objective,
  get_objective,
  subscribe_to_objective,
  list_objectives,
  update_objective,
  modify_objective,
  replan_objective,
  list_objective_history,
  create_plan,
  get_plan,
  list_plans,
  update_plan,
  add_tasks,
  modify_plan,
  list_plan_history,
  list_inputs,
  subscribe_to_inputs,
  get_input,
  answer_input,
  claim_input,
  release_input,
};

/// The kind of object an operation names.
enum class object_kind : std::uint8_t { none, task, objective, plan, input };

/// How an operation answers.
enum class answer_kind : std::uint8_t { value, feed };

struct operation_row {
  operation which;
  std::string_view name; ///< For people.
  scope needs;
  object_kind names;
  errc not_there; ///< An id that does not exist, or belongs to another client; none: it names no
                  ///< object.
  errc unknown_tenant; ///< A tenant that does not exist.
  answer_kind answers;
};

// clang-format off
inline constexpr auto operation_rows = [] {
  using enum operation;
  using enum scope;
  using enum errc;
  using enum answer_kind;
  using kind = object_kind;
  return std::to_array<operation_row>({
    {send_message          , "send message"          , write , kind::task     , task_not_found     , invalid_params, value},
    {send_streaming_message, "send streaming message", write , kind::task     , task_not_found     , invalid_params, feed},
    {get_task              , "get task"              , read  , kind::task     , task_not_found     , task_not_found, value},
    {list_tasks            , "list tasks"            , read  , kind::none     , none               , invalid_params, value},
    {cancel_task           , "cancel task"           , write , kind::task     , task_not_found     , task_not_found, value},
    {subscribe_to_task     , "subscribe to task"     , read  , kind::task     , task_not_found     , task_not_found, feed},
    {create_push_config    , "create push config"    , notify, kind::task     , task_not_found     , task_not_found, value},
    {get_push_config       , "get push config"       , read  , kind::task     , task_not_found     , task_not_found, value},
    {list_push_configs     , "list push configs"     , read  , kind::task     , task_not_found     , task_not_found, value},
    {delete_push_config    , "delete push config"    , notify, kind::task     , task_not_found     , task_not_found, value},
    {get_extended_card     , "get extended card"     , read  , kind::none     , none               , invalid_params, value},
    {create_objective      , "create objective"      , write , kind::none     , none               , invalid_params, value},
    {get_objective         , "get objective"         , read  , kind::objective, objective_not_found, invalid_params, value},
    {subscribe_to_objective, "subscribe to objective", read  , kind::objective, objective_not_found, invalid_params, feed},
    {list_objectives       , "list objectives"       , read  , kind::none     , none               , invalid_params, value},
    {update_objective      , "update objective"      , write , kind::objective, objective_not_found, invalid_params, value},
    {modify_objective      , "modify objective"      , write , kind::objective, objective_not_found, invalid_params, value},
    {replan_objective      , "replan objective"      , write , kind::objective, objective_not_found, invalid_params, value},
    {list_objective_history, "list objective history", read  , kind::objective, objective_not_found, invalid_params, value},
    {create_plan           , "create plan"           , write , kind::objective, objective_not_found, invalid_params, value},
    {get_plan              , "get plan"              , read  , kind::plan     , plan_not_found     , invalid_params, value},
    {list_plans            , "list plans"            , read  , kind::objective, objective_not_found, invalid_params, value},
    {update_plan           , "update plan"           , write , kind::plan     , plan_not_found     , invalid_params, value},
    {add_tasks             , "add tasks"             , write , kind::plan     , plan_not_found     , invalid_params, value},
    {modify_plan           , "modify plan"           , write , kind::plan     , plan_not_found     , invalid_params, value},
    {list_plan_history     , "list plan history"     , read  , kind::plan     , plan_not_found     , invalid_params, value},
    {list_inputs           , "list inputs"           , read  , kind::none     , none               , invalid_params, value},
    {subscribe_to_inputs   , "subscribe to inputs"   , read  , kind::none     , none               , invalid_params, feed},
    {get_input             , "get input"             , read  , kind::input    , input_not_found    , invalid_params, value},
    {answer_input          , "answer input"          , write , kind::input    , input_not_found    , invalid_params, value},
    {claim_input           , "claim input"           , write , kind::input    , input_not_found    , invalid_params, value},
    {release_input         , "release input"         , write , kind::input    , input_not_found    , invalid_params, value},
  });
}();
// clang-format on

/// Rows stand in the order of the enumeration.
[[nodiscard]] constexpr bool operations_are_in_order() {
  for (std::size_t i = 0; i < operation_rows.size(); ++i)
    if (static_cast<std::size_t>(operation_rows[i].which) != i)
      return false;
  return true;
}
static_assert(operations_are_in_order());
static_assert(operation_rows.size() == static_cast<std::size_t>(operation::release_input) + 1,
              "every operation has a row; name the last operation here");

[[nodiscard]] constexpr const operation_row& row_of(operation which) noexcept {
  return operation_rows[static_cast<std::size_t>(which)];
}

/// Whether `who` may ask for it. errc::forbidden names the scope that is missing.
[[nodiscard]] result<void> admit(const principal& who, operation which);

} // namespace troupe
