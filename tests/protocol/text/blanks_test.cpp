#include "protocol/text/blanks.hpp"
#include "tests/support/catch.hpp"

using troupe::without_blanks;

TEST_CASE("blanks around a text are left out, and those within it stay", "[text]") {
  CHECK(without_blanks(" \t\r\na b\n c \n") == "a b\n c");
  CHECK(without_blanks("a").size() == 1);
  CHECK(without_blanks("").empty());
  CHECK(without_blanks(" \n\t").empty());
  CHECK(without_blanks("\n a \n", " \t") == "\n a \n");
}
