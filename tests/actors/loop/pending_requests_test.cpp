// The requests of one event loop that wait for an answer: a plain table.
#include "actors/feed/store_source.hpp"
#include "actors/loop/pending_requests.hpp"
#include "tests/support/catch.hpp"

#include <functional>
#include <memory>
#include <string>
#include <vector>

using namespace troupe;

namespace {

/// Notes what it is told.
struct waiting final : pending_request {
  void on_answer(service_answer) override { told.emplace_back("answer"); }
  void on_wake() override { told.emplace_back("wake"); }
  void on_failure(const error& reason) override {
    told.push_back(reason.message);
    if (then)
      then();
  }
  std::vector<std::string> told;
  std::function<void()> then;
};

} // namespace

TEST_CASE("a number finds its request until it is forgotten", "[actors][service]") {
  pending_requests all;
  waiting first;
  waiting second;
  const auto one = all.add(first);
  const auto two = all.add(second);
  CHECK(one != two);
  CHECK(all.find(one) == &first);
  CHECK(all.find(two) == &second);
  all.forget(one);
  CHECK(all.find(one) == nullptr);
  CHECK(all.find(two) == &second);
  CHECK(all.size() == 1);
  all.forget(one);
  CHECK(all.size() == 1);
}

TEST_CASE("a late answer does not find the request that has its place now", "[actors][service]") {
  pending_requests all;
  waiting first;
  const auto old = all.add(first);
  all.forget(old);
  waiting second;
  const auto fresh = all.add(second);
  CHECK(fresh != old);
  CHECK(all.find(old) == nullptr);
  CHECK(all.find(fresh) == &second);
}

TEST_CASE("the numbers of one table find nothing in another", "[actors][service]") {
  pending_requests dead(1);
  pending_requests next(2);
  waiting who;
  const auto old = dead.add(who);
  const auto fresh = next.add(who);
  CHECK(next.find(old) == nullptr);
  CHECK(next.find(fresh) == &who);
}

TEST_CASE("when all requests fail, each gets the error once, and none is left",
          "[actors][service]") {
  pending_requests all;
  waiting first;
  waiting second;
  waiting third;
  static_cast<void>(all.add(first));
  const auto two = all.add(second);
  first.then = [&] {
    all.forget(two);                   // one that waits may take another along,
    static_cast<void>(all.add(third)); // and may ask anew
  };
  all.fail_all(make_error(errc::internal, "gone"));
  CHECK(first.told == std::vector<std::string>{"gone"});
  CHECK(second.told.empty());
  CHECK(third.told.empty());
  CHECK(all.size() == 1);
}

namespace {

/// A new feed of a task that `who` reads.
std::shared_ptr<feed> feed_of(store& records, const std::string& who) {
  auto out = std::make_shared<feed>(live_queue::bounds{10, 1000}, std::make_shared<feed_budget>());
  principal reader;
  reader.id = who;
  out->follow(make_task_source(records, task_id{"t"}, reader));
  return out;
}

} // namespace

TEST_CASE("a request owns its feed, which ends when it is forgotten", "[actors][service]") {
  const auto records = make_memory_store();
  pending_requests all;
  waiting who;
  const auto number = all.add(who);
  CHECK(all.feed_of(number) == nullptr);
  auto source = feed_of(*records, "alice");
  const std::weak_ptr<feed> seen = source;
  all.own(number, std::move(source));
  CHECK(all.feed_of(number) == seen.lock().get());
  SECTION("by its owner") {
    all.forget(number);
    CHECK(who.told.empty());
  }
  SECTION("because all fail") {
    all.fail_all(make_error(errc::internal, "dead"));
    CHECK(who.told == std::vector<std::string>{"dead"});
  }
  CHECK(seen.expired());
  CHECK(all.feed_of(number) == nullptr);
}

TEST_CASE("a feed for a request that is forgotten is let go", "[actors][service]") {
  const auto records = make_memory_store();
  pending_requests all;
  waiting who;
  const auto number = all.add(who);
  all.forget(number);
  auto source = feed_of(*records, "alice");
  const std::weak_ptr<feed> seen = source;
  all.own(number, std::move(source));
  CHECK(seen.expired());
}

TEST_CASE("the feeds of one principal end, and nothing else does", "[actors][service]") {
  const auto records = make_memory_store();
  pending_requests all;
  waiting hers;
  waiting his;
  waiting no_feed;
  const auto her_number = all.add(hers);
  const auto his_number = all.add(his);
  static_cast<void>(all.add(no_feed));
  all.own(her_number, feed_of(*records, "alice"));
  all.own(his_number, feed_of(*records, "bob"));
  principal alice;
  alice.id = "alice";
  all.fail_feeds_of(alice, make_error(errc::forbidden, "no more"));
  CHECK(hers.told == std::vector<std::string>{"no more"});
  CHECK(his.told.empty());
  CHECK(no_feed.told.empty());
  CHECK(all.feed_of(her_number) == nullptr);
  CHECK(all.feed_of(his_number) != nullptr);
  CHECK(all.size() == 2);
}
