#include "protocol/timer_table.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace troupe;

TEST_CASE("timers fall due in the order of their times, one for each key", "[protocol][timers]") {
  timer_table<std::string, int> table;
  CHECK_FALSE(table.next_due());
  table.put("b", 20);
  table.put("a", 10);
  table.put("c", 30);
  table.put("b", 5); // in place of the first
  CHECK(table.size() == 3);
  CHECK(table.next_due() == 5);

  CHECK_FALSE(table.take_due(4));
  CHECK(table.take_due(10) == "b");
  CHECK(table.take_due(10) == "a");
  CHECK_FALSE(table.take_due(10));
  CHECK(table.next_due() == 30);
}

TEST_CASE("timers of one time fall due in the order in which they were put, whatever their keys",
          "[protocol][timers]") {
  timer_table<int, int> table;
  for (const int key : {3, 1, 2})
    table.put(key, 10);
  table.put(3, 10); // Again, behind the others.
  CHECK(table.take_due(10) == 1);
  CHECK(table.take_due(10) == 2);
  CHECK(table.take_due(10) == 3);
}

TEST_CASE("a timer that was erased does not fall due", "[protocol][timers]") {
  timer_table<int, int> table;
  table.put(1, 10);
  table.put(2, 10);
  CHECK(table.erase(1));
  CHECK_FALSE(table.erase(1));
  CHECK(table.take_due(10) == 2);
  CHECK_FALSE(table.take_due(10));
  CHECK(table.size() == 0);
}
