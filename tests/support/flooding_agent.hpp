// An A2A agent for tests that sends artifacts without a pause, for as long as it is heard.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>

#include <atomic>
#include <cstddef>
#include <list>
#include <string>
#include <thread>

namespace troupe::testing {

/// A card, and streams that never end; other requests get no answer. Each connection has its
/// thread.
class flooding_agent {
public:
  flooding_agent();
  ~flooding_agent();
  flooding_agent(const flooding_agent&) = delete;
  flooding_agent& operator=(const flooding_agent&) = delete;

  [[nodiscard]] std::string url() const;
  /// Artifacts that were sent, of 64 KiB each.
  [[nodiscard]] std::size_t frames() const noexcept { return frames_; }

private:
  void accept();
  void serve(boost::asio::ip::tcp::socket& peer);

  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::size_t> frames_{0};
  std::list<std::thread> serving_; // for the accepting thread, and the end
  std::thread accepting_;
};

} // namespace troupe::testing
