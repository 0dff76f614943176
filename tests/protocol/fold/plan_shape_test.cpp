#include "protocol/fold/apply.hpp"
#include "protocol/fold/plan_shape.hpp"
#include "protocol/record/record.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <random>

using namespace troupe;
using namespace troupe::testing;

namespace {

using names = std::vector<std::string>;

/// A plan whose tasks have the keys "a", "b", ... ; each but the first depends on the one before,
/// up to `chained`.
struct board {
  std::shared_ptr<objective_spec> spec = make_objective("o", {});
  objective_view view;

  explicit board(std::size_t tasks, std::size_t chained = 0) {
    auto plan = std::make_shared<plan_spec>(*make_plan(spec->id, 0, tasks));
    for (std::size_t t = 0; t < tasks && t < 26; ++t)
      plan->tasks.edit(t).key = std::string(1, static_cast<char>('a' + t));
    for (std::size_t t = 1; t < chained; ++t) {
      plan->tasks.edit(t).dependencies = {"task-" + std::to_string(t - 1)};
      plan->tasks.edit(t).dependency_indexes = {static_cast<std::uint32_t>(t - 1)};
    }
    spec->plans.push_back(std::move(plan));
    apply(view, about("o", 100, objective_created{spec, {}}));
  }

  [[nodiscard]] const plan_view& plan() const { return view.plans.front(); }
  [[nodiscard]] const task_spec& task(std::size_t at) const { return plan().spec->tasks[at]; }

  void begin(std::uint32_t task) {
    apply(view, about_task(*spec, 0, task, 110, moved(task_state::working)));
  }
  void end(std::uint32_t task, task_state how) {
    apply(view, about_task(*spec, 0, task, 120, moved(how)));
  }

  [[nodiscard]] shape_terms terms() const {
    shape_terms out;
    out.revision = view.revision + 1;
    out.now = at_ms(200);
    out.tasks_max = 200'000;
    out.waits_outside = [](std::uint32_t task) { return task == 4; };
    return out;
  }

  result<plan_changed> decide(plan_shape& shape, std::vector<wanted_operation> operations) const {
    change_plan command;
    command.operations = std::move(operations);
    command.reason = "the customer asked";
    auto decided = troupe::decide(plan(), shape, command, terms());
    if (!decided)
      return decided.error();
    return std::move(decided->changed);
  }

  /// Decides and applies; what was refused is the error.
  result<plan_changed> change(std::vector<wanted_operation> operations) {
    plan_shape shape{*plan().spec};
    auto decided = decide(shape, std::move(operations));
    if (decided)
      apply(view, about("o", 200, *decided));
    return decided;
  }
};

task_spec keyed(std::string key, names after = {}) {
  task_spec out;
  out.key = std::move(key);
  out.agent = "echo";
  out.dependencies = std::move(after);
  return out;
}

wanted_operation removal(std::string task) {
  return remove_task<std::string>{std::move(task)};
}
wanted_operation edge(std::string task, std::string on) {
  return add_dependency<std::string>{std::move(task), std::move(on)};
}
wanted_operation no_edge(std::string task, std::string on) {
  return remove_dependency<std::string>{std::move(task), std::move(on)};
}

bool same_spec(const task_spec& a, const task_spec& b) {
  return a.id == b.id && a.key == b.key && a.name == b.name && a.agent == b.agent
         && a.dependencies == b.dependencies && a.dependency_indexes == b.dependency_indexes
         && a.deadline == b.deadline && a.priority == b.priority && a.is_removed == b.is_removed;
}

} // namespace

