#include "net/send_objective.hpp"

#include "net/asking.hpp"
#include "net/settling.hpp"
#include "net/sse.hpp"
#include "protocol/codec_opt.hpp"
#include "protocol/message.hpp"

#include <algorithm>
#include <memory>
#include <utility>

namespace troupe::net {

namespace {

const boost::json::value* find_member(const send_request& request, std::string_view key) {
  if (const auto* found = request.command.what.metadata.if_contains(key))
    return found;
  return request.command.metadata.if_contains(key);
}

/// The name a client suggests, else what the message says, cut to a title.
std::string name_for(const send_request& request) {
  if (const auto* name = find_member(request, "opt/v1/suggestedName"); name != nullptr && name->is_string())
    return std::string(name->get_string());
  return shown(text_of(request.command.what.parts));
}

/// Whether the client would like an objective for what it says, and may have one.
bool prefers_objective(const operation_call& call, const send_request& request) {
  const auto& what = request.command.what;
  const auto* wish = find_member(request, "opt/v1/preferObjective");
  if (wish == nullptr || !wish->is_bool() || !wish->get_bool() || !call.extensions.opt)
    return false;
  return what.context_id.empty() || !call.records().knows_objective(objective_id(what.context_id));
}

/// The plan of who brings none: one task for the default agent, what the message says. Null if it says nothing.
plan_spec_ptr plan_of(const send_request& request) {
  task_spec only;
  only.description = text_of(request.command.what.parts);
  if (only.description.empty())
    return nullptr;
  only.name = shown(only.description);
  auto plan = std::make_shared<plan_spec>();
  plan->name = only.name;
  plan->tasks.push_back(std::move(only));
  return plan;
}

/// The context a message brings becomes the objective: to OPT the two ids are one. If they differ, nobody can tell which is meant.
result<void> join_context(objective_spec& spec, const std::string& context) {
  if (context.empty() || context == spec.id.str())
    return {};
  if (!spec.id.empty())
    return make_error(errc::invalid_params,
                      "message.contextId: \"" + shown(context) + "\" is not the id of the objective in the message, \"" + shown(spec.id.str())
                          + "\"; the two are one: leave one out",
                      "message.contextId");
  spec.id = objective_id(context);
  return {};
}

/// Whether there is anything that could come to an end by itself.
bool has_tasks(const objective_view& objective) {
  return std::any_of(objective.plans.begin(), objective.plans.end(), [](const plan_view& plan) { return !plan.tasks.empty(); });
}

/// `done`, held back until the push configuration that came with the message is kept for the task that stands for the objective, or could
/// not be kept: the objective is there all the same.
reply<objective_ptr> after_push(operation_call& call, std::optional<push_config> config, reply<objective_ptr> done) {
  if (!config)
    return done;
  // The gateway may answer when this connection, and the server, are gone.
  return [server = call.connection.shared_server(), config = std::move(*config), done = std::move(done)](result<objective_ptr> made) mutable {
    if (!made)
      return done(std::move(made));
    config.task = (*made)->root_task;
    server->push.attach(std::move(config), true, [made, done = std::move(done)](const result<push_config>&) { done(made); });
  };
}

awaitable<result<objective_ptr>> create(operation_call& call, create_objective& command, std::optional<push_config>& push) {
  co_return co_await ask<objective_ptr>(call.connection, [&](reply<objective_ptr> done) {
    call.server().door.create(std::move(command), nullptr, after_push(call, std::move(push), std::move(done)));
  });
}

} // namespace

result<std::optional<create_objective>> objective_in(const operation_call& call, const send_request& request) {
  // A message to a task is for that task, whatever it brings (A2A 1.0 section 3.4.2).
  if (!request.command.what.task_id.empty())
    return std::optional<create_objective>{};
  const auto* whole = find_member(request, "opt/v1/objective");
  const auto* plan = whole != nullptr ? nullptr : find_member(request, "opt/v1/plan");
  if (whole == nullptr && plan == nullptr && !prefers_objective(call, request))
    return std::optional<create_objective>{};
  create_objective command;
  command.who = request.command.who;
  command.request = std::make_shared<const message>(request.command.what);
  command.accepted_output_modes = request.command.accepted_output_modes;
  command.start = true;
  if (whole != nullptr) {
    auto spec = opt::read_objective(*whole, opt::unknown_members::ignore, "/opt~1v1~1objective");
    if (!spec)
      return spec.error();
    command.spec = std::move(*spec);
  } else if (plan != nullptr) {
    auto spec = opt::read_plan(*plan, opt::unknown_members::ignore, "/opt~1v1~1plan");
    if (!spec)
      return spec.error();
    command.spec.plans.push_back(std::make_shared<const plan_spec>(std::move(*spec)));
  }
  if (command.spec.name.empty())
    command.spec.name = name_for(request);
  if (command.spec.plans.empty())
    if (auto only = plan_of(request))
      command.spec.plans.push_back(std::move(only));
  if (auto joined = join_context(command.spec, request.command.what.context_id); !joined)
    return joined.error();
  return std::optional<create_objective>{std::move(command)};
}

awaitable<void> send_objective(operation_call& call, send_request request, create_objective command) {
  auto& connection = call.connection;
  auto& records = call.records();
  const auto until = connection.home().now() + call.server().options.blocking_wait_max;
  const auto created = co_await create(call, command, request.push);
  if (!created)
    co_return fail(call, created.error());

  const auto& root = (*created)->root_task;
  const auto news = std::make_shared<settle_watcher>(connection.wake());
  auto standing = records.watch_task(root, news);
  const bool waits = !request.return_immediately && has_tasks(**created);
  while (standing && waits && !ends_waiting(standing->status.state) && !connection.is_gone()
         && !connection.is_draining()) {
    co_await connection.wait(until);
    if (connection.is_late() || news->has_settled())
      break;
  }
  records.unwatch(root.str(), news);
  standing = records.find_task(root);
  const auto objective = records.find_objective((*created)->id);
  if (!standing || !objective)
    co_return fail(call, make_error(errc::internal, "the objective was created and is gone", (*created)->id.str()));
  const task_view_options view{.history_length = request.history_length,
                               .include_progress = call.extensions.progress,
                               .objective = objective.get()};
  answer(call, [&](json_writer& out) {
    call.codec->write_sent(out, *standing, view, call.extensions.opt ? objective.get() : nullptr);
  });
}

awaitable<void> stream_objective(operation_call& call, send_request request, create_objective command, counted slot) {
  const auto created = co_await create(call, command, request.push);
  if (!created) {
    co_await fail_stream(call, created.error());
    co_return;
  }
  auto queue = make_queue(call);
  const auto& root = (*created)->root_task;
  const auto standing = call.records().snapshot_task(root, queue);
  if (!standing.record) {
    co_await fail_stream(call, make_error(errc::internal, "the objective was created and is gone", root.str()));
    co_return;
  }
  task_stream what{.queue = queue,
                   .id = root,
                   .snapshot = standing,
                   .history_length = request.history_length,
                   .objective = *created,
                   .ends_at_question = true,
                   .watched = root.str()};
  co_await stream_task(call, std::move(what), std::move(slot));
}

} // namespace troupe::net
