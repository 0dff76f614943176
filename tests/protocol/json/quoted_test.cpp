#include "protocol/json/quoted.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;

TEST_CASE("a quoted text shows quotes and control characters as JSON does", "[protocol][quoted]") {
  CHECK(quoted("") == R"("")");
  CHECK(quoted("plain") == R"("plain")");
  CHECK(quoted("a\"b\\c\n\x1b") == R"("a\"b\\c\n\u001b")");
}

TEST_CASE("a quoted text that is too long is cut before a character", "[protocol][quoted]") {
  CHECK(quoted("abcdef", 6) == R"("abcdef")");
  CHECK(quoted("abcdef", 5) == R"("abcde...")");
  CHECK(quoted("abc\xc3\xa4g", 4) == R"("abc...")");
  CHECK(quoted("\xc3\xa4", 1) == R"("...")");
}
