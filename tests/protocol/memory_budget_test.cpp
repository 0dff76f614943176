#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"
#include <troupe/protocol/memory_budget.hpp>

#include <fstream>
#include <sstream>
#include <string>
#include <utility>

using namespace troupe;

namespace {

constexpr auto mib = std::size_t{1} << 20;

} // namespace

TEST_CASE("an account grows only while all together are below its share", "[memory]") {
  memory_budget budget{1000};
  REQUIRE(budget.charge(memory_account::backlog, 690));
  CHECK(budget.has_room(memory_account::archive_cache, 10));
  CHECK_FALSE(budget.has_room(memory_account::archive_cache, 11));
  CHECK_FALSE(budget.charge(memory_account::archive_cache, 11));
  CHECK(budget.held(memory_account::archive_cache) == 0);
  CHECK(budget.charge(memory_account::archive_cache, 10));
  CHECK(budget.held() == 700);
  CHECK_FALSE(budget.charge(memory_account::archive_cache, 1));
  CHECK(budget.charge(memory_account::live_work, 200));
  CHECK_FALSE(budget.charge(memory_account::live_work, 1));
  CHECK(budget.charge(memory_account::small_output, 100));
  CHECK_FALSE(budget.charge(memory_account::small_output, 1));
  budget.give_back(memory_account::backlog, 690);
  CHECK(budget.charge(memory_account::live_work, 1));
}

TEST_CASE("what harms least is refused first", "[memory]") {
  for (std::size_t i = 1; i < memory_shares.size(); ++i) {
    CAPTURE(memory_shares[i].name);
    CHECK(memory_shares[i - 1].percent <= memory_shares[i].percent);
  }
  CHECK(memory_shares.back().percent == 100);
}

TEST_CASE("docs/a2a.md has the table of accounts", "[memory]") {
  std::ifstream file{troupe::testing::source_dir() + "/docs/a2a.md"};
  std::ostringstream text;
  text << file.rdbuf();
  std::string rows = "| account | grows until | above |\n| --- | --- | --- |\n";
  for (const auto& share : memory_shares)
    rows += "| `" + std::string{share.name} + "` | " + std::to_string(share.percent) + " % | "
            + std::string{share.above} + " |\n";
  CHECK_THAT(text.str(), ContainsSubstring(rows + "\n"));
}

TEST_CASE("an account has a bound of its own, too", "[memory]") {
  memory_budget budget{1000};
  CHECK(budget.charge(memory_account::bodies, 100, 100));
  CHECK_FALSE(budget.charge(memory_account::bodies, 1, 100));
  CHECK(budget.charge(memory_account::answers, 101));
}

TEST_CASE("what is there already is counted above the budget, too", "[memory]") {
  memory_budget budget{1000};
  budget.force(memory_account::live_work, 2000);
  CHECK(budget.held() == 2000);
  CHECK_FALSE(budget.charge(memory_account::backlog, 0));
  CHECK_FALSE(budget.has_room(memory_account::backlog, 0));
}

TEST_CASE("a budget without a limit only counts", "[memory]") {
  memory_budget budget;
  budget.force(memory_account::live_work, mib);
  CHECK(budget.charge(memory_account::archive_cache, mib));
  CHECK(budget.has_room(memory_account::archive_cache, mib));
  CHECK(budget.held() == 2 * mib);
  CHECK_FALSE(is_nearly_full(budget));
}

TEST_CASE("a refusal names the account, the limit, and who holds how much", "[memory]") {
  memory_budget budget{100 * mib};
  budget.force(memory_account::feeds, 60 * mib);
  budget.force(memory_account::backlog, 31 * mib);
  const auto why = budget.refusal(memory_account::live_work, 5);
  CHECK(why.code == errc::overloaded);
  CHECK_THAT(why.message,
             ContainsSubstring("5 bytes more of live-work")
                 && ContainsSubstring("90 % of limits.memory")
                 && ContainsSubstring("91 MiB of 100 MiB (feeds 60 MiB, backlog 31 MiB)")
                 && ContainsSubstring("try again later"));
}

TEST_CASE("a charge is given back once, by whom it was moved to", "[memory]") {
  memory_budget budget{1000};
  {
    auto first = memory_charge::take(budget, memory_account::bodies, 500);
    REQUIRE(first);
    CHECK_FALSE(memory_charge::take(budget, memory_account::bodies, 500));
    auto second = std::move(first);
    CHECK(second.bytes() == 500);
    CHECK(first.bytes() == 0);
    second = memory_charge::force(budget, memory_account::backlog, 700);
    CHECK(budget.held(memory_account::backlog) == 700);
    second = {};
  }
  CHECK(budget.held() == 0);
}

TEST_CASE("memory that runs short is said once, and once more when there is room again",
          "[memory]") {
  memory_budget budget{100 * mib};
  memory_watch watch;
  budget.force(memory_account::bodies, 80 * mib);
  CHECK(watch.look(budget).empty());
  budget.force(memory_account::bodies, 1);
  CHECK_THAT(watch.look(budget),
             ContainsSubstring("runs short (limits.memory)") && ContainsSubstring("bodies 80 MiB"));
  CHECK(watch.look(budget).empty());
  budget.give_back(memory_account::bodies, 2 * mib);
  CHECK(watch.look(budget).empty());
  budget.give_back(memory_account::bodies, 10 * mib);
  CHECK_THAT(watch.look(budget), ContainsSubstring("there is memory again"));
  CHECK(watch.look(budget).empty());
}

TEST_CASE("a charge grows as far as its account may, and shrinks", "[memory]") {
  memory_budget budget{1000};
  {
    auto held = memory_charge::force(budget, memory_account::bodies, 100);
    CHECK(held.resize(850));
    CHECK_FALSE(held.resize(851));
    CHECK(held.bytes() == 850);
    CHECK(budget.held(memory_account::bodies) == 850);
    CHECK(held.resize(10));
    CHECK(budget.held() == 10);
  }
  CHECK(budget.held() == 0);
}
