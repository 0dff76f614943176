// Question: how fast is the simulated world (docs/simulation.md)?
//
// `sends`: clients in a world without faults send messages to an agent that ends at once, with the
// store in memory and with a journal; how many are answered in a second of real time. `busy`:
// worlds with eight clients and every kind of fault; how many hours in which clients work pass in a
// minute of real time. `restart`: the process dies while 1,000 tasks of one objective run, and
// another one starts; how long that takes until it would answer. One thread. Checked: every message
// is answered with a completed task, no checker finds anything, every task runs again. There is no
// baseline: nothing else has these bytes to handle. Units: requests/s, hours, ms. Knobs: --rounds,
// --filter.
#include "bench/support/harness.hpp"

#include <algorithm>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "sim/caller.hpp"
#include "sim/connection.hpp"
#include "sim/disk.hpp"
#include "sim/run.hpp"
#include "sim/server.hpp"
#include "sim/settings.hpp"
#include "sim/world.hpp"

namespace {

using namespace troupe;
using namespace troupe::bench;
using namespace std::chrono_literals;

constexpr std::size_t clients = 8;
constexpr std::size_t tasks_of_restart = 1'000;

class instant_agent final : public agent {
public:
  start_result start(const order_ptr&, const agent_port_ptr&) override {
    return report_completed{};
  }
};

/// Its tasks run until they are canceled.
class endless_agent final : public agent {
public:
  start_result start(const order_ptr&, const agent_port_ptr&) override {
    ++begun;
    return std::make_unique<run>();
  }
  std::size_t begun = 0;

private:
  class run final : public agent_run {
    bool on_cancel() override { return true; }
  };
};

/// One server in a calm world.
class calm_world {
public:
  calm_world(const sim::settings& how, std::shared_ptr<agent> does) : in_(how) {
    in_.is_calm = true;
    in_.dial = [this](const std::shared_ptr<sim::connection>& from) {
      server_->accept(from);
      return true;
    };
    agents_.add("bench", std::move(does));
    agents_.default_agent = "bench";
    if (how.is_durable)
      disk_ = std::make_unique<sim::disk>(in_);
    start();
  }
  ~calm_world() {
    in_.to_come.clear();
    server_.reset();
  }
  calm_world(const calm_world&) = delete;
  calm_world& operator=(const calm_world&) = delete;

  void turn_until(const std::function<bool()>& is_over) {
    while (!is_over()) {
      if (in_.to_come.turn(in_.now()) || server_->step())
        continue;
      auto until = in_.to_come.next_due();
      if (const auto due = server_->next_due())
        until = std::min(until.value_or(*due), *due);
      check(until.has_value(), "the world stands still");
      in_.clock.pass(std::max(*until - in_.now(), std::chrono::nanoseconds{0}));
    }
  }
  void kill() {
    server_.reset();
    disk_->after_death(false);
  }
  void start() { server_ = std::make_unique<sim::server>(in_, disk_.get(), agents_); }
  [[nodiscard]] sim::world& in() noexcept { return in_; }

private:
  sim::world in_;
  agent_registry agents_;
  std::unique_ptr<sim::disk> disk_;
  std::unique_ptr<sim::server> server_;
};

/// Sends one message after the other.
class sender {
public:
  sender(sim::world& in, std::size_t number, std::size_t messages)
      : caller_(in, "c" + std::to_string(number)), left_(messages) {
    caller_.on_end = [this](sim::caller::end how) {
      check(how == sim::caller::end::answered
                && caller_.body().find("TASK_STATE_COMPLETED") != std::string::npos,
            "a message was not answered with a completed task: " + caller_.body());
      --left_;
      send();
    };
    send();
  }
  [[nodiscard]] bool has_ended() const noexcept { return left_ == 0; }

private:
  void send() {
    if (left_ == 0)
      return;
    sim::caller::question asked;
    asked.method = "SendMessage";
    asked.params = R"({"message":{"messageId":")" + caller_.name() + "." + std::to_string(left_)
                   + R"(","role":"ROLE_USER","parts":[{"text":"do it"}]}})";
    caller_.ask(asked);
  }

  sim::caller caller_;
  std::size_t left_;
};

