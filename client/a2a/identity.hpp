// Who a client is to one target: its credentials and certificates as they are now. Files are read
// again when they have changed, a token is fetched when it is needed, and both once more when a
// server has refused them. For one loop.
#pragma once

#include "client/a2a/access_token.hpp"
#include "client/a2a/target.hpp"
#include "client/http_client.hpp"
#include "client/io.hpp"
#include "client/single_flight.hpp"
#include "client/timers.hpp"
#include <troupe/protocol/errc.hpp>

#include <cstdint>
#include <string>

namespace troupe::a2a {

class identity {
public:
  /// `http` outlives it; its certificates are kept as the target says.
  identity(target to, net::timers_ptr clock, net::http_client& http);

  /// With the credentials as they are.
  [[nodiscard]] const target& to() const noexcept { return to_; }
  /// Another number once the credentials are others.
  [[nodiscard]] std::uint64_t version() const noexcept { return version_; }
  /// Before a request. Errors: those of read_token and of the exchange with the token server;
  /// forbidden (the secret would go there without TLS).
  [[nodiscard]] net::awaitable<result<void>> refresh();
  /// The credentials of `version` were refused (401). Whether there are others now.
  [[nodiscard]] net::awaitable<bool> renew(std::uint64_t refused);
  /// What a server repeats of the credentials becomes `***`.
  void mask(std::string& text) const;
  /// The same in body and headers: a redirect may have them, too.
  void mask(net::outbound_answer& answer) const;

private:
  void read_files();
  [[nodiscard]] net::awaitable<result<void>> fetch_token();

  target to_;
  credentials read_; ///< As the target's files have them: without a token.
  const net::timers_ptr clock_;
  net::http_client& http_;
  credentials replaced_; ///< By those that are sent now: a stream was begun with them.
  access_token token_;
  net::single_flight fetching_;
  net::time_point read_at_;
  std::uint64_t version_ = 0;
};

} // namespace troupe::a2a
