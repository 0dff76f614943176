// A TCP relay on the loopback interface that a test can cut: what is between a client and a server
// when a connection is lost. Nothing waits longer than 20 seconds.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <utility>
#include <vector>

namespace troupe::testing {

class relay {
public:
  /// Listens on a free port; refuses connections until `lead_to`.
  relay();
  ~relay();
  relay(const relay&) = delete;
  relay& operator=(const relay&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  [[nodiscard]] std::string url() const { return "http://127.0.0.1:" + std::to_string(port_); }
  /// Where connections lead from now on.
  void lead_to(std::uint16_t port) { to_ = port; }
  /// Once: the connection over which the server sends `text` next is cut, and what came before and
  /// the text itself have gone through.
  void cut_after(std::string text);
  /// From now on a connection over which a client sends `text` is dead from there, though it is
  /// open: neither `text` nor anything else goes through. Empty: that is over for new ones.
  void swallow_request(std::string text);
  /// The same, but `text` and what is sent with it goes through, and nothing comes back.
  void swallow_answer(std::string text);
  /// How many connections are dead so.
  [[nodiscard]] int swallowed() const noexcept { return swallowed_; }
  /// From now on what servers send has `to` in place of `from`, which is as long.
  void replace(std::string from, std::string to);
  /// Nothing is replaced or swallowed any more, dead connections are closed, and `swallowed` counts
  /// anew.
  void reset();
  /// How many connections were cut.
  [[nodiscard]] int cuts() const noexcept { return cuts_; }
  /// Connections that came so far.
  [[nodiscard]] int connections() const noexcept { return connections_; }

private:
  void listen();
  void carry(int client);
  /// What to do with bytes of a client: hand them on, and carry on.
  struct passage {
    bool hands_on = true;
    bool carries_on = true;
  };
  [[nodiscard]] passage look_at_request(const std::string& sent);
  void change_answer(char* bytes, std::size_t count);

  int listener_ = -1;
  std::uint16_t port_ = 0;
  std::atomic<std::uint16_t> to_ = 0;
  std::atomic<bool> is_over_ = false;
  std::atomic<int> cuts_ = 0;
  std::atomic<int> connections_ = 0;
  std::atomic<int> swallowed_ = 0;
  std::atomic<int> resets_ = 0;
  std::mutex lock_;
  std::string cut_after_; ///< Empty: nothing is cut.
  std::string swallow_request_;
  std::string swallow_answer_;
  std::vector<std::pair<std::string, std::string>> replaced_;
  std::vector<std::thread> carriers_;
  std::thread listening_;
};

} // namespace troupe::testing
