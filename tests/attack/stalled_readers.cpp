#include "tests/attack/stalled_readers.hpp"

#include "tests/attack/attackers.hpp"

#include <algorithm>
#include <stdexcept>
#include <thread>

namespace troupe::attack {

namespace {

using namespace std::chrono_literals;

double p99_of_sends(attacker& self, connection& at) {
  std::vector<double> delays;
  for (int i = 0; i < 400; ++i) {
    const auto begin = steady::now();
    const auto answer = self.ask(
        at, rpc_text("SendMessage",
                     R"({"message":{"messageId":"s","role":"ROLE_USER","parts":[{"text":"x"}]}})"));
    if (answer.find("TASK_STATE_COMPLETED") == std::string::npos)
      throw std::runtime_error("a message is not answered: " + answer);
    delays.push_back(std::chrono::duration<double, std::milli>(steady::now() - begin).count());
  }
  std::sort(delays.begin(), delays.end());
  return delays[delays.size() * 99 / 100];
}

} // namespace

stalled_readers_cost measure_stalled_readers(const world& of, std::size_t readers,
                                             std::size_t megabytes) {
  tally count;
  const std::atomic<bool> over{false};
  attacker self{{"127.0.0.3", of.port()}, {}, std::mt19937_64(1), count, over};
  auto one = self.connect();
  const auto task = self.make_large_task(one, megabytes);
  if (task.empty())
    throw std::runtime_error("the server takes no large task");
  stalled_readers_cost out;
  out.quiet_p99_ms = p99_of_sends(self, one);
  out.resident_before = of.resident_bytes();
  std::vector<connection> all;
  for (std::size_t i = 0; i < readers; ++i) {
    all.push_back(self.connect(4096));
    all.back().send(request_text("GET", "/tasks/" + task + ":subscribe"));
  }
  const auto watch = [&](std::chrono::milliseconds time, const auto& is_over) {
    for (const auto until = steady::now() + time; !is_over() && steady::now() < until;
         std::this_thread::sleep_for(50ms))
      out.resident_most = std::max(out.resident_most, of.resident_bytes());
  };
  const auto is_reached = [](const connection& each) { return each.has_input(); };
  watch(60s, [&] { return std::all_of(all.begin(), all.end(), is_reached); });
  // Each gets what the socket's buffers hold. Nothing says when that is all, so it is looked at for
  // a while.
  watch(5s, [] { return false; });
  out.stalled_p99_ms = p99_of_sends(self, one);
  out.resident_most = std::max(out.resident_most, of.resident_bytes());
  for (auto& each : all) {
    static_cast<void>(each.take());
    const bool is_stream = each.reader().has_head() && each.reader().answers() == 0;
    out.readers += is_stream && each.is_open() ? 1 : 0;
  }
  return out;
}

} // namespace troupe::attack
