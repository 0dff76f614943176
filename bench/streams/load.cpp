// Subscribers of one task, or of an objective with this one task: opens N event streams over REST,
// has the source tick, and reads what comes. One thread, epoll, plain sockets. Every subscriber
// must get every tick, once and in order.
//
//   troupe_streams_load --port P [--subscribers N] [--ticks N] [--interval-us U] [--bursts N]
//   [--stalled N] [--filling-ticks N] [--objective]
//   troupe_streams_load --port P --subscribers N --hold        prints {"subscribers"} once all are
//   open, and holds them until SIGTERM
//
// `stalled`: so many subscribers more, which read nothing after the head of their stream.
// `filling-ticks`: so many ticks come before anything is measured, enough to fill the sockets of
// those that have stalled. At the end it is checked that these have not received them.
//
// A burst is `ticks` ticks, `interval-us` apart; the next begins when the last has arrived
// everywhere. Prints one line: {"deliveries", "seconds", "deliveries_per_s"} and the latencies
// (bench/support/latency.hpp): delays from the agent's clock to the reader's, on one machine.
#include "bench/support/latency.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/epoll.h>
#include <sys/ioctl.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

namespace bench = troupe::bench;
using steady = std::chrono::steady_clock;

struct options {
  std::uint16_t port = 0;
  std::size_t subscribers = 1;
  std::size_t ticks = 200;
  long interval_us = 0;
  std::size_t bursts = 1;
  std::size_t stalled = 0;
  std::size_t filling_ticks = 0;
  bool hold = false;
  bool of_objective = false; ///< The streams are those of an objective, with all details.
};

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "troupe_streams_load: %s\n", text.c_str());
  std::exit(1);
}

/// `receive_bytes`: the size of the receive buffer, 0 = the system's.
int connect_to(std::uint16_t port, int receive_bytes = 0) {
  const int socket = ::socket(AF_INET, SOCK_STREAM, 0);
  if (receive_bytes > 0)
    ::setsockopt(socket, SOL_SOCKET, SO_RCVBUF, &receive_bytes, sizeof receive_bytes);
  sockaddr_in to{};
  to.sin_family = AF_INET;
  to.sin_port = htons(port);
  to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (socket < 0 || ::connect(socket, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
    fail(std::string("cannot connect: ") + std::strerror(errno));
  const int on = 1;
  ::setsockopt(socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  return socket;
}

void send_all(int socket, std::string_view bytes) {
  if (::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL)
      != static_cast<ssize_t>(bytes.size()))
    fail(std::string("cannot send: ") + std::strerror(errno));
}

/// The answer.
std::string post(std::uint16_t port, const std::string& path, const std::string& body) {
  const int socket = connect_to(port);
  send_all(socket, "POST " + path
                       + " HTTP/1.1\r\nHost: localhost\r\nA2A-Version: "
                         "1.0\r\nConnection: close\r\nContent-Type: "
                         "application/json\r\nContent-Length: "
                       + std::to_string(body.size()) + "\r\n\r\n" + body);
  std::string answer;
  std::array<char, 4096> buffer{};
  while (answer.find("\r\n\r\n{") == std::string::npos || answer.back() != '}') {
    const auto n = ::recv(socket, buffer.data(), buffer.size(), 0);
    if (n <= 0)
      fail("no answer to " + path + ": " + answer);
    answer.append(buffer.data(), static_cast<std::size_t>(n));
  }
  ::close(socket);
  if (!answer.starts_with("HTTP/1.1 200"))
    fail(path + " was refused: " + answer);
  return answer;
}

/// Sends a message; the answer.
std::string post_message(std::uint16_t port, const std::string& text, const std::string& task) {
  return post(port, "/message:send",
              R"({"message":{"messageId":"m","role":"ROLE_USER",)"
                  + (task.empty() ? "" : R"("taskId":")" + task + "\",") + R"("parts":[{"text":")"
                  + text + R"("}]},"configuration":{"returnImmediately":true}})");
}

/// What is subscribed to, and the task that ticks.
struct subject {
  std::string path;
  std::string task;
};

