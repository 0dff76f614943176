#include "net/a2a/sse.hpp"

#include "net/a2a/awaited.hpp"
#include "protocol/change_size.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>
#include <concepts>
#include <utility>

namespace troupe::net {

namespace {

/// Appends one event to what the connection sends next: what `write` appends to the text. Nothing,
/// if that returns false.
template<std::predicate<std::string&> Write>
void add_event(operation_call& call, Write write) {
  auto& text = call.responder.stream_text();
  const auto before = text.size();
  text += "data: ";
  call.frame->begin_result(call, text);
  if (!write(text)) {
    text.resize(before);
    return;
  }
  call.frame->end_result(text);
  text += "\n\n";
}

void add_error(operation_call& call, const error& why) {
  auto& text = call.responder.stream_text();
  text += call.frame->error_event();
  text += "data: ";
  call.frame->write_error(call, text, why);
  text += "\n\n";
}

enum class history : bool {
  complete,
  has_gap ///< What happened since the client's cursor is not kept.
};

/// Adds `record`, as it stood `at`.
void add_snapshot(operation_call& call, const task_stream& stream, const task& record,
                  const stream_cursor& at, history past = history::complete) {
  const task_view_options view{.history_length = stream.history_length,
                               .include_progress = call.extensions.progress,
                               .objective = stream.objective.get()};
  const auto write = [&](const task& shown) {
    add_event(call, [&](std::string& text) {
      json_writer out(text);
      call.codec->write_snapshot(out, shown, view);
      return true;
    });
  };
  if (!call.extensions.cursors)
    return write(record);
  task marked = record;
  if (at.sequence != sequence_end)
    marked.metadata[stream_cursor_key] = to_string(at);
  if (past == history::has_gap)
    marked.metadata[stream_gap_key] = true;
  write(marked);
}

/// Whether the stream is over once the task is in `state`.
bool ends_at(const task_stream& stream, task_state state) noexcept {
  return is_terminal(state) || (stream.ends_at_question && state == task_state::input_required);
}

/// Adds the feed's snapshot; true if that is the end.
bool add_snapshot(operation_call& call, const task_stream& stream, const feed& source,
                  history past) {
  const auto& now = source.snapshot();
  add_snapshot(call, stream, *now.task, {now.sequence}, past);
  return ends_at(stream, now.task->status.state);
}

/// Adds the end of a task that never began (its plan failed or was canceled), if it has come; true
/// if it has.
bool add_withdrawal(operation_call& call, const task& ended) {
  if (!is_terminal(ended.status.state))
    return false;
  change where;
  where.context = ended.context;
  where.task.id = ended.id;
  where.at = ended.status.at;
  const event moved = task_moved{ended.status.state, ended.attempt, ended.status.message};
  add_event(call, [&](std::string& text) {
    json_writer out(text);
    return call.codec->write_event(out, where, moved, {.last = true, .cursor = {}});
  });
  return true;
}

/// Adds what one frame says about the task; true if that was the end.
bool add_frame(operation_call& call, const task_stream& stream, const feed& source,
               const frame& next) {
  if (next.withdrawn)
    return add_withdrawal(call, *next.withdrawn);
  const auto& news = next.news;
  const auto& snapshot = source.snapshot();
  for (std::size_t index = next.first_event; index < news->events.size(); ++index) {
    const auto& fact = news->events[index];
    if (const auto* made = std::get_if<task_created>(&fact)) {
      if (snapshot.task && news->sequence > snapshot.sequence)
        continue; // A task that had not begun was shown already.
      add_snapshot(call, stream, *made->record,
                   {news->sequence, static_cast<std::uint32_t>(index)});
      if (ends_at(stream, made->record->status.state))
        return true;
      continue;
    }
    // Not asked for, not sent (docs/a2a.md, "Extensions").
    if (std::holds_alternative<task_progress>(fact) && !call.extensions.progress)
      continue;
    const auto* moved = std::get_if<task_moved>(&fact);
    const bool last = moved != nullptr && ends_at(stream, moved->to);
    add_event(call, [&](std::string& text) {
      return call.server.texts.append(text, news,
                                      {call.codec, index, last, call.extensions.cursors});
    });
    if (last)
      return true;
  }
  return false;
}

/// How a stream goes on.
enum class stream_step : std::uint8_t {
  wait,  ///< Until the feed says that there is something.
  go_on, ///< There is more.
  end
};

/// Roughly the bytes of what is shown of `record`.
std::size_t bytes_of_shown(const task& record, std::optional<std::uint32_t> history_length) {
  std::size_t sum = 0;
  for (const auto& each : record.artifacts)
    sum += bytes_of(*each);
  const auto messages =
      std::min<std::size_t>(record.history.size(), history_length.value_or(record.history.size()));
  for (auto at = record.history.end() - static_cast<std::ptrdiff_t>(messages);
       at != record.history.end(); ++at)
    sum += bytes_of(**at);
  return sum;
}

/// Roughly the bytes of the events that `batch` becomes.
std::size_t bytes_of_batch(const feed_batch& batch, const feed& source, const task_stream& stream) {
  std::size_t sum = 0;
  if (batch.snapshot)
    sum += bytes_of_shown(*source.snapshot().task, stream.history_length);
  for (const auto& each : batch.frames) {
    sum += bytes_of(*each.news);
    for (const auto& happened : each.news->events)
      if (const auto* made = std::get_if<task_created>(&happened); made && made->record)
        sum += bytes_of_shown(*made->record, stream.history_length);
  }
  return sum;
}

/// In place of a text that does not fit among those that wait for their readers.
void refuse_text(operation_call& call) {
  call.responder.stream_text().clear();
  add_error(call,
            make_error(errc::overloaded,
                       "the stream is cut off: with its next event, the answers that wait for "
                       "their readers would be longer than limits.answer-bytes-total together ("
                           + std::to_string(call.server.options.answer_bytes_total_max)
                           + " bytes); subscribe again"));
}

/// Adds the snapshot and the frames of a batch; true if that was the end.
bool add_batch(operation_call& call, const task_stream& stream, const feed& source,
               const feed_batch& batch) {
  if (batch.snapshot
      && add_snapshot(call, stream, source, batch.gap ? history::has_gap : history::complete))
    return true;
  return std::ranges::any_of(
      batch.frames, [&](const frame& each) { return add_frame(call, stream, source, each); });
}

/// Adds what the feed has, as much as is written at once. What is long is counted, roughly, before
/// it is made.
stream_step add_events(operation_call& call, const task_stream& stream, awaited_feed& from,
                       bool& has_shown) {
  auto* const source = from.get();
  if (source == nullptr) {
    add_error(call, *from.failure());
    return stream_step::end;
  }
  auto& responder = call.responder;
  const auto batch = source->take(responder.stream_window());
  if (!responder.hold_stream(bytes_of_batch(batch, *source, stream))) {
    refuse_text(call);
    return stream_step::end;
  }
  if (add_batch(call, stream, *source, batch))
    return stream_step::end;
  has_shown = has_shown || !responder.stream_text().empty();
  const auto& options = call.server.options;
  switch (batch.state) {
    case feed_state::lost:
      add_error(call, make_error(errc::overloaded, "the stream is cut off: its reader is too slow, "
                                                   "and more waited than limits.stream-events ("
                                                       + std::to_string(options.stream_events_max)
                                                       + ") or limits.stream-bytes ("
                                                       + std::to_string(options.stream_bytes_max)
                                                       + "); subscribe again"));
      return stream_step::end;
    case feed_state::failed: add_error(call, *batch.failure); return stream_step::end;
    case feed_state::ended:
      if (has_shown)
        return stream_step::end;
      // The client has seen everything: the task as it ended.
      if (responder.hold_stream(bytes_of_shown(*source->snapshot().task, stream.history_length)))
        add_snapshot(call, stream, *source, history::complete);
      else
        refuse_text(call);
      return stream_step::end;
    case feed_state::waiting:
    case feed_state::more: break;
  }
  if (call.responder.is_draining()) {
    add_error(call, make_error(errc::unavailable, "server is shutting down; resubscribe"));
    return stream_step::end;
  }
  return batch.state == feed_state::more ? stream_step::go_on : stream_step::wait;
}

/// The same, and counts the text as it is.
stream_step add_news(operation_call& call, const task_stream& stream, awaited_feed& from,
                     bool& has_shown) {
  const auto next = add_events(call, stream, from, has_shown);
  if (call.responder.hold_stream(call.responder.stream_text().size()))
    return next;
  refuse_text(call);
  return stream_step::end;
}

awaitable<void> show(operation_call& call, task_stream& stream) {
  awaited_feed source(call, std::move(stream.source));
  bool has_shown = false;
  auto& responder = call.responder;
  const auto silence = call.server.options.keep_alive_interval;
  bool here = co_await responder.begin_stream();
  // Counts from what was sent last: news that this reader is not shown keep nobody waiting for a
  // sign of life.
  auto due = call.home.now() + silence;
  while (here) {
    const auto next = add_news(call, stream, source, has_shown);
    if (call.home.now() >= due && responder.stream_text().empty())
      responder.stream_text() = ": keep-alive\n\n";
    if (!responder.stream_text().empty())
      due = call.home.now() + silence;
    here = co_await responder.send_stream();
    if (next == stream_step::end)
      break;
    if (here && next == stream_step::wait)
      co_await responder.wait(due);
    else if (here)
      co_await asio::post(call.home.context(),
                          use_awaitable); // Others of this loop have their turn.
  }
  co_await responder.end_stream();
}

/// A stream of the one event that `add()` adds.
template<std::invocable<> Add>
awaitable<void> show_only(operation_call& call, Add add) {
  auto& responder = call.responder;
  bool here = co_await responder.begin_stream();
  add();
  if (!responder.hold_stream(responder.stream_text().size()))
    refuse_text(call);
  if (here)
    here = co_await responder.send_stream();
  if (here)
    co_await responder.end_stream();
}

} // namespace

std::shared_ptr<feed> make_feed(const operation_call& call) {
  const auto& options = call.server.options;
  auto out = std::make_shared<feed>(
      live_queue::bounds{options.stream_events_max, options.stream_bytes_max}, call.server.feeds);
  out->connect([reader = call.responder.wake()] { reader->notify(); });
  return out;
}

counted take_stream(operation_call& call) {
  const auto max = call.server.options.streams_max;
  auto slot = counted::take(call.server.streams, max);
  if (!slot)
    fail(call,
         make_error(errc::overloaded,
                    std::to_string(max) + " streams are open (limits.streams); try again later"));
  return slot;
}

awaitable<void> stream_task(operation_call& call, task_stream stream, counted slot) {
  const counted held = std::move(slot);
  co_await show(call, stream);
}

awaitable<void> stream_answer(operation_call& call, message_ptr answer) {
  co_await show_only(call, [&] {
    add_event(call, [&](std::string& text) {
      json_writer out(text);
      call.codec->write_answer(out, *answer);
      return true;
    });
  });
}

awaitable<void> fail_stream(operation_call& call, error why) {
  fail(call, why);
  if (call.responder.response().status != 200 || !call.frame->streams_refusals())
    co_return;
  co_await show_only(call, [&] { add_error(call, why); });
}

} // namespace troupe::net
