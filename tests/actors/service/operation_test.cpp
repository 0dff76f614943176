// The table of operations.
#include "actors/service/operation.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"

#include <set>
#include <string>

using namespace troupe;

TEST_CASE(
    "every operation has one row, and one that names an object says how its absence is answered",
    "[actors][service]") {
  std::set<std::string_view> names;
  for (const auto& row : operation_rows) {
    CAPTURE(row.name);
    CHECK(names.insert(row.name).second);
    CHECK((row.names == object_kind::none) == (row.not_there == errc::none));
    CHECK(&row_of(row.which) == &row);
  }
}

TEST_CASE("an operation needs its scope and no other", "[actors][service]") {
  for (const auto& row : operation_rows) {
    CAPTURE(row.name);
    principal who;
    CHECK(admit(who, row.which));
    who.scopes = row.needs;
    CHECK(admit(who, row.which));
    who.scopes = {};
    for (const auto one : {scope::read, scope::write, scope::notify})
      if (one != row.needs)
        who.scopes = who.scopes | one;
    const auto refused = admit(who, row.which);
    REQUIRE_FALSE(refused);
    CHECK(refused.error().code == errc::forbidden);
    CHECK_THAT(refused.error().message, ContainsSubstring(std::string(row.name)));
  }
}
