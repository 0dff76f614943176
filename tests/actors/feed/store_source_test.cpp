// The store as a source that answers late.
#include "actors/feed/store_source.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/passing_store.hpp"

#include <functional>
#include <optional>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Takes snapshots when the test says so.
class late_store final : public passing_store {
public:
  using passing_store::snapshot_task;
  void snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                     const std::string& client) override {
    asked_by = client;
    read = [this, id, who = std::move(who), done = std::move(done)] {
      passing_store::snapshot_task(id, who, done, {});
    };
  }

  std::function<void()> read;
  std::string asked_by;
};

class counting_watcher final : public watcher {
public:
  void on_change(const change_ptr&) override { ++seen; }
  int seen = 0;
};

} // namespace

TEST_CASE("a feed that was closed before it was open watches nothing", "[actors][feed]") {
  late_store records;
  records.commit(about_lone("t", "c", 1, born_lone("t", "c", 1)));
  const auto source = make_task_source(records, task_id{"t"}, principal{.id = "somebody"});
  const auto who = std::make_shared<counting_watcher>();
  std::optional<result<feed_snapshot>> opened;
  source->open(who, [&](result<feed_snapshot> now) { opened = std::move(now); });
  CHECK(records.asked_by == client_of({.id = "somebody"}));
  CHECK(source->reader().id == "somebody");
  const bool is_closed_first = GENERATE(true, false);
  if (is_closed_first)
    source->close(who);
  records.read();
  REQUIRE(opened);
  CHECK((*opened)->task->id == task_id{"t"});
  records.commit(about_lone("t", "c", 2, moved(task_state::working)));
  CHECK(who->seen == (is_closed_first ? 0 : 1));
  source->close(who);
  records.commit(about_lone("t", "c", 3, moved(task_state::input_required)));
  CHECK(who->seen == (is_closed_first ? 0 : 1));
}
