#include "apps/run/history_table.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;
using boost::json::parse;

TEST_CASE("changes are a table that has no empty column", "[apps][history]") {
  history_options plain;
  plain.colour = colour_choice::never;
  const auto tried = parse(R"({"revision": 1, "at": "2026-03-01T09:30:00Z", "operations": [
      {"op": "retryTask", "task": "k3v9.p0.t1"}, {"op": "skipPlan", "plan": "p1"}]})");
  CHECK(draw_changes({tried}, plain)
        == "REVISION  AT                    CHANGES\n"
           "1         2026-03-01T09:30:00Z  retryTask k3v9.p0.t1; skipPlan p1\n");
  const auto added = parse(R"({"revision": 2, "at": "2026-03-01T09:31:00Z", "author": "Ada",
      "reason": "late", "operations": [{"op": "addTask", "name": "check"}]})");
  CHECK(draw_changes({added, tried}, plain)
        == "REVISION  AT                    AUTHOR  REASON  CHANGES\n"
           "2         2026-03-01T09:31:00Z  Ada     late    addTask check\n"
           "1         2026-03-01T09:30:00Z                  retryTask k3v9.p0.t1; skipPlan p1\n");
}
