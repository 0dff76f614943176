#include "net/a2a/sse.hpp"

#include "net/a2a/answer_size.hpp"
#include "net/a2a/awaited.hpp"
#include "protocol/change_size.hpp"
#include <troupe/protocol/text_pieces.hpp>

#include <boost/asio/post.hpp>

#include <algorithm>
#include <concepts>
#include <functional>
#include <memory>
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

/// A snapshot of a task as an event. It owns its data.
struct snapshot_event {
  const wire_codec* codec = nullptr;
  task_ptr record;
  task_view_options view;
  objective_ptr objective;             ///< `view` refers to it.
  std::optional<stream_cursor> cursor; ///< Shown to the client; empty: none is.
  bool has_gap = false;                ///< What happened since the client's cursor is not kept.

  void write(json_writer& out) const {
    auto shown_record = record;
    if (cursor || has_gap) {
      auto marked = std::make_shared<task>(*record);
      if (cursor)
        marked->metadata[stream_cursor_key] = to_string(*cursor);
      if (has_gap)
        marked->metadata[stream_gap_key] = true;
      shown_record = std::move(marked);
    }
    out.keep(shown_record).keep(objective);
    codec->write_snapshot(out, *shown_record, view);
  }
};

/// An event on its way that is long as text. It is made in pieces, each once its reader has taken
/// the one before: a reader that has stopped holds one piece, and what the event is made of.
class long_event {
public:
  /// `write` writes what stands between `begin` and the end of the event, and says what it borrows
  /// (json_writer::keep).
  long_event(const binding& frame, std::string begin, std::function<void(json_writer&)> write,
             shown_snapshots::hold hold, std::size_t bytes)
      : frame_(frame), write_(std::move(write)), text_(std::move(begin)), hold_(std::move(hold)),
        bytes_(bytes) {}

  /// Appends the next piece. The first takes the longest: what is not long is made as a whole.
  void add_piece(std::string& text) {
    if (write_) {
      json_writer out(text_);
      std::exchange(write_, nullptr)(out);
      frame_.end_result(text_.end());
      text_.end() += "\n\n";
    }
    const auto piece = text_.next(stream_piece_bytes);
    is_whole_ = piece.size() < stream_piece_bytes;
    text += piece;
  }
  [[nodiscard]] bool is_begun() const noexcept { return !write_; }
  [[nodiscard]] bool is_whole() const noexcept { return is_whole_; }
  /// Of what it is made of.
  [[nodiscard]] std::size_t shared_bytes() const noexcept { return bytes_; }
  /// Text that is made and not sent.
  [[nodiscard]] std::size_t own_bytes() const noexcept { return text_.bytes_held(); }

private:
  const binding& frame_;
  std::function<void(json_writer&)> write_; ///< Null: it is begun.
  text_pieces text_;
  const shown_snapshots::hold hold_;
  const std::size_t bytes_;
  bool is_whole_ = false;
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
  apart, ///< A long event is next: an answer maker begins it.
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

/// Roughly the bytes of the changes of `batch`. Records count where they are shown.
std::size_t bytes_of_batch(const feed_batch& batch) {
  std::size_t sum = 0;
  for (const auto& each : batch.frames)
    sum += bytes_of(*each.news);
  return sum;
}

/// Above so many bytes an event is made in pieces, for each stream apart. Others are made at once:
/// the streams of a task share them (event_texts).
constexpr std::size_t shared_event_bytes_max = 256 * 1024;

/// Whether the event is shown in pieces: `news` is long, and it is not hidden as the client's own
/// messages are.
bool is_made_in_pieces(const change& news, const event& happened) {
  if (bytes_of(news) <= shared_event_bytes_max)
    return false;
  const auto* output = std::get_if<task_artifact>(&happened);
  const auto* said = std::get_if<task_message>(&happened);
  return (output && output->artifact) || std::holds_alternative<task_moved>(happened)
         || (said && is_from_agent(*said));
}

/// In place of a text that does not fit among those that wait for their readers.
void refuse_text(operation_call& call, std::size_t bytes) {
  call.responder.stream_text().clear();
  add_error(call, make_error(errc::overloaded, "the stream is cut off before its next event: "
                                                   + call.server.stream_bytes.why_no_room(bytes)
                                                   + "; subscribe again"));
}

/// A feed on its way to its client: adds the events of its batches to what the connection sends
/// next.
class shown_feed {
public:
  shown_feed(operation_call& call, task_stream stream)
      : call_(call), stream_(std::move(stream)), source_(call, std::move(stream_.source)) {}