double sends_in_a_second(bool is_durable, std::size_t messages) {
  sim::settings how;
  how.is_durable = is_durable;
  how.sync_max = 0ns;
  calm_world world(how, std::make_shared<instant_agent>());
  const auto seconds = seconds_of([&] {
    std::vector<std::unique_ptr<sender>> all;
    for (std::size_t i = 0; i < clients; ++i)
      all.push_back(std::make_unique<sender>(world.in(), i, messages / clients));
    world.turn_until([&] {
      return std::ranges::all_of(all, [](const auto& each) { return each->has_ended(); });
    });
  });
  return static_cast<double>(messages / clients * clients) / seconds;
}

/// Everything that a seed may draw goes wrong, now and then.
sim::settings with_all_faults(std::uint64_t seed) {
  auto out = sim::draw_settings(seed);
  out.clients = clients;
  out.is_durable = true;
  out.stalls = out.resets = 0.001;
  out.refusals = out.dead_names = 0.05;
  out.half_closes = 0.02;
  out.slow_readers = 0.1;
  out.stopped_readers = 0.02;
  out.slow_syncs = 0.01;
  out.disk_errors = out.table_errors = 0.001;
  out.crashes_per_second = 0.5;
  out.crashes_at_start = out.crashes_in_recovery = 0.1;
  out.clock_jumps_per_second = 0.2;
  out.drains_per_second = 0.1;
  out.delegated = 0.1;
  out.remote_faults = out.receiver_faults = 0.05;
  out.notified = 0.05;
  return out;
}

double busy_hours_in_a_minute(std::uint64_t seeds) {
  double virtual_seconds = 0;
  const auto seconds = seconds_of([&] {
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      const auto how = with_all_faults(seed);
      const auto got = sim::run(how);
      check(!got.failed, "seed " + std::to_string(seed)
                             + " fails: " + (got.failed ? got.failed->sentence : std::string{}));
      virtual_seconds += std::chrono::duration<double>(how.span).count();
    }
  });
  return virtual_seconds / 60 / seconds;
}

std::string wide_objective() {
  std::string tasks;
  for (std::size_t i = 0; i < tasks_of_restart; ++i)
    tasks += (i == 0 ? R"({"name":"t)" : R"(,{"name":"t)") + std::to_string(i) + "\"}";
  return R"({"id":"wide","name":"wide","start":true,"plans":[{"name":"p","tasks":[)" + tasks
         + "]}]}";
}

/// Milliseconds of one death with the start after it.
double restart() {
  sim::settings how;
  how.sync_max = 0ns;
  const auto runs = std::make_shared<endless_agent>();
  calm_world world(how, runs);
  sim::caller client(world.in(), "c");
  std::optional<sim::caller::end> ended;
  client.on_end = [&](sim::caller::end end) { ended = end; };
  sim::caller::question asked;
  asked.method = "objectives/create";
  asked.params = wide_objective();
  client.ask(asked);
  world.turn_until([&] { return ended.has_value(); });
  check(client.answer().status() == 200, "the objective was refused: " + client.body());
  world.turn_until([&] { return runs->begun == tasks_of_restart; });
  const auto until = world.in().now() + 10s; // Everything is on the disk.
  world.in().after(10s, [] {});
  world.turn_until([&] { return world.in().now() >= until; });
  const auto seconds = seconds_of([&] {
    world.kill();
    world.start();
  });
  world.turn_until([&] { return runs->begun == 2 * tasks_of_restart; });
  return 1000 * seconds;
}

void run_cases(const options& how, report& results) {
  const auto messages = std::size_t{how.quick ? 400U : 40'000U};
  results.heading("the simulated world, on one thread");
  for (const bool is_durable : {false, true}) {
    const auto name = std::string("sends/") + (is_durable ? "journal" : "memory");
    if (!how.wants(name))
      continue;
    const auto all = measure_in_turn(how.rounds_or(3),
                                     {[&] { return sends_in_a_second(is_durable, messages); }});
    results.add(name, median(all.front()), "requests/s");
  }
  if (how.wants("busy"))
    results.add("busy", busy_hours_in_a_minute(how.quick ? 2 : 100), "hours");
  if (how.wants("restart"))
    results.add("restart", median(measure_in_turn(how.rounds_or(20), {&restart}).front()), "ms");
}

} // namespace

int main(int argc, char** argv) {
  return run_benchmark(argc, argv, "simulation", "How fast is the simulated world?", run_cases);
}
