// One connection: reads requests, has them answered, writes the answers, keeps the connection or
// ends it. A coroutine on its loop's thread; its memory is kept from request to request, for itself
// alone. Other threads reach it only through its `wakeup`.
#pragma once

#include "client/io.hpp"
#include "net/http/byte_stream.hpp"
#include "net/http/exchange.hpp"
#include "net/http/http_service.hpp"

#include <cstdint>
#include <exception>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::net {

/// What one connection takes of what all may have.
struct connection_share {
  client_place place;
  memory_charge memory; ///< memory_account::connections
};

class session final : public swept,
                      public http_responder,
                      private stalling_stream,
                      private long_answer,
                      public std::enable_shared_from_this<session> {
public:
  session(std::shared_ptr<http_service> service, loop& home, std::unique_ptr<byte_stream> bytes,
          connection_facts facts, connection_share share);
  ~session() override;

  /// The connection's life, on its loop's thread.
  [[nodiscard]] static awaitable<void> serve(std::shared_ptr<session> self);
  /// The life of a connection above a limit: one 503.
  [[nodiscard]] static awaitable<void> refuse(std::shared_ptr<session> self, std::string why);

  // -- http_responder -----------------------------------------------------------------------------

  void release_body() noexcept override;
  [[nodiscard]] const wakeup_ptr& wake() const noexcept override { return wake_; }
  [[nodiscard]] awaitable<void> wait(time_point until) override;
  [[nodiscard]] bool is_late() const noexcept override { return expired_; }
  [[nodiscard]] bool is_gone() const noexcept override { return gone_; }
  [[nodiscard]] bool is_draining() const noexcept override {
    return service_->draining.load(std::memory_order_relaxed);
  }
  [[nodiscard]] awaitable<bool> begin_stream() override;
  [[nodiscard]] std::size_t stream_window() const noexcept override {
    // HTTP/1.1 has a connection to itself, and `send_stream` returns when the socket has taken
    // everything.
    return service_->stream_bytes.window(service_->streams.load(std::memory_order_relaxed));
  }
  [[nodiscard]] bool hold_stream(std::size_t bytes, std::size_t shared_bytes) override;
  [[nodiscard]] awaitable<bool> send_stream() override;
  [[nodiscard]] awaitable<void> end_stream() override;

  // -- swept --------------------------------------------------------------------------------------

  void on_deadline() override;
  void on_sweep() override;
  void on_drain() override;
  void abort() override;

private:
  // -- stalling_stream, long_answer ---------------------------------------------------------------
  void cut() override;

  enum class phase : std::uint8_t { idle, head, body, working, lingering };
  enum class step : std::uint8_t { read_more, complete, refused };

  // reading
  [[nodiscard]] awaitable<void> serve_all();
  void begin_request();
  [[nodiscard]] step refusing(step (session::*part)());
  [[nodiscard]] step refuse_for_memory(const std::string& why);
  [[nodiscard]] bool hold_buffers();
  void keep_buffers();
  [[nodiscard]] step parse(std::string_view bytes);
  [[nodiscard]] step parse_unparsed();
  void skip_empty_line(std::string_view& bytes) noexcept;
  [[nodiscard]] bool begins_empty_line(std::string_view bytes) const noexcept;
  [[nodiscard]] bool may_skip_line() const noexcept { return head_bytes_ == 0 && !line_skipped_; }
  void keep_unparsed(std::string_view bytes);
  [[nodiscard]] step refuse_request(const error_code& why);
  [[nodiscard]] step refuse_body();
  [[nodiscard]] bool hold_body();
  [[nodiscard]] step read();
  [[nodiscard]] step on_read_failed();
  [[nodiscard]] bool owes_continue() const noexcept;
  [[nodiscard]] awaitable<void> send_continue();
  void enter(phase next, std::chrono::milliseconds timeout);
  [[nodiscard]] awaitable<void> readable();
  [[nodiscard]] awaitable<void> writable();

  // answering
  [[nodiscard]] awaitable<void> begin_work();
  void end_work();
  void on_fault(const std::exception& fault);
  [[nodiscard]] bool begin_writing();
  [[nodiscard]] bool hold_answer(std::size_t bytes) noexcept;
  void refuse_answer();
  void end_writing();
  [[nodiscard]] bool write_now();
  [[nodiscard]] awaitable<bool> write_rest();
  [[nodiscard]] awaitable<void> linger();
  void interrupt();

  std::shared_ptr<http_service> service_;
  loop& home_;
  const std::unique_ptr<byte_stream> bytes_;
  const connection_facts facts_;
  connection_share share_;
  wakeup_ptr wake_;

  std::string unparsed_; ///< Bytes read and not yet parsed, behind the first `unparsed_begin_`.
  std::size_t unparsed_begin_ = 0;
  bool may_read_on_ = false; ///< The last read took all it had room for: there may be more already.
  std::size_t head_bytes_ = 0; ///< Of the current request's head, parsed so far.
  bool line_skipped_ = false;
  std::optional<request_parser> parser_;
  http_request request_;
  http_exchange exchange_;
  std::string head_;
  std::size_t written_ = 0;        ///< Of head and body together.
  client_place working_;           ///< The request's place among those in flight.
  memory_charge held_;             ///< A long body's bytes.
  memory_charge writing_;          ///< A long answer's.
  stream_budget::share streaming_; ///< Of the text of a stream.
  std::size_t stream_bytes_ = 0;   ///< That a stream holds until its reader takes them.
  bool streamed_ = false;          ///< The answer was a stream: nothing is left to write.
  bool chunked_ = false;

  phase phase_ = phase::idle;
  bool expired_ = false; ///< The deadline passed since it was set.
  bool gone_ = false;
};

/// Takes a connection in: serves it on `home`, or tells it that there are too many, or closes it.
/// Any thread; `bytes` is used on the thread of `home` alone from then on.
void welcome(const std::shared_ptr<http_service>& service, loop& home,
             std::unique_ptr<byte_stream> bytes, connection_facts facts);

} // namespace troupe::net
