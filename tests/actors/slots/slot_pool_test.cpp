#include "actors/slots/slot_pool.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/principal.hpp>

#include <string>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

slot_request wanted(slot_ticket ticket, std::string objective) {
  return {.ticket = ticket, .objective = std::move(objective), .owner = {}};
}

} // namespace

TEST_CASE("owners take turns, within an owner it is first come first served",
          "[actors][slot_pool]") {
  slot_pool pool{1};
  for (slot_ticket i = 1; i <= 10'000; ++i)
    pool.request(wanted(i, "wide"));
  for (slot_ticket i = 10'001; i <= 10'003; ++i)
    pool.request(wanted(i, "narrow"));
  std::string order;
  for (int i = 0; i < 8; ++i) {
    const auto ticket = pool.next();
    REQUIRE(ticket);
    order += *ticket > 10'000 ? 'n' : 'w';
    pool.give_back(*ticket);
  }
  CHECK(order == "wnwnwnww");
}

TEST_CASE("no more slots are granted than there are", "[actors][slot_pool]") {
  slot_pool pool{2};
  for (slot_ticket i = 1; i <= 3; ++i)
    pool.request(wanted(i, "a"));
  CHECK(pool.next() == 1);
  CHECK(pool.next() == 2);
  CHECK_FALSE(pool.next());
  pool.give_back(1);
  CHECK(pool.next() == 3);
  CHECK(pool.in_use() == 2);
}

TEST_CASE("a pool that gets smaller takes no slot away, and one that gets larger grants more",
          "[actors][slot_pool]") {
  slot_pool pool{2};
  for (slot_ticket i = 1; i <= 4; ++i)
    pool.request(wanted(i, "a"));
  CHECK(pool.next() == 1);
  CHECK(pool.next() == 2);
  pool.resize(1);
  pool.give_back(1);
  CHECK_FALSE(pool.next());
  pool.give_back(2);
  CHECK(pool.next() == 3);
  pool.resize(2);
  CHECK(pool.next() == 4);
}

TEST_CASE("a request that is withdrawn never gets a slot and costs none", "[actors][slot_pool]") {
  slot_pool pool{1};
  pool.request(wanted(1, "a"));
  pool.request(wanted(2, "a"));
  pool.request(wanted(3, "a"));
  CHECK(pool.next() == 1);
  pool.give_back(2);
  pool.give_back(99);
  CHECK(pool.waiting() == 1);
  pool.give_back(1);
  CHECK(pool.next() == 3);
}

TEST_CASE("a withdrawn request leaves the queue and keeps its owner's turn",
          "[actors][slot_pool]") {
  slot_pool pool{1};
  pool.request(wanted(1, "first"));
  REQUIRE(pool.next() == 1);
  for (slot_ticket ticket = 2; ticket < 1'000; ++ticket) {
    pool.request(wanted(ticket, "owner " + std::to_string(ticket)));
    pool.give_back(ticket);
  }
  CHECK(pool.waiting() == 0);
  CHECK(pool.objectives() == 0);
  pool.request(wanted(1'001, "a"));
  pool.request(wanted(1'002, "b"));
  pool.request(wanted(1'003, "a"));
  pool.give_back(1'001);
  pool.give_back(1);
  CHECK(pool.next() == 1'003);
  pool.give_back(1'003);
  CHECK(pool.next() == 1'002);
  CHECK(pool.in_use() == 1);
}

TEST_CASE("within an objective the greatest priority goes first, then what has begun, then what "
          "has waited longest",
          "[actors][slot_pool]") {
  slot_pool pool{1};
  pool.request(wanted(1, "a"));
  REQUIRE(pool.next() == 1);
  const auto at = [](std::chrono::milliseconds since) { return timestamp{since}; };
  pool.request({.ticket = 2, .objective = "a", .owner = {}, .waiting_since = at(30ms)});
  pool.request({.ticket = 3, .objective = "a", .owner = {}, .waiting_since = at(20ms)});
  pool.request(
      {.ticket = 4, .objective = "a", .owner = {}, .has_begun = true, .waiting_since = at(50ms)});
  pool.request(
      {.ticket = 5, .objective = "a", .owner = {}, .priority = 1, .waiting_since = at(60ms)});
  pool.request({.ticket = 6, .objective = "a", .owner = {}, .waiting_since = at(20ms)});
  pool.request({.ticket = 7, .objective = "b", .owner = {}, .waiting_since = at(70ms)});
  std::vector<slot_ticket> order;
  pool.give_back(1, 5ms);
  while (const auto ticket = pool.next()) {
    order.push_back(*ticket);
    pool.give_back(*ticket, 2ms);
  }
  CHECK(order == std::vector<slot_ticket>{5, 7, 4, 3, 6, 2});
  CHECK(pool.held() == 17ms);
}

TEST_CASE("M27_priority: an objective of greater priority goes first, and a minute without a slot "
          "counts as one step",
          "[actors][slot_pool]") {
  const auto of = [](slot_ticket ticket, std::string objective, std::int32_t priority) {
    auto out = wanted(ticket, std::move(objective));
    out.objective_priority = priority;
    return out;
  };
  timestamp now{1h};
  slot_pool pool{1};
  for (slot_ticket ticket = 1; ticket <= 10; ++ticket)
    pool.request(of(ticket, ticket % 2 == 1 ? "low" : "high", ticket % 2 == 1 ? 0 : 2), now);
  const auto next = [&] {
    const auto ticket = pool.next(now);
    REQUIRE(ticket);
    pool.give_back(*ticket);
    return *ticket % 2 == 1 ? 'l' : 'h';
  };
  CHECK(next() == 'h');
  CHECK(next() == 'h');
  now += 2min; // Both have waited two steps.
  CHECK(next() == 'h');
  CHECK(next() == 'l');
  CHECK(next() == 'h');
  pool.reorder("high", -5);
  pool.reorder("nobody", 7);
  pool.request(of(12, "high", 0), now); // It is of no plan.
  CHECK(next() == 'l');
  CHECK(next() == 'l');
  now += 6min;
  CHECK(next() == 'l');
  CHECK(next() == 'h');
}

TEST_CASE("a request for a slot has its owner's tenant", "[actors][slot_pool]") {
  const auto tenant = [](const principal& who) {
    return std::string{slot_request{.objective = "o", .owner = owner_of(who)}.tenant()};
  };
  CHECK(tenant({}) == "");
  CHECK(tenant({.id = "alice"}) == "");
  CHECK(tenant({.id = "alice", .tenant = "acme"}) == "acme");
  CHECK(tenant({.id = "5:x", .tenant = "10:acme:2"}) == "10:acme:2");
  for (const auto* text : {"", "x", "7", "7:short", ":x", "99999999999999999999999:x"})
    CHECK(tenant_of(text) == "");
}
