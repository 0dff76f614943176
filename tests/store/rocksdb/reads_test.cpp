// Reads of the durable store: what memory answers at once, what readers read, how often and for
// whom.
#include "store/rocksdb/change_queue.hpp"
#include "store/rocksdb/rocksdb_archive.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/rocksdb/rocksdb_store.hpp"
#include "tests/store/changes.hpp"
#include "tests/store/kinds.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/results.hpp"
#include <troupe/store/await.hpp>

#include <rocksdb/db.h>

#include <algorithm>
#include <atomic>
#include <future>
#include <memory>
#include <string>
#include <thread>
#include <vector>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A store with ended tasks, one of them with a large output, none of which it has in memory.
struct filled {
  explicit filled(const reader_limits& reads = {}) {
    {
      const auto before = open_or_fail(directory / "data");
      before->commit(
          about_lone("large", "c", 1, born_lone("large", "c", 1),
                     task_artifact{output("out", std::string(std::size_t{9} << 20, 'x'))},
                     moved(task_state::completed)));
      for (const auto* id : {"small", "other"})
        before->commit(about_lone(id, "c", 1, born_lone(id, "c", 1), moved(task_state::completed)));
      before->commit(about_lone("live", "c", 1, born_lone("live", "c", 1)));
      before->flush();
    }
    records = open_or_fail(directory / "data", {.reads = reads});
    recover_or_fail(*records);
  }

  temporary_directory directory;
  std::unique_ptr<store> records;
};

result<task_ptr> read(const store& in, const std::string& id, const std::string& client = "a") {
  return await_read<task_ptr>(
      [&](auto done) { in.read_task(task_id{id}, std::move(done), client); });
}

} // namespace

TEST_CASE("However many read a large ended task at once, the disk is read once", "[store][reads]") {
  const filled on;
  std::vector<std::future<result<task_ptr>>> answers;
  for (int i = 0; i < 20; ++i) {
    const auto answer = std::make_shared<std::promise<result<task_ptr>>>();
    answers.push_back(answer->get_future());
    on.records->read_task(
        task_id{"large"}, [answer](result<task_ptr> found) { answer->set_value(std::move(found)); },
        "client " + std::to_string(i));
  }
  const auto small = read(*on.records, "small");
  REQUIRE(small);
  for (auto& each : answers) {
    const auto found = each.get();
    REQUIRE(found);
    CHECK((*found)->artifacts.size() == 1);
  }
  on.records->drain();
  const auto counted = on.records->status().reads;
  CHECK(counted.cache_misses == 2);
  CHECK(counted.cached_records == 2);
  CHECK(counted.waiting == 0);
  CHECK(counted.bytes_handed_out == 0);
}

TEST_CASE("Records in memory are answered at once, and others on a reader's thread",
          "[store][reads]") {
  const filled on;
  std::thread::id where;
  on.records->read_task(task_id{"live"}, [&](const result<task_ptr>& found) {
    CHECK(found);
    where = std::this_thread::get_id();
  });
  CHECK(where == std::this_thread::get_id());
  on.records->read_task(task_id{"small"}, [&](const result<task_ptr>& found) {
    CHECK(found);
    where = std::this_thread::get_id();
  });
  on.records->drain();
  CHECK(where != std::this_thread::get_id());
  CHECK(where != std::thread::id{});
  // Read once, it is in memory.
  on.records->read_task(task_id{"small"},
                        [&](const result<task_ptr>&) { where = std::this_thread::get_id(); });
  CHECK(where == std::this_thread::get_id());
  CHECK(on.records->status().reads.cache_hits > 0);
}

TEST_CASE("A list is made on a reader's thread, also if it is of live tasks only",
          "[store][reads]") {
  const filled on;
  std::thread::id where;
  list_tasks query;
  query.state = task_state::working;
  on.records->list(query, [&](const result<task_page>& page) {
    CHECK(page);
    where = std::this_thread::get_id();
  });
  on.records->drain();
  CHECK(where != std::this_thread::get_id());
  CHECK(where != std::thread::id{});
}

TEST_CASE("An unknown id and a read that is one too many give different errors", "[store][reads]") {
  const filled on;
  CHECK(read(*on.records, "nothing").error().code == errc::task_not_found);
  const filled busy{{.reads_max = 0}};
  const auto refused = read(*busy.records, "small");
  CHECK(refused.error().code == errc::overloaded);
  CHECK(refused.error().field == "archive_reads_max");
  CHECK(read(*busy.records, "live"));
  CHECK(busy.records->status().reads.refused == 1);
}

