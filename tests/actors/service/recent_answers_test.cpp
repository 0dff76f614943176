// A command that comes again is answered as the first was: within a time, a number and a size.
#include "actors/service/recent_answers.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace troupe;

namespace {

const error mismatch = make_error(errc::invalid_params, "another command");

struct bed {
  explicit bed(recent_bounds bounds = {})
      : known(
          bounds, [this] { return now; }, {},
          [](const std::string& answer) { return answer.size(); }) {}

  /// True if the command is new; it is then answered with `answer`.
  bool is_new(const std::string& owner, const std::string& key,
              const std::string& answer = "done") {
    reply<std::string> done = [](const result<std::string>&) {};
    if (known.answer(owner, key, 1, mismatch, done))
      return false;
    done(answer);
    return true;
  }

  timestamp now{};
  recent_answers<std::string> known;
};

} // namespace

TEST_CASE("a request id belongs to its owner", "[actors][service]") {
  bed all;
  CHECK(all.is_new("alice", "r1"));
  CHECK(all.is_new("bob", "r1"));
  CHECK_FALSE(all.is_new("alice", "r1"));
}

TEST_CASE("an answer is given again until its time is over", "[actors][service]") {
  bed all;
  CHECK(all.is_new("a", "r"));
  all.now += recent_answers_window - std::chrono::seconds{1};
  CHECK_FALSE(all.is_new("a", "r"));
  all.now += std::chrono::seconds{1};
  CHECK(all.is_new("a", "r"));
}

TEST_CASE("an owner that asks much forgets its own answers, and nobody else's",
          "[actors][service]") {
  bed all({.answers_per_owner_max = 10});
  CHECK(all.is_new("quiet", "r"));
  for (int i = 0; i < 50; ++i)
    CHECK(all.is_new("loud", std::to_string(i)));
  CHECK_FALSE(all.is_new("quiet", "r"));
  CHECK_FALSE(all.is_new("loud", "49"));
  CHECK(all.is_new("loud", "0"));
  CHECK(all.known.size() <= 11);
}

TEST_CASE("answers are bounded in bytes, for an owner and for all", "[actors][service]") {
  const std::string large(10'000, 'x');
  SECTION("an owner's") {
    bed all({.bytes_per_owner_max = 100'000});
    for (int i = 0; i < 50; ++i)
      CHECK(all.is_new("a", std::to_string(i), large));
    CHECK(all.known.size() < 10);
    CHECK_FALSE(all.is_new("a", "49", large));
  }
  SECTION("all") {
    bed all({.bytes_max = 100'000});
    for (int i = 0; i < 50; ++i)
      CHECK(all.is_new(std::to_string(i), "r", large));
    CHECK(all.known.size() < 10);
    CHECK_FALSE(all.is_new("49", "r", large));
  }
}

TEST_CASE("another command under the same request id is refused", "[actors][service]") {
  bed all;
  CHECK(all.is_new("a", "r"));
  std::optional<result<std::string>> told;
  reply<std::string> done = [&](result<std::string> outcome) { told = std::move(outcome); };
  CHECK(all.known.answer("a", "r", 2, mismatch, done));
  REQUIRE(told);
  CHECK(told->error() == mismatch);
}
