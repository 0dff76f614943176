// What running tasks are given of others: read once, held once, counted once; a disk that fails is
// asked again.
#include "actors/task/artifact_cache.hpp"
#include "actors/task/input_references.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/passing_store.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/limits.hpp>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

/// Reads a copy of its own each time, as a store on disk does, and fails while it is told to.
class copying_store final : public passing_store {
public:
  void read_task(const task_id& id, read_done<task_ptr> done,
                 const std::string& client) const override {
    ++reads;
    if (fails)
      return done(make_error(errc::store_unreadable, "the disk is gone"));
    passing_store::read_task(
        id,
        [done = std::move(done)](result<task_ptr> found) {
          if (!found)
            return done(std::move(found));
          auto copy = std::make_shared<task>(**found);
          for (auto& made : copy->artifacts)
            made = std::make_shared<const artifact>(*made);
          done(task_ptr{std::move(copy)});
        },
        client);
  }
  mutable int reads = 0;
  bool fails = false;
};

struct disk_bed {
  std::unique_ptr<copying_store> owned = std::make_unique<copying_store>();
  copying_store& disk = *owned;
  clock_bed bed{std::move(owned), {}, std::nullopt};
};

artifact large_artifact() {
  return text_artifact("out", std::string(100'000, 'x'));
}

} // namespace

TEST_CASE("an artifact is in memory once, however many running tasks depend on it",
          "[actors][artifacts]") {
  disk_bed disk;
  auto& bed = disk.bed;
  std::vector<task_spec> tasks{a_task("source", {}, "hand")};
  for (int i = 0; i < 100; ++i)
    tasks.push_back(a_task("t" + std::to_string(i), {"source"}, "hand"));
  bed.begin(an_objective({a_plan("p", std::move(tasks))}));
  bed.report("source", report_completed{{large_artifact()}, {}});
  REQUIRE(bed.hand->running() == 100);
  const auto* first = bed.hand->of("t0").order->dependencies.at(0).artifacts.at(0).get();
  for (int i = 0; i < 100; ++i)
    CHECK(bed.hand->of("t" + std::to_string(i)).order->dependencies.at(0).artifacts.at(0).get()
          == first);
}

TEST_CASE("artifacts count among the bytes that are held until the last one is let go of",
          "[actors][artifacts]") {
  disk_bed disk;
  disk.bed.begin(an_objective({a_plan("p", {a_task("source", {}, "hand")})}));
  disk.bed.report("source", report_completed{{large_artifact(), large_artifact()}, {}});
  const auto memory = std::make_shared<memory_budget>();
  const auto cache = std::make_shared<artifact_cache>(memory);
  const auto id = disk.bed.task("source")->id;
  disk.disk.reads = 0;
  std::vector<made_by_task> held;
  for (int i = 0; i < 3; ++i)
    cache->find(disk.disk, id,
                [&](const result<made_by_task>& made) { held.push_back(made.value()); });
  REQUIRE(held.size() == 3);
  CHECK(disk.disk.reads == 1);
  CHECK(memory->held(memory_account::live_work) > 200'000);
  CHECK(memory->held(memory_account::live_work) < 210'000);
  auto last = held[1].artifacts[0];
  held.clear();
  CHECK(memory->held(memory_account::live_work) > 200'000);
  last.reset();
  CHECK(memory->held(memory_account::live_work) == 0);
  bool unknown = false;
  cache->find(disk.disk, task_id{"nobody"}, [&](const result<made_by_task>& made) {
    unknown = made.error().code == errc::task_not_found;
  });
  CHECK(unknown);
}

TEST_CASE("an artifact to which an order's input refers counts as long as the input",
          "[actors][artifacts]") {
  disk_bed disk;
  disk.bed.begin(an_objective({a_plan("p", {a_task("source", {}, "hand")})}));
  disk.bed.report("source", report_completed{{large_artifact()}, {}});
  const auto memory = std::make_shared<memory_budget>();
  const auto cache = std::make_shared<artifact_cache>(memory);
  std::vector<order_input> inputs;
  for (int i = 0; i < 100; ++i)
    cache->find(disk.disk, disk.bed.task("source")->id, [&](const result<made_by_task>& made) {
      const auto written = std::make_shared<const boost::json::object>(
          boost::json::object{{"text", "see ${tasks.source.artifacts[0].text}"}});
      const std::vector<dependency_result> deps{
          {made->id, "source", "source", made->artifacts, {"source"}}};
      inputs.push_back(follow_references(written, deps).value());
    });
  REQUIRE(inputs.size() == 100);
  CHECK(memory->held(memory_account::live_work) > 100'000);
  CHECK(memory->held(memory_account::live_work) < 110'000);
  auto last = inputs[50];
  inputs.clear();
  CHECK(memory->held(memory_account::live_work) > 100'000);
  last = {};
  CHECK(memory->held(memory_account::live_work) == 0);
}

TEST_CASE("a task whose dependencies cannot be read waits and reads again",
          "[actors][artifacts][time]") {
  disk_bed disk;
  auto& bed = disk.bed;
  bed.begin(an_objective(
      {a_plan("p", {a_task("source", {}, "hand"), a_task("next", {"source"}, "hand")})}));
  disk.disk.fails = true;
  bed.report("source", report_completed{{large_artifact()}, {}});
  bed.pass(3 * store_read_pause);
  CHECK(bed.hand->attempts.size() == 1);
  disk.disk.fails = false;
  CHECK(bed.states() == "completed working");
  bed.pass(store_read_pause);
  REQUIRE(bed.hand->attempts.size() == 2);
  CHECK(bed.hand->of("next").number == 1); // no attempt was lost
  CHECK(bed.hand->of("next").order->dependencies.at(0).artifacts.size() == 1);
}

TEST_CASE("a task that is taken up again waits for a disk that cannot be read",
          "[actors][artifacts][time]") {
  disk_bed disk;
  auto& bed = disk.bed;
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand")})}));
  disk.disk.fails = true;
  bed.restart();
  bed.pass(3 * store_read_pause);
  CHECK(bed.hand->attempts.size() == 1);
  disk.disk.fails = false;
  bed.pass(store_read_pause);
  REQUIRE(bed.hand->attempts.size() == 2);
  CHECK(bed.hand->of("a").number == 2);
}
