#include "sim/outbound.hpp"

#include <array>
#include <string_view>
#include <utility>

#include <sys/socket.h>
#include <unistd.h>

namespace troupe::sim {

namespace {

constexpr std::size_t bytes_at_once = std::size_t{16} * 1024;

} // namespace

outbound::outbound(world& in)
    : in_(in), chance_(in.stream("outbound connections " + std::to_string(in.now().count()))),
      names_(in.stream("names " + std::to_string(in.now().count()))) {}

outbound::~outbound() {
  end();
}

result<std::vector<std::string>> outbound::look_up(const std::string& host) {
  if (!in_.is_calm && names_.chance(in_.how.dead_names)) {
    in_.story.reached("a name is not found");
    return make_error(errc::unavailable, host + " cannot be resolved");
  }
  return std::vector<std::string>{"10.0.0.1"};
}

result<int> outbound::connect(const http_url& to) {
  const auto refuse = [&] {
    return make_error(errc::unavailable, to.authority() + " did not accept a connection");
  };
  if (!in_.is_calm && chance_.chance(in_.how.refusals)) {
    in_.story.reached("a connection that the server asks for is refused");
    return refuse();
  }
  auto line = std::make_shared<connection>(in_, in_.stream("outbound connection "
                                                           + std::to_string(in_.now().count()) + "."
                                                           + std::to_string(++made_)));
  line->is_outbound = true;
  int ends[2] = {-1, -1};
  if (!in_.dial_out || !in_.dial_out(to.host, line)
      || ::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0, ends) != 0)
    return refuse();
  auto server_end = line->accept(context_);
  links_.push_back({ends[1], std::move(line), std::move(server_end), {}, false});
  return ends[0];
}

bool outbound::turn(bool may_have_written) {
  bool has_moved = false;
  for (auto& each : links_) {
    if (may_have_written || !each.held.empty())
      has_moved = take_written(each) || has_moved;
    has_moved = hand_over(each) || has_moved;
  }
  std::erase_if(links_, [](const link& each) { return each.socket < 0; });
  return has_moved;
}

void outbound::end() {
  turn(true);
  for (auto& each : links_)
    close(each);
  links_.clear();
}

void outbound::close(link& of) {
  if (of.socket < 0)
    return;
  of.end->close();
  ::close(std::exchange(of.socket, -1));
}

bool outbound::take_written(link& of) {
  bool has_moved = false;
  std::array<char, bytes_at_once> buffer;
  while (of.socket >= 0) {
    if (of.held.empty()) {
      const auto count = ::recv(of.socket, buffer.data(), buffer.size(), 0);
      if (count == 0) { // The product has closed it.
        close(of);
        return true;
      }
      if (count < 0)
        return has_moved;
      of.held.assign(buffer.data(), static_cast<std::size_t>(count));
      constexpr std::string_view mark = stranger_mark;
      if (in_.how.bug == mutant::reused_buffer && of.held.size() > mark.size()
          && chance_.chance(0.02))
        of.held.replace(of.held.size() - mark.size(), mark.size(), mark);
    }
    net::error_code failed;
    const auto taken = of.end->write_some(
        {net::asio::const_buffer(of.held.data(), of.held.size()), net::asio::const_buffer()},
        failed);
    if (failed && failed != net::asio::error::would_block) {
      close(of);
      return true;
    }
    if (taken == 0)
      return has_moved;
    of.held.erase(0, taken);
    has_moved = true;
  }
  return has_moved;
}

bool outbound::hand_over(link& of) {
  bool has_moved = false;
  std::array<char, bytes_at_once> buffer;
  while (of.socket >= 0 && !of.has_ended) {
    net::error_code failed;
    const auto count =
        of.end->read_some(net::asio::mutable_buffer(buffer.data(), buffer.size()), failed);
    if (failed == net::asio::error::would_block)
      return has_moved;
    has_moved = true;
    if (failed == net::asio::error::eof) {
      of.has_ended = true;
      ::shutdown(of.socket, SHUT_WR);
    } else if (failed
               || ::send(of.socket, buffer.data(), count, MSG_NOSIGNAL)
                      != static_cast<ssize_t>(count)) {
      close(of);
    }
  }
  return has_moved;
}

} // namespace troupe::sim
