#include "protocol/text/blanks.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;

TEST_CASE("blanks around a text are left out, and those within it stay", "[text]") {
  CHECK(without_blanks(" \t\r\na b\n c \n") == "a b\n c");
  CHECK(without_blanks("a").size() == 1);
  CHECK(without_blanks("").empty());
  CHECK(without_blanks(" \n\t").empty());
  CHECK(without_blanks("\n a \n", " \t") == "\n a \n");
}

TEST_CASE("blanks at the end of a text are left out, and those before it stay", "[text]") {
  CHECK(without_blank_end("\t a b \r\n") == "\t a b");
  CHECK(without_blank_end("a") == "a");
  CHECK(without_blank_end("").empty());
  CHECK(without_blank_end(" \n").empty());
}