/// An objective with one task of the source's agent.
subject begin_objective(std::uint16_t port) {
  post(
      port, "/objectives",
      R"({"id":"ticking","name":"Ticking","start":true,"plans":[{"name":"Tick","tasks":[{"name":"tick"}]}]})");
  return {"/objectives/ticking:subscribe?detail=full", "ticking.p0.t0"};
}

std::string task_of(const std::string& answer) {
  constexpr std::string_view key = R"("task":{"id":")";
  const auto at = answer.find(key);
  if (at == std::string::npos)
    fail("no task in " + answer);
  return answer.substr(at + key.size(), answer.find('"', at + key.size()) - at - key.size());
}

/// Cuts bytes into server-sent events as far as both servers here write them: a line `data: `,
/// perhaps others, and an empty line. Bytes are copied only if an event is not complete yet: what
/// the reader costs counts against the server.
class event_reader {
public:
  /// Calls `take` with the data of each event that is complete now; a comment is none.
  template<class Take>
  void feed(std::string_view bytes, Take take) {
    if (begun_.empty()) {
      begun_ = cut(bytes, take);
      return;
    }
    begun_ += bytes;
    const auto rest = cut(begun_, take);
    begun_.erase(0, begun_.size() - rest.size());
  }

private:
  /// What is left.
  template<class Take>
  static std::string_view cut(std::string_view bytes, Take& take) {
    for (;;) {
      const auto end = bytes.find("\n\n");
      if (end == std::string_view::npos)
        return bytes;
      const auto event = bytes.substr(0, end);
      bytes.remove_prefix(end + 2);
      constexpr std::string_view key = "data: ";
      const auto at = event.starts_with(key) ? 0 : event.find("\ndata: ");
      if (at == std::string_view::npos)
        continue;
      const auto data = event.substr(at + (at == 0 ? 0 : 1) + key.size());
      take(data.substr(0, data.find('\n')));
    }
  }

  std::string begun_; ///< The bytes of an event that is not complete.
};

subject begin_task(std::uint16_t port) {
  const auto task = task_of(post_message(port, "begin", ""));
  return {"/tasks/" + task + ":subscribe", task};
}

