// The connections that the server makes to other agents: the product has one end of a pair of
// sockets, and bytes go from there over a connection of the world, with its latency and its breaks.
#pragma once

#include "client/io.hpp"
#include "net/http/byte_stream.hpp"
#include "protocol/text/http_url.hpp"
#include <troupe/protocol/errc.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "sim/connection.hpp"
#include "sim/world.hpp"

namespace troupe::sim {

class outbound {
public:
  explicit outbound(world& in);
  ~outbound();
  outbound(const outbound&) = delete;
  outbound& operator=(const outbound&) = delete;

  /// What a name server says of a host: its address. Errors: unavailable.
  [[nodiscard]] result<std::vector<std::string>> look_up(const std::string& host);
  /// A connected socket for the product (http_client_options::connect). Errors: unavailable.
  [[nodiscard]] result<int> connect(const http_url& to);
  /// Moves what the product has written, if it `may_have_written` since the last turn, and what has
  /// arrived for it. False: nothing moved.
  bool turn(bool may_have_written);
  /// Connections that are open.
  [[nodiscard]] std::size_t count() const noexcept { return links_.size(); }
  /// The process has died: what it had written is still under way.
  void end();

private:
  struct link {
    int socket = -1;
    std::shared_ptr<connection> line;
    std::unique_ptr<net::byte_stream> end; ///< The server's, of `line`.
    std::string held;                      ///< Written by the product, and not taken yet.
    bool has_ended = false;                ///< The other side sends nothing more.
  };

  [[nodiscard]] bool take_written(link& of);
  [[nodiscard]] static bool hand_over(link& of);
  static void close(link& of);

  world& in_;
  dice chance_;
  dice names_;
  net::asio::io_context context_; ///< Nothing waits here.
  std::vector<link> links_;
  std::uint64_t made_ = 0;
};

} // namespace troupe::sim
