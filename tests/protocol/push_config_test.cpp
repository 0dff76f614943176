#include "tests/support/catch.hpp"
#include <troupe/protocol/push_config.hpp>

using namespace troupe;

TEST_CASE("the name of a scheme is a token", "[protocol][push_config]") {
  CHECK(is_header_token("Bearer"));
  CHECK(is_header_token("x-my.scheme~1"));
  for (const auto* text : {"", "two words", "a\r\nb", "a:b", "\"q\"", "b\xc3\xa4r"})
    CHECK_FALSE(is_header_token(text));
}
