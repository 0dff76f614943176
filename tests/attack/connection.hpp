// A TCP connection to the server under attack, and a reader that says whether what comes back is
// HTTP. It shares no code with the server. Calls wait for a bounded time; nothing throws when the
// server closes.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::attack {

using steady = std::chrono::steady_clock;

/// From where to where. Each kind of attacker has an address of its own (127.0.0.0/8), so that it
/// is a client of its own and has its own 28,000 ports.
struct route {
  std::string from;       ///< IPv4.
  std::uint16_t port = 0; ///< Of the server, at 127.0.0.1.
};

/// Reads answers from bytes as they come: status line, headers, and a body by Content-Length or in
/// chunks.
class answer_reader {
public:
  /// Takes bytes. False once they cannot be HTTP: then `fault` says why.
  bool feed(std::string_view bytes);
  /// Whole answers so far.
  [[nodiscard]] std::size_t answers() const noexcept { return answers_; }
  /// Of the last whole answer.
  [[nodiscard]] int status() const noexcept { return status_; }
  /// Of the last whole answer, without chunks.
  [[nodiscard]] const std::string& body() const noexcept { return body_; }
  [[nodiscard]] const std::string& fault() const noexcept { return fault_; }
  /// The bytes that have come of a body that is not whole: of an event stream, all so far.
  [[nodiscard]] std::string& open_body() noexcept { return reading_; }
  [[nodiscard]] bool has_head() const noexcept { return phase_ != phase::head; }

private:
  enum class phase { head, sized, chunk_size, chunk, trailer };

  bool step(bool& goes_on);
  bool read_head(std::string_view head);
  bool fail(const std::string& why);
  void finish();

  phase phase_ = phase::head;
  std::string input_;
  std::size_t left_ = 0; ///< Of the body or the chunk.
  std::string reading_;
  std::string body_;
  std::string fault_;
  std::size_t answers_ = 0;
  int head_status_ = 0;
  int status_ = 0;
};

class connection {
public:
  /// Not connected if the server does not listen. `receive_bytes`: the size of the receive buffer,
  /// 0 = the system's.
  explicit connection(const route& to, int receive_bytes = 0);
  ~connection() { close(); }
  connection(connection&& other) noexcept
      : socket_(std::exchange(other.socket_, -1)), reader_(std::move(other.reader_)) {}
  connection& operator=(connection&& other) noexcept {
    std::swap(socket_, other.socket_);
    std::swap(reader_, other.reader_);
    return *this;
  }

  [[nodiscard]] bool is_open() const noexcept { return socket_ >= 0; }
  [[nodiscard]] int socket() const noexcept { return socket_; }
  [[nodiscard]] answer_reader& reader() noexcept { return reader_; }
  void close();
  /// With a TCP reset: leaves no port behind that waits.
  void reset();

  /// Sends all, for at most `bound`; false, and closed, if the server did not take it.
  bool send(std::string_view bytes, std::chrono::milliseconds bound = std::chrono::seconds(5));
  /// Reads until one more answer is whole. False: it was closed, `bound` has passed (then it is
  /// closed too), or what came is not HTTP.
  bool receive(std::chrono::milliseconds bound = std::chrono::seconds(20));
  /// Whether something has come that was not taken. It stays there.
  [[nodiscard]] bool has_input() const;
  /// Takes what has come, without waiting. False: closed, or not HTTP.
  bool take();

private:
  /// Waits for `events` until `until`; false if they did not come.
  bool wait(short events, steady::time_point until) const;

  int socket_ = -1;
  answer_reader reader_;
};

/// A request with a body of JSON. `more`: further header lines.
[[nodiscard]] std::string request_text(std::string_view verb, std::string_view path,
                                       std::string_view body = {}, std::string_view more = {});
/// A JSON-RPC request; `params` is JSON.
[[nodiscard]] std::string rpc_text(std::string_view method, std::string_view params);
/// The string that follows `"name":"` in `text`; empty: none does.
[[nodiscard]] std::string member_of(std::string_view text, std::string_view name);

} // namespace troupe::attack
