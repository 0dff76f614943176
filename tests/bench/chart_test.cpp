#include "bench/support/chart.hpp"
#include "tests/support/catch.hpp"

using troupe::bench::draw_growth;

namespace {

std::size_t count(const std::string& text, const std::string& part) {
  std::size_t found = 0;
  for (auto at = text.find(part); at != std::string::npos; at = text.find(part, at + 1))
    ++found;
  return found;
}

} // namespace

TEST_CASE("A chart has a path, a name and a dot for each point of each line", "[chart]") {
  const auto drawn = draw_growth("Cost", "tasks",
                                 {{"memory & more", {{1'000, 1.0}, {100'000, 1.5}}},
                                  {"nothing", {}},
                                  {"rocksdb", {{1'000, 1.0}, {10'000, 3.4}}}});
  CHECK(count(drawn, "<path ") == 2);
  CHECK(count(drawn, " r=\"3\"") == 4);
  CHECK(count(drawn, ">memory &amp; more<") == 1);
  CHECK(count(drawn, ">rocksdb<") == 1);
  CHECK(count(drawn, "nothing") == 0);
  CHECK(count(drawn, ">1,000<") == 1);
  CHECK(count(drawn, ">100,000<") == 1);
  CHECK(count(drawn, ">4.0<") == 1); // The axis goes above the greatest cost.
}

TEST_CASE("Greater sizes are further right, and greater costs higher", "[chart]") {
  const auto drawn = draw_growth("Cost", "tasks", {{"a", {{10, 1.0}, {100, 2.0}, {1'000, 0.5}}}});
  // The axes: 50 to 480 for three powers of ten, 300 to 40 for costs from 0 to 2.
  CHECK(count(drawn, "d=\"M50.0 170.0L265.0 40.0L480.0 235.0\"") == 1);
}
