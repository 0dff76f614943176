// A2A's operations over the gateway and the store.
#include "net/operations.hpp"

#include "net/asking.hpp"
#include "net/card_routes.hpp"
#include "net/reading.hpp"
#include "net/send_objective.hpp"
#include "net/settling.hpp"
#include "net/sse.hpp"

#include <memory>
#include <utility>

namespace troupe::net {

namespace {

/// `done`, with `watch` told the task first: what follows may fail, or nobody may be there any more to hear of it.
reply<sent> note_task(std::shared_ptr<send_watch> watch, reply<sent> done) {
  return [watch = std::move(watch), done = std::move(done)](result<sent> taken) mutable {
    if (taken && !taken->answer)
      watch->on(taken->task.str());
    done(std::move(taken));
  };
}

/// `done`, held back until the push configuration that came with the message is durable, too; or could not be kept, for the message was
/// taken all the same. `is_new`: the message makes its task.
reply<sent> after_push(operation_call& call, std::optional<push_config> config, bool is_new, reply<sent> done) {
  if (!config)
    return done;
  // The gateway may answer when this connection, and the server, are gone.
  return [server = call.connection.shared_server(), config = std::move(*config), is_new,
          done = std::move(done)](result<sent> taken) mutable {
    // No task, or one that the same message made before, and its configuration with it.
    if (!taken || taken->answer || (is_new && !taken->created))
      return done(std::move(taken));
    config.task = taken->task;
    server->push.attach(std::move(config), is_new, [taken, done = std::move(done)](const result<push_config>&) { done(taken); });
  };
}

// -- SendMessage -------------------------------------------------------------------------------------------------------

awaitable<void> send_and_answer(operation_call& call, send_request request) {
  auto& connection = call.connection;
  auto& records = call.records();
  const bool waits = !request.return_immediately;
  const auto until = connection.home().now() + call.server().options.blocking_wait_max;
  const auto news = std::make_shared<send_watcher>(connection.wake(), waits);
  const auto watch = std::make_shared<send_watch>(records, news);
  const watch_end with_the_request{*watch};

  const task_id named(request.command.what.task_id);
  if (waits && !named.empty() && records.find_task_of(owner_of(request.command.who), named) && records.watch_task(named, news))
    watch->on(named.str());
  auto told = [news, watch, &records, joins = waits && named.empty()](result<sent> what) {
    // The same message came before (docs/a2a.md, D12): its task is there and may have ended.
    if (joins && what && !what->created && !what->answer) {
      static_cast<void>(records.watch_task(what->task, news));
      watch->on(what->task.str());
      news->note_settled();
    }
    news->on_reply(std::move(what));
  };
  call.server().door.send(std::move(request.command), waits && named.empty() ? news : nullptr,
                          note_task(watch, after_push(call, std::move(request.push), named.empty(), std::move(told))));

  // Until the task that took the message is settled; or the time is up, or the server drains.
  task_ptr found;
  for (bool late = false; !found; late = late || connection.is_late()) {
    if (connection.is_gone())
      co_return;
    if (news->has_reply() && !news->reply())
      co_return fail(call, news->reply().error());
    if (news->has_reply() && news->reply()->answer)
      co_return answer(call, [&](json_writer& out) { call.codec->write_answer(out, *news->reply()->answer); });
    const bool enough = !waits || late || connection.is_draining();
    if (news->has_reply() && (enough || news->has_settled())) {
      // An earlier question of the task may have been seen: believe the record.
      news->rearm();
      found = records.find_task(news->reply()->task);
      if (!found)
        co_return fail(call, unknown_task(news->reply()->task.str()));
      if (!enough && !ends_waiting(found->status.state))
        found = nullptr;
      else
        break;
    }
    co_await connection.wait(until);
  }
  const task_view_options view{.history_length = request.history_length, .include_progress = call.extensions.progress};
  answer(call, [&](json_writer& out) { call.codec->write_sent(out, *found, view, nullptr); });
}

/// What both forms of sending begin with.
result<send_request> read_send(const operation_call& call) {
  auto request = call.codec->read_send(params_of(call));
  if (!request)
    return request;
  if (auto known = identify(call, request->command.who, errc::invalid_params); !known)
    return known.error();
  if (request->push) {
    request->push->owner = request->command.who;
    request->push->task = task_id(request->command.what.task_id);
    if (auto good = call.server().push.check(*request->push); !good)
      return good.error();
  }
  return request;
}

// -- SendStreamingMessage ----------------------------------------------------------------------------------------------

awaitable<void> send_and_stream(operation_call& call, send_request request, counted slot) {
  auto queue = make_queue(call);
  const auto watch = std::make_shared<send_watch>(call.records(), queue);
  const watch_end with_the_request{*watch};
  const bool may_be_new = request.command.what.task_id.empty();
  const auto taken = co_await ask<sent>(call.connection, [&](reply<sent> done) {
    call.server().door.send(std::move(request.command), may_be_new ? queue : nullptr,
                            note_task(watch, after_push(call, std::move(request.push), may_be_new, std::move(done))));
  });
  if (!taken) {
    co_await fail_stream(call, taken.error());
    co_return;
  }
  if (taken->answer) {
    co_await stream_answer(call, taken->answer);
    co_return;
  }
  task_stream what{.queue = queue, .id = taken->task, .history_length = request.history_length, .ends_at_question = true,
                   .watched = taken->task.str()};
  if (!taken->created)
    what.snapshot = call.records().snapshot_task(taken->task, queue);
  if (!taken->created && !what.snapshot.record) {
    co_await fail_stream(call, unknown_task(taken->task.str()));
    co_return;
  }
  co_await stream_task(call, std::move(what), std::move(slot));
}

// -- CancelTask --------------------------------------------------------------------------------------------------------

awaitable<void> cancel_and_answer(operation_call& call, cancel_task command) {
  const auto id = command.id;
  const auto ended = co_await ask<task_ptr>(call.connection, [&](reply<task_ptr> done) {
    call.server().door.cancel(std::move(command), std::move(done));
  });
  if (!ended)
    co_return fail(call, ended.error());
  if (!*ended)
    co_return fail(call, make_error(errc::unavailable, "the task was canceled, but its record cannot be read", id.str()));
  answer(call, [&](json_writer& out) { call.codec->write_task(out, **ended, {}); });
}

// -- SubscribeToTask ---------------------------------------------------------------------------------------------------

/// Where the client's last stream broke: the header `Troupe-Cursor`, or the param (on REST the query's) `cursor`. Whoever sends one also
/// gets them.
result<std::optional<stream_cursor>> read_cursor(operation_call& call) {
  std::string_view text = call.connection.request().stream_cursor;
  if (text.empty())
    if (const auto* given = params_of(call).get_object().if_contains("cursor"); given != nullptr && given->is_string())
      text = {given->get_string().data(), given->get_string().size()};
  if (text.empty())
    return std::optional<stream_cursor>{};
  const auto at = parse_stream_cursor(text);
  if (!at)
    return make_error(errc::invalid_params, "cursor: \"" + shown(text) + "\" is none; send one as an event's metadata has it", "cursor");
  call.extensions.cursors = true;
  return at;
}

} // namespace

awaitable<void> send_message_operation(operation_call& call) {
  auto request = read_send(call);
  if (!request) {
    fail(call, request.error());
    return {};
  }
  auto objective = objective_in(call, *request);
  if (!objective) {
    fail(call, objective.error());
    return {};
  }
  if (*objective)
    return send_objective(call, std::move(*request), std::move(**objective));
  return send_and_answer(call, std::move(*request));
}

awaitable<void> send_streaming_message_operation(operation_call& call) {
  auto request = read_send(call);
  if (!request)
    return fail_stream(call, request.error());
  auto objective = objective_in(call, *request);
  if (!objective)
    return fail_stream(call, objective.error());
  auto slot = take_stream(call);
  if (!slot)
    return {};
  if (*objective)
    return stream_objective(call, std::move(*request), std::move(**objective), std::move(slot));
  return send_and_stream(call, std::move(*request), std::move(slot));
}

awaitable<void> get_task_operation(operation_call& call) {
  auto query = read(call, &wire_codec::read_get_task, errc::task_not_found);
  if (!query) {
    fail(call, query.error());
    return {};
  }
  query->view.include_progress = call.extensions.progress;
  if (const auto found = call.records().find_task_of(owner_of(query->who), query->id))
    answer_read(call, [&](json_writer& out) { call.codec->write_task(out, *found, query->view); });
  else
    fail(call, unknown_task(query->id.str()));
  return {};
}

awaitable<void> list_tasks_operation(operation_call& call) {
  auto query = read(call, &wire_codec::read_list_tasks, errc::invalid_params);
  if (!query) {
    fail(call, query.error());
    return {};
  }
  query->view.include_progress = call.extensions.progress;
  const auto page = call.records().list(*query);
  if (page)
    answer_read(call, [&](json_writer& out) { call.codec->write_task_list(out, *page, *query); });
  else
    fail(call, page.error());
  return {};
}

awaitable<void> cancel_task_operation(operation_call& call) {
  auto command = read(call, &wire_codec::read_cancel_task, errc::task_not_found);
  if (!command) {
    fail(call, command.error());
    return {};
  }
  if (call.codec->refuses_repeated_cancel())
    if (const auto found = call.records().find_task_of(owner_of(command->who), command->id); found && found->status.state == task_state::canceled) {
      fail(call, make_error(errc::task_not_cancelable, "task \"" + shown(command->id.str()) + "\" is canceled already",
                            command->id.str()));
      return {};
    }
  return cancel_and_answer(call, std::move(*command));
}

awaitable<void> subscribe_to_task_operation(operation_call& call) {
  auto query = read(call, &wire_codec::read_subscribe, errc::task_not_found);
  if (!query)
    return fail_stream(call, query.error());
  const auto after = read_cursor(call);
  if (!after)
    return fail_stream(call, after.error());
  auto slot = take_stream(call);
  if (!slot)
    return {};
  if (!call.records().find_task_of(owner_of(query->who), query->id))
    return fail_stream(call, unknown_task(query->id.str()));
  auto queue = make_queue(call);
  auto snapshot = call.records().snapshot_task(query->id, queue);
  if (!snapshot.record)
    return fail_stream(call, unknown_task(query->id.str()));
  const bool has_ended = is_terminal(snapshot.record->status.state);
  if (has_ended && !*after && call.codec->refuses_subscribing_to_terminal()) {
    fail(call, make_error(errc::unsupported_operation,
                          "task \"" + shown(query->id.str()) + "\" has ended; get it with GetTask", query->id.str()));
    return {};
  }
  if (*after && !has_ended && (*after)->sequence > snapshot.sequence) {
    call.records().unwatch(query->id.str(), queue);
    return fail_stream(call, make_error(errc::invalid_params, "cursor: is ahead of the task, so it is of another one", "cursor"));
  }
  auto watched = query->id.str();
  return stream_task(call, {.queue = std::move(queue), .id = std::move(query->id), .snapshot = std::move(snapshot),
                            .ends_at_question = false, .watched = std::move(watched), .after = *after},
                     std::move(slot));
}

awaitable<void> get_extended_card_operation(operation_call& call) {
  if (const auto card = extended_card(call.connection, call.codec->extended_card_shape()))
    answer_read(call, [&](json_writer& out) { out.raw(*card); });
  else
    fail(call, card.error());
  return {};
}

} // namespace troupe::net
