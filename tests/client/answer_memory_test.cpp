#include "client/answer_memory.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace troupe;
using namespace troupe::net;

namespace {

constexpr auto mib = std::size_t{1} << 20;

} // namespace

TEST_CASE("the answers of one client hold a quarter of the budget at most", "[client][memory]") {
  const auto budget = std::make_shared<memory_budget>(100 * mib);
  const auto memory = std::make_shared<answer_memory>(budget);
  answer_share first(memory);
  answer_share second(memory);
  REQUIRE(first.resize(20 * mib).has_value());
  const auto refused = second.resize(6 * mib);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::overloaded);
  CHECK_THAT(refused.error().message, ContainsSubstring("25 % of limits.memory"));
  CHECK(memory->held() == 20 * mib);
  const auto other = std::make_shared<answer_memory>(budget);
  answer_share of_another(other);
  CHECK(of_another.resize(25 * mib).has_value());
  REQUIRE(first.resize(1).has_value());
  CHECK(second.resize(6 * mib).has_value());
  CHECK(budget->held(memory_account::remote_exchanges) == 31 * mib + 1);
}

TEST_CASE("answers grow only while the process has room for them", "[client][memory]") {
  const auto budget = std::make_shared<memory_budget>(100 * mib);
  budget->force(memory_account::live_work, 70 * mib);
  answer_share share(std::make_shared<answer_memory>(budget));
  REQUIRE(share.resize(5 * mib).has_value());
  const auto refused = share.resize(5 * mib + 1);
  REQUIRE_FALSE(refused.has_value());
  CHECK_THAT(refused.error().message,
             ContainsSubstring("remote-exchanges") && ContainsSubstring("75 % of limits.memory"));
  CHECK(budget->held(memory_account::remote_exchanges) == 5 * mib);
}

TEST_CASE("a share is given back when it goes", "[client][memory]") {
  const auto budget = std::make_shared<memory_budget>(100 * mib);
  const auto memory = std::make_shared<answer_memory>(budget);
  {
    answer_share share(memory);
    REQUIRE(share.resize(mib).has_value());
    share.release();
    CHECK(memory->held() == 0);
    REQUIRE(share.resize(mib).has_value());
  }
  CHECK(memory->held() == 0);
  CHECK(budget->held() == 0);
}

TEST_CASE("answers without a budget are only counted", "[client][memory]") {
  const auto memory = std::make_shared<answer_memory>(nullptr);
  answer_share share(memory);
  CHECK(share.resize(1'000 * mib).has_value());
  CHECK(memory->held() == 1'000 * mib);
}