TEST_CASE("a plan gets tasks, dependencies, names, deadlines and priorities by one change",
          "[fold][shape]") {
  board now(3, 2);
  const auto before = now.plan();
  const auto done = now.change({add_task{keyed("new", {"a"})}, edge("c", "new"), no_edge("b", "a"),
                                rename_task<std::string>{"o.p0.t1", "second"},
                                set_deadline<std::string>{"task-2", at_ms(500)},
                                set_priority<std::string>{"c", 7}});
  REQUIRE(done.has_value());
  CHECK(done->operations.size() == 6);
  CHECK(done->reason == "the customer asked");
  CHECK(now.view.revision == 1);
  REQUIRE(now.plan().tasks.size() == 4);
  CHECK(now.task(3).id == task_id{"o.p0.t3"});
  CHECK(now.task(3).dependency_indexes == std::vector<std::uint32_t>{0});
  CHECK(now.task(2).dependencies == names{"new"});
  CHECK(now.task(2).dependency_indexes == std::vector<std::uint32_t>{3});
  CHECK(now.task(1).dependencies.empty());
  CHECK(now.task(1).name == "second");
  CHECK(now.task(2).deadline == at_ms(500));
  CHECK(now.task(2).priority == 7);
  CHECK(now.plan().updated == at_ms(200));
  CHECK(before.spec->tasks.size() == 3); // who looked before still sees what was there
  CHECK(before.spec->tasks[1].dependencies == names{"task-0"});
}

TEST_CASE("a deadline that has passed is not set", "[fold][shape]") {
  board now(3);
  const auto refused =
      now.change({set_priority<std::string>{"a", 1}, set_deadline<std::string>{"b", at_ms(200)}});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::invalid_params);
  CHECK(refused.error().field == "/operations/1/deadline");
  CHECK(refused.error().message
        == "operation 1: the deadline 1970-01-01T00:00:00.200Z has passed already; it is "
           "1970-01-01T00:00:00.200Z");
  CHECK(now.change({set_deadline<std::string>{"b", at_ms(201)}}).has_value());
  CHECK(now.change({set_deadline<std::string>{"b", std::nullopt}}).has_value());
}

TEST_CASE("a task may be meant by its name, if it is the only one that has it", "[fold][shape]") {
  board now(3);
  REQUIRE(now.change({rename_task<std::string>{"a", "one"}, rename_task<std::string>{"b", "two"},
                      rename_task<std::string>{"c", "two"}})
              .has_value());
  const auto twice = now.change({edge("one", "two")});
  REQUIRE_FALSE(twice.has_value());
  CHECK(twice.error().code == errc::unknown_dependency);
  CHECK(twice.error().message
        == "operation 0: 2 tasks of the plan have the name \"two\"; use an id");
  CHECK(twice.error().field == "/operations/0/on");
  // The names are those that the operations before have left.
  const auto done =
      now.change({edge("one", "c"), rename_task<std::string>{"c", "three"}, edge("one", "two"),
                  removal("three"), add_task{keyed("three")}, edge("two", "three")});
  INFO((done ? "" : done.error().message));
  REQUIRE(done.has_value());
  CHECK(now.task(0).dependency_indexes == std::vector<std::uint32_t>{1});
  CHECK(now.task(1).dependency_indexes == std::vector<std::uint32_t>{3});
}

TEST_CASE("a task is replaced where it stands, or added if there is none", "[fold][shape]") {
  board now(4, 3); // a -> b -> c; d
  auto next = keyed("b", {"d"});
  next.name = "Second";
  next.agent = "other";
  next.input = {{"text", "x"}};
  next.timeout = milliseconds{5};
  next.priority = 3;
  next.deadline = at_ms(900);
  next.metadata = {{"k", 1}};
  auto fresh = keyed("fresh", {"b"});
  auto unnamed = keyed("");
  unnamed.name = "Unnamed";
  const auto before = now.plan().spec;
  const auto done =
      now.change({put_task<std::string>{"b", next}, put_task<std::string>{"fresh", fresh},
                  put_task<std::string>{"", unnamed}});
  INFO((done ? "" : done.error().message));
  REQUIRE(done.has_value());
  REQUIRE(now.plan().tasks.size() == 6);
  const auto& is = now.task(1);
  CHECK(is.id == before->tasks[1].id);
  CHECK(is.key == "b");
  CHECK(is.name == "Second");
  CHECK(is.agent == "other");
  CHECK(is.input == next.input);
  CHECK(is.timeout == next.timeout);
  CHECK(is.priority == 3);
  CHECK(is.deadline == at_ms(900));
  CHECK(is.metadata == next.metadata);
  CHECK(is.dependency_indexes == std::vector<std::uint32_t>{3});
  CHECK(now.task(2).dependency_indexes == std::vector<std::uint32_t>{1}); // its dependents stay
  CHECK(now.task(4).key == "fresh");
  CHECK(now.task(5).name == "Unnamed");
  CHECK(before->tasks[1].agent != "other"); // who looked before still sees what was there
  // By its name; as it is twice in one change.
  auto by_name = keyed("", {"d"});
  by_name.name = "Second";
  by_name.agent = "again";
  REQUIRE(now.change({put_task<std::string>{"", by_name}, put_task<std::string>{"", by_name}})
              .has_value());
  CHECK(now.task(1).agent == "again");
  CHECK(now.plan().tasks.size() == 6);
}

