// The memory into which a loop parses the bodies of its requests.
#include "net/http/loop.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace troupe::net;

TEST_CASE("however many long texts a loop parses, the next one takes no more memory", "[net]") {
  json_scratch scratch{100};
  std::string text = "[";
  for (int i = 0; i < 20'000; ++i)
    text += std::to_string(i) + ',';
  text += "0]";
  for (int round = 0; round < 200; ++round) { // Blocks that double would pass 2^64 bytes.
    error_code failed;
    std::size_t offset = 0;
    const auto* tree = scratch.parse(text, failed, offset);
    REQUIRE(tree != nullptr);
    CHECK(tree->as_array().size() == 20'001);
  }
}
