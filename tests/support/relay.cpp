#include "tests/support/relay.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

namespace troupe::testing {

namespace {

constexpr int look_ms = 20; ///< Between two looks at whether it is over.

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in out{};
  out.sin_family = AF_INET;
  out.sin_port = htons(port);
  out.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return out;
}

bool is_readable(int socket, int wait_ms) {
  pollfd look{socket, POLLIN, 0};
  return ::poll(&look, 1, wait_ms) > 0;
}

bool send_all(int to, const char* bytes, std::size_t count) {
  while (count > 0) {
    const auto sent = ::send(to, bytes, count, MSG_NOSIGNAL);
    if (sent <= 0)
      return false;
    bytes += sent;
    count -= static_cast<std::size_t>(sent);
  }
  return true;
}

} // namespace

relay::relay() {
  listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  auto at = loopback(0);
  auto* address = reinterpret_cast<sockaddr*>(&at);
  socklen_t size = sizeof at;
  if (::bind(listener_, address, size) != 0 || ::listen(listener_, 64) != 0
      || ::getsockname(listener_, address, &size) != 0)
    throw std::runtime_error("the relay cannot listen");
  port_ = ntohs(at.sin_port);
  listening_ = std::thread([this] { listen(); });
}

relay::~relay() {
  is_over_ = true;
  listening_.join();
  for (auto& each : carriers_)
    each.join();
  ::close(listener_);
}

void relay::cut_after(std::string text) {
  const std::lock_guard guard(lock_);
  cut_after_ = std::move(text);
}

void relay::swallow_request(std::string text) {
  const std::lock_guard guard(lock_);
  swallow_request_ = std::move(text);
}

void relay::swallow_answer(std::string text) {
  const std::lock_guard guard(lock_);
  swallow_answer_ = std::move(text);
}

void relay::replace(std::string from, std::string to) {
  if (from.size() != to.size())
    throw std::invalid_argument("the relay replaces by what is as long");
  const std::lock_guard guard(lock_);
  replaced_.emplace_back(std::move(from), std::move(to));
}

void relay::reset() {
  const std::lock_guard guard(lock_);
  swallow_request_.clear();
  swallow_answer_.clear();
  replaced_.clear();
  swallowed_ = 0;
  ++resets_;
}

relay::passage relay::look_at_request(const std::string& sent) {
  const std::lock_guard guard(lock_);
  const auto has = [&](const std::string& text) {
    return !text.empty() && sent.find(text) != std::string::npos;
  };
  if (has(swallow_request_))
    return {false, false};
  return {true, !has(swallow_answer_)};
}

void relay::change_answer(char* bytes, std::size_t count) {
  const std::lock_guard guard(lock_);
  for (const auto& [from, to] : replaced_)
    for (auto* at = std::search(bytes, bytes + count, from.begin(), from.end());
         at != bytes + count; at = std::search(at, bytes + count, from.begin(), from.end()))
      std::copy(to.begin(), to.end(), at);
}

void relay::listen() {
  while (!is_over_) {
    if (!is_readable(listener_, look_ms))
      continue;
    const int client = ::accept4(listener_, nullptr, nullptr, SOCK_CLOEXEC);
    if (client < 0)
      continue;
    ++connections_;
    carriers_.emplace_back([this, client] {
      carry(client);
      ::close(client);
    });
  }
}

void relay::carry(int client) {
  const int server = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  const auto at = loopback(to_);
  bool goes_on =
      to_ != 0 && ::connect(server, reinterpret_cast<const sockaddr*>(&at), sizeof at) == 0;
  std::array<char, 65536> bytes;
  std::string tail; // what came from the server last
  std::string sent; // and from the client, after the last answer
  bool is_dead = false;
  int died_at = 0;
  while (goes_on && !is_over_ && !(is_dead && resets_ != died_at)) {
    // A dead one waits for the client to close it.
    std::array<pollfd, 2> looks{pollfd{client, POLLIN, 0},
                                pollfd{is_dead ? -1 : server, POLLIN, 0}};
    if (::poll(looks.data(), looks.size(), look_ms) <= 0)
      continue;
    if (looks[0].revents != 0) {
      const auto got = ::recv(client, bytes.data(), bytes.size(), 0);
      goes_on = got > 0;
      if (goes_on && !is_dead) {
        sent.append(bytes.data(), static_cast<std::size_t>(got));
        const auto how = look_at_request(sent);
        if (how.hands_on)
          goes_on = send_all(server, bytes.data(), static_cast<std::size_t>(got));
        is_dead = !how.carries_on;
        died_at = resets_;
        swallowed_ += is_dead ? 1 : 0;
      }
    }
    if (goes_on && !is_dead && looks[1].revents != 0) {
      const auto got = ::recv(server, bytes.data(), bytes.size(), 0);
      goes_on = got > 0;
      if (!goes_on)
        break;
      sent.clear();
      change_answer(bytes.data(), static_cast<std::size_t>(got));
      tail.append(bytes.data(), static_cast<std::size_t>(got));
      goes_on = send_all(client, bytes.data(), static_cast<std::size_t>(got));
      const std::lock_guard guard(lock_);
      if (!cut_after_.empty() && tail.find(cut_after_) != std::string::npos) {
        cut_after_.clear();
        ++cuts_;
        goes_on = false;
      } else if (tail.size() > bytes.size()) {
        tail.erase(0, tail.size() - 1024);
      }
    }
  }
  ::close(server);
}

} // namespace troupe::testing
