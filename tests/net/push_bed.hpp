// A store, a push service with seams of the test, and functions that drive both.
#pragma once

#include "actors/commands/placing.hpp"
#include "net/push/push_sender.hpp"
#include "net/push/push_service.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/support/answer_in_time.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/push_receiver.hpp"

#include <boost/json/parse.hpp>

#include <condition_variable>
#include <deque>
#include <future>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace troupe::testing {

/// Delays that pass when the test says so.
class hand_clock {
public:
  struct delay {
    std::chrono::milliseconds wait;
    std::function<void()> then;
  };

  void add(std::chrono::milliseconds wait, std::function<void()> then) {
    const std::lock_guard lock{guard_};
    waits_.push_back(wait);
    if (at_once_)
      return then();
    waiting_.push_back({wait, std::move(then)});
    changed_.notify_all();
  }
  /// From now on every delay passes at once.
  void let_run() {
    const std::lock_guard lock{guard_};
    at_once_ = true;
    for (auto& each : waiting_)
      each.then();
    waiting_.clear();
  }
  /// Waits for the next delay.
  delay take() {
    std::unique_lock lock{guard_};
    if (!changed_.wait_for(lock, std::chrono::seconds{20}, [&] { return !waiting_.empty(); }))
      throw std::runtime_error("nothing is to be tried again");
    auto out = std::move(waiting_.front());
    waiting_.pop_front();
    return out;
  }
  [[nodiscard]] std::vector<std::chrono::milliseconds> waits() const {
    const std::lock_guard lock{guard_};
    return waits_;
  }

private:
  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::deque<delay> waiting_;
  std::vector<std::chrono::milliseconds> waits_;
  bool at_once_ = false;
};

struct push_bed {
  enum class kind { memory, rocksdb };

  explicit push_bed(kind of = kind::rocksdb)
      : records(of == kind::memory ? make_memory_store() : open_or_fail(directory / "data")) {
    options.address.allow_http = true;
    options.address.allow_private = true;
    options.warn = [this](std::string_view line) {
      const std::lock_guard lock{guard};
      warnings.emplace_back(line);
      warned.notify_all();
    };
    seams.delay = [this](std::chrono::milliseconds wait, std::function<void()> then) {
      clock.add(wait, std::move(then));
    };
    seams.chance = [] { return 0.5; };
  }

  void start() {
    service = std::make_unique<net::push_service>(*records, options, feeds, seams);
    const auto started = service->start();
    if (!started)
      FAIL(started.error().message);
  }

  /// As if the process had ended and begun again.
  void restart() {
    service = nullptr;
    records = nullptr;
    records = open_or_fail(directory / "data");
    recover_or_fail(*records);
    start();
  }

  [[nodiscard]] result<push_config> create(push_config config, const std::string& who = "me") {
    create_push_config command;
    command.who.id = who;
    command.config = std::move(config);
    std::promise<result<push_config>> done;
    const auto asker = command.who;
    const auto task = command.config.task;
    place(
        *records, asker, task,
        reply<push_config>([&](result<push_config> made) { done.set_value(std::move(made)); }),
        [&](const placement&, reply<push_config> to) { service->create(command, std::move(to)); });
    return answer_in_time(done.get_future());
  }
  [[nodiscard]] result<push_config> attach(push_config config, bool is_new) {
    config.owner.id = "me";
    std::promise<result<push_config>> done;
    service->attach(std::move(config), is_new,
                    [&](result<push_config> made) { done.set_value(std::move(made)); });
    return answer_in_time(done.get_future());
  }
  [[nodiscard]] errc erase(const std::string& task, const std::string& id,
                           const std::string& who = "me") {
    std::promise<errc> done;
    const delete_push_config command{.who = {.id = who}, .task = task_id{task}, .id = id};
    place(*records, command.who, command.task, reply<void>([&](const result<void>& made) {
      done.set_value(made ? errc::none : made.error().code);
    }),
          [&](const placement&, reply<void> to) { service->erase(command, std::move(to)); });
    return answer_in_time(done.get_future());
  }
  [[nodiscard]] result<push_config> get(const std::string& task, const std::string& id,
                                        const std::string& who = "me") const {
    std::promise<result<push_config>> done;
    const get_push_config query{.who = {.id = who}, .task = task_id{task}, .id = id};
    place(*records, query.who, query.task,
          reply<push_config>([&](result<push_config> found) { done.set_value(std::move(found)); }),
          [&](const placement&, const reply<push_config>& to) { to(service->get(query)); });
    return answer_in_time(done.get_future());
  }
  [[nodiscard]] result<push_config_page> list(const list_push_configs& query) const {
    std::promise<result<push_config_page>> done;
    place(*records, query.who, query.task,
          reply<push_config_page>(
              [&](result<push_config_page> found) { done.set_value(std::move(found)); }),
          [&](const placement&, const reply<push_config_page>& to) { to(service->list(query)); });
    return answer_in_time(done.get_future());
  }

  void put(change change) { records->commit(std::move(change)); }
  void put_task(const std::string& id) {
    auto made = born_lone(id, "c", 1);
    principal who;
    who.id = "me";
    made.record->owner = owner_of(who);
    put(about_lone(id, "c", 1, std::move(made)));
    flush();
  }
  void move(const std::string& id, task_state to) { put(about_lone(id, "c", 2, moved(to))); }
  void flush() { records->flush(); }

  /// Waits until the store has no configuration of the task any more.
  void wait_until_forgotten(const std::string& task) {
    REQUIRE(comes_true([&] { return records->pushes().list(task_id{task}).empty(); }));
  }
  /// Waits until a configuration is stopped; the reason.
  std::string wait_until_stopped(const std::string& task, const std::string& id) {
    std::optional<push_row> row;
    REQUIRE(comes_true([&] {
      row = records->pushes().find(task_id{task}, id);
      return row && !row->progress.stopped.empty();
    }));
    return row->progress.stopped;
  }
  /// Waits until at least one line was said.
  void wait_for_warning() {
    std::unique_lock lock{guard};
    REQUIRE(warned.wait_for(lock, std::chrono::seconds{20}, [&] { return !warnings.empty(); }));
  }

  temporary_directory directory;
  std::unique_ptr<store> records;
  push_options options;
  feed_budget_ptr feeds = std::make_shared<feed_budget>();
  net::push_seams seams;
  hand_clock clock;
  std::mutex guard;
  std::condition_variable warned;
  std::vector<std::string> warnings;
  std::unique_ptr<net::push_service> service;
};

inline push_config hook(const std::string& task, const std::string& url,
                        const std::string& id = "") {
  push_config out;
  out.task = task_id{task};
  out.url = url;
  out.id = id;
  return out;
}

/// What a body tells, in a word or two.
inline std::string gist(const received_post& post) {
  const auto tree = boost::json::parse(post.body);
  const auto& root = tree.as_object();
  const auto state = [](const boost::json::value& of) {
    return std::string(of.at("status").at("state").as_string());
  };
  if (const auto* found = root.if_contains("task"))
    return "task " + state(*found);
  if (const auto* found = root.if_contains("statusUpdate"))
    return state(*found);
  if (root.if_contains("artifactUpdate"))
    return "artifact";
  return std::string(root.at("kind").as_string()) + " " + state(tree);
}

inline std::string gists(const std::vector<received_post>& posts) {
  std::string out;
  for (const auto& each : posts)
    out += (out.empty() ? "" : ", ") + gist(each);
  return out;
}

} // namespace troupe::testing
