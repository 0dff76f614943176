// Troupe's server with one agent that says the time: every task of it waits for a message "tick
// COUNT INTERVAL_US" and then makes COUNT artifacts, each holding its number and the steady clock's
// nanoseconds. For bench_streams: a reader on the same machine knows how long they took.
//
//   troupe_streams_source [--threads N]     prints "listening on http://127.0.0.1:PORT/", runs
//   until SIGTERM
#include <troupe/actors/agent.hpp>
#include <troupe/actors/gateway.hpp>
#include <troupe/net/server.hpp>
#include <troupe/store/store.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <string_view>
#include <thread>

namespace {

using namespace troupe;

/// Ticks on a thread of its own, so that no actor waits.
class ticking final : public agent_run {
public:
  explicit ticking(agent_port_ptr port) : port_(std::move(port)), thread_([this] { work(); }) {}
  ~ticking() override {
    {
      const std::lock_guard guard(lock_);
      over_ = true;
    }
    news_.notify_one();
    thread_.join();
  }

  void on_input(const message_ptr& input) override {
    long count = 0;
    long interval = 0;
    if (std::sscanf(text_of(input->parts).c_str(), "tick %ld %ld", &count, &interval) != 2)
      return;
    const std::lock_guard guard(lock_);
    count_ += count;
    interval_ = std::chrono::microseconds(interval);
    news_.notify_one();
  }

  bool on_cancel() override { return true; }

private:
  void work() {
    std::unique_lock guard(lock_);
    while (!over_) {
      if (count_ == 0) {
        news_.wait(guard);
        continue;
      }
      --count_;
      const auto interval = interval_;
      guard.unlock();
      tick();
      if (interval.count() > 0)
        std::this_thread::sleep_for(interval);
      guard.lock();
    }
  }

  void tick() {
    char text[64];
    const auto now = std::chrono::steady_clock::now().time_since_epoch().count();
    std::snprintf(text, sizeof text, "tick %010ld %020lld", number_++, static_cast<long long>(now));
    // The same artifact again and again: the task does not grow.
    auto made = text_artifact("tick", text);
    made.artifact_id = "tick";
    port_->report(report_artifact{std::move(made), false, false});
  }

  agent_port_ptr port_;
  std::mutex lock_;
  std::condition_variable news_;
  long count_ = 0;
  long number_ = 0;
  std::chrono::microseconds interval_{0};
  bool over_ = false;
  std::thread thread_;
};

class ticker final : public agent {
public:
  start_result start(const order_ptr&, const agent_port_ptr& port) override {
    return std::make_unique<ticking>(port);
  }
};

} // namespace

int main(int argc, char** argv) {
  sigset_t ending;
  sigemptyset(&ending);
  sigaddset(&ending, SIGTERM);
  sigaddset(&ending, SIGINT);
  pthread_sigmask(SIG_BLOCK, &ending, nullptr);

  const auto records = make_memory_store();
  static_cast<void>(records->recover());
  agent_registry agents;
  agents.add("ticker", std::make_shared<ticker>());
  agents.default_agent = "ticker";
  executor_options how;
  server_options web;
  if (argc == 3 && std::string_view(argv[1]) == "--threads")
    how.threads = web.threads = std::strtoull(argv[2], nullptr, 10);
  gateway main_gateway(*records, agents, how);
  main_gateway.start();
  web.port = 0;
  web.streams_max = 20'000;
  server http(main_gateway, web);
  if (const auto port = http.start(); !port) {
    std::fprintf(stderr, "%s\n", port.error().message.c_str());
    return 1;
  }
  std::printf("listening on %s\n", http.url().c_str());
  std::fflush(stdout);
  int signal = 0;
  sigwait(&ending, &signal);
  http.drain(std::chrono::seconds(2));
  return 0;
}
