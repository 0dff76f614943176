// Answers that are taken together, without actors.
#include "actors/commands/joint_answer.hpp"
#include "tests/support/catch.hpp"

#include <memory>
#include <optional>
#include <string>
#include <vector>

using namespace troupe;

namespace {

/// Three answers, and what became of them.
struct three_answers {
  std::vector<std::size_t> given{};
  std::optional<result<void>> outcome{};
  int decided = 0; ///< Tasks that were told.
  std::shared_ptr<joint_answer> all = std::make_shared<joint_answer>(
      3, [this](const auto&, std::size_t part) { given.push_back(part); },
      [this](const result<void>& taken) { outcome = taken; });

  void agree() {
    all->agree([this] { ++decided; });
  }
};

const error late = make_error(errc::input_expired, "too late");

} // namespace

TEST_CASE("answers that are taken together are given one after the other, and taken by all",
          "[actors][question]") {
  three_answers here;
  here.all->begin();
  CHECK(here.given == std::vector<std::size_t>{0});
  here.agree();
  here.agree();
  CHECK(here.given == std::vector<std::size_t>{0, 1, 2});
  CHECK(here.decided == 0);
  CHECK_FALSE(here.all->is_agreed());
  here.agree();
  CHECK(here.decided == 3);
  CHECK(here.all->is_agreed());
  CHECK_FALSE(here.all->refuse(late));
  here.all->finish({});
  here.all->finish({});
  CHECK_FALSE(here.outcome);
  here.all->finish({});
  REQUIRE(here.outcome);
  CHECK(here.outcome->has_value());
}

TEST_CASE("if one of several answers is refused, none is taken", "[actors][question]") {
  three_answers here;
  here.all->begin();
  here.agree();
  SECTION("by the task that it is for") {
    here.all->finish(late);
  }
  SECTION("because a question is closed before all have agreed") {
    CHECK(here.all->refuse(late));
  }
  CHECK(here.decided == 1);
  CHECK(here.all->is_refused());
  REQUIRE(here.outcome);
  CHECK(here.outcome->error() == late);
  here.agree(); // Of a task that looked at its answer meanwhile.
  CHECK(here.decided == 2);
  CHECK(here.given == std::vector<std::size_t>{0, 1});
}

TEST_CASE("a task that ends after all have agreed does not hold up the others",
          "[actors][question]") {
  three_answers here;
  here.all->begin();
  here.agree();
  here.agree();
  here.agree();
  here.all->finish(late);
  here.all->finish({});
  here.all->finish({});
  REQUIRE(here.outcome);
  CHECK(here.outcome->error() == late);
}
