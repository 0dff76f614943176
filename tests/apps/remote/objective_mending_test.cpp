#include "apps/remote/objective_mending.hpp"
#include "tests/support/catch.hpp"

#include <cstdint>
#include <set>

using namespace troupe;

TEST_CASE("a code says whether the server may have taken a change", "[apps][remote]") {
  const std::set<errc> unsure{
      errc::invalid_agent_response, // An answer came, and nobody can read it.
      errc::too_large,              // The answer is too long to be read.
      errc::timed_out,
      errc::unavailable,
      errc::overloaded,
      errc::internal,
      errc::store_failed,
      errc::store_unreadable};
  for (std::uint8_t number = 1; number < errc_end; ++number) {
    const auto code = static_cast<errc>(number);
    CAPTURE(to_string(code));
    CHECK(is_refusal(code) != unsure.contains(code));
  }
}