TEST_CASE("a task is not replaced so that it would not run, and nothing changes then",
          "[fold][shape]") {
  board now(5, 3); // a -> b -> c; d; e
  now.begin(0);
  now.begin(4);
  now.end(4, task_state::failed);
  plan_shape shape{*now.plan().spec};
  const auto refused = [&](std::string task, names after) {
    auto next = keyed(task, std::move(after));
    const auto decided = now.decide(shape, {put_task<std::string>{std::move(task), next}});
    REQUIRE_FALSE(decided.has_value());
    return std::string{to_string(decided.error().code)} + " " + decided.error().field;
  };
  CHECK(refused("a", {}) == "already_started /operations/0/task");
  CHECK(refused("b", {"c"}) == "dependency_cycle /operations/0/task/dependencies");
  CHECK(refused("b", {"b"}) == "dependency_cycle /operations/0/task/dependencies");
  CHECK(refused("b", {"e"}) == "dependency_failed /operations/0/task/dependencies");
  CHECK(refused("b", {"a", "a"}) == "invalid_params /operations/0/task/dependencies");
  CHECK(refused("b", {"nobody"}) == "unknown_dependency /operations/0/task/dependencies");
  // The index is as it was: b still depends on a, and c on b.
  CHECK(shape.dependents(0) == std::vector<std::uint32_t>{1});
  CHECK(shape.dependents(1) == std::vector<std::uint32_t>{2});
}

TEST_CASE("a task that is replaced keeps what it waits for in other plans", "[fold][shape]") {
  board now(2);
  auto plan = std::make_shared<plan_spec>(*now.spec->plans.front());
  plan->tasks.edit(1).dependencies = {"plan-1/task-0", "a"};
  plan->tasks.edit(1).dependency_indexes = {elsewhere, 0};
  plan->outside.push_back({.task = 1, .on_plan = 1, .on_task = 0, .on = task_id{"o.p1.t0"}});
  now.view.plans.edit(0).spec = plan;
  const auto put = [&](names after) {
    return now.change({put_task<std::string>{"b", keyed("b", std::move(after))}});
  };
  REQUIRE(put({"plan-1/task-0"}).has_value());
  CHECK(now.task(1).dependencies == names{"plan-1/task-0"});
  REQUIRE(put({"a", "o.p1.t0"}).has_value()); // as it is shown
  CHECK(now.task(1).dependency_indexes == std::vector<std::uint32_t>{elsewhere, 0});
  const auto without = put({"a"});
  REQUIRE_FALSE(without.has_value());
  CHECK(without.error().code == errc::invalid_params);
  CHECK(without.error().field == "/operations/0/task/dependencies");
}

