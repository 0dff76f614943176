// Who receives notifications, for tests: a small HTTP server on the loopback interface that keeps
// what it is sent and answers from a script. It shares no code with the sender. Nothing waits
// longer than 20 seconds.
#pragma once

#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/ssl.hpp>

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

namespace troupe::testing {

struct received_post {
  std::string method;
  std::string target;
  std::map<std::string, std::string>
      headers; ///< Names in lower case; a repeated one has the last value.
  std::string body;

  [[nodiscard]] std::string header(const std::string& name) const {
    const auto found = headers.find(name);
    return found == headers.end() ? std::string{} : found->second;
  }
};

/// Text of a whole answer: `status` and reason phrase, headers (each ended by CRLF), body.
[[nodiscard]] std::string answer_text(int status, const std::string& headers = {},
                                      const std::string& body = {});

/// A certificate for some names that no authority has signed, and its key.
struct test_certificate {
  std::string certificate_pem;
  std::string key_pem;
  std::string public_pem; ///< The key's other half.
};
[[nodiscard]] test_certificate make_test_certificate(const std::vector<std::string>& names);

class push_receiver {
public:
  push_receiver();
  /// Speaks TLS. `trusted_clients_pem`: clients must show a certificate that one of these has
  /// signed; empty: they need none.
  explicit push_receiver(const test_certificate& identity,
                         const std::string& trusted_clients_pem = {});
  ~push_receiver();
  push_receiver(const push_receiver&) = delete;
  push_receiver& operator=(const push_receiver&) = delete;

  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }
  /// `http://127.0.0.1:<port><path>`.
  [[nodiscard]] std::string url(const std::string& path = "/hook") const;

  /// The next requests are answered so, in order; later ones with 204. Empty: closes the connection
  /// without a word.
  void script(std::vector<std::string> answers);
  /// From now on each request is answered so, in place of the script. Called on any thread.
  void answer_with(std::function<std::string(const received_post&)> answer);
  /// Holds back every answer until `release`.
  void hold();
  void release();

  /// What has come, once it is at least so much. Throws if it does not come.
  std::vector<received_post> wait_for(std::size_t count);
  [[nodiscard]] std::vector<received_post> received() const;
  [[nodiscard]] std::size_t connections() const;
  /// The most that were being answered at once.
  [[nodiscard]] std::size_t most_at_once() const;

private:
  void accept_all();
  template<class Stream>
  void serve(Stream& stream);
  std::string take_answer(received_post received_post);

  boost::asio::io_context context_;
  boost::asio::ssl::context tls_{boost::asio::ssl::context::tls_server};
  bool is_tls_ = false;
  boost::asio::ip::tcp::acceptor acceptor_;
  std::uint16_t port_ = 0;

  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::vector<received_post> received_;
  std::deque<std::string> script_;
  std::function<std::string(const received_post&)> answer_;
  std::vector<boost::asio::ip::tcp::socket*> open_;
  std::size_t connections_ = 0;
  std::size_t at_once_ = 0;
  std::size_t most_at_once_ = 0;
  bool held_ = false;
  bool closing_ = false;
  std::vector<std::thread> threads_; ///< One for each connection; the acceptor's thread only.
  std::thread acceptor_thread_;
};

} // namespace troupe::testing
