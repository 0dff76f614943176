// The requests of one event loop that wait for an answer: a plain table.
#include "actors/service/pending_requests.hpp"
#include "tests/support/catch.hpp"

#include <functional>
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

TEST_CASE("when all fail, each is told once and none is left", "[actors][service]") {
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
