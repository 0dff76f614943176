// One request as those see it who answer it: the request, the facts of its connection, and a
// responder. They never see a session, so that the same answers serve every transport and every
// version of HTTP.
#pragma once

#include "client/io.hpp"
#include "net/http/client_shares.hpp"
#include "net/http/http_request.hpp"
#include "net/http/http_response.hpp"
#include "net/http/loop.hpp"
#include "net/http/wakeup.hpp"

#include <memory>
#include <string>

namespace troupe::net {

/// What is known of a connection before its first request. Set once.
struct connection_facts {
  std::string listener; ///< `address:port` it was accepted at; empty: by none.
  std::string peer; ///< The other side's address without its port (client_address); empty: it has
                    ///< none.
  bool is_encrypted = false;      ///< TLS.
  std::string client_certificate; ///< SHA-256 of the certificate the client proved to own, in hex;
                                  ///< empty: none.
  client_share_ptr share{};       ///< Of `peer`, set by `welcome`; null: it has none.
};

/// How a request is answered: with a response, now or later, or with an event stream.
class http_responder {
public:
  http_responder() = default;
  http_responder(const http_responder&) = delete;
  http_responder& operator=(const http_responder&) = delete;

  /// What is to be sent when the request is done.
  [[nodiscard]] http_response& response() noexcept { return response_; }

  // -- a long body --------------------------------------------------------------------------------

  /// The body is read after the handler has returned, until `release_body`.
  void keep_body() noexcept { keeps_body_ = true; }
  /// Gives the memory of a long body back: it has been read.
  virtual void release_body() noexcept = 0;

  // -- waiting ------------------------------------------------------------------------------------

  /// Notify it, from any thread, and a `wait` returns.
  [[nodiscard]] virtual const wakeup_ptr& wake() const noexcept = 0;
  /// Completes after a notification, at `until`, when the server drains, and when the client is
  /// gone; also without reason. Await it at once.
  [[nodiscard]] virtual awaitable<void> wait(time_point until) = 0;
  /// After a wait: whether `until` has passed.
  [[nodiscard]] virtual bool is_late() const noexcept = 0;
  /// The client is gone: an answer has no reader.
  [[nodiscard]] virtual bool is_gone() const noexcept = 0;
  [[nodiscard]] virtual bool is_draining() const noexcept = 0;

  // -- streaming ----------------------------------------------------------------------------------

  /// Sends the head of an event stream with `response().headers`. False if the client is gone.
  [[nodiscard]] virtual awaitable<bool> begin_stream() = 0;
  /// How many bytes the connection takes now, asked before anything is encoded. 0: none; a
  /// notification follows when it takes some.
  [[nodiscard]] virtual std::size_t stream_window() const noexcept = 0;
  /// Counts `bytes`, of the text that is sent next, among what waits for the readers of streams, in
  /// place of what was counted before. False, and counts nothing, if there is no room
  /// (limits.stream-bytes-total); never for a short text. `shared_bytes`: not 0 if the text belongs
  /// to an event that was begun; what that is made of, and others have counted. Then `bytes` are
  /// counted in any case, and cut others if there is no room.
  [[nodiscard]] virtual bool hold_stream(std::size_t bytes, std::size_t shared_bytes) = 0;
  /// Sends `stream_text()` and empties it. What was counted for it is given back.
  [[nodiscard]] virtual awaitable<bool> send_stream() = 0;
  /// Ends the stream properly, so that the connection can go on.
  [[nodiscard]] virtual awaitable<void> end_stream() = 0;
  [[nodiscard]] std::string& stream_text() noexcept { return response_.body; }

protected:
  ~http_responder() = default;

  http_response response_;
  bool keeps_body_ = false;
};

/// What a binding keeps with the connection from one request to the next, for its memory's sake.
struct kept_memory {
  virtual ~kept_memory() = default;
};

/// Lives as long as its connection; what it refers to is of the request being answered.
struct http_exchange {
  const http_request& request;
  http_responder& responder;
  const connection_facts& facts;
  loop& home;
  std::unique_ptr<kept_memory> kept{};
};

} // namespace troupe::net
