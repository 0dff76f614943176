// Who has claimed which question, and until when.
#include "actors/claim_desk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"

#include <chrono>
#include <optional>
#include <string>

using namespace troupe;
using namespace std::chrono_literals;

namespace {

struct claims_at {
  timestamp now{};
  claim_desk desk;

  explicit claims_at(std::size_t most = claims_max) : desk([this] { return now; }, most) {}

  bool claim(const std::string& question, const std::string& by, bool overrides = false) {
    return desk.claim(question, by, std::nullopt, overrides).has_value();
  }
  std::string holder(const std::string& question) const {
    const auto held = desk.find(question);
    return held ? held->by : "";
  }
};

} // namespace

TEST_CASE("Q11_claims: a claim keeps others away until it is over, released or overridden",
          "[actors][question]") {
  claims_at here;
  CHECK(here.desk.admit("q", "bob", false));
  REQUIRE(here.claim("q", "anna"));
  const auto refused = here.desk.claim("q", "bob", std::nullopt, false);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::input_claimed);
  CHECK_THAT(refused.error().message,
             Catch::Matchers::Contains("anna")
                 && Catch::Matchers::Contains(to_rfc3339(here.now + claim_lease)));
  CHECK_FALSE(here.desk.admit("q", "bob", false));
  CHECK_FALSE(here.desk.release("q", "bob", false));
  CHECK(here.desk.admit("q", "bob", true));
  CHECK(here.desk.admit("q", "anna", false));
  CHECK(here.desk.admit("other", "bob", false));
  SECTION("over") {
    here.now += claim_lease;
    CHECK(here.holder("q").empty());
    CHECK(here.claim("q", "bob"));
  }
  SECTION("released") {
    CHECK(here.desk.release("q", "anna", false));
    CHECK(here.claim("q", "bob"));
  }
  SECTION("overridden") {
    CHECK(here.claim("q", "bob", true));
  }
  SECTION("renewed") {
    here.now += claim_lease - 1s;
    CHECK(here.claim("q", "anna"));
    here.now += claim_lease - 1s;
    CHECK_FALSE(here.claim("q", "bob"));
    return;
  }
  const auto holder = here.holder("q");
  CHECK(holder == "bob");
}

TEST_CASE("Q11_claims: a claim ends with its question", "[actors][question]") {
  claims_at here;
  const auto claimed = here.desk.claim("q", "anna", here.now + 1min, false);
  REQUIRE(claimed);
  CHECK(claimed->until == here.now + 1min);
}

TEST_CASE("Q11_claims: there is a greatest number of claims, and those that are over do not count",
          "[actors][question]") {
  claims_at here(2);
  REQUIRE(here.claim("a", "anna"));
  REQUIRE(here.claim("b", "anna"));
  const auto refused = here.desk.claim("c", "anna", std::nullopt, false);
  REQUIRE_FALSE(refused);
  CHECK(refused.error().code == errc::overloaded);
  CHECK(here.claim("a", "anna"));
  here.now += claim_lease;
  CHECK(here.claim("c", "anna"));
}
