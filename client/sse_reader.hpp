// Server-sent events out of bytes as they come (WHATWG HTML section 9.2.6). A plain value.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <chrono>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::net {

/// Of an event's id: it goes into a header, and stands in each event.
inline constexpr std::size_t event_id_bytes_max = 1024;

/// Whether `text` may be the id of an event: short, and of printable ASCII, so that it can be sent
/// back in a header. Other ids are passed over.
[[nodiscard]] bool is_event_id(std::string_view text) noexcept;

struct sse_event {
  std::string id; ///< The last id of the stream so far; empty: none.
  std::string data;
  bool is_error = false; ///< The server calls it `error` (the field `event`).
};

class sse_reader {
public:
  /// `event_bytes_max`: of one event, and of one line.
  explicit sse_reader(std::size_t event_bytes_max) : event_bytes_max_(event_bytes_max) {}

  /// The cost is linear in `bytes`. Errors: too_large; nothing more can be read then.
  [[nodiscard]] result<void> feed(std::string_view bytes);
  /// The next event that is complete; nothing if there is none yet. Events without data are passed
  /// over.
  [[nodiscard]] std::optional<sse_event> take();
  /// The stream has ended: what was begun and has no empty line behind it, if it has data. Whether
  /// it is whole the caller has to see. To be called once, after the last `take`.
  [[nodiscard]] std::optional<sse_event> take_rest();
  /// Of an event that has begun.
  [[nodiscard]] std::size_t unfinished_bytes() const noexcept {
    return line_.size() + data_.size();
  }
  /// Bytes of comments and of other lines without data that came since this was last asked.
  [[nodiscard]] std::size_t take_idle_bytes() noexcept { return std::exchange(idle_bytes_, 0); }
  /// An event or a comment has begun, and has not ended.
  [[nodiscard]] bool is_within_event() const noexcept { return has_data_ || !line_.empty(); }
  /// Bytes that are kept: of what was begun, and of events that were not taken.
  [[nodiscard]] std::size_t held_bytes() const noexcept;
  /// How long the server wants clients to wait before they connect again, if it says so.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }

private:
  void take_line(std::string_view line);
  void end_event();
  void keep(sse_event event);

  const std::size_t event_bytes_max_;
  std::string line_;          ///< Begun, without its end; of a comment only its colon.
  bool after_return_ = false; ///< The last byte was a CR: a LF behind it ends the same line.
  bool is_first_line_ = true;
  std::string data_;
  bool has_data_ = false;
  bool is_error_ = false;
  std::string id_;
  std::optional<std::chrono::milliseconds> retry_;
  std::vector<sse_event> events_; ///< Complete.
  std::size_t taken_ = 0;         ///< Of them.
  std::size_t idle_bytes_ = 0;
  std::size_t events_bytes_ = 0; ///< Of those that were not taken.
};

} // namespace troupe::net
