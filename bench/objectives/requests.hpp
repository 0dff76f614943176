// Keep-alive connections that send JSON-RPC requests and check the answers: the client of
// bench_objectives. Plain sockets, one thread. What is wrong throws wrong_result.
#pragma once

#include "bench/support/histogram.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::bench {

/// What a load of requests took.
struct load_result {
  double seconds = 0.0;
  histogram latencies_ns;
};

class request_client {
public:
  /// Connects to the server at this port of 127.0.0.1.
  request_client(std::uint16_t port, std::size_t connections);
  ~request_client();
  request_client(const request_client&) = delete;
  request_client& operator=(const request_client&) = delete;

  /// The body of one JSON-RPC request: `method` and the text of its params.
  [[nodiscard]] static std::string request(std::string_view method, std::string_view params);

  /// Sends one request and returns the whole answer. Throws wrong_result if it is an error.
  [[nodiscard]] std::string ask(std::string_view method, std::string_view params);

  /// Sends `count` requests, in their order, each on the connection that is free first. Each answer
  /// must have a result and contain `expected`.
  [[nodiscard]] load_result send_all(std::size_t count,
                                     const std::function<std::string(std::size_t)>& body_of,
                                     std::string_view expected);

private:
  struct connection;
  void send(connection& to, const std::string& body);
  [[nodiscard]] bool receive(connection& from);

  std::vector<connection> all_;
  int poll_ = -1;
};

} // namespace troupe::bench
