#include "bench/objectives/requests.hpp"

#include "bench/support/harness.hpp"

#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::bench {

namespace {

using steady = std::chrono::steady_clock;
constexpr int silence_max_ms = 120'000;

int connect_to(std::uint16_t port) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  check(socket >= 0 && ::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) == 0,
        std::string("cannot connect: ") + std::strerror(errno));
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

/// The size of head and body; 0 if the head is not complete. Throws if it is not 200.
std::size_t answer_size(std::string_view received) {
  const auto end = received.find("\r\n\r\n");
  if (end == std::string_view::npos)
    return 0;
  check(received.starts_with("HTTP/1.1 200"), "not 200: " + std::string(received.substr(0, 2'000)));
  constexpr std::string_view name = "content-length:";
  for (std::size_t line = received.find("\r\n") + 2; line < end;) {
    const auto next = received.find("\r\n", line) + 2;
    if (::strncasecmp(received.data() + line, name.data(), name.size()) == 0) {
      auto at = line + name.size();
      while (received[at] == ' ')
        ++at;
      std::size_t length = 0;
      std::from_chars(received.data() + at, received.data() + next, length);
      return end + 4 + length;
    }
    line = next;
  }
  throw wrong_result("no Content-Length: " + std::string(received.substr(0, end)));
}

} // namespace

struct request_client::connection {
  int socket = -1;
  std::string received = {};
  std::size_t size = 0; ///< Of the whole answer; 0 = not known yet.
  steady::time_point sent = {};
};

request_client::request_client(std::uint16_t port, std::size_t connections)
    : poll_(::epoll_create1(0)) {
  for (std::size_t i = 0; i < connections; ++i) {
    all_.push_back({.socket = connect_to(port)});
    epoll_event ready{};
    ready.events = EPOLLIN;
    ready.data.u64 = i;
    check(::epoll_ctl(poll_, EPOLL_CTL_ADD, all_.back().socket, &ready) == 0, "epoll_ctl");
  }
}

request_client::~request_client() {
  for (const auto& one : all_)
    ::close(one.socket);
  ::close(poll_);
}

std::string request_client::request(std::string_view method, std::string_view params) {
  std::string body = R"({"jsonrpc":"2.0","id":1,"method":")";
  body.append(method).append(R"(","params":)").append(params).append("}");
  return "POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
         "A2A-Version: 1.0\r\nContent-Length: "
         + std::to_string(body.size()) + "\r\n\r\n" + body;
}

void request_client::send(connection& to, const std::string& body) {
  to.received.clear();
  to.size = 0;
  to.sent = steady::now();
  for (std::size_t at = 0; at < body.size();) {
    const auto n = ::send(to.socket, body.data() + at, body.size() - at, MSG_NOSIGNAL);
    check(n > 0, std::string("cannot send: ") + std::strerror(errno));
    at += static_cast<std::size_t>(n);
  }
}

/// True once the answer is complete.
bool request_client::receive(connection& from) {
  std::array<char, 64 * 1024> buffer{};
  const auto n = ::recv(from.socket, buffer.data(), buffer.size(), 0);
  check(n > 0, "the server closed a connection");
  from.received.append(buffer.data(), static_cast<std::size_t>(n));
  if (from.size == 0)
    from.size = answer_size(from.received);
  return from.size != 0 && from.received.size() >= from.size;
}

std::string request_client::ask(std::string_view method, std::string_view params) {
  std::string answer;
  auto& one = all_.front();
  send(one, request(method, params));
  while (!receive(one)) {
  }
  check(one.received.find("\"result\":") != std::string::npos, one.received.substr(0, 2'000));
  return one.received;
}

load_result request_client::send_all(std::size_t count,
                                     const std::function<std::string(std::size_t)>& body_of,
                                     std::string_view expected) {
  load_result out;
  std::size_t sent = 0;
  std::size_t answered = 0;
  std::vector<std::string> bodies;
  bodies.reserve(count);
  for (std::size_t i = 0; i < count; ++i)
    bodies.push_back(body_of(i));
  const auto begin = steady::now();
  for (auto& one : all_)
    if (sent < count)
      send(one, bodies[sent++]);
  std::array<epoll_event, 64> ready{};
  while (answered < count) {
    const int n = ::epoll_wait(poll_, ready.data(), ready.size(), silence_max_ms);
    check(n > 0, "no answer for two minutes");
    for (int i = 0; i < n; ++i) {
      auto& one = all_[ready[static_cast<std::size_t>(i)].data.u64];
      if (!receive(one))
        continue;
      const auto now = steady::now();
      out.latencies_ns.add(static_cast<std::uint64_t>((now - one.sent).count()));
      check(one.received.find("\"result\":") != std::string::npos
                && one.received.find(expected) != std::string::npos,
            "wrong answer: " + one.received.substr(0, 2'000));
      ++answered;
      if (sent < count)
        send(one, bodies[sent++]);
    }
  }
  out.seconds = std::chrono::duration<double>(steady::now() - begin).count();
  return out;
}

} // namespace troupe::bench
