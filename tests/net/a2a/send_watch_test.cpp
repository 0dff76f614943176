// A client that sends watches the task it makes, and no longer than it is there to hear of it.
#include "actors/feed/watch_lease.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/full_pushes.hpp"
#include "tests/support/passing_store.hpp"

#include <condition_variable>
#include <mutex>
#include <set>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Knows who watches what it made, and can be told to make nothing for a while.
class counting_store final : public passing_store {
public:
  void commit(change change, committed_fn then, watcher_ptr follow) override {
    if (follow) {
      std::unique_lock lock{guard_};
      following_.insert(follow.get());
      ++made_;
      changed_.notify_all();
      changed_.wait_for(lock, std::chrono::seconds{20}, [&] { return !held_; });
    }
    passing_store::commit(std::move(change), std::move(then), std::move(follow));
  }
  void unwatch(const std::string& id, const watcher_ptr& who) override {
    passing_store::unwatch(id, who);
    const std::lock_guard lock{guard_};
    following_.erase(who.get());
    changed_.notify_all();
  }
  push_configs& pushes() override { return pushes_; }

  void hold() {
    const std::lock_guard lock{guard_};
    held_ = true;
  }
  void release() {
    const std::lock_guard lock{guard_};
    held_ = false;
    changed_.notify_all();
  }
  /// Whether a task that is watched was made, or is held back; waits for it.
  [[nodiscard]] bool makes_one() {
    return wait([&] { return made_ > 0; });
  }
  /// Whether the new task has no watcher; waits for it.
  [[nodiscard]] bool is_left_alone() {
    return wait([&] { return following_.empty(); });
  }

private:
  template<class Condition>
  bool wait(Condition condition) {
    std::unique_lock lock{guard_};
    return changed_.wait_for(lock, std::chrono::seconds{20}, condition);
  }

  std::mutex guard_;
  std::condition_variable changed_;
  std::set<const watcher*> following_;
  int made_ = 0;
  bool held_ = false;
  full_pushes pushes_;
};

struct watched_bed {
  counting_store& records;
  net_bed bed;

  static watched_bed make() {
    server_options options;
    options.push.address = {.allow_http = true, .allow_private = true, .allow_hosts = {}};
    auto owned = std::make_unique<counting_store>();
    auto& records = *owned;
    return {records, net_bed(std::move(options), "puppet", std::move(owned))};
  }
};

} // namespace

TEST_CASE("a client that leaves before its task exists does not watch it", "[net][send]") {
  const auto method = GENERATE(as<std::string>{}, "SendMessage", "SendStreamingMessage");
  CAPTURE(method);
  const auto [records, bed] = watched_bed::make();
  records.hold();
  auto client = bed.connect();
  client.send(http_client::post_text(rpc(method, text_message("go"))));
  REQUIRE(records.makes_one());
  client.reset();
  REQUIRE(comes_true([&] { return bed.web->load().connections == 0; }));
  records.release();
  static_cast<void>(bed.puppet->port(0)); // The task runs, and goes on running.
  CHECK(records.is_left_alone());
}

TEST_CASE("a client that cannot get notifications gets the task, and stops watching it",
          "[net][send][push]") {
  const auto method = GENERATE(as<std::string>{}, "SendMessage", "SendStreamingMessage");
  CAPTURE(method);
  const auto [records, bed] = watched_bed::make();
  auto client = bed.connect();
  client.send(http_client::post_text(
      rpc(method, text_message("go", "",
                               R"(,"configuration":{"taskPushNotificationConfig":)"
                               R"({"url":"http://127.0.0.1:9/"}})"))));
  REQUIRE(records.makes_one());
  bed.puppet->port(0)->report(report_completed{});
  const auto told = method == "SendMessage" ? client.receive().body
                                            : (client.receive_head(), client.next_event().value());
  CHECK_THAT(told, ContainsSubstring("\"task\""));
  if (method != "SendMessage")
    while (client.next_event()) {
    }
  CHECK(records.is_left_alone());
}

TEST_CASE("a watch that is ended leaves the store alone, in either order of `on` and `end`",
          "[net][send]") {
  class deaf final : public watcher {
  public:
    void on_change(const change_ptr&) override {}
  };
  counting_store records;
  const auto who = std::make_shared<deaf>();
  const auto is_first = GENERATE(true, false);
  records.commit(about_lone("t", "c", 1, born_lone("t", "c", 1)), nullptr, who);
  watch_lease watch(records, who);
  if (is_first)
    watch.on("t");
  watch.end();
  if (!is_first)
    watch.on("t");
  CHECK(records.is_left_alone());
}
