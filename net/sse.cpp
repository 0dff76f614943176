#include "net/sse.hpp"

#include "net/settling.hpp"

#include <boost/asio/post.hpp>

#include <concepts>
#include <utility>

namespace troupe::net {

namespace {

/// Appends one event to what the connection sends next: what `write` appends to the text. Nothing, if that returns false.
template<std::predicate<std::string&> Write>
void add_event(operation_call& call, Write write) {
  auto& text = call.connection.stream_text();
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
  auto& text = call.connection.stream_text();
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
void add_snapshot(operation_call& call, const task_stream& what, const task& record, const stream_cursor& at,
                  history past = history::complete) {
  const task_view_options view{.history_length = what.history_length,
                               .include_progress = call.extensions.progress,
                               .objective = what.objective.get()};
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
bool ends_at(const task_stream& what, task_state state) noexcept {
  return is_terminal(state) || (what.ends_at_question && state == task_state::input_required);
}

/// Adds the end of a task that never began (its plan failed or was canceled); true if it is this task's.
bool add_withdrawal(operation_call& call, const task_stream& what, const change& news) {
  if (!withdraws_tasks(news))
    return false;
  const auto found = call.records().find_task(what.id);
  if (!found || !is_terminal(found->status.state))
    return false;
  change where;
  where.context = found->context;
  where.task.id = found->id;
  where.at = found->status.at;
  const event fact = task_moved{found->status.state, found->attempt, found->status.message};
  add_event(call, [&](std::string& text) {
    json_writer out(text);
    return call.codec->write_event(out, where, fact, {.last = true, .cursor = {}});
  });
  return true;
}

/// Adds what one change says about the task, from its event `first` on; true if that was the end.
bool add_change(operation_call& call, task_stream& what, const change_ptr& news, std::size_t first = 0) {
  if (news->task.id.empty())
    return add_withdrawal(call, what, *news);
  if (news->task.id != what.id)
    return false;
  for (std::size_t index = first; index < news->events.size(); ++index) {
    const auto& fact = news->events[index];
    if (const auto* made = std::get_if<task_created>(&fact); made && !what.snapshot.record) {
      what.snapshot.record = made->record;
      add_snapshot(call, what, *made->record, {news->sequence, static_cast<std::uint32_t>(index)});
      if (ends_at(what, made->record->status.state))
        return true;
      continue;
    }
    // Not asked for, not sent (docs/a2a.md, "Extensions").
    if (std::holds_alternative<task_progress>(fact) && !call.extensions.progress)
      continue;
    const auto* moved = std::get_if<task_moved>(&fact);
    const bool last = moved != nullptr && ends_at(what, moved->to);
    add_event(call, [&](std::string& text) {
      return call.server().texts.append(text, news, {call.codec, index, last, call.extensions.cursors});
    });
    if (last)
      return true;
  }
  return false;
}

/// Everything that has gathered; true if the stream ends with it.
bool add_news(operation_call& call, task_stream& what) {
  const auto batch = what.queue->take();
  for (const auto& news : batch.changes)
    if (add_change(call, what, news))
      return true;
  const auto& options = call.server().options;
  if (batch.overflowed) {
    add_error(call, make_error(errc::overloaded,
                               "the stream is cut off: its reader is too slow, and more waited than limits.stream-events ("
                                   + std::to_string(options.stream_events_max) + ") or limits.stream-bytes ("
                                   + std::to_string(options.stream_bytes_max) + "); subscribe again"));
    return true;
  }
  if (call.connection.is_draining()) {
    add_error(call, make_error(errc::unavailable, "server is shutting down; resubscribe"));
    return true;
  }
  return false;
}

/// Sends what has happened since the client's cursor, page by page as the client takes it; true if the stream ends with it.
awaitable<bool> replay(operation_call& call, task_stream& what) {
  const auto standing = std::exchange(what.snapshot, {});
  const bool is_whole = what.after->event == stream_cursor::whole || what.after->sequence == 0;
  journal_range range{.after = is_whole ? what.after->sequence : what.after->sequence - 1, .through = standing.sequence};
  bool over = false;
  bool shown = false;
  for (bool more = true; more && !over;) {
    const auto page = call.records().read_changes(what.id, range);
    if (!page) {
      add_error(call, page.error());
      co_return true;
    }
    if (page->gone) {
      add_snapshot(call, what, *standing.record, {standing.sequence}, history::has_gap);
      shown = true;
      over = ends_at(what, standing.record->status.state);
      break;
    }
    for (const auto& news : page->changes) {
      const bool is_half_shown = !is_whole && news->sequence == what.after->sequence;
      over = over || add_change(call, what, news, is_half_shown ? what.after->event + std::size_t{1} : 0);
    }
    shown = shown || !call.connection.stream_text().empty();
    const bool here = co_await call.connection.send_stream();
    if (!here)
      co_return true;
    range.after = page->next_after;
    more = page->more;
    if (more && !over)
      co_await asio::post(call.connection.home().context(), use_awaitable); // others of this loop have their turn
  }
  what.snapshot = standing;
  if (!over && is_terminal(standing.record->status.state)) {
    if (!shown)
      add_snapshot(call, what, *standing.record, {standing.sequence});
    over = true;
  }
  co_return over;
}

awaitable<void> show(operation_call& call, task_stream& what) {
  auto& connection = call.connection;
  const auto silence = call.server().options.keep_alive_interval;
  bool over = false;
  if (what.snapshot.record && !what.after) {
    add_snapshot(call, what, *what.snapshot.record, {what.snapshot.sequence});
    over = ends_at(what, what.snapshot.record->status.state);
  }
  if (!over && !what.after)
    over = add_news(call, what);
  auto first = std::exchange(connection.stream_text(), {});
  bool here = co_await connection.begin_stream();
  connection.stream_text() = std::move(first);
  if (here && what.after) {
    over = co_await replay(call, what);
    if (!over)
      over = add_news(call, what);
  }
  // Counts from what was sent last: news that this reader is not shown keep nobody waiting for a sign of life.
  auto due = connection.home().now() + silence;
  for (;;) {
    if (!connection.stream_text().empty())
      due = connection.home().now() + silence;
    if (here)
      here = co_await connection.send_stream();
    if (!here || over)
      break;
    co_await connection.wait(due);
    over = add_news(call, what);
    if (connection.home().now() >= due && connection.stream_text().empty())
      connection.stream_text() = ": keep-alive\n\n";
  }
  co_await connection.end_stream();
}

/// A stream of the one event that `add()` adds.
template<std::invocable<> Add>
awaitable<void> show_only(operation_call& call, Add add) {
  auto& connection = call.connection;
  bool here = co_await connection.begin_stream();
  add();
  if (here)
    here = co_await connection.send_stream();
  if (here)
    co_await connection.end_stream();
}

} // namespace

std::shared_ptr<stream_queue> make_queue(const operation_call& call) {
  const auto& options = call.server().options;
  return std::make_shared<stream_queue>(call.connection.wake(), options.stream_events_max, options.stream_bytes_max);
}

counted take_stream(operation_call& call) {
  const auto max = call.server().options.streams_max;
  auto slot = counted::take(call.server().streams, max);
  if (!slot)
    fail(call, make_error(errc::overloaded, std::to_string(max) + " streams are open (limits.streams); try again later"));
  return slot;
}

awaitable<void> stream_task(operation_call& call, task_stream what, counted slot) {
  // However it ends, nobody watches for it any more.
  struct unwatcher {
    store& records;
    const task_stream& what;
    ~unwatcher() { records.unwatch(what.watched, what.queue); }
  };
  const unwatcher watching{call.records(), what};
  const counted held = std::move(slot);
  co_await show(call, what);
}

awaitable<void> stream_answer(operation_call& call, message_ptr what) {
  co_await show_only(call, [&] {
    add_event(call, [&](std::string& text) {
      json_writer out(text);
      call.codec->write_answer(out, *what);
      return true;
    });
  });
}

awaitable<void> fail_stream(operation_call& call, error why) {
  fail(call, why);
  if (call.connection.response().status != 200 || !call.frame->streams_refusals())
    co_return;
  co_await show_only(call, [&] { add_error(call, why); });
}

} // namespace troupe::net
