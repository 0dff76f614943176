#include "net/a2a/sse.hpp"

#include "net/a2a/answer_size.hpp"
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

/// A task as it stood at one time, as an event. Holds all that it is made of: an answer maker may
/// write it.
struct snapshot_event {
  const wire_codec* codec = nullptr;
  const binding* frame = nullptr;
  std::string begin; ///< Of the event.
  task_ptr record;
  task_view_options view;
  objective_ptr objective;             ///< `view` refers to it.
  std::optional<stream_cursor> cursor; ///< Shown to the client; empty: none is.
  bool has_gap = false;                ///< What happened since the client's cursor is not kept.

  void append(std::string& text) const {
    text += begin;
    json_writer out(text);
    if (!cursor && !has_gap) {
      codec->write_snapshot(out, *record, view);
    } else {
      task marked = *record;
      if (cursor)
        marked.metadata[stream_cursor_key] = to_string(*cursor);
      if (has_gap)
        marked.metadata[stream_gap_key] = true;
      codec->write_snapshot(out, marked, view);
    }
    frame->end_result(text);
    text += "\n\n";
  }
};

/// Whether the stream is over once the task is in `state`.
bool ends_at(const task_stream& stream, task_state state) noexcept {
  return is_terminal(state) || (stream.ends_at_question && state == task_state::input_required);
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

/// The sign of life of a stream without news: a comment.
constexpr const char* keep_alive = ": keep-alive\n\n";

/// How a stream goes on.
enum class stream_step : std::uint8_t {
  wait,  ///< Until the feed says that there is something.
  go_on, ///< There is more.
  apart, ///< A long snapshot is next: an answer maker writes it.
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
void refuse_text(operation_call& call, std::size_t bytes) {
  call.responder.stream_text().clear();
  add_error(call, make_error(errc::overloaded, "the stream is cut off before its next event: "
                                                   + call.server.why_no_answer(bytes)
                                                   + "; subscribe again"));
}

/// A feed on its way to its client: adds the events of its batches to what the connection sends
/// next.
class shown_feed {
public:
  shown_feed(operation_call& call, task_stream stream)
      : call_(call), stream_(std::move(stream)), source_(call, std::move(stream_.source)) {}

  /// Adds what the feed has, as much as is written at once, and counts the text. Stops before a
  /// long snapshot (`stream_step::apart`), and goes on behind it.
  stream_step add_news() {
    const auto next = add_events();
    if (next == stream_step::apart
        || call_.responder.hold_stream(call_.responder.stream_text().size()))
      return next; // What comes apart was counted, roughly, with its batch.
    refuse_text(call_, call_.responder.stream_text().size());
    return stream_step::end;
  }

  /// Adds the long snapshot. False if the client went away meanwhile.
  awaitable<bool> add_apart() {
    auto& responder = call_.responder;
    auto made = call_.server.answers.make(
        client_of(call_.who), std::move(responder.stream_text()),
        [event = std::move(*long_snapshot_)](std::string& text) { event.append(text); },
        responder.wake());
    long_snapshot_.reset();
    responder.stream_text().clear();
    if (!made) {
      add_error(call_, made.error());
      is_over_ = true;
      co_return true;
    }
    const auto silence = call_.server.options.keep_alive_interval;
    for (auto due = call_.home.now() + silence; !made->is_made();) {
      if (responder.is_gone())
        co_return false;
      co_await responder.wait(due);
      if (made->is_made() || call_.home.now() < due)
        continue;
      responder.stream_text() = keep_alive;
      if (const bool here = co_await responder.send_stream(); !here)
        co_return false;
      if (!responder.hold_stream(held_)) { // The hold ended with what was sent.
        refuse_text(call_, held_);
        is_over_ = true;
        co_return true;
      }
      due = call_.home.now() + silence;
    }
    auto text = made->take();
    if (source_.get() != nullptr)
      responder.stream_text() = std::move(text);
    else
      is_over_ = false; // The reader may see no more: `add_news` says why.
    co_return true;
  }

private:
  stream_step add_events() {
    if (is_over_)
      return stream_step::end;
    auto* const source = source_.get();
    if (source == nullptr) {
      add_error(call_, *source_.failure());
      return stream_step::end;
    }
    if (!is_taken_ && !take(*source)) {
      refuse_text(call_, held_);
      return stream_step::end;
    }
    if (const bool is_whole = add_batch(*source); !is_whole)
      return stream_step::apart;
    if (is_over_)
      return stream_step::end;
    has_shown_ = has_shown_ || !call_.responder.stream_text().empty();
    is_taken_ = false;
    return after_batch(*source);
  }

  /// What is long is counted, roughly, before it is made. False if it is too much.
  bool take(feed& source) {
    batch_ = source.take(call_.responder.stream_window());
    is_taken_ = true;
    was_apart_ = false;
    frame_ = 0;
    event_ = 0;
    held_ = bytes_of_batch(batch_, source, stream_);
    return call_.responder.hold_stream(held_);
  }

  /// Adds the rest of the batch; false if it stops before a long snapshot.
  bool add_batch(const feed& source) {
    const auto& now = source.snapshot();
    if (std::exchange(batch_.snapshot, false)
        && !add_snapshot(now.task, {now.sequence}, batch_.gap))
      return false;
    for (; frame_ < batch_.frames.size() && !is_over_; ++frame_, event_ = 0)
      if (!add_frame(batch_.frames[frame_], now))
        return false;
    return true;
  }

  /// Adds what the frame says about the task, from `event_` on; false if it stops before a long
  /// snapshot.
  bool add_frame(const frame& next, const feed_snapshot& snapshot) {
    if (next.withdrawn) {
      is_over_ = add_withdrawal(call_, *next.withdrawn);
      return true;
    }
    const auto& news = next.news;
    event_ = std::max<std::size_t>(event_, next.first_event);
    while (event_ < news->events.size() && !is_over_) {
      const auto index = event_++;
      const auto& fact = news->events[index];
      if (const auto* made = std::get_if<task_created>(&fact)) {
        const bool is_shown = snapshot.task && news->sequence > snapshot.sequence; // as not begun
        if (!is_shown
            && !add_snapshot(made->record, {news->sequence, static_cast<std::uint32_t>(index)},
                             false))
          return false;
        continue;
      }
      // Not asked for, not sent (docs/a2a.md, "Extensions").
      if (std::holds_alternative<task_progress>(fact) && !call_.extensions.progress)
        continue;
      const auto* moved = std::get_if<task_moved>(&fact);
      is_over_ = moved != nullptr && ends_at(stream_, moved->to);
      add_event(call_, [&](std::string& text) {
        return call_.server.texts.append(text, news,
                                         {call_.codec, index, is_over_, call_.extensions.cursors});
      });
    }
    return true;
  }

  /// Adds `record`, as it stood `at`. False if that is long: it becomes `long_snapshot_`.
  bool add_snapshot(const task_ptr& record, const stream_cursor& at, bool has_gap) {
    const bool was_answered = record->status.state == task_state::input_required
                              && stream_.answered != timestamp{}
                              && record->status.at == stream_.answered;
    is_over_ = !was_answered && ends_at(stream_, record->status.state);
    snapshot_event shown{.codec = call_.codec,
                         .frame = call_.frame,
                         .begin = "data: ",
                         .record = record,
                         .view = {.history_length = stream_.history_length,
                                  .include_progress = call_.extensions.progress,
                                  .objective = stream_.objective.get()},
                         .objective = stream_.objective,
                         .cursor = std::nullopt,
                         .has_gap = has_gap && call_.extensions.cursors};
    call_.frame->begin_result(call_, shown.begin);
    if (call_.extensions.cursors && at.sequence != sequence_end)
      shown.cursor = at;
    if (answer_size{}.add(*record, shown.view).is_long()) {
      long_snapshot_ = std::move(shown);
      was_apart_ = true;
      return false;
    }
    shown.append(call_.responder.stream_text());
    return true;
  }

  stream_step after_batch(const feed& source) {
    switch (batch_.state) {
      case feed_state::lost:
        add_error(call_, make_error(errc::overloaded,
                                    "the stream is cut off: its reader is too slow, and the store "
                                    "no longer keeps the changes that it needs; subscribe again"));
        return stream_step::end;
      case feed_state::failed: add_error(call_, *batch_.failure); return stream_step::end;
      case feed_state::ended: return has_shown_ ? stream_step::end : add_last_snapshot(source);
      case feed_state::waiting:
      case feed_state::more: break;
    }
    if (call_.responder.is_draining()) {
      add_error(call_, make_error(errc::unavailable, "server is shutting down; resubscribe"));
      return stream_step::end;
    }
    // While a snapshot was made apart, a notification of the feed may have come and gone.
    return batch_.state == feed_state::more || was_apart_ ? stream_step::go_on : stream_step::wait;
  }

  /// The client has seen everything: the task as it ended.
  stream_step add_last_snapshot(const feed& source) {
    const auto& last = source.snapshot().task;
    held_ = bytes_of_shown(*last, stream_.history_length);
    if (!call_.responder.hold_stream(held_)) {
      refuse_text(call_, held_);
      return stream_step::end;
    }
    const bool is_added = add_snapshot(last, {source.snapshot().sequence}, false);
    is_over_ = true;
    return is_added ? stream_step::end : stream_step::apart;
  }

  operation_call& call_;
  task_stream stream_;
  awaited_feed source_;
  bool has_shown_ = false; ///< Anything.
  bool is_over_ = false;   ///< What was added last, or is added next, ends the stream.

  feed_batch batch_;
  bool is_taken_ = false;  ///< `batch_` has events that were not added yet.
  std::size_t frame_ = 0;  ///< The next one.
  std::size_t event_ = 0;  ///< The next one of its change.
  std::size_t held_ = 0;   ///< Bytes that were counted for the batch.
  bool was_apart_ = false; ///< Of this batch, a snapshot was made apart.
  std::optional<snapshot_event> long_snapshot_;
};

awaitable<void> show(operation_call& call, task_stream stream) {
  shown_feed shown(call, std::move(stream));
  auto& responder = call.responder;
  const auto silence = call.server.options.keep_alive_interval;
  bool here = co_await responder.begin_stream();
  // Counts from the last send: news that this reader is not shown do not delay the keep-alive, its
  // sign of life.
  auto due = call.home.now() + silence;
  while (here) {
    auto next = shown.add_news();
    while (here && next == stream_step::apart) {
      here = co_await shown.add_apart();
      if (here)
        next = shown.add_news();
    }
    if (!here)
      break;
    if (call.home.now() >= due && responder.stream_text().empty())
      responder.stream_text() = keep_alive;
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
    refuse_text(call, responder.stream_text().size());
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
  co_await show(call, std::move(stream));
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
