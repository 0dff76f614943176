// What was spent, as a file.
#include "client/models/day_file.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <filesystem>

using namespace std::chrono_literals;
using namespace troupe::models;
using troupe::errc;
using troupe::testing::temporary_directory;

TEST_CASE("what was spent is read as it was written", "[client][models]") {
  const temporary_directory where;
  const auto path = where / "days.json";
  CHECK(read_day_file(path).value().empty());
  const day_entries all{
      {"fast", {20'000, {12, 345, 6ms}, {{"o2", {7, 8, 9ms}}, {"o1", {1, 0, 2ms}}}}},
      {"odd \"name\"", {1, {}}}};
  REQUIRE(write_day_file(path, all));
  CHECK(read_day_file(path).value() == all);
  CHECK_FALSE(std::filesystem::exists(path + ".new"));
  REQUIRE(write_day_file(path, {}));
  CHECK(read_day_file(path).value().empty());
}

TEST_CASE("a file of something else, and a place that cannot be written, are said",
          "[client][models]") {
  const temporary_directory where;
  const auto refused = read_day_file(where.file("days.json", "tokens: 7"));
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::invalid_document);
  CHECK_THAT(refused.error().message, ContainsSubstring("days.json"));
  const auto odd =
      where.file("odd.json", R"({"a":7,"b":{"day":-1,"tokens":"x","objectives":{"o":3}}})");
  CHECK(read_day_file(odd).value() == day_entries{{"b", {}}});
  const auto nowhere = write_day_file(where / "no/such/days.json", {});
  REQUIRE_FALSE(nowhere.has_value());
  CHECK(nowhere.error().code == errc::store_failed);
}
