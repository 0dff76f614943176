// Names looked up by a few threads: dead name servers hold up their own hosts, and as little else
// as can be.
#include "client/name_resolver.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"

#include <boost/asio/executor_work_guard.hpp>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

constexpr auto no_end = time_point::max();

/// Name servers of which some do not answer before they are told to.
class name_servers {
public:
  result<addresses> ask(const std::string& host) {
    std::unique_lock lock{guard_};
    asked_.push_back(host);
    changed_.notify_all();
    static_cast<void>(
        changed_.wait_for(lock, std::chrono::minutes{2}, [&] { return !dead_.contains(host); }));
    return addresses{asio::ip::make_address("192.0.2.1")};
  }
  void set_dead(const std::string& host) {
    const std::lock_guard lock{guard_};
    dead_.insert(host);
  }
  void revive_all() {
    const std::lock_guard lock{guard_};
    dead_.clear();
    changed_.notify_all();
  }
  [[nodiscard]] std::vector<std::string> asked() const {
    const std::lock_guard lock{guard_};
    return asked_;
  }

private:
  mutable std::mutex guard_;
  std::condition_variable changed_;
  std::set<std::string> dead_;
  std::vector<std::string> asked_;
};

/// Stands still but for `pass`.
class still_time final : public time_source {
public:
  [[nodiscard]] timestamp now() const override { return {}; }
  [[nodiscard]] steady_point steady() const override { return now_; }
  void pass(std::chrono::nanoseconds span) { now_ += span; }

private:
  steady_point now_{};
};

/// A resolver over them, and its loop, which runs when the test says so.
struct resolver_bed {
  resolver_bed() { names.start(); }
  ~resolver_bed() { servers->revive_all(); }

  void resolve(const std::string& host, time_point until = no_end) {
    names.resolve(host, until, [answers = answers, host](const result<addresses>& found) {
      (*answers)[host] += found ? 1 : 0;
    });
  }
  /// Runs the loop until `host` was answered so often.
  void wait_for(const std::string& host, int count) {
    while ((*answers)[host] < count)
      if (context.run_one_for(std::chrono::seconds{20}) == 0)
        FAIL(host << " is not answered");
  }
  /// Puts a host whose name servers are dead on every thread that is for any host. `before`: the
  /// hosts that were asked for until now.
  void occupy_all_threads(const std::vector<std::string>& before = {}) {
    const std::vector<std::string> dead{"dead0.example", "dead1.example", "dead2.example",
                                        "dead3.example"};
    for (const auto& host : dead) {
      servers->set_dead(host);
      resolve(host);
    }
    REQUIRE(comes_true([&] { return servers->asked().size() == before.size() + dead.size(); }));
  }
  [[nodiscard]] std::size_t times_asked(const std::string& host) const {
    const auto asked = servers->asked();
    return static_cast<std::size_t>(std::count(asked.begin(), asked.end(), host));
  }

  asio::io_context context;
  asio::executor_work_guard<io_executor> work{context.get_executor()};
  // Shared: the resolver's threads may outlive the test.
  std::shared_ptr<name_servers> servers = std::make_shared<name_servers>();
  std::shared_ptr<std::map<std::string, int>> answers =
      std::make_shared<std::map<std::string, int>>();
  // The resolver's threads may ask it after the test, too.
  static const time_source& time() {
    static const still_time stands_still;
    return stands_still;
  }
  name_resolver names{context, time(),
                      [servers = servers](const std::string& host) { return servers->ask(host); }};
};

} // namespace

TEST_CASE("A name for which no request waits any more is not looked up", "[net][push]") {
  resolver_bed bed;
  bed.occupy_all_threads();
  bed.resolve("late.example", time_point::min());
  bed.resolve("live.example");
  bed.servers->revive_all();
  bed.wait_for("live.example", 1);
  bed.wait_for("dead3.example", 1);
  CHECK(bed.times_asked("late.example") == 0);
  CHECK((*bed.answers)["late.example"] == 0);
}