TEST_CASE("a task that is removed takes its dependencies along, and its name is free",
          "[fold][shape]") {
  board now(3, 3);
  const auto before = now.plan();
  const auto done = now.change({removal("b"), add_task{keyed("b", {"a"})}});
  REQUIRE(done.has_value());
  const auto events = events_of(before, *done, [](std::uint32_t) { return false; });
  REQUIRE(events.size() == 2);
  CHECK(std::get<tasks_withdrawn>(events[1]).tasks == std::vector<std::uint32_t>{1});
  CHECK(now.task(1).is_removed);
  CHECK(now.task(1).dependencies.empty());
  CHECK(now.task(2).dependencies.empty());
  const plan_shape shape{*now.plan().spec};
  CHECK(shape.find("b") == 3);
  CHECK_FALSE(shape.find("task-1"));
  CHECK(shape.tasks() == 3);
}

TEST_CASE("a refused change names the operation and the reason, and changes nothing",
          "[fold][shape]") {
  struct refusal {
    std::vector<wanted_operation> operations;
    errc code;
    std::string message;
    std::string field;
  };
  const wanted_operation fine = rename_task<std::string>{"e", "renamed"};
  const auto with_id = [] {
    auto out = keyed("new");
    out.id = task_id{"mine"};
    return out;
  };
  const std::vector<refusal> refusals{
      {{}, errc::invalid_params, "the change has no operations", "/operations"},
      {{fine, removal("x")},
       errc::unknown_dependency,
       "operation 1: the plan has no task \"x\"",
       "/operations/1/task"},
      {{removal("a")},
       errc::already_started,
       "operation 0: task \"a\" has begun and stays as it is",
       "/operations/0/task"},
      {{removal("f")},
       errc::already_ended,
       "operation 0: task \"f\" has failed",
       "/operations/0/task"},
      {{fine, edge("a", "e")},
       errc::already_started,
       "operation 1: task \"a\" has begun and stays as it is",
       "/operations/1/task"},
      {{edge("e", "f")},
       errc::dependency_failed,
       "operation 0: task \"f\" has failed, so that what depends on it would never begin",
       "/operations/0/on"},
      {{edge("e", "x")},
       errc::unknown_dependency,
       "operation 0: the plan has no task \"x\"",
       "/operations/0/on"},
      {{fine, edge("b", "d")},
       errc::dependency_cycle,
       "operation 1: they would form a cycle: \"b\" -> \"c\" -> \"d\" -> \"b\"",
       "/operations/1"},
      {{edge("e", "e")},
       errc::dependency_cycle,
       "operation 0: task \"e\" would depend on itself",
       "/operations/0"},
      {{edge("c", "b")},
       errc::invalid_params,
       "operation 0: task \"c\" depends on task \"b\" already",
       "/operations/0"},
      {{no_edge("e", "b")},
       errc::unknown_dependency,
       "operation 0: task \"e\" does not depend on task \"b\"",
       "/operations/0/on"},
      {{add_task{keyed("b")}},
       errc::duplicate_id,
       "operation 0: the task id \"b\" is used twice",
       "/operations/0/task/id"},
      {{add_task{with_id()}},
       errc::invalid_params,
       "operation 0: a task that is added gets its id here; name it by a key",
       "/operations/0/task/id"},
      {{add_task{keyed("new", {"x"})}},
       errc::unknown_dependency,
       "operation 0: the plan has no task \"x\"",
       "/operations/0/task/dependencies"},
      {{add_task{keyed("new", {"b", "task-1"})}},
       errc::invalid_params,
       "operation 0: it depends on task \"b\" twice",
       "/operations/0/task/dependencies"},
      {{rename_task<std::string>{"b", ""}},
       errc::invalid_params,
       "operation 0: the name is empty",
       "/operations/0/name"},
      {{removal("b"), add_task{keyed("new")}, edge("new", "b")},
       errc::unknown_dependency,
       "operation 2: the plan has no task \"b\"",
       "/operations/2/on"},
      {{add_task{keyed("new", {"d"})}, edge("c", "new")},
       errc::dependency_cycle,
       "operation 1: they would form a cycle: \"c\" -> \"d\" -> \"new\" -> \"c\"",
       "/operations/1"},
  };
  board now(6, 4); // a -> b -> c -> d; e; f
  now.begin(0);
  now.begin(5);
  now.end(5, task_state::failed);
  const auto before = now.plan();
  plan_shape shape{*before.spec};
  for (const auto& each : refusals) {
    CAPTURE(each.message);
    const auto decided = now.decide(shape, each.operations);
    REQUIRE_FALSE(decided.has_value());
    CHECK(decided.error().code == each.code);
    CHECK(decided.error().message == each.message);
    CHECK(decided.error().field == each.field);
  }
  CHECK(now.plan().spec == before.spec);
  // The index is as it was, too.
  CHECK(shape.tasks() == 6);
  CHECK(shape.find("b") == 1);
  CHECK_FALSE(shape.find("new"));
  CHECK(shape.dependents(1) == std::vector<std::uint32_t>{2});
  CHECK(shape.dependents(3).empty());
  CHECK(now.decide(shape, {fine}).has_value());
}

