// Server-sent events out of bytes as they come (WHATWG HTML section 9.2.6). A plain value.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <chrono>
#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::net {

/// Of an event's id: it goes into a header, and stands in each event.
inline constexpr std::size_t event_id_bytes_max = 1024;

/// Whether `text` may be the id of an event: short, and of printable ASCII, so that it can be sent
/// back in a header. Other ids are passed over.
[[nodiscard]] bool is_event_id(std::string_view text) noexcept;

struct sse_event {
  std::string id; ///< The last id of the stream so far; empty: none.
  std::string data;
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
  /// How long the server wants clients to wait before they connect again, if it says so.
  [[nodiscard]] std::optional<std::chrono::milliseconds> retry() const noexcept { return retry_; }

private:
  void take_line(std::string_view line);
  void end_event();

  const std::size_t event_bytes_max_;
  std::string line_;          ///< Begun, without its end.
  bool after_return_ = false; ///< The last byte was a CR: a LF behind it ends the same line.
  bool is_first_line_ = true;
  std::string data_;
  bool has_data_ = false;
  std::string id_;
  std::optional<std::chrono::milliseconds> retry_;
  std::deque<sse_event> events_;
};

} // namespace troupe::net
