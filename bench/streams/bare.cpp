// The floor under an event stream: a program that writes one prepared event to every subscriber and
// does nothing else. No actors, no store, no JSON, no queues: one thread, epoll, plain sockets. It
// answers just enough HTTP for troupe_streams_load: any GET or POST that names a subscription gets
// an event stream, a body that holds "tick COUNT INTERVAL_US" makes it tick.
//
//   troupe_streams_bare     prints "listening on 127.0.0.1:PORT", runs until SIGTERM
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/signalfd.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using steady = std::chrono::steady_clock;

constexpr std::string_view stream_head =
    "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\n\r\n";
constexpr std::string_view first_event =
    R"(data: {"task":{"id":"task-0","contextId":"ctx-0","status":{"state":"TASK_STATE_WORKING"}}})"
    "\n\n";

[[noreturn]] void fail(const char* text) {
  std::fprintf(stderr, "troupe_streams_bare: %s: %s\n", text, std::strerror(errno));
  std::exit(1);
}

std::string chunk(std::string_view data) {
  char size[20];
  std::snprintf(size, sizeof size, "%zx\r\n", data.size());
  return std::string(size).append(data).append("\r\n");
}

/// The event as Troupe writes it, with room for number and time.
std::string make_event(long number) {
  char text[512];
  std::snprintf(
      text, sizeof text,
      R"(data: {"artifactUpdate":{"taskId":"task-00000000000000","contextId":"ctx-00000000000000","artifact":)"
      R"({"artifactId":"tick","name":"tick","parts":[{"text":"tick %010ld %020lld"}]}}})"
      "\n\n",
      number, static_cast<long long>(steady::now().time_since_epoch().count()));
  return chunk(text);
}

class source {
public:
  source() {
    listener_ = ::socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
    sockaddr_in at{};
    at.sin_family = AF_INET;
    at.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    socklen_t size = sizeof at;
    if (::bind(listener_, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0
        || ::listen(listener_, 4096) != 0
        || ::getsockname(listener_, reinterpret_cast<sockaddr*>(&at), &size) != 0)
      fail("listen");
    add(listener_);
    std::printf("listening on 127.0.0.1:%d\n", ntohs(at.sin_port));
    std::fflush(stdout);
  }

  void run(int signals) {
    add(signals);
    std::array<epoll_event, 256> ready{};
    for (;;) {
      const int n = ::epoll_wait(poll_, ready.data(), ready.size(), count_ > 0 ? 0 : -1);
      for (int i = 0; i < n; ++i) {
        const int who = ready[static_cast<std::size_t>(i)].data.fd;
        if (who == signals)
          return;
        if (who == listener_)
          accept();
        else
          read(who);
      }
      if (count_ > 0 && steady::now() >= next_)
        tick();
    }
  }

private:
  void add(int socket) {
    epoll_event ready{};
    ready.events = EPOLLIN;
    ready.data.fd = socket;
    if (::epoll_ctl(poll_, EPOLL_CTL_ADD, socket, &ready) != 0)
      fail("epoll_ctl");
  }

  void accept() {
    for (;;) {
      const int one = ::accept4(listener_, nullptr, nullptr, 0);
      if (one < 0)
        return;
      const int on = 1;
      ::setsockopt(one, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
      add(one);
    }
  }

  void read(int socket) {
    std::array<char, 4096> buffer{};
    const auto n = ::recv(socket, buffer.data(), buffer.size(), MSG_DONTWAIT);
    if (n < 0)
      return;
    if (n == 0) {
      subscribers_.erase(std::remove(subscribers_.begin(), subscribers_.end(), socket),
                         subscribers_.end());
      ::close(socket);
      return;
    }
    auto& text = requests_[socket].append(buffer.data(), static_cast<std::size_t>(n));
    if (const auto at = text.find("tick ");
        at != std::string::npos && text.find("}]}", at) != std::string::npos) {
      long count = 0;
      long interval = 0;
      if (std::sscanf(text.c_str() + at, "tick %ld %ld", &count, &interval) == 2) {
        count_ += count;
        interval_ = std::chrono::microseconds(interval);
        next_ = steady::now();
      }
    } else if (text.find("\r\n\r\n") == std::string::npos) {
      return;
    }
    const bool subscribes = text.find(":subscribe") != std::string::npos;
    requests_.erase(socket);
    if (subscribes) {
      send(socket, std::string(stream_head) + chunk(first_event));
      subscribers_.push_back(socket);
      return;
    }
    const std::string body = R"({"task":{"id":"task-0","status":{"state":"TASK_STATE_WORKING"}}})";
    send(socket, "HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: "
                     + std::to_string(body.size()) + "\r\n\r\n" + body);
  }

  /// Blocks if the reader is behind: nothing is queued here.
  static void send(int socket, std::string_view bytes) {
    while (!bytes.empty()) {
      const auto n = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
      if (n < 0)
        return;
      bytes.remove_prefix(static_cast<std::size_t>(n));
    }
  }

  void tick() {
    const auto event = make_event(number_++);
    for (const int one : subscribers_)
      send(one, event);
    --count_;
    next_ += interval_;
  }

  int poll_ = ::epoll_create1(0);
  int listener_ = -1;
  std::vector<int> subscribers_;
  std::unordered_map<int, std::string> requests_; ///< Not complete yet.
  long count_ = 0;
  long number_ = 0;
  std::chrono::microseconds interval_{0};
  steady::time_point next_;
};

} // namespace

int main() {
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  sigprocmask(SIG_BLOCK, &ending, nullptr);
  const int signals = ::signalfd(-1, &ending, 0);
  source one;
  one.run(signals);
  return 0;
}
