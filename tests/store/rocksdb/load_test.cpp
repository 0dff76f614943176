// Changes of objectives that have left memory, while these cannot be read back.
#include "store/rocksdb/rocksdb_store.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/temporary_directory.hpp"

#include <memory>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

/// A store without threads, with objective "o" out of memory.
struct settled_store {
  explicit settled_store(const reader_limits& reads) {
    auto made = make_rocksdb_store({.directory = directory / "data"},
                                   {.retry_interval = 1s, .time = &clock, .reads = reads});
    REQUIRE(made.has_value());
    records = std::move(*made);
    records->commit(about("o", 1, objective_created{make_objective("o", {1}), {}}));
    records->commit(about("o", 2, tasks_withdrawn{0, {0}, task_state::canceled, ""},
                          objective_moved{objective_event::cancel, ""}));
    records->flush();
    records->evict(at_ms(3));
    REQUIRE(records->status().live_objectives == 0);
  }

  void retry(committed_fn then) const {
    records->commit(
        about("o", 4, objective_moved{objective_event::reopen, "retry"}, tasks_renewed{0, {0}}),
        std::move(then));
  }

  temporary_directory directory;
  hand_time clock{at_ms(1000)};
  std::unique_ptr<turned_store> records;
};

} // namespace

TEST_CASE("A load that is refused because much is read is not an unreadable disk",
          "[store][reads]") {
  settled_store on({.reads_max = 1});
  bool is_answered = false;
  on.records->read_objective(objective_id{"o"},
                             [&](const result<objective_ptr>&) { is_answered = true; });
  REQUIRE_FALSE(is_answered); // It waits for its turn, and is all that may.
  bool is_written = false;
  on.retry([&] { is_written = true; });
  CHECK(on.records->turn()); // It is put aside, and its objective cannot be asked for now.
  CHECK(on.records->turn());
  CHECK_FALSE(is_written);
  CHECK(on.records->status().writable);
  CHECK(on.records->status().problem.empty());
  on.records->flush();
  CHECK(is_answered);
  on.clock.pass(1s);
  on.records->flush();
  CHECK(is_written);
}

TEST_CASE("`drain` drops only continuations that wait for an unreadable objective",
          "[store][reads]") {
  settled_store on({.reads_max = 0});
  auto held = std::make_shared<int>(0);
  const std::weak_ptr<int> waiting = held;
  bool is_called = false;
  on.retry([held = std::exchange(held, nullptr), &is_called] { is_called = true; });
  bool is_written = false;
  on.records->commit(about_lone("other", "c", 5, born_lone("other", "c", 5)),
                     [&] { is_written = true; });
  on.records->drain();
  CHECK(is_written);
  CHECK_FALSE(is_called);
  CHECK(waiting.expired());
}