TEST_CASE("a plan keeps at least one task", "[fold][shape]") {
  board now(2);
  const auto refused = now.change({removal("a"), removal("b")});
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message
        == "the change leaves the plan without a task; end the plan instead");
  CHECK(now.change({removal("a"), removal("b"), add_task{keyed("c")}}).has_value());
}

TEST_CASE("more operations or tasks than allowed are refused", "[fold][shape]") {
  board now(2);
  const auto many = now.change(
      std::vector<wanted_operation>(plan_operations_max + 1, set_priority<std::string>{"a", 1}));
  REQUIRE_FALSE(many.has_value());
  CHECK(many.error().code == errc::limit_exceeded);
  CHECK(many.error().field == "/operations");
  CHECK(many.error().message
        == "the change has 10001 operations; the limit is 10000 (plan_operations_max), so make it "
           "in several");
  auto terms = now.terms();
  terms.tasks_max = 2;
  plan_shape shape{*now.plan().spec};
  change_plan command;
  command.operations = {add_task{}};
  const auto full = decide(now.plan(), shape, command, terms);
  REQUIRE_FALSE(full.has_value());
  CHECK(full.error().code == errc::limit_exceeded);
}

TEST_CASE("a task that another plan waits for is not removed", "[fold][shape]") {
  board now(2);
  auto terms = now.terms();
  terms.is_awaited = [](std::uint32_t task) { return task == 1; };
  plan_shape shape{*now.plan().spec};
  change_plan command;
  command.operations = {removal("b")};
  const auto refused = decide(now.plan(), shape, command, terms);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().message == "operation 0: a task of another plan depends on task \"b\"");
}

TEST_CASE("references are checked of each task whose dependencies or their names changed, once all "
          "is applied",
          "[fold][shape]") {
  board now(5, 3); // a -> b -> c; d; e
  std::vector<std::uint32_t> asked;
  auto terms = now.terms();
  terms.check_references = [&](std::uint32_t task, const plan_spec* before,
                               const plan_spec& changed) -> result<void> {
    asked.push_back(task);
    CHECK((before == nullptr) == (task == 5));
    if (before)
      CHECK(before->tasks.size() == 5);
    CHECK(changed.tasks.size() == 6);
    if (task == 2)
      return make_error(errc::invalid_reference, "it needs b", "/text");
    return {};
  };
  plan_shape shape{*now.plan().spec};
  change_plan command;
  command.operations = {add_task{keyed("new", {"a"})}, edge("d", "a"),
                        rename_task<std::string>{"a", "first"}, removal("e")};
  CHECK(decide(now.plan(), shape, command, terms).has_value());
  CHECK(asked == std::vector<std::uint32_t>{1, 3, 5}); // they depend on a
  asked.clear();
  shape = plan_shape{*now.plan().spec};
  command.operations = {add_task{keyed("new")}, removal("b")};
  const auto refused = decide(now.plan(), shape, command, terms);
  REQUIRE_FALSE(refused.has_value());
  CHECK(refused.error().code == errc::still_read);
  CHECK(refused.error().message == "operation 1: task \"c\": it needs b");
  CHECK(refused.error().field == "/operations/1");
  CHECK(shape.find("b") == 1);
}

