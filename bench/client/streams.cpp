// The reader of N event streams at once, on one thread: our client (`troupe`), or the least that
// can read them (`bare`): epoll, one buffer for all, OpenSSL on the descriptors. Every stream must
// get every event.
//
//   troupe_client_streams --with troupe|bare --port P [--streams N] [--events N] [--pause-us U]
//   [--certificate FILE]
//
// Prints one line: {"open_s", "bytes_each", "cpu_us", "connections"}. `bytes_each`: memory that an
// open stream adds to this process. `cpu_us`: of this process, for an event.
#include "bench/client/load_options.hpp"
#include "bench/support/process.hpp"
#include "client/http_client.hpp"
#include "client/sse_reader.hpp"
#include "client/timers.hpp"
#include <troupe/protocol/time_source.hpp>

#include <boost/asio/co_spawn.hpp>
#include <boost/asio/connect.hpp>
#include <boost/asio/detached.hpp>
#include <boost/asio/write.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <openssl/ssl.h>

#include <array>
#include <chrono>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/epoll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

namespace {

using namespace troupe;
using namespace troupe::bench;
namespace asio = boost::asio;
using steady = std::chrono::steady_clock;

struct task_of_reader {
  std::uint16_t port = 0;
  std::size_t streams = 0;
  std::size_t events = 0; ///< Beside the first one of each stream.
  long pause_us = 0;
  std::string certificate; ///< A file; empty: without TLS.
};

struct figures {
  double open_s = 0;
  double bytes_each = 0;
  double cpu_us = 0;
  double connections = 0;
};

double seconds_since(steady::time_point begin) {
  return std::chrono::duration<double>(steady::now() - begin).count();
}

/// Lets the source send.
class order {
public:
  explicit order(const task_of_reader& task) : socket_(context_) {
    socket_.connect({asio::ip::address_v4::loopback(), task.port});
    asio::write(socket_, asio::buffer(std::to_string(task.events) + " "
                                      + std::to_string(task.pause_us) + "\n"));
  }

private:
  asio::io_context context_;
  asio::ip::tcp::socket socket_;
};

// -- our client -----------------------------------------------------------------------------------

struct counters {
  std::size_t begun = 0;
  std::size_t events = 0;
  std::size_t ended = 0;
};

net::awaitable<void> begin_stream(net::http_stream& stream) {
  net::outbound_request request;
  request.method = "GET";
  request.headers.emplace_back("Accept", "text/event-stream");
  const auto head = co_await stream.begin(std::move(request));
  if (!head || head->status != 200)
    fail(head ? "wrong status" : head.error().message);
}

net::awaitable<void> read_stream(std::shared_ptr<net::http_stream> stream, std::size_t wanted,
                                 counters& all) {
  co_await begin_stream(*stream);
  net::sse_reader reader(1 << 20);
  std::size_t events = 0;
  for (;;) {
    const auto piece = co_await stream->more(std::chrono::seconds(60));
    if (!piece)
      fail(piece.error().message);
    if (piece->empty())
      break;
    if (!reader.feed(*piece))
      fail("too long");
    while (reader.take()) {
      ++all.events;
      all.begun += events++ == 0 ? 1 : 0;
    }
  }
  if (events != wanted)
    fail("a stream has " + std::to_string(events) + " events");
  ++all.ended;
}

figures read_with_troupe(const task_of_reader& task) {
  asio::io_context context(1);
  const auto clock = std::make_shared<net::timers>(context, system_time());
  clock->use_alarm();
  net::http_client_options options;
  options.resolve = [](const std::string&) -> result<net::addresses> {
    return net::addresses{asio::ip::address_v4::loopback()};
  };
  options.timeout = std::chrono::seconds(60);
  // All streams lead to one target, which usually has a part of them only.
  options.total = std::make_shared<net::admission_queue>(clock, 8 * task.streams + 64, 1'000);
  if (!task.certificate.empty()) {
    std::ifstream file(task.certificate);
    options.trusted_pem.assign(std::istreambuf_iterator<char>(file), {});
  }
  auto made = net::http_client::make(context, clock, std::move(options));
  if (!made)
    fail(made.error().message);
  const auto& client = *made;
  client->start();
  const auto to = parse_http_url((task.certificate.empty() ? "http" : "https")
                                 + std::string("://source.example:") + std::to_string(task.port)
                                 + "/tasks/t:subscribe");
  counters all;
  figures out;
  const auto run_until = [&](std::size_t counters::*which, std::size_t wanted) {
    while (all.*which < wanted)
      if (context.run_one_for(std::chrono::seconds(60)) == 0)
        fail("nothing happens");
  };
  const auto memory_before = resident_bytes();
  const auto begin = steady::now();
  // The source takes one after the other; so many are under way at once.
  constexpr std::size_t opening_at_once = 64;
  for (std::size_t i = 0; i < task.streams; ++i) {
    asio::co_spawn(context, read_stream(client->lend(*to), task.events + 1, all), asio::detached);
    if (i >= opening_at_once)
      run_until(&counters::begun, i - opening_at_once);
  }
  run_until(&counters::begun, task.streams);
  out.open_s = seconds_since(begin);
  out.bytes_each = (resident_bytes() - memory_before) / static_cast<double>(task.streams);
  const auto cpu_before = cpu_seconds();
  const order send(task);
  run_until(&counters::ended, task.streams);
  out.cpu_us = (cpu_seconds() - cpu_before) * 1e6 / static_cast<double>(task.streams * task.events);
  out.connections = static_cast<double>(client->connections_made());
  clock->close();
  return out;
}

// -- the least ------------------------------------------------------------------------------------

struct bare_stream {
  int socket = -1;
  SSL* tls = nullptr;
  std::size_t events = 0;
  bool after_newline = false;
};

class bare_reader {
public:
  explicit bare_reader(const task_of_reader& task) : task_(task) {
    if (!task.certificate.empty()) {
      tls_ = SSL_CTX_new(TLS_client_method());
      SSL_CTX_load_verify_locations(tls_, task.certificate.c_str(), nullptr);
      SSL_CTX_set_verify(tls_, SSL_VERIFY_PEER, nullptr);
      SSL_CTX_set_mode(tls_, SSL_MODE_RELEASE_BUFFERS);
    }
  }

  figures run() {
    figures out;
    all_.resize(task_.streams);
    const auto memory_before = resident_bytes();
    const auto begin = steady::now();
    for (auto& each : all_)
      open(each);
    wait_for([&] { return begun_ == task_.streams; });
    out.open_s = seconds_since(begin);
    out.bytes_each = (resident_bytes() - memory_before) / static_cast<double>(task_.streams);
    const auto cpu_before = cpu_seconds();
    const order send(task_);
    wait_for([&] { return ended_ == task_.streams; });
    out.cpu_us =
        (cpu_seconds() - cpu_before) * 1e6 / static_cast<double>(task_.streams * task_.events);
    out.connections = static_cast<double>(task_.streams);
    return out;
  }

private:
  void open(bare_stream& one) {
    one.socket = ::socket(AF_INET, SOCK_STREAM, 0);
    sockaddr_in to{};
    to.sin_family = AF_INET;
    to.sin_port = htons(task_.port);
    to.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (::connect(one.socket, reinterpret_cast<sockaddr*>(&to), sizeof to) != 0)
      fail("cannot connect");
    const int on = 1;
    ::setsockopt(one.socket, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
    const std::string request = "GET /tasks/t:subscribe HTTP/1.1\r\nHost: source.example\r\n\r\n";
    if (tls_ != nullptr) {
      one.tls = SSL_new(tls_);
      SSL_set_fd(one.tls, one.socket);
      if (SSL_connect(one.tls) != 1)
        fail("no TLS");
      SSL_write(one.tls, request.data(), static_cast<int>(request.size()));
    } else if (::send(one.socket, request.data(), request.size(), MSG_NOSIGNAL)
               != static_cast<ssize_t>(request.size())) {
      fail("cannot send");
    }
    ::fcntl(one.socket, F_SETFL, O_NONBLOCK);
    epoll_event event{};
    event.events = EPOLLIN;
    event.data.ptr = &one;
    if (::epoll_ctl(poll_, EPOLL_CTL_ADD, one.socket, &event) != 0)
      fail("epoll_ctl");
  }

  template<class Done>
  void wait_for(Done done) {
    std::array<epoll_event, 256> ready{};
    while (!done()) {
      const int n = ::epoll_wait(poll_, ready.data(), ready.size(), 60'000);
      if (n <= 0)
        fail("nothing happens");
      for (int i = 0; i < n; ++i)
        read(*static_cast<bare_stream*>(ready[static_cast<std::size_t>(i)].data.ptr));
    }
  }

  void read(bare_stream& one) {
    for (;;) {
      const auto n = one.tls != nullptr
                         ? SSL_read(one.tls, buffer_.data(), static_cast<int>(buffer_.size()))
                         : static_cast<int>(::recv(one.socket, buffer_.data(), buffer_.size(), 0));
      if (n <= 0)
        return;
      take(one, {buffer_.data(), static_cast<std::size_t>(n)});
      if (one.tls == nullptr && n < static_cast<int>(buffer_.size()))
        return;
    }
  }

  /// An event ends with an empty line; nothing else in the stream has two newlines in a row.
  void take(bare_stream& one, std::string_view bytes) {
    for (const char c : bytes) {
      if (c == '\n' && one.after_newline) {
        begun_ += one.events == 0 ? 1 : 0;
        ended_ += ++one.events == task_.events + 1 ? 1 : 0;
      }
      one.after_newline = c == '\n' && !one.after_newline;
    }
  }

  const task_of_reader task_;
  SSL_CTX* tls_ = nullptr;
  int poll_ = ::epoll_create1(0);
  std::vector<bare_stream> all_;
  std::array<char, 16384> buffer_{};
  std::size_t begun_ = 0;
  std::size_t ended_ = 0;
};

} // namespace

int main(int argc, char** argv) {
  const load_options how(argc, argv);
  rlimit files{};
  ::getrlimit(RLIMIT_NOFILE, &files);
  files.rlim_cur = files.rlim_max;
  ::setrlimit(RLIMIT_NOFILE, &files);
  task_of_reader task;
  task.port = static_cast<std::uint16_t>(how.count("--port", 0));
  task.streams = how.count("--streams", 1);
  task.events = how.count("--events", 10);
  task.pause_us = static_cast<long>(how.number("--pause-us", 0));
  task.certificate = how.text("--certificate", "");
  const auto out =
      how.text("--with", "troupe") == "troupe" ? read_with_troupe(task) : bare_reader(task).run();
  boost::json::object line;
  line["open_s"] = out.open_s;
  line["bytes_each"] = out.bytes_each;
  line["cpu_us"] = out.cpu_us;
  line["connections"] = out.connections;
  std::printf("%s\n", boost::json::serialize(line).c_str());
  return 0;
}
