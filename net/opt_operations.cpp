// The operations of the Objective-Plan-Task extension (docs/a2a.md, D16), the same under every version of A2A.
#include "net/operations.hpp"

#include "net/asking.hpp"
#include "protocol/codec_opt.hpp"

#include <optional>
#include <utility>

namespace troupe::net {

namespace {

/// Reads params with one of codec_opt's readers and puts in who asks.
template<class Command>
result<Command> read(const operation_call& call, result<Command> (*reader)(const boost::json::value&)) {
  auto command = reader(params_of(call));
  if (!command)
    return command;
  if (const auto* tenant = params_of(call).get_object().if_contains("tenant"); tenant != nullptr && tenant->is_string())
    command->who.tenant = std::string_view(tenant->get_string().data(), tenant->get_string().size());
  if (auto known = identify(call, command->who, errc::invalid_params); !known)
    return known.error();
  return command;
}

void write_objective(json_writer& out, const objective_view& objective, bool plans, bool tasks) {
  out.begin_object().key("objective");
  opt::write(out, objective, plans, tasks);
  out.end_object();
}

/// Where a plan stands now; an error if it is unknown.
void answer_plan(operation_call& call, const caller& who, const plan_id& id, bool tasks) {
  const auto objective = call.records().find_objective_of(owner_of(who), id);
  for (std::size_t index = 0; objective && index < objective->plans.size(); ++index) {
    if (objective->plans[index].spec->id != id)
      continue;
    answer(call, [&](json_writer& out) {
      out.begin_object().key("plan");
      opt::write(out, *objective, index, tasks);
      out.end_object();
    });
    return;
  }
  fail(call, unknown_plan(id.str()));
}

// -- objectives --------------------------------------------------------------------------------------------------------

template<class Command>
awaitable<void> change_objective(operation_call& call, Command command) {
  const auto changed = co_await ask<objective_ptr>(call.connection, [&](reply<objective_ptr> done) {
    if constexpr (std::is_same_v<Command, create_objective>)
      call.server().door.create(std::move(command), nullptr, std::move(done));
    else
      call.server().door.update(std::move(command), std::move(done));
  });
  if (!changed)
    co_return fail(call, changed.error());
  answer(call, [&](json_writer& out) { write_objective(out, **changed, true, true); });
}

// -- plans -------------------------------------------------------------------------------------------------------------

template<class Command>
awaitable<void> change_plan(operation_call& call, Command command) {
  const auto who = command.who;
  const auto changed = co_await ask<plan_id>(call.connection, [&](reply<plan_id> done) {
    if constexpr (std::is_same_v<Command, create_plan>)
      call.server().door.create(std::move(command), std::move(done));
    else
      call.server().door.update(std::move(command), std::move(done));
  });
  if (!changed)
    co_return fail(call, changed.error());
  answer_plan(call, who, *changed, true);
}

} // namespace

awaitable<void> create_objective_operation(operation_call& call) {
  auto command = read(call, &opt::read_create_objective);
  if (command)
    return change_objective(call, std::move(*command));
  fail(call, command.error());
  return {};
}

awaitable<void> update_objective_operation(operation_call& call) {
  auto command = read(call, &opt::read_update_objective);
  if (command)
    return change_objective(call, std::move(*command));
  fail(call, command.error());
  return {};
}

awaitable<void> get_objective_operation(operation_call& call) {
  const auto query = read(call, &opt::read_get_objective);
  if (!query) {
    fail(call, query.error());
    return {};
  }
  if (const auto found = call.records().find_objective_of(owner_of(query->who), query->id))
    answer_read(call, [&](json_writer& out) { write_objective(out, *found, query->include_plans, query->include_tasks); });
  else
    fail(call, unknown_objective(query->id.str()));
  return {};
}

awaitable<void> list_objectives_operation(operation_call& call) {
  const auto query = read(call, &opt::read_list_objectives);
  if (!query) {
    fail(call, query.error());
    return {};
  }
  const auto page = call.records().list(*query);
  if (!page) {
    fail(call, page.error());
    return {};
  }
  answer_read(call, [&](json_writer& out) {
    out.begin_object().key("objectives").begin_array();
    for (const auto& one : page->objectives)
      opt::write(out, *one, true, false);
    out.end_array().member("nextPageToken", page->next_page_token);
    out.key("totalSize").number(page->total_size).end_object();
  });
  return {};
}

awaitable<void> create_plan_operation(operation_call& call) {
  auto command = read(call, &opt::read_create_plan);
  if (command)
    return change_plan(call, std::move(*command));
  fail(call, command.error());
  return {};
}

awaitable<void> update_plan_operation(operation_call& call) {
  auto command = read(call, &opt::read_update_plan);
  if (command)
    return change_plan(call, std::move(*command));
  fail(call, command.error());
  return {};
}

awaitable<void> get_plan_operation(operation_call& call) {
  const auto query = read(call, &opt::read_get_plan);
  if (!query) {
    fail(call, query.error());
    return {};
  }
  call.connection.response().repeatable = true;
  answer_plan(call, query->who, query->id, query->include_tasks);
  return {};
}

} // namespace troupe::net
