// The server of N event streams, plain or over TLS. Each of the first N connections gets a stream
// with one event. One more connection, always plain, says "EVENTS PAUSE_US\n"; then each stream
// gets so many events, one round after the other, and ends. One thread, blocking writes.
//
//   troupe_client_source --streams N [--certificate FILE]
//
// Prints "listening on 127.0.0.1:PORT". With `--certificate` it speaks TLS as `source.example`, and
// writes its certificate there before it listens. Ends when all is sent and the last connection is
// closed.
#include "bench/client/load_options.hpp"
#include "tests/support/push_receiver.hpp"

#include <boost/asio/buffer.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/read_until.hpp>
#include <boost/asio/ssl.hpp>
#include <boost/asio/write.hpp>

#include <chrono>
#include <cstdio>
#include <fstream>
#include <list>
#include <optional>
#include <string>
#include <thread>

#include <sys/resource.h>

namespace {

using namespace troupe::bench;
namespace asio = boost::asio;
namespace ssl = boost::asio::ssl;
using tcp = asio::ip::tcp;

std::string chunk(const std::string& data) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", data.size());
  return size + data + "\r\n";
}

/// An event as Troupe writes it.
std::string event_text(std::size_t number) {
  char text[400];
  std::snprintf(
      text, sizeof text,
      R"(data: {"artifactUpdate":{"taskId":"task-00000000000000","contextId":"ctx-00000000000000","artifact":)"
      R"({"artifactId":"tick","name":"tick","parts":[{"text":"tick %010zu"}]}}})"
      "\n\n",
      number);
  return chunk(text);
}

/// One stream.
class subscriber {
public:
  subscriber(tcp::socket socket, ssl::context* tls) {
    socket.set_option(tcp::no_delay(true));
    if (tls != nullptr) {
      tls_.emplace(std::move(socket), *tls);
      tls_->handshake(ssl::stream_base::server);
    } else {
      plain_.emplace(std::move(socket));
    }
    std::string head;
    if (tls_)
      asio::read_until(*tls_, asio::dynamic_buffer(head), "\r\n\r\n");
    else
      asio::read_until(*plain_, asio::dynamic_buffer(head), "\r\n\r\n");
    write("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n"
          + event_text(0));
  }
  void write(const std::string& text) {
    if (tls_)
      asio::write(*tls_, asio::buffer(text));
    else
      asio::write(*plain_, asio::buffer(text));
  }

private:
  std::optional<tcp::socket> plain_;
  std::optional<ssl::stream<tcp::socket>> tls_;
};

} // namespace

int main(int argc, char** argv) {
  const load_options how(argc, argv);
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  const auto streams = how.count("--streams", 1);
  std::optional<ssl::context> tls;
  if (const auto path = how.text("--certificate", ""); !path.empty()) {
    const auto identity = troupe::testing::make_test_certificate({"source.example"});
    std::ofstream(path) << identity.certificate_pem;
    tls.emplace(ssl::context::tls_server);
    tls->use_certificate(asio::buffer(identity.certificate_pem), ssl::context::pem);
    tls->use_private_key(asio::buffer(identity.key_pem), ssl::context::pem);
  }
  asio::io_context context;
  tcp::acceptor acceptor(context, {asio::ip::address_v4::loopback(), 0});
  std::printf("listening on 127.0.0.1:%u\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  std::list<subscriber> all;
  while (all.size() < streams)
    all.emplace_back(acceptor.accept(), tls ? &*tls : nullptr);
  std::size_t events = 0;
  long pause_us = 0;
  tcp::socket control(context);
  acceptor.accept(control);
  std::string order;
  asio::read_until(control, asio::dynamic_buffer(order), '\n');
  if (std::sscanf(order.c_str(), "%zu %ld", &events, &pause_us) != 2)
    fail("no order: " + order);
  for (std::size_t number = 1; number <= events; ++number) {
    const auto text = event_text(number);
    for (auto& each : all)
      each.write(text);
    std::this_thread::sleep_for(std::chrono::microseconds(pause_us));
  }
  for (auto& each : all)
    each.write("0\r\n\r\n");
  boost::system::error_code ignored;
  asio::read_until(control, asio::dynamic_buffer(order), "closed", ignored);
  return 0;
}
