// Reads server-sent events (WHATWG HTML, "Server-sent events", 9.2.5 and 9.2.6) out of bytes as they come: what a client of an A2A stream
// needs. For clients that are written with the library; here the benchmarks and tests use it, the server does not. A plain value;
// knows nothing of sockets.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// One event. A comment or a keep-alive is none.
struct stream_event {
  std::string name; ///< `event:`; empty is "message".
  std::string data; ///< All `data:` lines, joined by line feeds.
  std::string id;   ///< The last `id:` so far; an empty one resets it.

  friend bool operator==(const stream_event&, const stream_event&) = default;
};

/// Above this an event is refused. The SDKs' own clients give up above 10 MiB (Go) or 4 MiB (JavaScript).
inline constexpr std::size_t stream_event_bytes_max = 10 * 1024 * 1024;

class event_stream_reader {
public:
  explicit event_stream_reader(std::size_t event_bytes_max = stream_event_bytes_max) : bytes_max_(event_bytes_max) {}

  /// Takes what arrived, cut anywhere.
  void feed(std::string_view bytes) { input_ += bytes; }

  /// The next complete event. Nothing if there is none yet, or ever: see `is_broken`. What a stream that ends has begun and not
  /// finished with a blank line is no event.
  [[nodiscard]] std::optional<stream_event> next();

  /// An event was longer than allowed: nothing more is read.
  [[nodiscard]] bool is_broken() const noexcept { return broken_; }
  /// Milliseconds to wait before reconnecting, if the server named them (`retry:`).
  [[nodiscard]] std::optional<unsigned> retry_after() const noexcept { return retry_; }

private:
  [[nodiscard]] std::optional<std::string_view> take_line();
  void read_field(std::string_view line);

  const std::size_t bytes_max_;
  std::string input_;
  std::size_t begin_ = 0; ///< Of what is not read yet.
  std::size_t seen_ = 0;  ///< No line end stands before this.
  bool at_start_ = true;  ///< A byte order mark may come.
  bool after_return_ = false; ///< The last line ended in CR: an LF belongs to it.
  bool broken_ = false;
  bool has_data_ = false;
  stream_event event_;
  std::optional<unsigned> retry_;
};

} // namespace troupe
