// The table of servers in docs/models.md, held against the rows of the code.
#include "client/models/server_kind.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/documented_table.hpp"

#include <string>

using namespace troupe::models;
using troupe::testing::cells;
using troupe::testing::documented_rows;

namespace {

std::string quoted_name(std::string_view name) {
  return "`" + std::string(name) + "`";
}

std::string yes_or_no(bool value) {
  return value ? "yes" : "no";
}

} // namespace

TEST_CASE("the table of servers says of each kind what its row says", "[client][models][docs]") {
  const auto documented =
      documented_rows("docs/models.md", "| `kind` | key in | answer bounded by | usage of streams "
                                        "| `response_format` | `strict` | `temperature`, `seed` | "
                                        "what else differs | tests |");
  REQUIRE(documented.size() == server_rows().size());
  for (std::size_t i = 0; i < documented.size(); ++i) {
    const auto& row = server_rows()[i];
    CAPTURE(row.name);
    REQUIRE(documented[i].size() == 9);
    const cells said(documented[i].begin(), documented[i].begin() + 7);
    CHECK(said
          == cells{quoted_name(row.name), quoted_name(row.key_header),
                   quoted_name(row.answer_limit_member), yes_or_no(row.takes_usage_option),
                   yes_or_no(row.takes_response_format), yes_or_no(row.takes_strict),
                   yes_or_no(row.takes_seed)});
    CHECK(documented[i].back().starts_with("`tests/client/models/"));
  }
}
