// A gateway with a memory store and agents a test can steer, and a watcher that waits for what a
// test expects. Waiting is for a condition, never for a time: one that does not come within 20
// seconds is said by an exception.
#pragma once

#include "tests/support/answer_in_time.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/recorder.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/store/store.hpp>

#include <chrono>
#include <condition_variable>
#include <functional>
#include <future>
#include <map>
#include <memory>
#include <mutex>
#include <stdexcept>
#include <string>
#include <vector>

namespace troupe::testing {

/// Goes on until a test says how it ends.
class held_agent final : public agent {
public:
  start_result start(const order_ptr& order, const agent_port_ptr& port) override {
    const std::lock_guard lock{mutex_};
    ports_[order->name] = port;
    order_.push_back(order->name);
    ++starts_;
    started_.notify_all();
    return std::make_unique<run>(*this, order->name);
  }

  /// The port of the task of that name, once it runs.
  agent_port_ptr port(const std::string& name) {
    std::unique_lock lock{mutex_};
    wait(lock, "the task " + name + " to begin", [&] { return ports_.contains(name); });
    return ports_[name];
  }

  /// Waits until that many attempts were begun.
  void wait_starts(int count) {
    std::unique_lock lock{mutex_};
    wait(lock, std::to_string(count) + " attempts", [&] { return starts_ >= count; });
  }

  /// The task that was begun as number `index`, once it is.
  std::string started(int index) {
    wait_starts(index + 1);
    const std::lock_guard lock{mutex_};
    return order_[static_cast<std::size_t>(index)];
  }

  [[nodiscard]] int starts() {
    const std::lock_guard lock{mutex_};
    return starts_;
  }
  [[nodiscard]] int cancels() {
    const std::lock_guard lock{mutex_};
    return cancels_;
  }
  /// What the tasks were told, as "name:text", once there are `count` of it.
  [[nodiscard]] std::vector<std::string> inputs(std::size_t count) {
    std::unique_lock lock{mutex_};
    wait(lock, std::to_string(count) + " inputs", [&] { return inputs_.size() >= count; });
    return inputs_;
  }

  bool stops_at_once = true;            ///< What on_cancel returns.
  std::chrono::nanoseconds grace_min{}; ///< What cancel_grace_min returns.
  restart_rule rule = restart_rule::next_attempt;
  std::uint32_t limit = 0;
  restart_rule on_restart() const override { return rule; }
  std::uint32_t parallel_max() const override { return limit; }

private:
  struct run final : agent_run {
    run(held_agent& owner, std::string who) : owner_(owner), who_(std::move(who)) {}
    void on_references(const std::vector<referenced_task>& references) override {
      const std::lock_guard lock{owner_.mutex_};
      for (const auto& one : references)
        owner_.inputs_.push_back(who_ + ":refers to " + one.id.str());
    }
    void on_input(const message_ptr& message) override {
      const std::lock_guard lock{owner_.mutex_};
      owner_.inputs_.push_back(who_ + ":" + text_of(message->parts));
      owner_.started_.notify_all();
    }
    bool on_cancel() override {
      const std::lock_guard lock{owner_.mutex_};
      ++owner_.cancels_;
      return owner_.stops_at_once;
    }
    std::chrono::nanoseconds cancel_grace_min() const noexcept override { return owner_.grace_min; }
    held_agent& owner_;
    std::string who_;
  };

  template<class Condition>
  void wait(std::unique_lock<std::mutex>& lock, const std::string& awaited, Condition condition) {
    if (!started_.wait_for(lock, std::chrono::seconds{20}, condition))
      throw std::runtime_error("the test waits in vain for " + awaited);
  }

  std::mutex mutex_;
  std::condition_variable started_;
  std::map<std::string, agent_port_ptr> ports_;
  std::vector<std::string> order_;
  std::vector<std::string> inputs_;
  int starts_ = 0;
  int cancels_ = 0;
};

/// Asks one question and answers with what it is told, without keeping anything running meanwhile.
class asking_agent final : public agent {
public:
  start_result start(const order_ptr& order, const agent_port_ptr&) override {
    if (order->messages.empty())
      return report_question{"which one?", false};
    report_completed done;
    done.artifacts.push_back(text_artifact("answer", order->text()));
    return done;
  }
};

/// A promise that a reply fulfils.
template<class T>
class awaited {
public:
  [[nodiscard]] reply<T> to() {
    return [promise = promise_](result<T> value) { promise->set_value(std::move(value)); };
  }
  [[nodiscard]] result<T> get() { return answer_in_time(promise_->get_future()); }

private:
  std::shared_ptr<std::promise<result<T>>> promise_ = std::make_shared<std::promise<result<T>>>();
};

/// Store, agents and gateway, in the order in which they must be destroyed.
class actor_bed {
public:
  explicit actor_bed(executor_options options = {}) : actor_bed(make_memory_store(), options) {}
  actor_bed(std::unique_ptr<store> with, executor_options options)
      : records_(std::move(with)), options_(options) {
    agents.default_agent = "noop";
    agents.add("noop", std::make_shared<noop>());
    agents.add("held", held);
    agents.add("asking", std::make_shared<asking_agent>());
    agents.add("echo", [](const order& given) { return given.text(); });
    agents.add("boom", [](const order&) -> std::string { throw std::runtime_error("boom"); });
    agents.add("second-try", [](const order& given) -> std::string {
      if (given.attempt < 2)
        throw std::runtime_error("not yet");
      return "done";
    });
  }

  /// Started on first use, so that a test can set up its agents before.
  gateway& main_gateway() {
    if (!gateway_) {
      gateway_ = std::make_unique<gateway>(*records_, agents, options_);
      gateway_->start();
    }
    return *gateway_;
  }
  store& records() { return *records_; }

  /// Creates and starts; the watcher is `seen`.
  result<objective_ptr> begin(objective_spec spec, bool start = true) {
    awaited<objective_ptr> done;
    create_objective command;
    command.spec = std::move(spec);
    command.start = start;
    main_gateway().create(std::move(command), seen, done.to());
    return done.get();
  }

  /// Creates, starts and waits for `end`; the objective as it is then.
  objective_ptr run(objective_spec spec, objective_state end) {
    const auto made = begin(std::move(spec));
    if (!made)
      throw std::runtime_error(made.error().message);
    seen->wait_for(end);
    return find_objective(*records_, (*made)->id);
  }

  result<objective_ptr> move(const objective_id& id, objective_state to) {
    awaited<objective_ptr> done;
    update_objective command;
    command.id = id;
    command.state = to;
    main_gateway().update(command, done.to());
    return done.get();
  }

  /// How the tasks of a plan stand, in order, separated by blanks.
  static std::string states(const objective_view& of, std::size_t plan = 0) {
    std::string out;
    for (const auto& slot : of.plans[plan].tasks)
      out += (out.empty() ? "" : " ") + std::string{summary_state(slot)};
    return out;
  }

  /// Ends all actors where they stand, as the end of the process would.
  void stop() { gateway_.reset(); }

  agent_registry agents;
  std::shared_ptr<held_agent> held = std::make_shared<held_agent>();
  std::shared_ptr<recorder> seen = std::make_shared<recorder>();

private:
  struct noop final : agent {
    start_result start(const order_ptr&, const agent_port_ptr&) override {
      return report_completed{};
    }
  };

  std::unique_ptr<store> records_;
  executor_options options_;
  std::unique_ptr<gateway> gateway_;
};

} // namespace troupe::testing
