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

TEST_CASE("percent-encoding leaves what is plain and is undone by decoding", "[text]") {
  CHECK(percent_encoded("") == "");
  CHECK(percent_encoded("aZ09-._~") == "aZ09-._~");
  CHECK(percent_encoded("a b/c:%+\xc3\xa9") == "a%20b%2Fc%3A%25%2B%C3%A9");
  CHECK(percent_encoded("a.b~c", ".") == "a.b%7Ec");
  CHECK(form_encoded("a b+c*~/") == "a+b%2Bc*%7E%2F");
  std::string all;
  for (int byte = 0; byte < 256; ++byte)
    all += static_cast<char>(byte);
  CHECK(percent_decoded(percent_encoded(all)) == all);
  CHECK(query_decoded(form_encoded(all)) == all);
}
