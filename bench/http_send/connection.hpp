// A keep-alive connection of the load generator, with at most one request under way. Plain sockets,
// no allocation after the start. Every answer is checked: HTTP 200, the request's id, a completed
// task. What is wrong ends the program with a message.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace troupe::bench {

/// Prints the text and ends the program with exit code 1.
[[noreturn]] void fail(const std::string& text);

/// The request with room for its number at `id_at` and `message_at`.
struct request_text {
  std::string text;
  std::size_t id_at = 0;
  std::size_t message_at = 0;
};

/// A `SendMessage` to the server at this port.
[[nodiscard]] request_text make_request(std::uint16_t port);

class connection {
public:
  connection(std::uint16_t port, request_text request);

  [[nodiscard]] int socket() const { return socket_; }
  void close();

  /// Sends the request with this number; the answer to the one before is complete.
  void send(std::uint64_t number);
  /// Takes what has arrived; true once the answer is complete (and has been checked).
  bool receive();

private:
  [[nodiscard]] std::string_view received() const { return {buffer_.data(), filled_}; }
  void read_header();
  void check_body() const;

  request_text request_;
  int socket_ = -1;
  std::array<char, 16384> buffer_{};
  std::size_t filled_ = 0;
  std::size_t body_at_ = 0;
  std::size_t total_ = 0; ///< Of header and body; 0 = not known yet.
};

} // namespace troupe::bench
