// Connects to one of the addresses of a host (RFC 8305): the families in turn, an attempt every 250
// ms or as soon as one has failed; the first that stands is taken, and the others are closed.
#pragma once

#include "client/io.hpp"
#include "client/timers.hpp"

#include <boost/asio/ip/address.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <vector>

namespace troupe::net {

/// RFC 8305 section 5: "Connection Attempt Delay".
inline constexpr std::chrono::milliseconds attempt_delay{250};

/// The families in turn, beginning with that of the first address (RFC 8305 section 4); the order
/// within a family stays.
[[nodiscard]] std::vector<asio::ip::address> families_in_turn(std::vector<asio::ip::address> all);

struct dialled {
  std::optional<tcp_socket> socket; ///< Connected; nothing: see `failed`.
  asio::ip::address to;             ///< Of the socket.
  error_code failed;                ///< Of the last attempt; none if the time was up.
};

class dialler : public std::enable_shared_from_this<dialler> {
public:
  dialler(asio::io_context& context, timers_ptr clock, std::vector<asio::ip::address> to,
          std::uint16_t port);
  dialler(const dialler&) = delete;
  dialler& operator=(const dialler&) = delete;

  /// Once. Nothing is open afterwards but the socket that it gives.
  [[nodiscard]] awaitable<dialled> run(time_point until);
  /// `run` ends without a socket.
  void cancel();

private:
  void begin_next();
  void on_end(std::size_t which, error_code failed);
  void finish();

  asio::io_context& context_;
  const std::vector<asio::ip::address> to_;
  const std::uint16_t port_;
  std::deque<tcp_socket> attempts_; ///< In the order of `to_`; closed once they have failed.
  std::size_t open_ = 0;
  timer next_;
  timer done_;
  bool is_over_ = false;
  dialled out_;
};

} // namespace troupe::net
