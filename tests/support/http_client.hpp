// A small blocking HTTP client for tests: one connection, raw bytes out, answers and events in. It
// shares no code with the server, so that a mistake there is not made here too. Everything throws
// std::runtime_error; nothing waits longer than 20 seconds.
#pragma once

#include <cstddef>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::testing {

struct http_answer {
  int status = 0;
  std::map<std::string, std::string> headers; ///< Names in lower case.
  std::string body;

  [[nodiscard]] std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string{} : found->second;
  }
};

/// Received text that is taken from its front. What was taken is given up in large steps: to move
/// the rest for each of a thousand short events would take most of the time of a test.
class text_queue {
public:
  [[nodiscard]] std::string_view rest() const { return std::string_view{text_}.substr(taken_); }
  void append(std::string_view more) { text_.append(more); }
  /// The first `count` bytes of `rest()`, at most all; they are gone from it.
  std::string take(std::size_t count) {
    std::string out{rest().substr(0, count)};
    taken_ += out.size();
    if (taken_ * 2 >= text_.size())
      text_.erase(0, std::exchange(taken_, 0));
    return out;
  }
  /// All of `rest()`; nothing is left.
  std::string take_all() { return take(rest().size()); }

private:
  std::string text_;
  std::size_t taken_ = 0;
};

class http_client {
public:
  /// Connects to 127.0.0.1. `receive_bytes`: the size of the receive buffer, 0 = the system's.
  explicit http_client(std::uint16_t port, int receive_bytes = 0);
  ~http_client();
  http_client(http_client&& other) noexcept;
  http_client(const http_client&) = delete;
  http_client& operator=(const http_client&) = delete;
  http_client& operator=(http_client&&) = delete;

  // -- raw ----------------------------------------------------------------------------------------

  void send(std::string_view bytes);
  /// Sends as much as the server takes; false if it closed the connection meanwhile.
  bool try_send(std::string_view bytes);
  /// No more will be sent (a half-closed connection).
  void finish_sending();
  /// Whether the server has closed: the next read gives nothing. Waits for it.
  [[nodiscard]] bool is_closed();
  /// Whether something has come that was not read yet, or the server has closed. Does not wait.
  [[nodiscard]] bool has_input() const;
  /// From now on the receive buffer has so many bytes: a small one takes long for a large answer.
  void set_receive_bytes(int bytes);
  /// Closes at once.
  void close();
  /// The same, with a TCP reset.
  void reset();

  // -- requests -----------------------------------------------------------------------------------

  /// `headers`: lines ended by CRLF.
  http_answer get(std::string_view path, std::string_view headers = {});
  /// A JSON-RPC body to `/`, with `A2A-Version: 1.0` unless `headers` says something else about it.
  http_answer post(std::string_view body, std::string_view headers = "A2A-Version: 1.0\r\n");
  /// Any verb; a body is declared as JSON unless `headers` says otherwise.
  http_answer request(std::string_view verb, std::string_view path, std::string_view body = {},
                      std::string_view headers = "A2A-Version: 1.0\r\n");
  /// The request `request` sends.
  [[nodiscard]] static std::string request_text(std::string_view verb, std::string_view path,
                                                std::string_view body = {},
                                                std::string_view headers = "A2A-Version: 1.0\r\n");
  /// The request `post` sends.
  [[nodiscard]] static std::string post_text(std::string_view body,
                                             std::string_view headers = "A2A-Version: 1.0\r\n");

  // -- answers ------------------------------------------------------------------------------------

  /// The next answer, whole. `has_body`: false after HEAD.
  http_answer receive(bool has_body = true);
  /// The status of what comes next, an interim 100 included. It stays to be received.
  [[nodiscard]] int next_status();
  /// Status and headers of the next answer only, for a stream.
  http_answer receive_head();
  /// The next `data:` line of a stream whose head was received; nothing at its end. Comments are
  /// passed over.
  [[nodiscard]] std::optional<std::string> next_event();
  /// The same, but comments are not passed over: they begin with a colon.
  [[nodiscard]] std::optional<std::string> next_piece();

private:
  bool read_more();
  std::size_t find_line_end();
  std::string read_line();
  std::string read_bytes(std::size_t count);
  bool read_chunk();

  int socket_ = -1;
  text_queue input_;  ///< Received and not yet used.
  text_queue stream_; ///< Of a stream: received, unchunked, not yet used.
  bool stream_over_ = false;
  bool chunked_ = false;
};

} // namespace troupe::testing
