#include "protocol/fold/withdrawals.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("withdrawn tasks are known with their reason until they are renewed", "[fold]") {
  std::vector<withdrawal> known;
  note_withdrawals(known,
                   about("o", 7, tasks_withdrawn{0, {3, 1, 2}, task_state::canceled, "too late"},
                         tasks_withdrawn{1, {1}, task_state::completed, "done by hand"}));
  REQUIRE(known.size() == 2);
  CHECK(known[0].tasks == std::vector<std::uint32_t>{3, 1, 2});
  CHECK(known[0].reason == "too late");
  CHECK(known[0].at == at_ms(7));
  CHECK(known[1].to == task_state::completed);

  note_withdrawals(known, about("o", 8, tasks_renewed{0, {2, 3}}));
  REQUIRE(known.size() == 2);
  CHECK(known[0].tasks == std::vector<std::uint32_t>{1});
  CHECK(known[1].tasks == std::vector<std::uint32_t>{1});

  note_withdrawals(known, about("o", 9, tasks_renewed{0, {1}},
                                tasks_withdrawn{0, {1}, task_state::canceled, "once more"}));
  REQUIRE(known.size() == 2);
  CHECK(known[0].plan == 1);
  CHECK(known[1].reason == "once more");
}
