#include "protocol/text/counted.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;

TEST_CASE("a number is shown with its noun in the singular or the plural", "[protocol][text]") {
  CHECK(counted(0, "task") == "0 tasks");
  CHECK(counted(1, "task") == "1 task");
  CHECK(counted(2, "task") == "2 tasks");
  CHECK(counted(1, "dependency", "dependencies") == "1 dependency");
  CHECK(counted(2, "dependency", "dependencies") == "2 dependencies");
}