TEST_CASE("the names of a plan follow its changes, whether these are taken, refused or only tried",
          "[fold][shape]") {
  std::mt19937 random(GENERATE(range(1U, 21U)));
  const auto below = [&](std::size_t bound) { return random() % bound; };
  const auto some_name = [&] { return "name " + std::to_string(below(6)); };
  board now(8);
  plan_shape shape{*now.plan().spec};
  for (int turn = 0; turn < 60; ++turn) {
    change_plan command;
    command.dry_run = below(4) == 0;
    for (auto left = 1 + below(4); left > 0; --left) {
      const auto task = "task-" + std::to_string(below(now.plan().tasks.size()));
      auto named = keyed("");
      named.name = some_name();
      switch (below(5)) {
        case 0: command.operations.emplace_back(add_task{named}); break;
        case 1: command.operations.emplace_back(put_task<std::string>{"", named}); break;
        case 2: command.operations.emplace_back(removal(task)); break;
        case 3: command.operations.emplace_back(edge(some_name(), task)); break;
        default: command.operations.emplace_back(rename_task<std::string>{task, some_name()});
      }
    }
    if (const auto decided = troupe::decide(now.plan(), shape, command, now.terms());
        decided && !command.dry_run)
      apply(now.view, about("o", 200, decided->changed));
    if (!shape.has_names())
      continue;
    const named_tasks fresh{*now.plan().spec};
    for (int each = 0; each < 6; ++each) {
      const auto name = "name " + std::to_string(each);
      const auto& kept = shape.by_name(*now.plan().spec);
      REQUIRE(kept.count(name) == fresh.count(name));
      if (fresh.count(name) == 1)
        REQUIRE(kept.only(name) == fresh.only(name));
    }
  }
  CHECK(shape.has_names()); // They stay once they were made.
}

