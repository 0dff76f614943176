// The floor under a hop: a program that hands the bytes of each connection on to another server,
// and the other server's back. One thread.
//
//   troupe_delegation_relay --to PORT     prints "listening on 127.0.0.1:PORT", runs until SIGTERM
#include "bench/client/load_options.hpp"
#include "client/io.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/buffer.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>
#include <boost/asio/signal_set.hpp>
#include <boost/asio/write.hpp>

#include <array>
#include <cstdio>
#include <memory>

namespace {

namespace net = troupe::net;
namespace asio = boost::asio;
using asio::ip::tcp;

struct pair {
  net::tcp_socket one;
  net::tcp_socket other;
};

net::awaitable<void> hand_on(std::shared_ptr<pair> both, net::tcp_socket& from,
                             net::tcp_socket& to) {
  std::array<char, 16384> buffer;
  net::error_code ec;
  while (!ec) {
    const auto n = co_await from.async_read_some(asio::buffer(buffer),
                                                 asio::redirect_error(net::use_awaitable, ec));
    if (!ec)
      co_await asio::async_write(to, asio::buffer(buffer, n),
                                 asio::redirect_error(net::use_awaitable, ec));
  }
  net::error_code ignored;
  both->one.close(ignored);
  both->other.close(ignored);
}

net::awaitable<void> accept_all(asio::io_context& context,
                                asio::basic_socket_acceptor<tcp, net::io_executor>& acceptor,
                                std::uint16_t port) {
  for (;;) {
    auto one = co_await acceptor.async_accept(net::use_awaitable);
    const auto both = std::make_shared<pair>(pair{std::move(one), net::tcp_socket(context)});
    net::error_code ec;
    const tcp::endpoint to(asio::ip::address_v4::loopback(), port);
    co_await both->other.async_connect(to, asio::redirect_error(net::use_awaitable, ec));
    if (ec)
      continue;
    both->one.set_option(tcp::no_delay(true), ec);
    both->other.set_option(tcp::no_delay(true), ec);
    asio::co_spawn(context, hand_on(both, both->one, both->other), asio::detached);
    asio::co_spawn(context, hand_on(both, both->other, both->one), asio::detached);
  }
}

} // namespace

int main(int argc, char** argv) {
  const troupe::bench::load_options how(argc, argv);
  asio::io_context context(1);
  asio::basic_socket_acceptor<tcp, net::io_executor> acceptor(
      context, {asio::ip::address_v4::loopback(), 0});
  std::printf("listening on 127.0.0.1:%u\n", acceptor.local_endpoint().port());
  std::fflush(stdout);
  asio::signal_set signals(context, SIGTERM, SIGINT);
  signals.async_wait([&](auto, int) { context.stop(); });
  asio::co_spawn(context,
                 accept_all(context, acceptor, static_cast<std::uint16_t>(how.count("--to", 0))),
                 asio::detached);
  context.run();
  return 0;
}
