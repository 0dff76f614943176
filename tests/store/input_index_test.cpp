#include "store/input_index.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>

using namespace troupe;

namespace {

/// A task of the anonymous owner that asks since `at`.
task asking(const std::string& id, const std::string& context, int at) {
  task out;
  out.id = task_id{id};
  out.context = context;
  question asked;
  asked.id = "question-1";
  asked.opened = timestamp{milliseconds{at}};
  out.question = std::move(asked);
  return out;
}

std::string names(const input_index& in, const list_inputs& query, std::size_t count = 100,
                  const std::optional<position>& after = std::nullopt) {
  std::string out;
  for (const auto& row : in.list(query, after, count).rows)
    out += (out.empty() ? "" : " ") + row.id;
  return out;
}

} // namespace

TEST_CASE("open questions are listed in the order in which they were asked", "[store][question]") {
  input_index index;
  index.note(asking("c", "x", 1));
  index.note(asking("a", "x", 2));
  index.note(asking("b", "y", 2));
  list_inputs all;
  CHECK(names(index, all) == "c a b");
  CHECK(index.list(all, std::nullopt, 1).total == 3);
  CHECK(names(index, all, 1, position{timestamp{milliseconds{1}}, "c"}) == "a");
  CHECK(names(index, all, 9, position{timestamp{milliseconds{2}}, "a"}) == "b");
  list_inputs of_one;
  of_one.objective = objective_id{"x"};
  CHECK(names(index, of_one) == "c a");
  CHECK(index.list(of_one, std::nullopt, 1).total == 2);
  list_inputs of_other;
  of_other.who.id = "somebody";
  CHECK(names(index, of_other).empty());
}

TEST_CASE("a question leaves the list when it is closed, or its task ends", "[store][question]") {
  input_index index;
  auto one = asking("a", "x", 1);
  const auto other = asking("b", "x", 2);
  index.note(one);
  index.note(other);
  SECTION("and the next one of the task stands behind those that were asked before it") {
    one.question.edit().opened = timestamp{milliseconds{3}};
    index.note(one);
    CHECK(names(index, {}) == "b a");
    CHECK(index.list({}, std::nullopt, 9).total == 2);
  }
  SECTION("answered") {
    one.question.reset();
    index.note(one);
    CHECK(names(index, {}) == "b");
  }
  SECTION("ended") {
    index.drop(one);
    index.drop(other);
    CHECK(names(index, {}).empty());
    list_inputs of_objective;
    of_objective.objective = objective_id{"x"};
    CHECK(names(index, of_objective).empty());
  }
}

TEST_CASE("the questions of a plan are listed and counted apart", "[store][question]") {
  input_index index;
  const auto of_plan = [](const std::string& id, std::uint32_t plan, int at) {
    auto out = asking(id, "x", at);
    out.origin = {std::make_shared<const plan_spec>(), plan, 0};
    return out;
  };
  auto first = of_plan("a", 1, 3);
  index.note(first);
  index.note(of_plan("b", 1, 2));
  index.note(of_plan("c", 11, 1));
  index.note(asking("d", "x", 0));
  list_inputs query;
  query.objective = objective_id{"x"};
  query.plan_index = 1;
  CHECK(names(index, query) == "b a");
  CHECK(index.list(query, std::nullopt, 1).total == 2);
  CHECK(names(index, query, 9, position{timestamp{milliseconds{2}}, "b"}) == "a");
  index.drop(first);
  CHECK(names(index, query) == "b");
  CHECK(index.list(query, std::nullopt, 1).total == 1);
  query.plan_index = 2;
  CHECK(names(index, query).empty());
}

TEST_CASE("pages of any size show each open question once", "[store][question]") {
  input_index index;
  constexpr int count = 500;
  for (int i = 0; i < count; ++i)
    index.note(asking("task-" + std::to_string(i), "x", i / 7));
  const auto size = GENERATE(std::size_t{1}, std::size_t{7}, std::size_t{64});
  std::vector<std::string> seen;
  std::optional<position> after;
  for (;;) {
    const auto page = index.list({}, after, size);
    CHECK(page.total == count);
    if (page.rows.empty())
      break;
    for (const auto& row : page.rows)
      seen.push_back(row.id);
    after = page.rows.back();
  }
  CHECK(seen.size() == count);
  std::ranges::sort(seen);
  CHECK(std::ranges::adjacent_find(seen) == seen.end());
}
