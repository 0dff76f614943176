#include "protocol/text/near_name.hpp"
#include "tests/support/catch.hpp"

#include <array>

using namespace troupe;

namespace {

constexpr std::array<std::string_view, 5> known{"name", "input", "dependencies", "metadata",
                                                "maxAttempts"};

} // namespace

TEST_CASE("the nearest known word is what was probably meant", "[protocol][near_name]") {
  const auto near = [](std::string_view text) { return nearest_name(text, known); };
  CHECK(near("naem") == "name");
  CHECK(near("inptu") == "input");
  CHECK(near("dependencie") == "dependencies");
  CHECK(near("METADATA") == "metadata");
  CHECK(near("max_attempts") == "maxAttempts");
  CHECK(near("zzzz").empty());
  CHECK(near("").empty());
  CHECK(near(std::string(1 << 20, 'n')).empty());
}

TEST_CASE("a swap of neighbours is one edit", "[protocol][near_name]") {
  CHECK(edit_distance("name", "NAME") == 0);
  CHECK(edit_distance("name", "nmae") == 1);
  CHECK(edit_distance("", "name") == 4);
}

TEST_CASE("of two words that are as near the one that goes on is meant", "[protocol][near_name]") {
  constexpr std::array<std::string_view, 2> both{"ls", "use"};
  CHECK(nearest_name("us", both) == "use");
  CHECK(nearest_name("l", both) == "ls");
}

TEST_CASE("a hint ends the sentence, or there is none", "[protocol][near_name]") {
  CHECK(did_you_mean("nam", known) == "; did you mean \"name\"?");
  CHECK(did_you_mean("colour", known).empty());
}
