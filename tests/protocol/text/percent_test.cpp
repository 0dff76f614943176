#include "protocol/text/percent.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;

TEST_CASE("percent-decoding takes pairs of hexadecimal digits and nothing else", "[text]") {
  CHECK(percent_decoded("") == "");
  CHECK(percent_decoded("a-b_c.d~e+f") == "a-b_c.d~e+f");
  CHECK(percent_decoded("%41%2f%2F%c3%a9") == "A//\xc3\xa9");
  CHECK(percent_decoded("%00") == std::string(1, '\0'));
  for (const auto* bad : {"%", "%4", "a%4", "%zz", "%%41", "%4g", "100%"})
    CHECK_FALSE(percent_decoded(bad));
  CHECK(query_decoded("a+b%2Bc") == "a b+c");
}
