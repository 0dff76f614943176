#include "protocol/json/quoted.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/errc.hpp>

using namespace troupe;

TEST_CASE("a quoted text shows quotes and control characters as JSON does", "[protocol][quoted]") {
  CHECK(quoted("") == R"("")");
  CHECK(quoted("plain") == R"("plain")");
  CHECK(quoted("a\"b\\c\n\x1b") == R"("a\"b\\c\n\u001b")");
}

TEST_CASE("what a client wrote cannot be taken for the message that quotes it",
          "[protocol][quoted]") {
  CHECK(unknown_task("a\" is fine\n").message == R"(there is no task "a\" is fine\n")");
  CHECK(unknown_objective("plain").message == R"(there is no objective "plain")");
}

TEST_CASE("a quoted text that is too long is cut before a character", "[protocol][quoted]") {
  CHECK(quoted("abcdef", 6) == R"("abcdef")");
  CHECK(quoted("abcdef", 5) == R"("abcde...")");
  CHECK(quoted("abc\xc3\xa4g", 4) == R"("abc...")");
  CHECK(quoted("\xc3\xa4", 1) == R"("...")");
}