TEST_CASE("changing a plan of 100,000 tasks costs what is touched", "[fold][shape]") {
  board now(100'000, 100'000);
  plan_shape shape{*now.plan().spec};
  const auto before = now.view; // as a reader holds it
  const auto looked_at = shape.looked_at();
  const auto done =
      now.decide(shape, {add_task{keyed("new", {"task-50000"})}, edge("task-99999", "new"),
                         set_priority<std::string>{"task-70000", 1}, removal("task-80000")});
  REQUIRE(done.has_value());
  CHECK(shape.looked_at() - looked_at < 100);
  apply(now.view, about("o", 200, *done));
  const auto& tasks = now.plan().spec->tasks;
#if !defined(__SANITIZE_THREAD__)
  // Five tasks are touched and one is new: at most a leaf and a branch for each.
  CHECK(tasks.chunks() - tasks.chunks_shared_with(before.plans[0].spec->tasks) <= 12);
  CHECK(now.plan().tasks.chunks() - now.plan().tasks.chunks_shared_with(before.plans[0].tasks)
        <= 2);
#endif
  CHECK(before.plans[0].spec->tasks.size() == 100'000);
  CHECK(tasks.size() == 100'001);
}

TEST_CASE("a task on which 100,000 depend is removed in one go", "[fold][shape]") {
  board now(0);
  auto plan = std::make_shared<plan_spec>(*make_plan(now.spec->id, 0, 100'000));
  for (std::size_t t = 1; t < plan->tasks.size(); ++t) {
    plan->tasks.edit(t).dependencies = {"task-0"};
    plan->tasks.edit(t).dependency_indexes = {0};
  }
  now.view.plans.edit(0).spec = plan;
  now.view.plans.edit(0).tasks.resize(plan->tasks.size());
  plan_shape shape{*plan};
  const auto looked_at = shape.looked_at();
  const auto done = now.decide(shape, {removal("task-0")});
  REQUIRE(done.has_value());
  CHECK(done->operations.size() == 100'000);
  CHECK(shape.looked_at() - looked_at < 200'000);
}

TEST_CASE("the events, or a snapshot, give the same plan again", "[fold][shape][record]") {
  board now(70, 5);
  objective_view again;
  const auto follow = [&](change change) {
    std::string row;
    record::write(row, change);
    const auto back = record::read_change(row, change.stream(), 1);
    REQUIRE(back.has_value());
    apply(again, *back);
  };
  follow(about("o", 100, objective_created{now.spec, {}}));
  const std::vector<std::vector<wanted_operation>> all{
      {add_task{keyed("new", {"a", "b"})}, edge("e", "new")},
      {removal("b"), set_deadline<std::string>{"c", at_ms(900)},
       rename_task<std::string>{"c", "third"}},
      {set_priority<std::string>{"task-60", -3}, set_deadline<std::string>{"c", std::nullopt},
       edge("task-60", "new")},
      {put_task<std::string>{"c", keyed("c", {"a"})}},
  };
  for (const auto& operations : all) {
    auto done = now.change(operations);
    REQUIRE(done.has_value());
    follow(about("o", 200, *done));
  }
  std::string row;
  record::write(row, now.view);
  const auto snapshot = record::read_objective(row);
  REQUIRE(snapshot.has_value());
  CHECK(again.revision == 4);
  CHECK(snapshot->revision == 4);
  CHECK(std::ranges::equal(again.plans[0].spec->tasks, now.plan().spec->tasks, same_spec));
  CHECK(std::ranges::equal(snapshot->plans[0].spec->tasks, now.plan().spec->tasks, same_spec));
  CHECK(again.plans[0].tasks.size() == 71);
}

TEST_CASE("a task that others need is removed only if they may be freed or bridged",
          "[fold][shape]") {
  board now(5, 4); // a -> b -> c -> d; e
  const auto kept = now.change({remove_task<std::string>{"b", dependents_rule::refuse}});
  REQUIRE_FALSE(kept.has_value());
  CHECK(kept.error().code == errc::still_needed);
  CHECK(kept.error().message == "operation 0: task \"c\" depends on task \"b\"");
  CHECK(kept.error().field == "/operations/0/task");
  // Their edges may go before, in the same change.
  CHECK(now.change({remove_task<std::string>{"d", dependents_rule::refuse}}).has_value());
  REQUIRE(now.change({add_task{keyed("n", {"b"})},
                      remove_task<std::string>{"b", dependents_rule::bridge}})
              .has_value());
  CHECK(now.task(2).dependencies == names{"a"});
  CHECK(now.task(5).dependencies == names{"a"});
  CHECK(now.task(1).is_removed);
}

TEST_CASE("a task that waits for another plan is removed if nothing depends on it",
          "[fold][shape]") {
  board now(3, 2); // a -> b; c
  auto plan = std::make_shared<plan_spec>(*now.spec->plans.front());
  for (const std::uint32_t task : {0U, 2U}) {
    plan->tasks.edit(task).dependencies = {"plan-1/task-0"};
    plan->tasks.edit(task).dependency_indexes = {elsewhere};
    plan->outside.push_back({.task = task, .on_plan = 1, .on_task = 0, .on = task_id{"o.p1.t0"}});
  }
  now.view.plans.edit(0).spec = plan;
  // The one that depends on it cannot get its dependency.
  const auto needed = now.change({remove_task<std::string>{"a", dependents_rule::bridge}});
  REQUIRE_FALSE(needed.has_value());
  CHECK(needed.error().field == "/operations/0/bridge");
  REQUIRE(now.change({remove_task<std::string>{"c", dependents_rule::bridge}}).has_value());
  CHECK(now.task(2).is_removed);
}

TEST_CASE("a task that is added may have a name for the change alone", "[fold][shape]") {
  board now(2);
  auto unkeyed = keyed("");
  unkeyed.name = "first";
  REQUIRE(now.change({add_task{unkeyed, "x"}, add_task{keyed("y", {"x"})}, edge("b", "x")})
              .has_value());
  CHECK(now.task(3).dependency_indexes == std::vector<std::uint32_t>{2});
  CHECK(now.task(1).dependency_indexes == std::vector<std::uint32_t>{2});
  CHECK(now.task(2).key.empty());
  const auto later = now.change({edge("a", "x")});
  REQUIRE_FALSE(later.has_value());
  CHECK(later.error().code == errc::unknown_dependency);
  const auto twice = now.change({add_task{unkeyed, "x"}, add_task{unkeyed, "x"}});
  REQUIRE_FALSE(twice.has_value());
  CHECK(twice.error().code == errc::duplicate_id);
  CHECK(twice.error().field == "/operations/1/as");
}

TEST_CASE("a dry run decides the same, and leaves the shape as it is", "[fold][shape]") {
  board now(4, 3);
  plan_shape shape{*now.plan().spec};
  change_plan command;
  command.operations = {add_task{keyed("new", {"a"})}, no_edge("b", "a"), removal("d")};
  command.dry_run = true;
  const auto dry = troupe::decide(now.plan(), shape, command, now.terms());
  REQUIRE(dry.has_value());
  CHECK(shape.tasks() == 4);
  CHECK(shape.dependents(0) == std::vector<std::uint32_t>{1});
  command.dry_run = false;
  const auto done = troupe::decide(now.plan(), shape, command, now.terms());
  REQUIRE(done.has_value());
  CHECK(done->changed.operations.size() == dry->changed.operations.size());
  CHECK(shape.tasks() == 4); // one more, one less
  CHECK(shape.find("new").has_value());
}

TEST_CASE("a change says what it added, removed, replaced and released", "[fold][shape]") {
  board now(5, 3); // a -> b -> c; d; e
  now.view.plans.edit(0).state = plan_state::working;
  now.begin(0);
  const auto report = [&](std::vector<wanted_operation> operations) {
    plan_shape shape{*now.plan().spec};
    change_plan command;
    command.operations = std::move(operations);
    const auto done = troupe::decide(now.plan(), shape, command, now.terms());
    REQUIRE(done.has_value());
    return done->report;
  };
  const auto ids = [](std::vector<std::string> all) {
    return std::vector<task_id>(all.begin(), all.end());
  };
  const auto all = report({add_task{keyed("m")}, add_task{keyed("n", {"a"})}, no_edge("b", "a"),
                           removal("d"), replace_task{"c", keyed(""), true}});
  CHECK(all.plan == plan_id{"o.p0"});
  CHECK(all.revision == 1);
  CHECK(all.added == ids({"o.p0.t5", "o.p0.t6"}));
  CHECK(all.removed == ids({"o.p0.t3"}));
  CHECK(all.replaced == ids({"o.p0.t2"}));
  CHECK(all.released == ids({"o.p0.t1", "o.p0.t5"}));
  // What was ready before is not released, nor what waits for a task of another plan.
  CHECK(report({edge("e", "d"), no_edge("e", "d")}).released.empty());
  now.view.plans.edit(0).state = plan_state::pending;
  CHECK(report({no_edge("b", "a")}).released.empty());
}

TEST_CASE("a task that is replaced keeps its dependencies if nothing is said of them",
          "[fold][shape]") {
  board now(3, 3);
  REQUIRE(now.change({replace_task{"b", keyed("", {}), true}}).has_value());
  CHECK(now.task(1).dependency_indexes == std::vector<std::uint32_t>{0});
  CHECK(now.task(1).key == "b");
  REQUIRE(now.change({replace_task{"b", keyed("", {}), false}}).has_value());
  CHECK(now.task(1).dependency_indexes.empty());
  const auto unknown = now.change({replace_task{"x", keyed("", {}), true}});
  REQUIRE_FALSE(unknown.has_value());
  CHECK(unknown.error().code == errc::unknown_dependency);
  CHECK(unknown.error().field == "/operations/0/task");
}