  /// Adds what the feed has, as much as is written at once, and counts the text. Stops before a
  /// long event (`stream_step::apart`), adds that in pieces, and goes on behind it.
  stream_step add_news() {
    if (long_event_ && long_event_->is_begun())
      return add_piece();
    const auto next = add_events();
    if (next == stream_step::apart)
      return next;
    if (hold())
      return next;
    refuse_text(call_, call_.responder.stream_text().size());
    return stream_step::end;
  }

  /// Adds the first piece of the long event.
  awaitable<stream_step> begin_apart() {
    auto& responder = call_.responder;
    auto made = call_.server.answers.make(
        client_of(call_.who), std::move(responder.stream_text()),
        [event = long_event_](std::string& text) { event->add_piece(text); }, responder.wake());
    responder.stream_text().clear();
    if (!made) {
      add_error(call_, made.error());
      co_return stream_step::end;
    }
    const auto silence = call_.server.options.keep_alive_interval;
    for (auto due = call_.home.now() + silence; !made->is_made();) {
      if (responder.is_gone())
        co_return stream_step::end;
      co_await responder.wait(due);
      if (made->is_made() || call_.home.now() < due)
        continue;
      responder.stream_text() = keep_alive;
      if (const bool here = co_await responder.send_stream(); !here)
        co_return stream_step::end;
      due = call_.home.now() + silence;
    }
    auto text = made->take();
    if (source_.get() == nullptr) { // The reader may see no more: `add_events` says why.
      long_event_.reset();
      is_over_ = false;
      co_return stream_step::go_on;
    }
    responder.stream_text() = std::move(text);
    co_return end_piece();
  }

private:
  stream_step add_piece() {
    if (source_.get() == nullptr)
      return stream_step::end; // In the middle of an event there is no place for an error.
    long_event_->add_piece(call_.responder.stream_text());
    return end_piece();
  }

  /// What was added last is a piece of the long event.
  stream_step end_piece() {
    static_cast<void>(hold()); // Never refused here.
    if (long_event_->is_whole())
      long_event_.reset();
    has_shown_ = true;
    return stream_step::go_on;
  }

  /// Counts what is sent next, and what waits behind it.
  bool hold() {
    const auto own = long_event_ ? long_event_->own_bytes() : 0;
    // Not 0 while an event is under way that was counted when it was begun: it goes on to its end.
    const auto shared =
        long_event_ ? std::max<std::size_t>(long_event_->shared_bytes(), 1) : std::size_t{0};
    const auto taken = is_taken_ ? held_ : 0;
    return call_.responder.hold_stream(call_.responder.stream_text().size() + own + taken, shared);
  }

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
    held_ = bytes_of_batch(batch_);
    return call_.responder.hold_stream(held_, 0);
  }

