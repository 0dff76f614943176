// A feed on its way to its client as server-sent events: what the streams of tasks and of
// objectives have in common. What an event looks like, and which one is the last, is said by
// shown_task (net/a2a/task_stream.cpp) and shown_objective (net/a2a/objective_stream.cpp).
#pragma once

#include "actors/feed/feed.hpp"
#include "net/a2a/awaited.hpp"
#include "net/a2a/operation.hpp"
#include "net/a2a/shown_snapshots.hpp"
#include <troupe/protocol/text_pieces.hpp>

#include <concepts>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <utility>

namespace troupe::net {

/// Appends one event to what the connection sends next: what `write` appends to the text. Nothing,
/// if that returns false. `id`: the event's `id`; empty: it has none.
template<std::predicate<std::string&> Write>
void add_event(operation_call& call, Write write, std::string_view id = {}) {
  auto& text = call.responder.stream_text();
  const auto before = text.size();
  if (!id.empty())
    text.append("id: ").append(id).append("\n");
  text += "data: ";
  call.frame->begin_result(call, text);
  if (!write(text)) {
    text.resize(before);
    return;
  }
  call.frame->end_result(text);
  text += "\n\n";
}

void add_error(operation_call& call, const error& why);

/// In place of a text that does not fit among those that wait for their readers.
void refuse_text(operation_call& call, std::size_t bytes);

/// Above so many bytes an event is made in pieces, for each stream apart. Others are made at once:
/// the streams of a task share them (event_texts).
inline constexpr std::size_t shared_event_bytes_max = 256 * 1024;

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
  void add_piece(std::string& text);
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

/// How a stream goes on.
enum class stream_step : std::uint8_t {
  wait,  ///< Until the feed says that there is something.
  go_on, ///< There is more.
  apart, ///< A long event is next: an answer maker begins it.
  end
};

/// Adds events to what the connection sends next.
class event_source {
public:
  event_source() = default;
  virtual ~event_source() = default;
  event_source(const event_source&) = delete;
  event_source& operator=(const event_source&) = delete;

  /// Adds what there is, as much as is written at once, and counts the text. Stops before a long
  /// event (`stream_step::apart`), adds that in pieces, and goes on behind it.
  virtual stream_step add_news() = 0;
  /// Adds the first piece of the long event.
  virtual awaitable<stream_step> begin_apart() = 0;
  /// Until then some events are held back.
  [[nodiscard]] virtual time_point not_before() const { return time_point::min(); }
};

/// The events of a feed's batches.
class shown_feed : public event_source {
public:
  shown_feed(operation_call& call, std::shared_ptr<feed> source)
      : call_(call), source_(call, std::move(source)) {}

  stream_step add_news() final;
  awaitable<stream_step> begin_apart() final;
  /// Part of a long event was added, and the rest was not.
  [[nodiscard]] bool is_in_event() const noexcept { return long_event_ != nullptr; }

protected:
  // What a stream shows. Those that add something return false if it is long: it is the long event
  // then, and the call comes again once that is sent.

  /// What stands now. `has_gap`: in place of a past that is not kept.
  virtual bool add_snapshot(const feed& source, bool has_gap) = 0;
  /// The frame, from its part `part_` on; what was added is counted there.
  virtual bool add_frame(const frame& next, const feed& source) = 0;
  /// All frames of a batch were added. `more`: others follow at once.
  virtual bool end_batch(bool more) = 0;
  /// Nothing follows what was shown, although the feed has not ended.
  [[nodiscard]] virtual bool is_finished() const { return false; }

  /// The event becomes the long one. `begin`: its lines before the result.
  void add_long(std::string begin, std::function<void(json_writer&)> write,
                shown_snapshots::hold hold = nullptr, std::size_t bytes = 0);

  operation_call& call_;
  bool is_over_ = false; ///< What was added last, or is added next, ends the stream.
  std::size_t part_ = 0; ///< Of the frame: the next one.
  std::size_t held_ = 0; ///< Bytes that were counted for the batch.

private:
  stream_step add_piece();
  stream_step end_piece();
  bool hold();
  stream_step add_events();
  bool take(feed& source);
  bool add_batch(const feed& source);
  stream_step after_batch(const feed& source);
  stream_step add_last_snapshot(const feed& source);

  awaited_feed source_;
  bool has_shown_ = false; ///< Anything.
  feed_batch batch_;
  bool is_taken_ = false;                  ///< `batch_` has events that were not added yet.
  std::size_t frame_ = 0;                  ///< The next one.
  bool was_apart_ = false;                 ///< Of this batch, an event was long.
  std::shared_ptr<long_event> long_event_; ///< Null: the last one is whole.
};

/// Sends the stream until it ends, the client disconnects, or the server stops.
[[nodiscard]] awaitable<void> show(operation_call& call, event_source& shown);

} // namespace troupe::net
