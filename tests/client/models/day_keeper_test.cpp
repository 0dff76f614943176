#include "client/models/day_keeper.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temporary_directory.hpp"

#include <atomic>
#include <optional>

using namespace std::chrono_literals;
using namespace troupe::models;
using troupe::errc;
using troupe::result;
using troupe::testing::comes_true;
using troupe::testing::temporary_directory;

TEST_CASE("what is asked for together is written once, and told when it is in the file",
          "[client][models]") {
  const temporary_directory where;
  const auto path = where / "days.json";
  int asked = 0;
  int told = 0;
  day_keeper keeper(path, [&] {
    ++asked;
    return day_entries{{"m", {20'000, {static_cast<std::uint64_t>(asked), 0, 0ms}}}};
  });
  CHECK_FALSE(keeper.turn());
  const auto tell = [&](const result<void>& how) {
    CHECK(how.has_value());
    CHECK(read_day_file(path).value().at("m").spent.tokens == 1);
    ++told;
  };
  keeper.keep(tell);
  keeper.keep(tell);
  CHECK(told == 0);
  CHECK(keeper.turn());
  CHECK(told == 2);
  CHECK(asked == 1);
  CHECK_FALSE(keeper.turn());
}

TEST_CASE("what cannot be written is told, and what is left is written at the end",
          "[client][models]") {
  const temporary_directory where;
  {
    day_keeper nowhere(where / "no/such/days.json", [] { return day_entries{}; });
    std::optional<errc> why;
    nowhere.keep([&](const result<void>& how) { why = how.error().code; });
    CHECK(nowhere.turn());
    CHECK(why == errc::store_failed);
  }
  const auto path = where / "days.json";
  {
    day_keeper keeper(path, [] { return day_entries{{"m", {1, {}}}}; });
    keeper.keep([](const result<void>&) {});
  }
  CHECK(read_day_file(path).value().size() == 1);
}

TEST_CASE("a thread writes", "[client][models]") {
  const temporary_directory where;
  const auto path = where / "days.json";
  std::atomic<bool> is_told = false;
  day_keeper keeper(path, [] { return day_entries{{"m", {1, {}}}}; });
  keeper.start();
  keeper.keep([&](const result<void>&) { is_told = true; });
  CHECK(comes_true([&] { return is_told.load(); }));
  CHECK(read_day_file(path).value().size() == 1);
}