  /// Adds the rest of the batch; false if it stops before a long event.
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
  /// event.
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
      // Progress is sent only to clients that asked for it (docs/a2a.md, "Extensions").
      if (std::holds_alternative<task_progress>(fact) && !call_.extensions.progress)
        continue;
      const auto* moved = std::get_if<task_moved>(&fact);
      is_over_ = moved != nullptr && ends_at(stream_, moved->to);
      if (is_made_in_pieces(*news, fact)) {
        add_long(news, {call_.codec, index, is_over_, call_.extensions.cursors});
        return false;
      }
      add_event(call_, [&](std::string& text) {
        return call_.server.texts.append(text, news,
                                         {call_.codec, index, is_over_, call_.extensions.cursors});
      });
    }
    return true;
  }

  /// The event becomes `long_event_`.
  void add_long(const change_ptr& news, const event_texts::key& which) {
    std::string begin = "data: ";
    call_.frame->begin_result(call_, begin);
    long_event_ = std::make_shared<long_event>(
        *call_.frame, std::move(begin),
        [news, which](json_writer& out) {
          out.keep(news);
          static_cast<void>(event_texts::write(out, *news, which));
        },
        nullptr, 0);
    was_apart_ = true;
  }

  /// Adds `record`, as it stood `at`. False if that is long: it becomes `long_event_`.
  bool add_snapshot(const task_ptr& record, const stream_cursor& at, bool has_gap) {
    const bool was_answered = record->status.state == task_state::input_required
                              && stream_.answered != timestamp{}
                              && record->status.at == stream_.answered;
    is_over_ = !was_answered && ends_at(stream_, record->status.state);
    snapshot_event shown{.codec = call_.codec,
                         .record = record,
                         .view = {.history_length = stream_.history_length,
                                  .include_progress = call_.extensions.progress,
                                  .include_times = call_.extensions.opt,
                                  .objective = stream_.objective.get()},
                         .objective = stream_.objective,
                         .cursor = std::nullopt,
                         .has_gap = has_gap && call_.extensions.cursors};
    if (call_.extensions.cursors && at.sequence != sequence_end)
      shown.cursor = at;
    if (answer_size{}.add(*record, shown.view).is_long())
      return !add_long(std::move(shown));
    add_event(call_, [&](std::string& text) {
      json_writer out(text);
      shown.write(out);
      return true;
    });
    return true;
  }

  /// The snapshot becomes `long_event_`. False if there is no room for it: the stream ends.
  bool add_long(snapshot_event shown) {
    const auto bytes = bytes_of_shown(*shown.record, stream_.history_length);
    auto hold = call_.server.snapshots.take(shown.record, bytes);
    if (!hold) {
      refuse_text(call_, bytes);
      is_over_ = true;
      return false;
    }
    std::string begin = "data: ";
    call_.frame->begin_result(call_, begin);
    long_event_ = std::make_shared<long_event>(
        *call_.frame, std::move(begin),
        [shown = std::move(shown)](json_writer& out) { shown.write(out); }, std::move(hold), bytes);
    was_apart_ = true;
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
    // The feed may have notified while the long event was sent, so ask it again.
    return batch_.state == feed_state::more || was_apart_ ? stream_step::go_on : stream_step::wait;
  }

  /// The client has seen everything: the task as it ended.
  stream_step add_last_snapshot(const feed& source) {
    const bool is_added = add_snapshot(source.snapshot().task, {source.snapshot().sequence}, false);
    is_over_ = true;
    return is_added ? stream_step::end : stream_step::apart;
  }

  operation_call& call_;
  task_stream stream_;
  awaited_feed source_;
  bool has_shown_ = false; ///< Anything.
  bool is_over_ = false;   ///< What was added last, or is added next, ends the stream.

  feed_batch batch_;
  bool is_taken_ = false;                  ///< `batch_` has events that were not added yet.
  std::size_t frame_ = 0;                  ///< The next one.
  std::size_t event_ = 0;                  ///< The next one of its change.
  std::size_t held_ = 0;                   ///< Bytes that were counted for the batch.
  bool was_apart_ = false;                 ///< Of this batch, an event was long.
  std::shared_ptr<long_event> long_event_; ///< Null: the last one is whole.
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
    if (next == stream_step::apart)
      next = co_await shown.begin_apart();
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
  if (!responder.hold_stream(responder.stream_text().size(), 0))
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
      live_queue::bounds{options.stream_events_max, options.stream_bytes_max},
      call.server.stream_bytes.feeds());
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
  if (!slot || call.server.stream_bytes.admits_stream())
    return slot;
  fail(call,
       make_error(errc::overloaded, call.server.stream_bytes.why_no_room(1) + "; try again later"));
  return {};
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
