#include "net/http/listener.hpp"

#include "net/http/session.hpp"

#include <boost/asio/basic_socket_acceptor.hpp>
#include <boost/asio/co_spawn.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/redirect_error.hpp>

#include <utility>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

namespace troupe::net {

namespace {

/// Between two attempts to accept when the process is out of file descriptors.
constexpr std::chrono::milliseconds accept_pause = 50ms;

using endpoint = asio::ip::tcp::endpoint;

/// Where the system does not know the option, its own bound is left.
void bound_unsent(tcp_socket& socket) {
  static_cast<void>(::setsockopt(socket.native_handle(), IPPROTO_TCP, TCP_NOTSENT_LOWAT,
                                 &unsent_bytes_max, sizeof unsent_bytes_max));
}

result<endpoint> resolve(asio::io_context& context, const std::string& address,
                         std::uint16_t port) {
  error_code ec;
  if (const auto number = asio::ip::make_address(address, ec); !ec)
    return endpoint(number, port);
  asio::ip::tcp::resolver names(context);
  const auto found =
      names.resolve(address, std::to_string(port), asio::ip::tcp::resolver::passive, ec);
  if (ec || found.empty())
    return make_error(errc::unavailable,
                      "cannot listen on " + address
                          + ": it is neither an IP address nor a known name; "
                            "use 127.0.0.1 for this machine only, 0.0.0.0 for all networks",
                      address);
  return found.begin()->endpoint();
}

error cannot_listen(const error_code& why, const std::string& address, std::uint16_t port) {
  auto text = "cannot listen on " + address + " port " + std::to_string(port) + ": ";
  if (why == asio::error::address_in_use)
    text += "the port is in use; stop the program that uses it, or choose another port (0 takes "
            "any free one)";
  else if (why == asio::error::access_denied)
    text += "permission denied; ports below 1024 need privileges, choose a higher one";
  else if (why == boost::system::errc::address_not_available)
    text += "this machine has no such address; use 127.0.0.1 or 0.0.0.0";
  else
    text += why.message();
  return make_error(errc::unavailable, std::move(text), address + ":" + std::to_string(port));
}

} // namespace

listener::listener(std::shared_ptr<http_service> service, std::vector<std::unique_ptr<loop>>& loops)
    : service_(std::move(service)), loops_(loops), acceptor_(loops.front()->context()),
      pause_(loops.front()->clock()) {}

result<std::uint16_t> listener::open() {
  const auto& options = service_->options;
  const auto where = resolve(loops_.front()->context(), options.address, options.port);
  if (!where)
    return where.error();
  error_code ec;
  acceptor_.open(where->protocol(), ec);
  if (!ec)
    acceptor_.set_option(asio::socket_base::reuse_address(true),
                         ec); // a restart need not wait for TIME_WAIT
  if (!ec)
    acceptor_.bind(*where, ec);
  if (!ec)
    acceptor_.listen(asio::socket_base::max_listen_connections, ec);
  if (ec) {
    auto why = cannot_listen(ec, options.address, options.port);
    close();
    return why;
  }
  const auto port = acceptor_.local_endpoint(ec).port();
  name_ = options.address + ":" + std::to_string(port);
  return port;
}

void listener::start() {
  asio::co_spawn(loops_.front()->context(), accept_all(), asio::detached);
}

void listener::close() {
  error_code ignored;
  acceptor_.close(ignored);
  pause_.wake();
}

void listener::warn(const std::string& line) const {
  if (!line.empty() && service_->options.warn)
    service_->options.warn(line);
}

awaitable<void> listener::accept_all() {
  while (acceptor_.is_open()) {
    auto& home = *loops_[next_++ % loops_.size()];
    tcp_socket socket(home.context());
    endpoint peer;
    error_code ec;
    co_await acceptor_.async_accept(socket, peer, asio::redirect_error(use_awaitable, ec));
    if (!ec) {
      warn(accept_failures_.on_accepted());
      socket.set_option(asio::ip::tcp::no_delay(true), ec);
      bound_unsent(socket);
      connection_facts facts;
      facts.listener = name_;
      facts.peer = client_address(peer.address());
      welcome(service_, home, std::make_unique<socket_stream<tcp_socket>>(std::move(socket)),
              std::move(facts));
    } else if (acceptor_.is_open()) {
      // Out of descriptors, or a connection that was gone before it was taken: never spin.
      warn(accept_failures_.on_failed(ec));
      co_await pause_.wait_until(loops_.front()->clock()->now() + accept_pause);
    }
  }
}

} // namespace troupe::net
