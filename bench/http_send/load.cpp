// A closed-loop load generator for `SendMessage`: N keep-alive connections, on each the next
// request leaves when the answer to the last one is complete. One thread, epoll, plain sockets, no
// allocation while measuring: it shares the machine with the server, so what it costs counts
// against the server. Every answer is checked: HTTP 200, the request's id, a completed task.
//
//   troupe_http_load --port P [--connections N] [--seconds S] [--warmup S]
//
// Prints one line: {"requests", "seconds", "requests_per_s", "p50_us", "p99_us", "max_us",
// "cpu_s"}. Exit code 1 and a message on the first wrong answer.
#include <algorithm>
#include <array>
#include <cerrno>
#include <charconv>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <string_view>
#include <vector>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using steady = std::chrono::steady_clock;

struct options {
  std::uint16_t port = 0;
  std::size_t connections = 64;
  double seconds = 5.0;
  double warmup = 1.0;
};

/// Digits of the request's number, in the JSON-RPC id and in the messageId: a constant size keeps
/// Content-Length constant.
constexpr std::size_t number_digits = 10;

[[noreturn]] void fail(const std::string& text) {
  std::fprintf(stderr, "troupe_http_load: %s\n", text.c_str());
  std::exit(1);
}

/// The request with room for its number at `id_at` and `message_at`.
struct request_text {
  std::string text;
  std::size_t id_at = 0;
  std::size_t message_at = 0;
};

request_text make_request(std::uint16_t port) {
  const std::string blank(number_digits, '0');
  const std::string before_id = R"({"jsonrpc":"2.0","id":"r)";
  const std::string before_message =
      R"(","method":"SendMessage","params":{"message":{"messageId":"m)";
  const std::string rest =
      R"(","role":"ROLE_USER","parts":[{"text":"What is the weather like in Paris today?"}]}}})";
  const auto size = before_id.size() + before_message.size() + rest.size() + 2 * number_digits;
  request_text made;
  made.text = "POST / HTTP/1.1\r\nHost: 127.0.0.1:" + std::to_string(port)
              + "\r\nContent-Type: application/json\r\nA2A-Version: 1.0\r\nContent-Length: "
              + std::to_string(size) + "\r\n\r\n" + before_id;
  made.id_at = made.text.size();
  made.text += blank + before_message;
  made.message_at = made.text.size();
  made.text += blank + rest;
  return made;
}

void write_number(char* to, std::uint64_t number) {
  for (auto i = number_digits; i-- > 0; number /= 10)
    to[i] = static_cast<char>('0' + number % 10);
}