TEST_CASE("Many ids are claimed by a reader, few where memory tells that they are free",
          "[store][reads]") {
  const filled on;
  const auto claim = [&](std::vector<std::string> ids) {
    return await_read<void>(
        [&](auto done) { on.records->claim_ids(std::move(ids), std::move(done), "a"); });
  };
  bool is_answered = false;
  on.records->claim_ids(
      {"new"}, [&](const result<void>& claimed) { is_answered = bool{claimed}; }, "a");
  CHECK(is_answered);
  CHECK(claim({"other", "other"}).error().code == errc::duplicate_id);
  const auto before = on.records->status().reads.disk_reads;
  std::vector<std::string> many;
  for (int i = 0; i < 100; ++i)
    many.push_back("id" + std::to_string(i));
  CHECK(claim(many));
  on.records->drain();
  CHECK(on.records->status().reads.disk_reads == before + 1);
  on.records->release_ids(many);
  many.push_back("small");
  CHECK(claim(many).error().code == errc::duplicate_id);
  many.pop_back();
  CHECK(claim(many)); // Refused as a whole: the others were given back.
}

TEST_CASE("A claim of 60,000 ids is looked up in its turn, and holds up no other claim",
          "[store][reads]") {
  const temporary_directory directory;
  auto made = make_rocksdb_store({.directory = directory / "data"}, {});
  REQUIRE(made.has_value());
  auto& records = **made;
  const auto claim = [&](std::vector<std::string> ids, bool& is_claimed) {
    records.claim_ids(
        std::move(ids), [&](const result<void>& claimed) { is_claimed = bool{claimed}; }, "a");
  };
  std::vector<std::string> many;
  for (int i = 0; i < 60'000; ++i)
    many.push_back("id" + std::to_string(i));
  bool has_many = false;
  bool has_other = false;
  bool has_last = false;
  claim(many, has_many);
  CHECK_FALSE(has_many); // It waits for a reader.
  claim({"other"}, has_other);
  CHECK(has_other);
  claim({many.back()}, has_last);
  CHECK(records.turn());
  CHECK(has_many);
  CHECK_FALSE(has_last);
  records.release_ids(many);
  CHECK(has_last);
}

TEST_CASE("Changes that follow a change of an objective that left memory wait for it",
          "[store][reads][evict]") {
  const temporary_directory directory;
  auto made = make_rocksdb_store({.directory = directory / "data"}, {});
  REQUIRE(made.has_value());
  auto& records = **made;
  records.commit(about("o", 1, objective_created{make_objective("o", {1}), {}}));
  records.commit(about_lone("root", "o", 1, born_lone("root", "o", 1)));
  records.commit(about("o", 2, tasks_withdrawn{0, {0}, task_state::canceled, ""},
                       objective_moved{objective_event::cancel, ""}));
  records.flush();
  records.evict(at_ms(3));
  REQUIRE(records.status().live_objectives == 0);
  std::vector<int> order;
  records.commit(
      about("o", 4, objective_moved{objective_event::reopen, "retry"}, tasks_renewed{0, {0}}),
      [&] { order.push_back(1); });
  records.commit(about_lone("root", "o", 4, moved(task_state::working)),
                 [&] { order.push_back(2); });
  CHECK(records.turn()); // Both are put aside: the objective has to be read.
  records.commit(about("o", 5, objective_moved{objective_event::work, ""}),
                 [&] { order.push_back(3); });
  records.flush();
  CHECK(order == std::vector<int>{1, 2, 3});
}

TEST_CASE("A store that closes answers the reads that wait", "[store][reads]") {
  filled on;
  std::atomic<int> answered{0};
  for (const auto* id : {"large", "small", "other", "nothing"})
    on.records->read_task(task_id{id}, [&](const result<task_ptr>&) { ++answered; });
  on.records.reset();
  CHECK(answered == 4);
}

TEST_CASE("Changes of an objective that left memory are written in order once it is back",
          "[store][reads][evict]") {
  const temporary_directory directory;
  const auto records = open_or_fail(directory / "data");
  const auto spec = make_objective("o", {1});
  records->commit(about("o", 1, objective_created{spec, {}}));
  records->commit(about("o", 2, tasks_withdrawn{0, {0}, task_state::canceled, ""},
                        objective_moved{objective_event::cancel, ""}));
  records->flush();
  records->flush(); // Sealed by the batch behind that.
  records->evict(at_ms(3));
  REQUIRE(records->status().live_objectives == 0);
  std::vector<int> order;
  bool is_dropped = false;
  records->commit(
      about("o", 4, objective_moved{objective_event::reopen, "retry"}, tasks_renewed{0, {0}}),
      [&] { order.push_back(1); });
  records->commit(about("o", 5, objective_moved{objective_event::work, ""}),
                  [&] { order.push_back(2); });
  records->commit(about("nowhere", 5, objective_moved{objective_event::work, ""}),
                  [&] { is_dropped = true; });
  records->drain();
  CHECK(order == std::vector<int>{1, 2});
  CHECK(is_dropped);
  const auto now = await_read<objective_ptr>(
      [&](auto done) { records->read_objective(objective_id{"o"}, std::move(done)); });
  REQUIRE(now);
  CHECK((*now)->state == objective_state::working);
}

// -- whose it is ----------------------------------------------------------------------------------

namespace {

result<placement> place(const store& in, const std::string& id) {
  return await_read<placement>(
      [&](auto done) { in.read_placement(task_id{id}, std::move(done), "a"); });
}

/// A directory that a test opens as what it is: rows.
class raw_rows {
public:
  explicit raw_rows(const std::string& directory) {
    rocksdb::DB* db = nullptr;
    if (!rocksdb::DB::Open({}, directory, &db).ok())
      FAIL("the directory cannot be opened");
    db_.reset(db);
  }
  rocksdb::DB& operator*() { return *db_; }
  rocksdb::DB* operator->() { return db_.get(); }

private:
  std::unique_ptr<rocksdb::DB> db_;
};

} // namespace

TEST_CASE("Whose a large ended task is, is known without its record", "[store][reads]") {
  const filled on;
  const auto found = place(*on.records, "large");
  REQUIRE(found);
  CHECK(found->kind == placement::id_kind::task);
  CHECK(found->owner.empty());
  CHECK(found->objective.empty());
  on.records->drain();
  CHECK(on.records->status().reads.cache_misses == 0);
  CHECK(place(*on.records, "nothing").error().code == errc::task_not_found);
  REQUIRE(place(*on.records, "small")); // Its record is as short as a row about it.
  on.records->drain();
  CHECK(on.records->status().reads.cache_misses == 1);
}

TEST_CASE("The placement of a large task of a plan is read without its record and its objective's",
          "[store][reads]") {
  const temporary_directory directory;
  {
    const auto before = open_or_fail(directory / "data");
    const auto spec = make_objective("o", {3});
    auto made = std::make_shared<objective_spec>(*spec);
    made->description = std::string(100'000, 'x');
    before->commit(about("o", 1, objective_created{made, {}, "mine"}));
    auto born_here = born(*made, 0, 2, 2);
    born_here.record->owner = "mine";
    before->commit(about_task(*made, 0, 2, 2, born_here,
                              task_artifact{output("out", std::string(100'000, 'x'))},
                              moved(task_state::completed)));
    before->commit(about("o", 3, tasks_withdrawn{0, {0, 1}, task_state::canceled, ""},
                         objective_moved{objective_event::cancel, ""}));
    before->flush();
    before->flush(); // Sealed by the batch behind that.
  }
  const auto records = open_or_fail(directory / "data");
  recover_or_fail(*records);
  const auto task = place(*records, "o.p0.t2");
  REQUIRE(task);
  CHECK(task->owner == "mine");
  CHECK(task->objective.str() == "o");
  CHECK(task->plan == 0);
  CHECK(task->task == 2);
  const auto whole = await_read<placement>(
      [&](auto done) { records->read_placement(objective_id{"o"}, std::move(done), "a"); });
  REQUIRE(whole);
  CHECK(whole->kind == placement::id_kind::objective);
  CHECK(whole->owner == "mine");
  CHECK(whole->objective.str() == "o");
  records->drain();
  CHECK(records->status().reads.cache_misses == 0);
}

TEST_CASE("A directory of an older program gets rows of placements as its records are read",
          "[store][reads]") {
  filled on;
  std::string key;
  rows::task_placement_key(key, "large");
  on.records.reset();
  REQUIRE(raw_rows { on.directory / "data" } -> Delete({}, key).ok());

  on.records = open_or_fail(on.directory / "data");
  recover_or_fail(*on.records);
  REQUIRE(place(*on.records, "large"));
  on.records->drain();
  CHECK(on.records->status().reads.cache_misses == 1);
  on.records->commit(about_lone("next", "c", 9, born_lone("next", "c", 9)));
  on.records->flush();

  on.records.reset();
  on.records = open_or_fail(on.directory / "data");
  recover_or_fail(*on.records);
  REQUIRE(place(*on.records, "large"));
  on.records->drain();
  CHECK(on.records->status().reads.cache_misses == 0);
}

TEST_CASE("Whether an id is taken is known without the large record that has it",
          "[store][reads]") {
  filled on;
  on.records.reset();
  raw_rows raw{on.directory / "data"};
  rocksdb_archive archive{*raw};
  const rocksdb_reads reads{archive, reach::disk};
  CHECK(reads.has_task(task_id{"large"}));
  CHECK(reads.bytes() < 1000);
  CHECK(reads.has_task(task_id{"small"}));
  CHECK_FALSE(reads.has_task(task_id{"nothing"}));
}

TEST_CASE("A row of a placement reads back as it was written, and a damaged one does not",
          "[store][reads]") {
  placement written{.kind = placement::id_kind::task,
                    .owner = std::string{"a\0b", 3},
                    .objective = objective_id{"o"},
                    .plan = 7,
                    .task = 70'000};
  std::string row;
  rows::write_placement(row, written);
  const auto read = rows::read_placement(row);
  REQUIRE(read);
  CHECK(read->kind == written.kind);
  CHECK(read->owner == written.owner);
  CHECK(read->objective == written.objective);
  CHECK(read->plan == written.plan);
  CHECK(read->task == written.task);
  for (const auto& damaged : {std::string{}, std::string{"9"}, row.substr(0, 12),
                              row.substr(0, 9) + std::string(4, '\x7f')})
    CHECK_FALSE(rows::read_placement(damaged));
}

TEST_CASE("Changes that waited for their objective are written in groups like others",
          "[store][reads][evict]") {
  const temporary_directory directory;
  auto made = make_rocksdb_store({.directory = directory / "data"}, {});
  REQUIRE(made.has_value());
  auto& records = **made;
  records.commit(about("o", 1, objective_created{make_objective("o", {1}), {}}));
  records.commit(about("o", 2, tasks_withdrawn{0, {0}, task_state::canceled, ""},
                       objective_moved{objective_event::cancel, ""}));
  records.flush();
  records.evict(at_ms(3));
  REQUIRE(records.status().live_objectives == 0);
  const std::size_t changes = writer_group_changes_max + 100;
  std::vector<std::size_t> order;
  for (std::size_t i = 0; i < changes; ++i)
    records.commit(about("o", 4, objective_edited{"name " + std::to_string(i), ""}),
                   [&, i] { order.push_back(i); });
  std::size_t most = 0;
  for (std::size_t before = 0; records.turn(); before = order.size())
    most = std::max(most, order.size() - before);
  CHECK(most == writer_group_changes_max);
  REQUIRE(order.size() == changes);
  CHECK(std::ranges::is_sorted(order));
}

TEST_CASE("Filters know the stream of each whole key of the history, and no other key",
          "[store][reads]") {
  const std::string stream = GENERATE(as<std::string>{}, "lone", "trip.p0.t1", "a/b", "");
  const auto kind = GENERATE(rows::stream_kind::objective, rows::stream_kind::lone_task);
  std::string prefix;
  rows::history_prefix(prefix, kind, stream);
  CHECK(rows::stream_prefix_of(prefix).empty());
  for (const std::uint64_t sequence : {std::uint64_t{0}, std::uint64_t{47}, std::uint64_t{1} << 40,
                                       ~std::uint64_t{0}}) { // 47 is a slash.
    std::string key;
    rows::history_key(key, kind, stream, sequence);
    CHECK(rows::stream_prefix_of(key) == prefix);
    CHECK(rows::history_sequence(key, prefix) == sequence);
  }
  std::string other;
  rows::task_key(other, "a-task-with-a-long-id/12345678");
  CHECK(rows::stream_prefix_of(other).empty());
  rows::live_key(other, kind, "a-stream-with-a-long-id/12345678");
  CHECK(rows::stream_prefix_of(other).empty());
}
