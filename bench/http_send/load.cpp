// A load generator for `SendMessage` over N keep-alive connections. Closed loop: on each connection
// the next request leaves when the answer to the last one is complete. Open loop (--rate):
// requests leave at their times, whatever the answers do (open_loop.hpp). One thread, epoll, plain
// sockets, no allocation while measuring: it shares the machine with the server, so what it costs
// counts against the server.
//
//   troupe_http_load --port P [--connections N] [--seconds S] [--warmup S] [--rate R]
//
// Prints one line: {"requests", "requests_in_all", "seconds", "requests_per_s", "cpu_s"} and the
// latencies (bench/support/latency.hpp); with --rate also {"rate", "held_back", "late_p99_us",
// "late_max_us"}. `requests_in_all` has those of the warm-up too. Exit code 1 and a message on the
// first wrong answer.
#include "bench/http_send/connection.hpp"
#include "bench/http_send/open_loop.hpp"
#include "bench/support/histogram.hpp"
#include "bench/support/latency.hpp"
#include "bench/support/process.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include <sys/epoll.h>
#include <sys/prctl.h>
#include <unistd.h>

namespace {

using namespace troupe::bench;
using steady = std::chrono::steady_clock;

constexpr std::chrono::seconds silence_max{10};

struct load_options {
  std::uint16_t port = 0;
  std::size_t connections = 64;
  double seconds = 5.0;
  double warmup = 1.0;
  double rate = 0.0; ///< Requests a second; 0 = closed loop.
};

struct outcome {
  std::uint64_t requests = 0;
  std::uint64_t requests_in_all = 0;
  double cpu_s = 0.0;
  histogram latencies_ns;
};

std::chrono::nanoseconds nanoseconds_of(double seconds) {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(
      std::chrono::duration<double>(seconds));
}

/// The connections that have something to read, by position.
class ready_list {
public:
  explicit ready_list(const std::vector<connection>& all) {
    for (std::size_t i = 0; i < all.size(); ++i) {
      epoll_event event{};
      event.events = EPOLLIN;
      event.data.u64 = i;
      if (::epoll_ctl(poll_, EPOLL_CTL_ADD, all[i].socket(), &event) != 0)
        fail("epoll_ctl");
    }
  }
  ~ready_list() { ::close(poll_); }
  ready_list(const ready_list&) = delete;
  ready_list& operator=(const ready_list&) = delete;