/// One keep-alive connection with at most one request under way.
class connection {
public:
  connection(std::uint16_t port, request_text request) : request_(std::move(request)) {
    socket_ = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (socket_ < 0 || ::connect(socket_, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
      fail(std::string("cannot connect: ") + std::strerror(errno));
    const int on = 1;
    ::setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  }

  [[nodiscard]] int socket() const { return socket_; }
  void close() { ::close(socket_); }

  /// The request fits the socket's buffer, which is empty: one write takes it whole.
  void send(std::uint64_t number) {
    write_number(request_.text.data() + request_.id_at, number);
    write_number(request_.text.data() + request_.message_at, number);
    filled_ = 0;
    total_ = 0;
    sent_at_ = steady::now();
    const auto n = ::send(socket_, request_.text.data(), request_.text.size(), MSG_NOSIGNAL);
    if (n != static_cast<ssize_t>(request_.text.size()))
      fail(std::string("cannot send: ") + std::strerror(errno));
  }

  /// Takes what has arrived; true once the answer is complete (and has been checked).
  bool receive() {
    const auto n =
        ::recv(socket_, buffer_.data() + filled_, buffer_.size() - filled_, MSG_DONTWAIT);
    if (n == 0)
      fail("the server closed a connection");
    if (n < 0) {
      if (errno == EAGAIN || errno == EINTR)
        return false;
      fail(std::string("cannot receive: ") + std::strerror(errno));
    }
    filled_ += static_cast<std::size_t>(n);
    if (total_ == 0)
      read_header();
    if (total_ == 0 || filled_ < total_)
      return false;
    if (filled_ > total_)
      fail("more bytes than Content-Length says");
    check_body();
    return true;
  }

  [[nodiscard]] steady::time_point sent_at() const { return sent_at_; }

private:
  [[nodiscard]] std::string_view received() const { return {buffer_.data(), filled_}; }

  void read_header() {
    const auto end = received().find("\r\n\r\n");
    if (end == std::string_view::npos)
      return;
    const auto header = received().substr(0, end + 2);
    if (!header.starts_with("HTTP/1.1 200"))
      fail("not 200: " + std::string(received()));
    for (std::size_t line = header.find("\r\n") + 2; line < header.size();) {
      const auto next = header.find("\r\n", line) + 2;
      constexpr std::string_view name = "content-length:";
      if (next - line > name.size()
          && ::strncasecmp(header.data() + line, name.data(), name.size()) == 0) {
        auto at = line + name.size();
        while (header[at] == ' ')
          ++at;
        std::size_t length = 0;
        std::from_chars(header.data() + at, header.data() + next, length);
        body_at_ = end + 4;
        total_ = body_at_ + length;
        if (total_ > buffer_.size())
          fail("an answer of more than " + std::to_string(buffer_.size()) + " bytes");
        return;
      }
      line = next;
    }
    fail("no Content-Length: " + std::string(header));
  }

  void check_body() const {
    const auto body = received().substr(body_at_);
    const std::string_view id(request_.text.data() + request_.id_at - 1, number_digits + 1);
    if (body.find(id) == std::string_view::npos
        || body.find("\"TASK_STATE_COMPLETED\"") == std::string_view::npos
        || body.find("\"result\"") == std::string_view::npos)
      fail("wrong answer to " + std::string(id) + ": " + std::string(body));
  }

  request_text request_;
  int socket_ = -1;
  std::array<char, 16384> buffer_{};
  std::size_t filled_ = 0;
  std::size_t body_at_ = 0;
  std::size_t total_ = 0; ///< Of header and body; 0 = not known yet.
  steady::time_point sent_at_{};
};

struct outcome {
  std::uint64_t requests = 0;
  double seconds = 0.0;
  double cpu_s = 0.0;
  std::vector<std::uint32_t> latencies_ns;
};

double cpu_seconds() {
  rusage used{};
  ::getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

/// Runs warm-up and measurement; the requests under way at the end are awaited and not counted.
outcome run(const options& how, std::vector<connection>& all) {
  const int poll = ::epoll_create1(0);
  for (std::size_t i = 0; i < all.size(); ++i) {
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.u64 = i;
    if (::epoll_ctl(poll, EPOLL_CTL_ADD, all[i].socket(), &event) != 0)
      fail("epoll_ctl");
  }
  outcome result;
  result.latencies_ns.reserve(static_cast<std::size_t>(how.seconds * 300'000.0));
  const auto begin =
      steady::now()
      + std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(how.warmup));
  const auto end =
      begin
      + std::chrono::duration_cast<steady::duration>(std::chrono::duration<double>(how.seconds));
  std::uint64_t number = 0;
  std::size_t under_way = all.size();
  double cpu_before = -1.0;
  for (auto& one : all)
    one.send(++number);
  std::array<epoll_event, 256> ready{};
  while (under_way > 0) {
    const int n = ::epoll_wait(poll, ready.data(), static_cast<int>(ready.size()), 10'000);
    if (n == 0)
      fail("no answer for ten seconds");
    for (int i = 0; i < n; ++i) {
      auto& one = all[ready[static_cast<std::size_t>(i)].data.u64];
      if (!one.receive())
        continue;
      const auto now = steady::now();
      if (now >= begin && now < end) {
        if (cpu_before < 0.0)
          cpu_before = cpu_seconds();
        ++result.requests;
        const auto took =
            std::chrono::duration_cast<std::chrono::nanoseconds>(now - one.sent_at()).count();
        result.latencies_ns.push_back(
            static_cast<std::uint32_t>(std::min<std::int64_t>(took, UINT32_MAX)));
      }
      if (now < end)
        one.send(++number);
      else
        --under_way;
    }
  }
  result.seconds = how.seconds;
  result.cpu_s = cpu_seconds() - cpu_before;
  ::close(poll);
  return result;
}

double at_share(std::vector<std::uint32_t>& values, double share) {
  if (values.empty())
    return 0.0;
  auto rank = static_cast<std::size_t>(share * static_cast<double>(values.size()));
  rank = std::min(rank, values.size() - 1);
  std::nth_element(values.begin(), values.begin() + static_cast<std::ptrdiff_t>(rank),
                   values.end());
  return values[rank] / 1000.0;
}

options read_options(int argc, char** argv) {
  options how;
  for (int i = 1; i + 1 < argc; i += 2) {
    const std::string_view name = argv[i];
    const double value = std::atof(argv[i + 1]);
    if (name == "--port")
      how.port = static_cast<std::uint16_t>(value);
    else if (name == "--connections" && value >= 1)
      how.connections = static_cast<std::size_t>(value);
    else if (name == "--seconds" && value > 0)
      how.seconds = value;
    else if (name == "--warmup" && value >= 0)
      how.warmup = value;
    else
      fail("unknown option or wrong value: " + std::string(name) + ' ' + argv[i + 1]);
  }
  if (how.port == 0)
    fail("--port is missing");
  return how;
}

} // namespace

int main(int argc, char** argv) {
  const auto how = read_options(argc, argv);
  std::vector<connection> all;
  all.reserve(how.connections);
  for (std::size_t i = 0; i < how.connections; ++i)
    all.emplace_back(how.port, make_request(how.port));
  auto result = run(how, all);
  for (auto& one : all)
    one.close();
  if (result.requests == 0)
    fail("not one answer in the measured time");
  std::printf(
      "{\"requests\":%llu,\"seconds\":%.3f,\"requests_per_s\":%.1f,\"p50_us\":%.1f,\"p99_us\":%.1f,"
      "\"max_us\":%.1f,\"cpu_s\":%.2f}\n",
      static_cast<unsigned long long>(result.requests), result.seconds,
      static_cast<double>(result.requests) / result.seconds, at_share(result.latencies_ns, 0.50),
      at_share(result.latencies_ns, 0.99), at_share(result.latencies_ns, 1.0), result.cpu_s);
  return 0;
}
