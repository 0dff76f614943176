#include "protocol/json/base64.hpp"
#include "tests/support/catch.hpp"

#include <random>

using namespace troupe;

TEST_CASE("base64 is written as the examples of RFC 4648 section 10 are", "[protocol][base64]") {
  CHECK(to_base64("").empty());
  CHECK(to_base64("f") == "Zg==");
  CHECK(to_base64("fo") == "Zm8=");
  CHECK(to_base64("foo") == "Zm9v");
  CHECK(to_base64("foob") == "Zm9vYg==");
  CHECK(to_base64("fooba") == "Zm9vYmE=");
  CHECK(to_base64("foobar") == "Zm9vYmFy");
  CHECK(to_base64("\xff\xef\xbe") == "/+++");
}

TEST_CASE("base64 for URLs has no padding and its own last letters", "[protocol][base64]") {
  CHECK(to_base64url("").empty());
  CHECK(to_base64url("f") == "Zg");
  CHECK(to_base64url("fo") == "Zm8");
  CHECK(to_base64url("foo") == "Zm9v");
  CHECK(to_base64url("\xff\xef\xbe") == "_---");
}

TEST_CASE("base64 is read in both alphabets, padded or not", "[protocol][base64]") {
  CHECK(from_base64("") == "");
  CHECK(from_base64("Zm9vYg==") == "foob");
  CHECK(from_base64("Zm9vYg") == "foob");
  CHECK(from_base64("Zm9vYmE") == "fooba");
  CHECK(from_base64("/+++") == "\xff\xef\xbe");
  CHECK(from_base64("_---") == "\xff\xef\xbe");
  CHECK(from_base64("_-+-") == "\xff\xef\xbe");
}

TEST_CASE("a text that no encoder writes is not base64", "[protocol][base64]") {
  const auto* text =
      GENERATE("Z", "Zm9vY", "=", "==", "===", "====", "Zg=", "Zg===", "Z===", "Zm9v=", "Zm=v",
               "Zg==Zg==", "Zm 9v", "Zm9v\n", "Zm9\x80", "Zm9*", "Zm8=Zg==");
  CAPTURE(text);
  CHECK_FALSE(from_base64(text).has_value());
}

TEST_CASE("random bytes read back as they were", "[protocol][base64]") {
  std::mt19937 random{4};
  for (int round = 0; round < 2'000; ++round) {
    std::string bytes;
    for (auto n = random() % 70; n > 0; --n)
      bytes.push_back(static_cast<char>(random() & 0xff));
    auto text = to_base64(bytes);
    REQUIRE(text.size() == (bytes.size() + 2) / 3 * 4);
    REQUIRE(from_base64(text) == bytes);
    while (!text.empty() && text.back() == '=')
      text.pop_back();
    REQUIRE(from_base64(text) == bytes);
  }
}
