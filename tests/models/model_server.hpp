// A server of models for tests, on the loopback interface: each model does what its name says
// (tests/models/behaviour.hpp). It shares no code with the client. Nothing waits longer than 20
// seconds, but for a client that holds a connection open.
#pragma once

#include "tests/models/behaviour.hpp"

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <map>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace troupe::testing {

class model_server {
public:
  explicit model_server(std::uint64_t seed = 1, std::uint16_t port = 0);
  ~model_server();
  model_server(const model_server&) = delete;
  model_server& operator=(const model_server&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// `http://127.0.0.1:<port>/v1`.
  [[nodiscard]] std::string url() const;

  /// What good answers of a model say, one after the other; the last one again and again.
  void say(const std::string& model, std::vector<std::string> contents);
  /// What has come, once it is at least so much. Throws if it does not come.
  std::vector<model_request> wait_for(std::size_t count);
  [[nodiscard]] std::vector<model_request> requests() const;
  [[nodiscard]] std::size_t requests_for(const std::string& model) const;
  /// Connections that the client closed before their answer was whole.
  [[nodiscard]] std::size_t closed_by_client() const;

private:
  using tcp = boost::asio::ip::tcp;

  void accept_all();
  void serve(tcp::socket& socket);
  [[nodiscard]] model_steps steps_for(model_request request);

  const std::uint64_t seed_;
  boost::asio::io_context context_;
  tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;

  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::vector<model_request> requests_;
  std::map<std::string, std::size_t> counts_;
  std::map<std::string, std::deque<std::string>> contents_;
  std::vector<tcp::socket*> open_;
  std::size_t closed_by_client_ = 0;
  bool closing_ = false;
  std::vector<std::thread> threads_; ///< One for each connection.
  std::thread acceptor_thread_;
};

} // namespace troupe::testing
