// An A2A agent for tests that sends events without a pause, for as long as it is heard.
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
  /// `of_another_task`: the events say nothing of the task that was asked for; else each is an
  /// artifact of 64 KiB.
  explicit flooding_agent(bool of_another_task = false);
  ~flooding_agent();
  flooding_agent(const flooding_agent&) = delete;
  flooding_agent& operator=(const flooding_agent&) = delete;

  [[nodiscard]] std::string url() const;
  /// Events that were sent.
  [[nodiscard]] std::size_t frames() const noexcept { return frames_; }

private:
  void accept();
  void serve(boost::asio::ip::tcp::socket& peer);

  const bool of_another_task_;
  boost::asio::io_context context_;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::atomic<bool> is_over_{false};
  std::atomic<std::size_t> frames_{0};
  std::list<std::thread> serving_; // for the accepting thread, and the end
  std::thread accepting_;
};

} // namespace troupe::testing
