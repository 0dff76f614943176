// A store that says how much waits for the disk, and what a plan does about it.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/passing_store.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/limits.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A store whose backlog is what the test says.
class busy_store final : public passing_store {
public:
  [[nodiscard]] store_status status() const override {
    auto out = passing_store::status();
    out.backlog_changes = backlog;
    return out;
  }

  std::size_t backlog = 0;
};

} // namespace

TEST_CASE("a plan releases no further burst while too much waits for the disk",
          "[actors][backlog][time]") {
  auto owned = std::make_unique<busy_store>();
  auto& records = *owned;
  clock_bed bed{std::move(owned), {}, std::nullopt};
  std::vector<task_spec> all;
  for (std::size_t i = 0; i < 3 * release_burst_max; ++i)
    all.push_back(a_task("t" + std::to_string(i), {}, "hand"));
  records.backlog = release_backlog_max + 1;
  bed.begin(an_objective({a_plan("wide", std::move(all))}));
  CHECK(bed.hand->attempts.size() == release_burst_max);
  bed.pass(std::chrono::minutes{1});
  CHECK(bed.hand->attempts.size() == release_burst_max);
  records.backlog = release_backlog_max;
  CHECK(bed.clock.next_due() == release_pause);
  bed.pass(release_pause);
  CHECK(bed.hand->attempts.size() == 3 * release_burst_max);
}