void subscribe(int socket, const std::string& path) {
  send_all(socket, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\n\r\n");
}

/// A subscriber that stops once its stream has begun. Its socket.
int stall(std::uint16_t port, const std::string& path) {
  const int socket = connect_to(port, 4096);
  subscribe(socket, path);
  std::array<char, 16> head{};
  if (::recv(socket, head.data(), head.size(), 0) <= 0
      || !std::string_view(head.data(), head.size()).starts_with("HTTP/1.1 200"))
    fail("no stream that could stall");
  return socket;
}

/// Bytes of a tick's event, at least.
constexpr std::size_t tick_bytes_min = 100;

/// Whether the kernel has received less than so many ticks for it: the rest waits in the server.
bool has_stalled(int socket, std::size_t ticks) {
  int received = 0;
  return ::ioctl(socket, FIONREAD, &received) == 0
         && static_cast<std::size_t>(received) < ticks * tick_bytes_min;
}

/// So few that a reader that reads misses none.
constexpr std::size_t filling_burst = 250;

/// One event stream.
class subscriber {
public:
  subscriber(std::uint16_t port, const std::string& path) : socket_(connect_to(port)) {
    subscribe(socket_, path);
  }

  [[nodiscard]] int socket() const { return socket_; }
  [[nodiscard]] bool is_open() const { return open_; }
  [[nodiscard]] std::size_t ticks() const { return ticks_; }

  /// Takes what has arrived; `delays` gets nanoseconds.
  void receive(bench::histogram& delays) {
    static std::array<char, 256 * 1024> buffer;
    const auto n = ::recv(socket_, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n == 0)
      fail("the server closed a stream after " + std::to_string(ticks_) + " ticks");
    if (n < 0) {
      if (errno == EAGAIN || errno == EINTR)
        return;
      fail(std::string("cannot receive: ") + std::strerror(errno));
    }
    const auto now = steady::now().time_since_epoch().count();
    const auto show = [&](std::string_view event) { read(event, now, delays); };
    const std::string_view bytes(buffer.data(), static_cast<std::size_t>(n));
    if (input_.empty()) {
      input_ = take(bytes, show);
      return;
    }
    input_ += bytes;
    const auto rest = take(input_, show);
    input_.erase(0, input_.size() - rest.size());
  }

private:
  /// Unwraps the chunks (RFC 9112 7.1). What is left: the begun head of the answer, or of a chunk.
  template<class Show>
  std::string_view take(std::string_view bytes, const Show& show) {
    if (!has_head_) {
      const auto end = bytes.find("\r\n\r\n");
      if (end == std::string_view::npos)
        return bytes;
      if (!bytes.starts_with("HTTP/1.1 200"))
        fail("no stream: " + std::string(bytes));
      has_head_ = true;
      bytes.remove_prefix(end + 4);
    }
    while (!bytes.empty()) {
      if (left_ == 0) {
        const auto line = bytes.find("\r\n");
        if (line == std::string_view::npos)
          break;
        const auto [end, ec] = std::from_chars(bytes.data(), bytes.data() + line, left_, 16);
        if (ec != std::errc{} || left_ == 0)
          fail("the stream ended after " + std::to_string(ticks_) + " ticks: " + last_);
        bytes.remove_prefix(line + 2);
        left_ += 2; // and its line end
      }
      const auto piece = std::min(left_, bytes.size());
      reader_.feed(bytes.substr(0, std::min(piece, left_ > 2 ? left_ - 2 : 0)), show);
      bytes.remove_prefix(piece);
      left_ -= piece;
    }
    return bytes;
  }

  void read(std::string_view data, std::int64_t now, bench::histogram& delays) {
    if (!open_) {
      if (data.find("\"task\"") == std::string_view::npos
          && data.find("\"objective\"") == std::string_view::npos)
        fail("a stream begins with " + std::string(data));
      open_ = true;
      return;
    }
    constexpr std::string_view key = "\"tick ";
    const auto at = data.rfind(key); // It is near the end.
    if (at == std::string_view::npos) {
      last_ = data;
      if (data.find("statusUpdate") == std::string_view::npos
          && data.find("\"change\"") == std::string_view::npos)
        fail("unexpected: " + std::string(data));
      return;
    }
    long number = -1;
    std::int64_t sent = 0;
    if (!read_tick(data.substr(at + key.size()), number, sent))
      fail("no tick: " + std::string(data));
    if (first_ < 0)
      first_ = number;
    if (number != first_ + static_cast<long>(ticks_))
      fail("tick " + std::to_string(number) + " where "
           + std::to_string(first_ + static_cast<long>(ticks_)) + " should be");
    ++ticks_;
    delays.add(static_cast<std::uint64_t>(std::max<std::int64_t>(now - sent, 0)));
  }

  /// "NUMBER TIME", each with leading zeros.
  static bool read_tick(std::string_view text, long& number, std::int64_t& sent) {
    const auto space = text.find(' ');
    const auto end = text.find('"');
    if (space == std::string_view::npos || end == std::string_view::npos || space > end)
      return false;
    return std::from_chars(text.data(), text.data() + space, number).ec == std::errc{}
           && std::from_chars(text.data() + space + 1, text.data() + end, sent).ec == std::errc{};
  }

  int socket_;
  std::string input_;    ///< What came and is not complete.
  std::string last_;     ///< The last event that is no tick: it may say why the stream ended.
  std::size_t left_ = 0; ///< Of the current chunk.
  bool has_head_ = false;
  bool open_ = false;
  long first_ = -1;
  std::size_t ticks_ = 0;
  event_reader reader_;
};

class audience {
public:
  audience(std::uint16_t port, const std::string& path, std::size_t size) {
    all_.reserve(size);
    for (std::size_t i = 0; i < size; ++i) {
      all_.emplace_back(port, path);
      epoll_event ready{};
      ready.events = EPOLLIN;
      ready.data.u64 = i;
      if (::epoll_ctl(poll_, EPOLL_CTL_ADD, all_.back().socket(), &ready) != 0)
        fail("epoll_ctl");
    }
    wait_for([](const subscriber& one) { return one.is_open(); });
  }

  void wait_for_ticks(std::size_t count) {
    wait_for([count](const subscriber& one) { return one.ticks() >= count; });
  }

  bench::histogram delays;

private:
  template<class Condition>
  void wait_for(Condition is_done) {
    auto open = static_cast<std::size_t>(
        std::count_if(all_.begin(), all_.end(), [&](const auto& one) { return !is_done(one); }));
    std::array<epoll_event, 512> ready{};
    while (open > 0) {
      const int n = ::epoll_wait(poll_, ready.data(), ready.size(), 30'000);
      if (n == 0)
        fail("nothing for thirty seconds");
      for (int i = 0; i < n; ++i) {
        auto& one = all_[ready[static_cast<std::size_t>(i)].data.u64];
        const bool was_done = is_done(one);
        one.receive(delays);
        if (!was_done && is_done(one))
          --open;
      }
    }
  }

  int poll_ = ::epoll_create1(0);
  std::vector<subscriber> all_;
};

options read_options(int argc, char** argv) {
  options how;
  for (int i = 1; i < argc; ++i) {
    const std::string_view name = argv[i];
    if (name == "--hold") {
      how.hold = true;
      continue;
    }
    if (name == "--objective") {
      how.of_objective = true;
      continue;
    }
    if (i + 1 == argc)
      fail("no value for " + std::string(name));
    const auto value = std::strtoll(argv[++i], nullptr, 10);
    if (name == "--port")
      how.port = static_cast<std::uint16_t>(value);
    else if (name == "--subscribers")
      how.subscribers = static_cast<std::size_t>(value);
    else if (name == "--ticks")
      how.ticks = static_cast<std::size_t>(value);
    else if (name == "--interval-us")
      how.interval_us = static_cast<long>(value);
    else if (name == "--bursts")
      how.bursts = static_cast<std::size_t>(value);
    else if (name == "--filling-ticks")
      how.filling_ticks = static_cast<std::size_t>(value);
    else if (name == "--stalled")
      how.stalled = static_cast<std::size_t>(value);
    else
      fail("unknown option " + std::string(name));
  }
  if (how.port == 0 || how.subscribers == 0 || how.ticks == 0 || how.bursts == 0)
    fail("--port is missing, or a number is 0");
  return how;
}

} // namespace

int main(int argc, char** argv) {
  const auto how = read_options(argc, argv);
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);

  const auto watched = how.of_objective ? begin_objective(how.port) : begin_task(how.port);
  audience all(how.port, watched.path, how.subscribers);
  if (how.hold) {
    std::printf("{\"subscribers\":%zu}\n", how.subscribers);
    std::fflush(stdout);
    ::poll(nullptr, 0, -1);
    return 0;
  }
  const auto tick = "tick " + std::to_string(how.ticks) + " " + std::to_string(how.interval_us);
  std::size_t before = 20; // warm-up
  post_message(how.port, "tick 20 0", watched.task);
  all.wait_for_ticks(before);
  std::vector<int> stalled;
  for (std::size_t i = 0; i < how.stalled; ++i)
    stalled.push_back(stall(how.port, watched.path));
  for (std::size_t i = 0; i < how.filling_ticks; i += filling_burst) {
    post_message(how.port, "tick " + std::to_string(filling_burst) + " 0", watched.task);
    all.wait_for_ticks(before += filling_burst);
  }
  all.delays = {};
  const auto begin = steady::now();
  for (std::size_t burst = 1; burst <= how.bursts; ++burst) {
    post_message(how.port, tick, watched.task);
    all.wait_for_ticks(before + burst * how.ticks);
  }
  const double seconds = std::chrono::duration<double>(steady::now() - begin).count();
  const auto deliveries = all.delays.count();
  if (deliveries != how.subscribers * how.ticks * how.bursts)
    fail(std::to_string(deliveries) + " deliveries");
  for (const int each : stalled)
    if (!has_stalled(each, how.filling_ticks))
      fail("a subscriber that was to stall has received everything");
  auto line = bench::json_of(bench::latencies_of(all.delays));
  line["deliveries"] = deliveries;
  line["seconds"] = seconds;
  line["deliveries_per_s"] = static_cast<double>(deliveries) / seconds;
  std::puts(boost::json::serialize(line).c_str());
  return 0;
}
