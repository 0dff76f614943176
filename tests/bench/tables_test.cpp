#include "bench/readme/tables.hpp"
#include "bench/support/harness.hpp"
#include "tests/support/catch.hpp"

using namespace troupe::bench;

namespace {

figure_line line(const std::string& name, double value, const std::string& unit,
                 std::optional<double> ratio = std::nullopt) {
  return {"b", name, unit, value, ratio, "c2", "m", "2026-01-31T12:00:00Z", false};
}

std::vector<figure_line> some_lines() {
  auto old = line("x/1000", 1, "tasks/s");
  old.commit = "c1";
  auto quick = line("x/1000", 2, "tasks/s");
  quick.is_quick = true;
  auto other = line("x/1000", 3, "tasks/s");
  other.bench = "other";
  return {old,
          line("x/1000", 30'000, "tasks/s", 0.5),
          line("x/1000", 10'000, "tasks/s", 0.25),
          line("x/1000", 12'345, "tasks/s", 0.3),
          line("x/64", 7.25, "tasks/s", 1.0),
          line("y/64", 1'234, "us"),
          line("y/1000", 12, "us"),
          quick,
          other};
}

constexpr auto order = "<!-- figures b; rows 64 | 1000; cells x/$ | x/$ ratio | y/$ | z/$ -->\n";
constexpr auto head = "| size | x | | y | z |\n| --- | --- | --- | --- | --- |\n";
constexpr auto rows = "| 64 | 7.25 | 1.00 | 1.23 ms | |\n| 1,000 | 12,345 | 0.30 | 12 us | |\n\n"
                      "2026-01-31, m, commit c2.\n";
constexpr auto end = "<!-- end of figures -->\n";

std::string message_of(const std::string& document) {
  try {
    (void)fill_tables(document, "b", some_lines());
  } catch (const wrong_result& wrong) {
    return wrong.what();
  }
  return {};
}

} // namespace

TEST_CASE("A table gets the medians of the last commit, and the rest of the document stays",
          "[tables]") {
  const std::string before = std::string{"# Title\n\n"} + order + head;
  const auto after = std::string{end} + "\n| another | table |\n";
  const auto filled = before + rows + after;
  CHECK(fill_tables(before + "| 64 | old |\n\nOld, c1.\n" + after, "b", some_lines()) == filled);
  CHECK(fill_tables(before + after, "b", some_lines()) == filled);
  CHECK(fill_tables(filled, "b", some_lines()) == filled);
}

TEST_CASE("The tables of other benchmarks stay", "[tables]") {
  const auto other = std::string{"<!-- figures b2; rows 1; cells q -->\n"} + head + "| 1 | 2 |\n\n"
                     + "text\n" + end;
  CHECK(fill_tables(other + order + head + end, "b", some_lines())
        == other + order + head + rows + end);
}

TEST_CASE("A wrong comment is named by its line", "[tables]") {
  CHECK(message_of("\n<!-- figures b; cells x -->\n").starts_with("line 2 is not:"));
  CHECK(message_of(std::string{order} + head + end + order + head)
        == "line 5: the table has no end (<!-- end of figures -->)");
}

TEST_CASE("Figures of smoke size fill no table", "[tables]") {
  auto quick = line("x", 1, "us");
  quick.is_quick = true;
  CHECK_THROWS_AS(fill_tables("", "b", {quick}), wrong_result);
}
