#include "net/a2a/operation_table.hpp"

#include "net/a2a/awaited.hpp"
#include "net/a2a/input_stream.hpp"
#include "net/a2a/objective_stream.hpp"
#include "net/a2a/operation_columns.hpp"
#include "net/a2a/streaming_operations.hpp"
#include "net/card/card_routes.hpp"

#include <unordered_map>
#include <utility>

namespace troupe::net {

namespace {

using boost::beast::http::verb;

// -- operations that are answered with a value ----------------------------------------------------

/// At once, unless the answer is long.
template<operation Which>
awaitable<void> finish(operation_call& call, const typename json_column<Which>::command& command,
                       result<typename json_column<Which>::answer>& outcome) {
  using column = json_column<Which>;
  if (!outcome) {
    fail(call, outcome.error());
    return {};
  }
  // Where asking has changed nothing, the client may be told to ask again
  // (`limits.answer-bytes-total`).
  call.responder.response().repeatable = row_of(Which).needs == scope::read;
  const auto& codec = *call.codec;
  if constexpr (requires { column::is_long(command, *outcome); }) {
    if (column::is_long(command, *outcome))
      return answer_apart(call, [&codec, command, found = *outcome](json_writer& out) {
        column::encode(codec, out, command, found);
      });
  }
  answer(call, [&](json_writer& out) {
    if constexpr (std::is_void_v<typename column::answer>)
      column::encode(codec, out);
    else
      column::encode(codec, out, command, *outcome);
  });
  return {};
}

template<operation Which>
awaitable<void> finish_later(operation_call& call, typename json_column<Which>::command command,
                             awaited_reply<typename json_column<Which>::answer> waiting) {
  disk_patience patience(call);
  bool is_here = false;
  if (row_of(Which).needs == scope::read)
    is_here = co_await arrival(call, waiting);
  else
    is_here = co_await arrival(call, waiting, patience);
  if (!is_here)
    co_return;
  auto rest = finish<Which>(call, command, waiting.value());
  if (rest.valid())
    co_await std::move(rest);
}

/// The command of a call, with its caller and its trace.
template<operation Which>
result<typename json_column<Which>::command> read_command(operation_call& call) {
  auto command = json_column<Which>::decode(call);
  if (!command)
    return command;
  if (auto known = identify(call, command->who, row_of(Which).unknown_tenant); !known)
    return known.error();
  if constexpr (requires { command->traceparent; }) {
    command->traceparent = call.traceparent;
    command->tracestate = call.tracestate;
  }
  return command;
}

/// The same as `serve` for a long request. Its command may have tens of thousands of tasks, and
/// takes the service long to look at.
template<operation Which>
awaitable<void> serve_long(operation_call& call) {
  using column = json_column<Which>;
  std::optional<result<typename column::command>> command;
  awaited_reply<typename column::answer> waiting(call);
  std::function<void()> read_and_ask = [&, to = waiting.to()] {
    command.emplace(read_command<Which>(call));
    call.drop_params();
    if (!*command)
      return;
    call.responder.response().is_asked = true;
    column::ask(call.operations(), **command, to);
  };
  const auto done = co_await apart(call, std::move(read_and_ask));
  if (!done)
    co_return fail(call, done.error());
  if (!*done)
    co_return;
  if (!*command) {
    fail(call, command->error());
    co_return;
  }
  co_await finish_later<Which>(call, std::move(**command), std::move(waiting));
}

/// A search is carried out by a thread that does what is long, in the turn of the call's client.
template<operation Which>
awaitable<void> serve_search(operation_call& call, typename json_column<Which>::command command) {
  using column = json_column<Which>;
  awaited_reply<typename column::answer> waiting(call);
  std::function<void()> ask = [&, to = waiting.to()] {
    column::ask(call.operations(), command, to);
  };
  const auto done = co_await apart(call, std::move(ask));
  if (!done)
    co_return fail(call, done.error());
  if (!*done)
    co_return;
  co_await finish_later<Which>(call, std::move(command), std::move(waiting));
}

/// At once, without a coroutine, if the service answers at once.
template<operation Which>
awaitable<void> serve(operation_call& call) {
  using column = json_column<Which>;
  if (call.is_long()) {
    call.reads_params_later = true;
    return serve_long<Which>(call);
  }
  auto command = read_command<Which>(call);
  if (!command) {
    fail(call, command.error());
    return {};
  }
  if constexpr (requires { column::is_search(*command); })
    if (column::is_search(*command))
      return serve_search<Which>(call, std::move(*command));
  awaited_reply<typename column::answer> waiting(call);
  call.responder.response().is_asked = true;
  column::ask(call.operations(), *command, waiting.to());
  if (!waiting.is_ready())
    return finish_later<Which>(call, std::move(*command), std::move(waiting));
  return finish<Which>(call, *command, waiting.value());
}

/// For a client that shows a token.
awaitable<void> serve_extended_card(operation_call& call) {
  const auto cards = call.server.cards.get(); // What is shown is of it.
  const auto card = extended_card(*cards, call.request, call.codec->extended_card_shape,
                                  call.responder.response().headers);
  if (!card) {
    fail(call, card.error());
    return {};
  }
  call.responder.response().repeatable = true;
  answer(call, [&](json_writer& out) { out.raw(*card); });
  return {};
}

// -- the table ------------------------------------------------------------------------------------

// clang-format off
std::vector<operation_binding> make_table() {
  using enum operation;
  using at = rest_resource;
  return {
      {send_message, &serve_send_message, "SendMessage", "message/send", "", {{at::message, "send", verb::post}}},
      {send_streaming_message, &serve_send_streaming_message, "SendStreamingMessage", "message/stream", "",
       {{at::message, "stream", verb::post}}},
      {get_task, &serve<get_task>, "GetTask", "tasks/get", "", {{at::task, "", verb::get}}},
      {list_tasks, &serve<list_tasks>, "ListTasks", "tasks/list", "", {{at::tasks, "", verb::get}}},
      {cancel_task, &serve<cancel_task>, "CancelTask", "tasks/cancel", "", {{at::task, "cancel", verb::post}}},
      {subscribe_to_task, &serve_subscribe_to_task, "SubscribeToTask", "tasks/resubscribe", "",
       {{at::task, "subscribe", verb::post}, {at::task, "subscribe", verb::get}}},
      {create_push_config, &serve<create_push_config>, "CreateTaskPushNotificationConfig",
       "tasks/pushNotificationConfig/set", "", {{at::push_configs, "", verb::post}}},
      {get_push_config, &serve<get_push_config>, "GetTaskPushNotificationConfig", "tasks/pushNotificationConfig/get", "",
       {{at::push_config, "", verb::get}}},
      {list_push_configs, &serve<list_push_configs>, "ListTaskPushNotificationConfigs",
       "tasks/pushNotificationConfig/list", "", {{at::push_configs, "", verb::get}}},
      {delete_push_config, &serve<delete_push_config>, "DeleteTaskPushNotificationConfig",
       "tasks/pushNotificationConfig/delete", "", {{at::push_config, "", verb::delete_}}},
      {get_extended_card, &serve_extended_card, "GetExtendedAgentCard", "agent/getAuthenticatedExtendedCard", "",
       {{at::extended_card, "", verb::get}}},
      {create_objective, &serve<create_objective>, "", "", "objectives/create", {{at::objectives, "", verb::post}}},
      {get_objective, &serve<get_objective>, "", "", "objectives/get", {{at::objective, "", verb::get}}},
      {subscribe_to_objective, &serve_subscribe_to_objective, "", "", "objectives/subscribe",
       {{at::objective, "subscribe", verb::post}, {at::objective, "subscribe", verb::get}}},
      {list_objectives, &serve<list_objectives>, "", "", "objectives/list", {{at::objectives, "", verb::get}}},
      {update_objective, &serve<update_objective>, "", "", "objectives/update", {{at::objective, "", verb::patch}}},
      {modify_objective, &serve<modify_objective>, "", "", "objectives/modify", {{at::objective, "modify", verb::post}}},
      {replan_objective, &serve<replan_objective>, "", "", "objectives/replan", {{at::objective, "replan", verb::post}}},
      {list_objective_history, &serve<list_objective_history>, "", "", "objectives/history",
       {{at::objective, "history", verb::get}}},
      {create_plan, &serve<create_plan>, "", "", "plans/create", {{at::plans, "", verb::post}}},
      {get_plan, &serve<get_plan>, "", "", "plans/get", {{at::plan, "", verb::get}}},
      {list_plans, &serve<list_plans>, "", "", "plans/list", {{at::plans, "", verb::get}}},
      {update_plan, &serve<update_plan>, "", "", "plans/update", {{at::plan, "", verb::patch}}},
      {add_tasks, &serve<add_tasks>, "", "", "plans/addTasks", {{at::plan, "addTasks", verb::post}}},
      {modify_plan, &serve<modify_plan>, "", "", "plans/modify", {{at::plan, "modify", verb::post}}},
      {list_plan_history, &serve<list_plan_history>, "", "", "plans/history", {{at::plan, "history", verb::get}}},
      {list_inputs, &serve<list_inputs>, "", "", "inputs/list", {{at::inputs, "", verb::get}}},
      {subscribe_to_inputs, &serve_subscribe_to_inputs, "", "", "inputs/subscribe",
       {{at::inputs, "subscribe", verb::post}, {at::inputs, "subscribe", verb::get}}},
      {get_input, &serve<get_input>, "", "", "inputs/get", {{at::input, "", verb::get}}},
      {answer_input, &serve<answer_input>, "", "", "inputs/answer", {{at::input, "answer", verb::post}}},
      {claim_input, &serve<claim_input>, "", "", "inputs/claim", {{at::input, "claim", verb::post}}},
      {release_input, &serve<release_input>, "", "", "inputs/release", {{at::input, "release", verb::post}}},
  };
}
// clang-format on

} // namespace

std::span<const operation_binding> operation_bindings() {
  static const auto table = make_table();
  return table;
}

std::optional<rpc_method> find_method(std::string_view name) {
  static const auto methods = [] {
    std::unordered_map<std::string_view, rpc_method> all;
    for (const auto& row : operation_bindings()) {
      if (!row.rpc_1_0.empty())
        all.emplace(row.rpc_1_0, rpc_method{&row, method_family::v1_0});
      if (!row.rpc_0_3.empty())
        all.emplace(row.rpc_0_3, rpc_method{&row, method_family::v0_3});
      if (!row.rpc_extension.empty())
        all.emplace(row.rpc_extension, rpc_method{&row, method_family::extension});
    }
    return all;
  }();
  const auto found = methods.find(name);
  return found == methods.end() ? std::nullopt : std::optional(found->second);
}

const operation_binding* find_place(const rest_path& path, verb method, std::string& allowed) {
  for (const auto& row : operation_bindings())
    for (const auto& place : row.rest) {
      if (place.resource != path.resource || place.action != path.action)
        continue;
      if (place.method == method)
        return &row;
      const auto name = boost::beast::http::to_string(place.method);
      allowed.append(allowed.empty() ? "" : ", ").append(name.data(), name.size());
    }
  return nullptr;
}

} // namespace troupe::net