  /// At most `most` of them; none after `wait`.
  std::span<const epoll_event> wait(std::chrono::nanoseconds wait, std::size_t most = 256) {
    const auto whole = std::chrono::floor<std::chrono::seconds>(wait);
    const timespec longest{whole.count(), (wait - whole).count()};
    int n = 0;
    do
      n = ::epoll_pwait2(poll_, ready_.data(), static_cast<int>(std::min(most, ready_.size())),
                         &longest, nullptr);
    while (n < 0 && errno == EINTR);
    if (n < 0)
      fail("epoll_pwait2");
    return {ready_.data(), static_cast<std::size_t>(n)};
  }

private:
  int poll_ = ::epoll_create1(0);
  std::array<epoll_event, 256> ready_{};
};

/// Runs warm-up and measurement. The requests under way at the end are awaited: they count as
/// latencies, so that a server that stopped is seen, but not for the rate.
outcome run_closed(const load_options& how, std::vector<connection>& all) {
  ready_list ready(all);
  outcome result;
  std::vector<steady::time_point> sent_at(all.size());
  const auto begin = steady::now() + nanoseconds_of(how.warmup);
  const auto end = begin + nanoseconds_of(how.seconds);
  std::size_t under_way = all.size();
  double cpu_before = -1.0;
  const auto send = [&](std::size_t i) {
    sent_at[i] = steady::now();
    all[i].send(++result.requests_in_all);
  };
  for (std::size_t i = 0; i < all.size(); ++i)
    send(i);
  while (under_way > 0) {
    const auto some = ready.wait(silence_max);
    if (some.empty())
      fail("no answer for ten seconds");
    for (const auto& event : some) {
      const auto i = event.data.u64;
      if (!all[i].receive())
        continue;
      const auto now = steady::now();
      if (now >= begin) {
        if (cpu_before < 0.0)
          cpu_before = cpu_seconds();
        result.requests += now < end ? 1 : 0;
        result.latencies_ns.add(static_cast<std::uint64_t>((now - sent_at[i]).count()));
      }
      if (now < end)
        send(i);
      else
        --under_way;
    }
  }
  result.cpu_s = cpu_seconds() - cpu_before;
  return result;
}

/// A few answers are read before the next look at what is due: reading many takes longer than the
/// distance between two requests.
constexpr std::size_t answers_between_looks = 16;

outcome run_open(const load_options& how, std::vector<connection>& all, open_loop_figures& open) {
  ready_list ready(all);
  outcome result;
  ::prctl(PR_SET_TIMERSLACK, 1); // ns; else the system may wake it 50 us late
  const open_loop_options options{how.rate, nanoseconds_of(how.warmup), nanoseconds_of(how.seconds),
                                  all.size()};
  open_loop loop(options, steady::now());
  const auto cpu_before = cpu_seconds();
  auto heard_at = steady::now();
  while (!loop.is_over()) {
    while (const auto i = loop.next(steady::now()))
      all[*i].send(++result.requests_in_all);
    const auto now = steady::now();
    if (loop.under_way() == 0)
      heard_at = now;
    else if (now - heard_at > silence_max)
      fail("no answer for ten seconds");
    const auto wake = std::min(loop.wakes_at().value_or(steady::time_point::max()),
                               heard_at + silence_max + std::chrono::milliseconds(1));
    for (const auto& event :
         ready.wait(std::max(wake - now, std::chrono::nanoseconds::zero()), answers_between_looks))
      if (all[event.data.u64].receive()) {
        heard_at = steady::now();
        loop.answered(event.data.u64, heard_at);
      }
  }
  result.cpu_s = cpu_seconds() - cpu_before;
  open = loop.figures();
  result.requests = open.in_time;
  result.latencies_ns = open.latencies;
  return result;
}

load_options read_options(int argc, char** argv) {
  load_options how;
  for (int i = 1; i < argc; i += 2) {
    const std::string_view name = argv[i];
    const std::string text = i + 1 < argc ? argv[i + 1] : "";
    const double value = std::atof(text.c_str());
    if (name == "--port")
      how.port = static_cast<std::uint16_t>(value);
    else if (name == "--connections" && value >= 1)
      how.connections = static_cast<std::size_t>(value);
    else if (name == "--seconds" && value > 0)
      how.seconds = value;
    else if (name == "--warmup" && value >= 0)
      how.warmup = value;
    else if (name == "--rate" && value > 0)
      how.rate = value;
    else
      fail("unknown option or wrong value: " + std::string(name) + ' ' + text);
  }
  if (how.port == 0)
    fail("--port is missing");
  return how;
}

boost::json::object describe(const load_options& how, const outcome& result) {
  auto line = json_of(latencies_of(result.latencies_ns));
  line["requests"] = result.requests;
  line["requests_in_all"] = result.requests_in_all;
  line["seconds"] = how.seconds;
  line["requests_per_s"] = static_cast<double>(result.requests) / how.seconds;
  line["cpu_s"] = result.cpu_s;
  return line;
}

void describe_open(const load_options& how, const open_loop_figures& open,
                   boost::json::object& line) {
  line["rate"] = static_cast<double>(open.due) / how.seconds;
  line["held_back"] = open.held_back;
  const auto late = latencies_of(open.late);
  line["late_p99_us"] = late.p99;
  line["late_max_us"] = late.max;
}

} // namespace

int main(int argc, char** argv) {
  const auto how = read_options(argc, argv);
  std::vector<connection> all;
  all.reserve(how.connections);
  for (std::size_t i = 0; i < how.connections; ++i)
    all.emplace_back(how.port, make_request(how.port));
  open_loop_figures open;
  const auto result = how.rate > 0 ? run_open(how, all, open) : run_closed(how, all);
  for (auto& one : all)
    one.close();
  if (result.latencies_ns.count() == 0)
    fail("not one answer in the measured time");
  auto line = describe(how, result);
  if (how.rate > 0)
    describe_open(how, open, line);
  std::printf("%s\n", boost::json::serialize(line).c_str());
  return 0;
}
