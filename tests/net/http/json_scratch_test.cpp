// The memory into which a loop parses the bodies of its requests.
#include "net/http/loop.hpp"
#include "tests/support/catch.hpp"

#include <boost/system/errc.hpp>

#include <memory>
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

TEST_CASE("a large tree is counted until it is given back, and refused if there is no room",
          "[net][memory]") {
  const auto memory = std::make_shared<troupe::memory_budget>(std::size_t{10} << 20);
  json_scratch scratch{100, memory};
  const auto list = [](std::size_t count) {
    std::string text = "[0";
    for (std::size_t i = 1; i < count; ++i)
      text += ",0";
    return text + "]";
  };
  error_code failed;
  std::size_t offset = 0;
  REQUIRE(scratch.parse(list(100), failed, offset) != nullptr);
  CHECK(memory->held() == 0); // It has a buffer for such ones.
  REQUIRE(scratch.parse(list(100'000), failed, offset) != nullptr);
  CHECK(memory->held(troupe::memory_account::bodies) >= 1'600'000);
  CHECK(scratch.refused_bytes() == 0);
  scratch.release();
  CHECK(memory->held() == 0);
  CHECK(scratch.parse(list(1'000'000), failed, offset) == nullptr);
  CHECK(failed == boost::system::errc::not_enough_memory);
  CHECK(scratch.refused_bytes() > 0);
  CHECK(memory->held() == 0);
  const auto* tree = scratch.parse(list(1'000), failed, offset);
  REQUIRE(tree != nullptr);
  CHECK(tree->as_array().size() == 1'000);
}
