#include "net/a2a/streaming_operations.hpp"

#include "actors/service/service.hpp"
#include "net/a2a/answer_size.hpp"
#include "net/a2a/awaited.hpp"
#include "net/a2a/operation_columns.hpp"
#include "net/a2a/send_reading.hpp"
#include "net/a2a/task_stream.hpp"
#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

namespace troupe::net {

namespace {

/// Ends something when its scope is left.
template<class Ended>
class at_end {
public:
  explicit at_end(Ended& ended) : ended_(ended) {}
  at_end(const at_end&) = delete;
  at_end& operator=(const at_end&) = delete;
  ~at_end() { ended_.end(); }

private:
  Ended& ended_;
};

// -- a long message -------------------------------------------------------------------------------

/// What a long send asks for, or its refusal, read by another thread. Nothing: the client went
/// away.
awaitable<std::optional<result<std::unique_ptr<send_params>>>>
read_long_send(operation_call& call) {
  std::optional<result<std::unique_ptr<send_params>>> params;
  std::function<void()> read = [&] {
    params.emplace(read_send(call));
    call.drop_params();
  };
  const auto done = co_await apart(call, std::move(read));
  if (!done)
    params.emplace(done.error());
  co_return params;
}

// -- SendMessage ----------------------------------------------------------------------------------

/// At once, unless the answer is long.
awaitable<void> answer_send(operation_call& call, const send_result& sent,
                            std::optional<std::uint32_t> history_length) {
  if (sent.answer) {
    answer(call, [&](json_writer& out) {
      call.codec->write_answer(out, *sent.answer, call.extensions.opt);
    });
    return {};
  }
  const task_view_options view{.history_length = history_length,
                               .include_progress = call.extensions.progress,
                               .include_hitl = call.extensions.hitl,
                               .include_opt = call.extensions.opt,
                               .objective = sent.objective.get()};
  const auto* beside = call.extensions.opt ? sent.objective.get() : nullptr;
  answer_size size;
  size.add(*sent.task, view);
  if (beside)
    size.add(*beside, true, true);
  if (size.is_long()) // `sent` holds what the others refer to.
    return answer_apart(call, [&codec = *call.codec, sent, view, beside](json_writer& out) {
      codec.write_sent(out, *sent.task, view, beside);
    });
  answer(call, [&](json_writer& out) { call.codec->write_sent(out, *sent.task, view, beside); });
  return {};
}

/// A2A's own methods keep A2A's codes: -32001 is of a task that is not there, and clients take it
/// for that (docs/a2a.md, "Errors").
error in_codes_of_a2a(error why) {
  if (why.code == errc::invalid_transition)
    why.code = errc::unsupported_operation;
  return why;
}

/// Until the message is taken and, if it waits, its task has ended or asks; or the time is up, or
/// the server drains, or the disk takes nothing for too long.
awaitable<void> send_and_answer(operation_call& call, std::unique_ptr<send_params> params) {
  auto& responder = call.responder;
  const auto until = call.home.now() + call.server.options.blocking_wait_max;
  const bool may_answer = !params->request.command.message.task_id.empty();
  auto next_status_until = may_answer ? call.home.now() + next_status_wait_max : until;
  const auto history_length = params->history_length;
  awaited_changes changes(call);
  responder.response().is_asked = true;
  const auto sending = call.operations().send(std::move(params->request), changes.notify());
  const at_end with_the_request(*sending);
  disk_patience patience(call);
  std::optional<error> refused;
  for (bool late = false;;) {
    if (responder.is_gone())
      co_return;
    if (changes.failure())
      co_return fail(call, *changes.failure());
    const auto outcome = sending->poll(late || refused || responder.is_draining());
    if (outcome && !*outcome)
      co_return fail(call, in_codes_of_a2a(outcome->error()));
    if (outcome) {
      auto rest = answer_send(call, **outcome, history_length);
      if (rest.valid())
        co_await std::move(rest);
      co_return;
    }
    if (refused) // It was not even taken.
      co_return fail(call, *refused);
    const auto wakes_at = std::min(std::min(until, patience.until()), next_status_until);
    co_await responder.wait(wakes_at);
    if (call.home.now() >= next_status_until) {
      sending->believe_record();
      next_status_until = until;
    }
    late = late || (responder.is_late() && call.home.now() >= until);
    refused = patience.refusal();
  }
}

// -- SendStreamingMessage -------------------------------------------------------------------------

awaitable<void> send_and_stream(operation_call& call, std::unique_ptr<send_params> params,
                                client_place place) {
  awaited_reply<stream_start> begun(call);
  const auto history_length = params->history_length;
  call.responder.response().is_asked = true;
  call.operations().send(std::move(params->request), make_feed(call), begun.to());
  disk_patience patience(call);
  const bool is_here = co_await arrival(call, begun, patience);
  if (!is_here)
    co_return;
  auto& start = begun.value();
  if (!start) {
    co_await fail_stream(call, in_codes_of_a2a(start.error()));
    co_return;
  }
  if (start->answer) {
    co_await stream_answer(call, start->answer);
    co_return;
  }
  task_stream shown{.source = std::move(start->source), // the gateway actor owns the feed

                    .history_length = history_length,
                    .objective = start->objective,
                    .ends_at_question = true,
                    .answered = start->status_before};
  co_await stream_task(call, std::move(shown), std::move(place));
}

// -- SubscribeToTask ------------------------------------------------------------------------------

/// Where the client's last stream broke: the header `Troupe-Cursor`, or the param (on REST the
/// query's) `cursor`. A client that sends one also gets them.
result<std::optional<stream_cursor>> read_cursor(operation_call& call) {
  const auto given = cursor_param_of(call);
  if (!given)
    return given.error();
  std::string_view text = call.request.stream_cursor;
  if (text.empty())
    text = *given;
  if (text.empty())
    return std::optional<stream_cursor>{};
  const auto at = parse_stream_cursor(text);
  if (!at)
    return make_error(errc::invalid_params,
                      "cursor: " + quoted(shown(text))
                          + " is not a cursor; send the troupe/v1/cursor of an event",
                      "cursor");
  call.extensions.cursors = true;
  return at;
}

awaitable<void> subscribe(operation_call& call, subscribe_to_task command,
                          std::optional<stream_cursor> after, client_place place) {
  awaited_reply<stream_start> begun(call);
  service::subscription wanted{.command = std::move(command),
                               .after = after,
                               .refuses_ended = call.codec->refuses_subscribing_to_terminal};
  call.operations().subscribe(std::move(wanted), make_feed(call), begun.to());
  const bool is_here = co_await arrival(call, begun);
  if (!is_here)
    co_return;
  auto& start = begun.value();
  if (!start && start.error().code == errc::unsupported_operation)
    co_return fail(call, start.error());
  if (!start) {
    co_await fail_stream(call, start.error());
    co_return;
  }
  task_stream shown{.source =
                        std::move(start->source)}; // named: GCC 12 destroys a temporary here twice
  co_await stream_task(call, std::move(shown), std::move(place));
}

awaitable<void> serve_long_send(operation_call& call) {
  auto params = co_await read_long_send(call);
  if (!params)
    co_return;
  if (!*params)
    co_return fail(call, params->error());
  co_await send_and_answer(call, std::move(**params));
}

awaitable<void> serve_long_streaming_send(operation_call& call) {
  auto params = co_await read_long_send(call);
  if (!params)
    co_return;
  if (!*params) {
    co_await fail_stream(call, params->error());
    co_return;
  }
  auto place = take_stream(call);
  if (place)
    co_await send_and_stream(call, std::move(**params), std::move(place));
}

} // namespace

awaitable<void> serve_send_message(operation_call& call) {
  if (call.is_long()) {
    call.reads_params_later = true;
    return serve_long_send(call);
  }
  auto params = read_send(call);
  if (params)
    return send_and_answer(call, std::move(*params));
  fail(call, params.error());
  return {};
}

awaitable<void> serve_send_streaming_message(operation_call& call) {
  if (call.is_long()) {
    call.reads_params_later = true;
    return serve_long_streaming_send(call);
  }
  auto params = read_send(call);
  if (!params)
    return fail_stream(call, params.error());
  auto place = take_stream(call);
  if (!place)
    return {};
  return send_and_stream(call, std::move(*params), std::move(place));
}

awaitable<void> serve_subscribe_to_task(operation_call& call) {
  auto command = call.codec->read_subscribe(params_of(call));
  if (!command)
    return fail_stream(call, command.error());
  if (auto known =
          identify(call, command->who, row_of(operation::subscribe_to_task).unknown_tenant);
      !known)
    return fail_stream(call, known.error());
  const auto after = read_cursor(call);
  if (!after)
    return fail_stream(call, after.error());
  auto place = take_stream(call);
  if (!place)
    return {};
  return subscribe(call, std::move(*command), *after, std::move(place));
}

} // namespace troupe::net