TEST_CASE("A host is looked up once at a time, for all who ask", "[net][push]") {
  resolver_bed bed;
  bed.servers->set_dead("dead.example");
  for (int i = 0; i < 20; ++i)
    bed.resolve("dead.example");
  // With one thread each for twenty questions there would be none left.
  bed.resolve("live.example");
  bed.wait_for("live.example", 1);
  CHECK((*bed.answers)["dead.example"] == 0);
  bed.resolve("dead.example");
  bed.servers->revive_all();
  bed.wait_for("dead.example", 21);
  CHECK(bed.times_asked("dead.example") == 1);
  bed.resolve("dead.example"); // The address that was found is not kept.
  bed.wait_for("dead.example", 22);
  CHECK(bed.times_asked("dead.example") == 2);
}

TEST_CASE("Many hosts with dead name servers do not hold up one that was prompt", "[net][push]") {
  resolver_bed bed;
  bed.resolve("live.example");
  bed.wait_for("live.example", 1);
  bed.occupy_all_threads({"live.example"});
  for (int i = 4; i < 40; ++i) {
    bed.servers->set_dead("dead" + std::to_string(i) + ".example");
    bed.resolve("dead" + std::to_string(i) + ".example");
  }
  for (int count = 2; count < 5; ++count) {
    bed.resolve("live.example");
    bed.wait_for("live.example", count);
  }
  CHECK(bed.times_asked("dead4.example") == 0);
  bed.servers->revive_all();
  bed.wait_for("dead39.example", 1);
}

TEST_CASE("A host that is slow once is no longer prompt", "[net][push]") {
  still_time clock;
  asio::io_context context;
  std::vector<std::string> asked;
  name_resolver names(context, clock, [&](const std::string& host) {
    asked.push_back(host);
    if (host == "slow.example")
      clock.pass(std::chrono::seconds{2});
    return result<addresses>{addresses{}};
  });
  const auto resolve = [&](const std::string& host) {
    names.resolve(host, no_end, [](const result<addresses>&) {});
  };
  for (const std::string host : {"slow.example", "live.example"}) {
    resolve(host);
    CHECK(names.turn());
  }
  asked.clear();
  for (const std::string host : {"new.example", "slow.example", "live.example"})
    resolve(host);
  while (names.turn())
    continue;
  CHECK(asked == std::vector<std::string>{"live.example", "new.example", "slow.example"});
}

TEST_CASE("Whether a look-up is under way can be asked", "[net][push]") {
  resolver_bed bed;
  CHECK_FALSE(bed.names.is_asking("waits.example"));
  bed.occupy_all_threads();
  bed.resolve("waits.example");
  CHECK(bed.names.is_asking("dead0.example"));
  CHECK_FALSE(bed.names.is_asking("waits.example"));
  bed.servers->revive_all();
  bed.wait_for("waits.example", 1);
  CHECK_FALSE(bed.names.is_asking("waits.example"));
}

TEST_CASE("A canceled look-up gets no answer", "[net][push]") {
  resolver_bed bed;
  bed.occupy_all_threads();
  bed.names.close();
  bed.servers->revive_all();
  bed.work.reset();
  bed.context.run();
  CHECK(bed.answers->empty());
}

TEST_CASE("A thread that could not be started is not counted as one", "[net][push]") {
  resolver_bed bed;
  int left_to_fail = 4; // As many as there may be.
  name_resolver names{
      bed.context, system_time(),
      [servers = bed.servers](const std::string& host) { return servers->ask(host); },
      [&](std::function<void()> life) {
        if (left_to_fail-- > 0)
          throw std::system_error(std::make_error_code(std::errc::resource_unavailable_try_again));
        std::thread(std::move(life)).detach();
      }};
  names.start();
  const auto ask = [&](const std::string& host) {
    names.resolve(host, no_end, [answers = bed.answers, host](const result<addresses>& found) {
      (*answers)[host] += found ? 1 : 0;
    });
  };
  for (const auto* host : {"a.example", "b.example", "c.example", "d.example"})
    ask(host);
  CHECK(left_to_fail == 0);
  ask("e.example");
  for (const auto* host : {"a.example", "b.example", "c.example", "d.example", "e.example"})
    bed.wait_for(host, 1);
}
