// The rows that follow from what has ended (store/rocksdb/derived_rows.hpp), without any tables.
#include "protocol/record/record.hpp"
#include "store/rocksdb/derived_rows.hpp"
#include "tests/support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

using namespace troupe;

namespace {

task ended_task(std::string owner, std::size_t text_bytes) {
  task out;
  out.id = task_id{"t"};
  out.context = "c";
  out.owner = std::move(owner);
  out.metadata["text"] = std::string(text_bytes, 'x');
  out.status.state = task_state::failed;
  out.status.at = timestamp{std::chrono::seconds{7}};
  return out;
}

objective_state_of_record sealed_objective(std::string owner) {
  objective_state_of_record out;
  out.view = std::make_shared<objective_view>();
  out.view->id = objective_id{"o"};
  out.view->owner = std::move(owner);
  out.view->state = objective_state::completed;
  out.view->updated = timestamp{std::chrono::seconds{8}};
  out.sequence = 3;
  return out;
}

using rows_put = std::vector<std::pair<std::string, std::string>>;

rows::put_fn into(rows_put& out) {
  return [&out](std::string_view key, std::string_view value) { out.emplace_back(key, value); };
}

std::string front_of(const std::pair<std::string, std::string>& row, std::size_t bytes) {
  return row.first.substr(0, bytes);
}

} // namespace

TEST_CASE("The record of an ended task is one row", "[store][rows]") {
  rows::derived_rows derived;
  rows_put put;
  const auto ended = ended_task("", 100);
  const auto bytes = derived.record_of(ended, into(put));
  REQUIRE(put.size() == 1);
  CHECK(put[0].first == "t/t");
  CHECK(put[0].second.size() == bytes);
  const auto read = record::read_task(put[0].second);
  REQUIRE(read);
  CHECK(read->metadata == ended.metadata);
}

TEST_CASE("A large record has its owner and place in a row beside it", "[store][rows]") {
  rows::derived_rows derived;
  rows_put put;
  derived.record_of(ended_task("ada", rows::placed_row_bytes_min), into(put));
  REQUIRE(put.size() == 2);
  CHECK(put[1].first == "w/tt");
  const auto placed = rows::read_placement(put[1].second);
  REQUIRE(placed);
  CHECK(placed->owner == "ada");
}

TEST_CASE("An ended task is in the list by context, with its state, and in that by state",
          "[store][rows]") {
  rows::derived_rows derived;
  rows_put put;
  derived.list_rows_of(ended_task("", 1), into(put));
  REQUIRE(put.size() == 2);
  CHECK(front_of(put[0], 2) == "xc");
  CHECK(put[0].second
        == std::string(1, static_cast<char>('0' + static_cast<int>(task_state::failed))));
  CHECK(front_of(put[1], 2) == "xs");
  CHECK(put[1].second.empty());
}

TEST_CASE("The list rows of an owner begin with the owner", "[store][rows]") {
  rows::derived_rows derived;
  rows_put put;
  derived.list_rows_of(ended_task("ada", 1), into(put));
  derived.list_rows_of(*sealed_objective("ada").view, into(put));
  REQUIRE(put.size() == 3);
  for (const auto& row : put) {
    CHECK(front_of(row, 1) == "y");
    CHECK(row.first.find("ada") != std::string::npos);
  }
}

TEST_CASE("A sealed objective has a row for its record and one in the list by state",
          "[store][rows]") {
  rows::derived_rows derived;
  rows_put put;
  const auto sealed = sealed_objective("");
  derived.record_of(sealed, into(put));
  derived.list_rows_of(*sealed.view, into(put));
  REQUIRE(put.size() == 2);
  CHECK(put[0].first == "o/o");
  CHECK(rows::read_objective_row(put[0].second, objective_id{"o"})->sequence == 3);
  CHECK(front_of(put[1], 2) == "xo");
}

TEST_CASE("The same record gives the same rows, whatever was made before", "[store][rows]") {
  rows::derived_rows derived;
  rows_put first;
  rows_put again;
  derived.record_of(ended_task("", 10), into(first));
  derived.list_rows_of(ended_task("", 10), into(first));
  rows_put between;
  derived.record_of(ended_task("ada", rows::long_row_bytes), into(between));
  derived.record_of(sealed_objective("ada"), into(between));
  derived.record_of(ended_task("", 10), into(again));
  derived.list_rows_of(ended_task("", 10), into(again));
  CHECK(first == again);
}

TEST_CASE("Only the anonymous owner's ends are counted, and can be taken back", "[store][rows]") {
  CHECK(rows::counts_of(ended_task("ada", 1)) == rows::counts{});
  CHECK(rows::counts_of(*sealed_objective("ada").view) == rows::counts{});
  const auto task = rows::counts_of(ended_task("", 1));
  CHECK(task.tasks[static_cast<std::size_t>(task_state::failed)] == 1);
  const auto both = task + rows::counts_of(*sealed_objective("").view);
  CHECK(both.objectives[static_cast<std::size_t>(objective_state::completed)] == 1);
  CHECK(both - task == rows::counts_of(*sealed_objective("").view));
  CHECK(rows::counts{} - task + task == rows::counts{});
}
