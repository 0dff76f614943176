#include "net/a2a/shown_feed.hpp"

#include "protocol/change_size.hpp"

#include <boost/asio/post.hpp>

#include <algorithm>

namespace troupe::net {

namespace {

/// The sign of life of a stream without news: a comment.
constexpr const char* keep_alive = ": keep-alive\n\n";

/// Roughly the bytes of the changes of `batch`. Records count where they are shown.
std::size_t bytes_of_batch(const feed_batch& batch) {
  std::size_t sum = 0;
  for (const auto& each : batch.frames)
    sum += bytes_of(*each.news);
  return sum;
}

} // namespace

void add_error(operation_call& call, const error& why) {
  auto& text = call.responder.stream_text();
  text += call.frame->error_event();
  text += "data: ";
  call.frame->write_error(call, text, why);
  text += "\n\n";
}

void refuse_text(operation_call& call, std::size_t bytes) {
  call.responder.stream_text().clear();
  add_error(call, make_error(errc::overloaded, "the stream is cut off before its next event: "
                                                   + call.server.stream_bytes.why_no_room(bytes)
                                                   + "; subscribe again"));
}

// -- a long event ---------------------------------------------------------------------------------

void long_event::add_piece(std::string& text) {
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

void shown_feed::add_long(std::string begin, std::function<void(json_writer&)> write,
                          shown_snapshots::hold hold, std::size_t bytes) {
  begin += "data: ";
  call_.frame->begin_result(call_, begin);
  long_event_ = std::make_shared<long_event>(*call_.frame, std::move(begin), std::move(write),
                                             std::move(hold), bytes);
  was_apart_ = true;
}

awaitable<stream_step> shown_feed::begin_apart() {
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

stream_step shown_feed::add_piece() {
  if (source_.get() == nullptr)
    return stream_step::end; // In the middle of an event there is no place for an error.
  long_event_->add_piece(call_.responder.stream_text());
  return end_piece();
}

/// What was added last is a piece of the long event.
stream_step shown_feed::end_piece() {
  static_cast<void>(hold()); // Never refused here.
  if (long_event_->is_whole())
    long_event_.reset();
  has_shown_ = true;
  source_.get()->forget_snapshot();
  return stream_step::go_on;
}

// -- batches --------------------------------------------------------------------------------------

stream_step shown_feed::add_news() {
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

/// Counts what is sent next, and what waits behind it.
bool shown_feed::hold() {
  const auto own = long_event_ ? long_event_->own_bytes() : 0;
  // Not 0 while an event is under way that was counted when it was begun: it goes on to its end.
  const auto shared =
      long_event_ ? std::max<std::size_t>(long_event_->shared_bytes(), 1) : std::size_t{0};
  const auto taken = is_taken_ ? held_ : 0;
  return call_.responder.hold_stream(call_.responder.stream_text().size() + own + taken, shared);
}

stream_step shown_feed::add_events() {
  if (is_over_)
    return stream_step::end;
  auto* const source = source_.get();
  if (source == nullptr) {
    add_error(call_, *source_.failure());
    return stream_step::end;
  }
  if (!is_taken_ && call_.home.now() < not_before())
    return stream_step::wait;
  if (!is_taken_ && !take(*source)) {
    refuse_text(call_, held_);
    return stream_step::end;
  }
  if (const bool is_whole = add_batch(*source); !is_whole)
    return stream_step::apart;
  if (is_over_)
    return stream_step::end;
  has_shown_ = has_shown_ || !call_.responder.stream_text().empty();
  if (has_shown_) // A last snapshot is only for who was shown nothing.
    source->forget_snapshot();
  is_taken_ = false;
  return after_batch(*source);
}

/// What is long is counted, roughly, before it is made. False if it is too much.
bool shown_feed::take(feed& source) {
  batch_ = source.take(call_.responder.stream_window());
  is_taken_ = true;
  was_apart_ = false;
  frame_ = 0;
  part_ = 0;
  held_ = bytes_of_batch(batch_);
  return call_.responder.hold_stream(held_, 0);
}

/// Adds the rest of the batch; false if it stops before a long event.
bool shown_feed::add_batch(const feed& source) {
  if (std::exchange(batch_.snapshot, false) && !add_snapshot(source, batch_.gap))
    return false;
  for (; frame_ < batch_.frames.size() && !is_over_; ++frame_, part_ = 0)
    if (!add_frame(batch_.frames[frame_], source))
      return false;
  return is_over_ || end_batch(batch_.state == feed_state::more);
}

stream_step shown_feed::after_batch(const feed& source) {
  switch (batch_.state) {
    case feed_state::lost:
      add_error(call_, make_error(errc::overloaded,
                                  "the stream is cut off: its reader is too slow, and the store "
                                  "no longer keeps the changes that it needs; subscribe again"));
      return stream_step::end;
    case feed_state::failed: add_error(call_, *batch_.failure); return stream_step::end;
    case feed_state::ended: return has_shown_ ? stream_step::end : add_last_snapshot(source);
    case feed_state::waiting:
      if (is_finished() && !source.is_reading())
        return has_shown_ ? stream_step::end : add_last_snapshot(source);
      break;
    case feed_state::more: break;
  }
  if (call_.responder.is_draining()) {
    add_error(call_, make_error(errc::unavailable, "server is shutting down; resubscribe"));
    return stream_step::end;
  }
  // The feed may have notified while the long event was sent, so ask it again.
  return batch_.state == feed_state::more || was_apart_ ? stream_step::go_on : stream_step::wait;
}

/// The client has seen everything: how it ended.
stream_step shown_feed::add_last_snapshot(const feed& source) {
  const bool is_added = add_snapshot(source, false);
  is_over_ = true;
  return is_added ? stream_step::end : stream_step::apart;
}

// -- the stream -----------------------------------------------------------------------------------

awaitable<void> show(operation_call& call, event_source& shown) {
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
    const bool is_held_back = call.home.now() < shown.not_before();
    if (here && next == stream_step::wait)
      co_await responder.wait(is_held_back ? std::min(due, shown.not_before()) : due);
    else if (here)
      co_await asio::post(call.home.context(),
                          use_awaitable); // Others of this loop have their turn.
  }
  co_await responder.end_stream();
}

} // namespace troupe::net
