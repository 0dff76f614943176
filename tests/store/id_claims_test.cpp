// Ids that are claimed while a request uses them: who waits, who goes on, who is refused.
#include "store/id_claims.hpp"
#include "tests/support/catch.hpp"

#include <optional>
#include <string>
#include <vector>

using namespace troupe;

namespace {

using ids = std::vector<std::string>;

/// What became of a claim. Empty: it waits.
struct claim {
  std::optional<result<void>> outcome;

  [[nodiscard]] id_claims::claimed_fn to() {
    return [this](const result<void>& claimed) { outcome = claimed; };
  }
  [[nodiscard]] bool has() const { return outcome && outcome->has_value(); }
};

} // namespace

TEST_CASE("a claim of a claimed id waits for its release, and holds nothing meanwhile",
          "[store][claims]") {
  id_claims claims;
  claim first;
  claim second;
  claim third;
  claims.claim({"a", "b"}, first.to());
  CHECK(first.has());
  claims.claim({"c", "b"}, second.to());
  CHECK_FALSE(second.outcome);
  claims.claim({"c"}, third.to());
  CHECK(third.has());
  claims.release({"c"});
  CHECK_FALSE(second.outcome);
  claims.release({"a", "b"});
  CHECK(second.has());
}

TEST_CASE("of claims that wait for one id, one goes on with each release", "[store][claims]") {
  id_claims claims;
  constexpr std::size_t count = 100;
  std::vector<claim> all(count);
  for (auto& each : all)
    claims.claim({"a"}, each.to());
  for (std::size_t i = 0; i < count; ++i) {
    std::size_t has = 0;
    for (const auto& each : all)
      has += each.has() ? 1 : 0;
    CHECK(has == i + 1);
    claims.release({"a"});
  }
}

TEST_CASE("few claims wait for one id, and further ones are refused at once", "[store][claims]") {
  id_claims claims;
  claim first;
  claims.claim({"a"}, first.to());
  std::vector<claim> waiting(id_waits_max);
  for (auto& each : waiting)
    claims.claim({"a"}, each.to());
  CHECK_FALSE(waiting.back().outcome);
  claim further;
  claims.claim({"b", "a"}, further.to());
  REQUIRE((further.outcome && further.outcome->has_error()));
  CHECK(further.outcome->error().code == errc::overloaded);
  CHECK(further.outcome->error().message
        == "1000 requests wait for the id \"a\" (id_waits_max); try again later");
  claim of_other;
  claims.claim({"b"}, of_other.to());
  CHECK(of_other.has());
  claims.release({"a"});
  CHECK(waiting.front().has());
}

TEST_CASE("a claim inside the continuation of another one completes", "[store][claims]") {
  id_claims claims;
  claim inner;
  bool is_outer_done = false;
  claims.claim({"a"}, [&](const result<void>& claimed) {
    CHECK(claimed.has_value());
    claims.claim({"b"}, inner.to());
    is_outer_done = true;
  });
  CHECK(is_outer_done);
  CHECK(inner.has());
}

TEST_CASE("an id that stands twice in a claim is refused, and the others are free again",
          "[store][claims]") {
  id_claims claims;
  claim twice;
  claims.claim({"a", "b", "a"}, twice.to());
  REQUIRE(twice.outcome);
  REQUIRE(twice.outcome->has_error());
  CHECK(twice.outcome->error().code == errc::duplicate_id);
  claim again;
  claims.claim({"a", "b"}, again.to());
  CHECK(again.has());
}

TEST_CASE("a claim of 60,000 ids and one of another id are independent", "[store][claims]") {
  id_claims claims;
  ids many;
  for (int i = 0; i < 60'000; ++i)
    many.push_back("id-" + std::to_string(i));
  claim of_many;
  claims.claim(many, of_many.to());
  CHECK(of_many.has());
  claim other;
  claims.claim({"other"}, other.to());
  CHECK(other.has());
  claim of_last;
  claims.claim({many.back()}, of_last.to());
  CHECK_FALSE(of_last.outcome);
  claims.release(many);
  CHECK(of_last.has());
}
