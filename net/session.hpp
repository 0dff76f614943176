// One connection: reads requests, has them answered, writes the answers, keeps the connection or ends it. A coroutine on its loop's
// thread; memory is kept from request to request and shared with nobody. Other threads reach it through its `wakeup` only.
#pragma once

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "net/http_request.hpp"
#include "net/http_response.hpp"
#include "net/io.hpp"
#include "net/loop.hpp"
#include "net/server_state.hpp"
#include "net/wakeup.hpp"

namespace troupe::net {

struct operation_call;

class session final : public swept, public std::enable_shared_from_this<session> {
public:
  session(std::shared_ptr<server_state> server, loop& home, tcp_socket socket, counted slot);

  ~session() override;

  /// The connection's life, on its loop's thread.
  [[nodiscard]] static awaitable<void> serve(std::shared_ptr<session> self);
  /// The life of a connection above the limit: one 503.
  [[nodiscard]] static awaitable<void> refuse(std::shared_ptr<session> self);

  // -- for whoever answers a request -----------------------------------------------------------------------------------

  [[nodiscard]] server_state& server() noexcept { return *server_; }
  /// The same for what may outlive this session.
  [[nodiscard]] const std::shared_ptr<server_state>& shared_server() const noexcept { return server_; }
  [[nodiscard]] loop& home() noexcept { return home_; }
  [[nodiscard]] const http_request& request() const noexcept { return request_; }
  [[nodiscard]] http_response& response() noexcept { return response_; }
  /// The call this connection is answering, reset for a new one. Kept, for its memory, from request to request.
  [[nodiscard]] operation_call& begin_call();
  /// Notify it, from any thread, and a `wait` returns.
  [[nodiscard]] const wakeup_ptr& wake() const noexcept { return wake_; }

  /// Completes after a notification, at `until`, when the server drains, and when the connection is aborted; also without reason.
  /// Await it at once.
  [[nodiscard]] awaitable<void> wait(time_point until);
  /// After a wait: whether `until` has passed.
  [[nodiscard]] bool is_late() const noexcept { return expired_; }
  /// Nobody is there to read an answer.
  [[nodiscard]] bool is_gone() const noexcept { return gone_; }
  [[nodiscard]] bool is_draining() const noexcept { return server_->draining.load(std::memory_order_relaxed); }

  /// Sends the head of an event stream with `response().headers`. False if the client is gone.
  [[nodiscard]] awaitable<bool> begin_stream();
  /// Sends what `stream_text()` holds as one chunk and empties it.
  [[nodiscard]] awaitable<bool> send_stream();
  /// Ends the stream properly, so that the connection can go on.
  [[nodiscard]] awaitable<void> end_stream();
  [[nodiscard]] std::string& stream_text() noexcept { return response_.body; }

  // -- swept -----------------------------------------------------------------------------------------------------------

  void on_deadline() override;
  void on_sweep() override;
  void on_drain() override;
  void abort() override;

private:
  enum class phase : std::uint8_t { idle, head, body, working, lingering };
  enum class step : std::uint8_t { read_more, complete, refused };

  // reading
  [[nodiscard]] awaitable<void> serve_all();
  void begin_request();
  [[nodiscard]] step parse();
  [[nodiscard]] step refuse_request(const error_code& why);
  [[nodiscard]] step refuse_body();
  [[nodiscard]] bool hold_body();
  void drop_body();
  [[nodiscard]] step on_read(std::size_t count, const error_code& ec);
  [[nodiscard]] step on_read_failed();
  [[nodiscard]] bool owes_continue() const noexcept;
  [[nodiscard]] awaitable<void> send_continue();
  void enter(phase next, std::chrono::milliseconds timeout);
  [[nodiscard]] asio::mutable_buffer read_space();
  [[nodiscard]] bool input_is_empty() const noexcept { return input_begin_ == input_end_; }
  [[nodiscard]] std::size_t waiting_bytes() const noexcept { return input_end_ - input_begin_; }

  // answering
  [[nodiscard]] awaitable<void> begin_work();
  void end_work();
  void on_fault(const std::exception& fault);
  [[nodiscard]] bool begin_writing();
  [[nodiscard]] bool hold_answer();
  void refuse_answer();
  void end_writing();
  [[nodiscard]] bool write_now();
  [[nodiscard]] awaitable<bool> write_rest();
  [[nodiscard]] awaitable<void> linger();
  void interrupt();

  std::shared_ptr<server_state> server_;
  loop& home_;
  tcp_socket socket_;
  counted slot_;
  wakeup_ptr wake_;

  std::string input_; ///< Bytes read and not yet parsed: [input_begin_, input_end_).
  std::size_t input_begin_ = 0;
  std::size_t input_end_ = 0;
  std::size_t head_bytes_ = 0; ///< Of the current request's head, parsed so far.
  std::optional<request_parser> parser_;
  http_request request_;

  http_response response_;
  std::unique_ptr<operation_call> call_;
  std::string head_;
  std::size_t written_ = 0; ///< Of head and body together.
  counted working_;         ///< The request's place among those in flight.
  counted held_;            ///< A long body's bytes.
  counted writing_;         ///< A long answer's.
  bool streamed_ = false;   ///< The answer was a stream: nothing is left to write.
  bool chunked_ = false;

  phase phase_ = phase::idle;
  bool expired_ = false; ///< The deadline passed since it was set.
  bool gone_ = false;
};

} // namespace troupe::net
