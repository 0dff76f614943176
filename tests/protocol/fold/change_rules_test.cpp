// Table M: what each operation does to a task, by how far it has come. Without actors.
#include "protocol/fold/apply.hpp"
#include "protocol/fold/plan_shape.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

#include <array>
#include <map>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Task 0 is the one in question; "next" depends on it, "other" on nothing, "before" has completed
/// and "x" depends on it.
struct table_board {
  std::shared_ptr<objective_spec> spec = make_objective("o", {});
  objective_view view;
  std::map<std::uint32_t, task_run> runs;
  shape_terms terms;

  explicit table_board(plan_state state = plan_state::working) {
    auto plan = std::make_shared<plan_spec>(*make_plan(spec->id, 0, 4));
    const char* keys[] = {"x", "next", "other", "before"};
    for (std::uint32_t t = 0; t < 4; ++t)
      plan->tasks.edit(t).key = keys[t];
    plan->tasks.edit(0).dependencies = {"before"};
    plan->tasks.edit(0).dependency_indexes = {3};
    plan->tasks.edit(1).dependencies = {"x"};
    plan->tasks.edit(1).dependency_indexes = {0};
    spec->plans.push_back(std::move(plan));
    apply(view, about("o", 100, objective_created{spec, {}}));
    view.plans.edit(0).state = state;
    edit(3).state = task_state::completed;
    terms.revision = 1;
    terms.now = at_ms(200);
    terms.tasks_max = 100;
    terms.run_of = [this](std::uint32_t task) {
      const auto known = runs.find(task);
      return known == runs.end() ? task_run::none : known->second;
    };
  }

  task_summary& edit(std::uint32_t task) { return view.plans.edit(0).tasks.edit(task); }
  [[nodiscard]] const plan_view& plan() const { return view.plans.front(); }

  /// N, waiting for a slot (n), B, W, Q, C, F or S.
  void put(char stage) {
    auto& slot = edit(0);
    slot.attempt = stage == 'N' || stage == 'n' || stage == 'S' ? 0 : 1;
    switch (stage) {
      case 'n': runs[0] = task_run::queued; break;
      case 'B': runs[0] = task_run::backing_off; break;
      case 'W':
      case 'Q': runs[0] = task_run::running; break;
      default: break;
    }
    switch (stage) {
      case 'B':
      case 'W': slot.state = task_state::working; break;
      case 'Q': slot.state = task_state::input_required; break;
      case 'C': slot.state = task_state::completed; break;
      case 'F': slot.state = task_state::failed; break;
      case 'S':
        slot.state = task_state::canceled;
        slot.is_skipped = true;
        break;
      default: break;
    }
  }

  result<shape_decision> decide(std::vector<wanted_operation> operations) {
    plan_shape shape{*plan().spec};
    change_plan command;
    command.operations = std::move(operations);
    return troupe::decide(plan(), shape, command, terms);
  }

  /// What happens, in a few words; or the refusal.
  std::string outcome(const wanted_operation& operation) {
    const auto done = decide({operation});
    if (!done)
      return std::string{to_string(done.error().code)};
    std::string out;
    const auto add = [&](std::string_view word, const std::vector<task_id>& ids) {
      for (const auto& id : ids)
        out += (out.empty() ? "" : ", ") + std::string{word} + " " + id.str().substr(5);
    };
    const auto& report = done->report;
    add("removed", report.removed);
    add("replaced", report.replaced);
    add("skipped", report.skipped);
    add("completed", report.completed);
    add("again", report.retried);
    add("canceled", report.canceled);
    add("released", report.released);
    return out.empty() ? "done" : out;
  }
};

task_spec named(std::string name) {
  task_spec out;
  out.name = std::move(name);
  return out;
}

using removal_of = remove_task<std::string>;
using skip = skip_task<std::string>;
using complete = complete_task<std::string>;
using retry = retry_task<std::string>;
using depend = add_dependency<std::string>;
using undepend = remove_dependency<std::string>;

} // namespace

TEST_CASE("M_cells: each operation does what table M says, in each stage of a task",
          "[fold][shape][modify]") {
  struct line {
    wanted_operation operation;
    /// N, n, B, W, Q, C, F, S.
    std::array<std::string, 8> want;
  };
  const std::string started = "already_started";
  const std::string ended = "already_ended";
  const std::string nothing = "nothing_to_retry";
  const std::string skipped = "skipped t0, released t1";
  const std::string stopped = "skipped t0, canceled t0, released t1";
  const std::string completed = "completed t0, released t1";
  const std::string handed_over = "completed t0, canceled t0, released t1";
  const std::string stand_in = "completed t0.r1, again t0.r1, released t1";
  const std::string handed_back = "completed t0.r1, again t0.r1"; // it was satisfied before
  const std::string renewed = "again t0.r1, released t0.r1";
  const std::vector<line> lines{
      {removal_of{"x"},
       {"removed t0, released t1", "removed t0, released t1", started, started, started, ended,
        ended, ended}},
      {replace_task{"x", named("y"), true},
       {"replaced t0", started, started, started, started, ended, "replaced t0.r1, " + renewed,
        "replaced t0.r1, " + renewed}},
      {skip{"x"}, {skipped, skipped, stopped, started, stopped, ended, skipped, "done"}},
      {skip{"x", true}, {skipped, skipped, stopped, stopped, stopped, ended, skipped, "done"}},
      {complete{"x"},
       {completed, completed, handed_over, started, handed_over, ended, stand_in, handed_back}},
      {complete{"x", true},
       {completed, completed, handed_over, handed_over, handed_over, ended, stand_in, handed_back}},
      {retry{"x"}, {nothing, nothing, "again t0", nothing, nothing, ended, renewed, renewed}},
      {depend{"x", "other"}, {"done", started, started, started, started, ended, ended, ended}},
      {depend{"other", "x"},
       {"done", "done", "done", "done", "done", "done", "dependency_failed", "done"}},
      {undepend{"x", "before"}, {"done", started, started, started, started, ended, ended, ended}},
      {rename_task<std::string>{"x", "y"},
       {"done", started, started, started, started, ended, ended, ended}},
  };
  const std::string stages = "NnBWQCFS";
  for (std::size_t at = 0; at < lines.size(); ++at)
    for (std::size_t stage = 0; stage < stages.size(); ++stage) {
      INFO("operation " << at << " of a task in " << stages[stage]);
      table_board now;
      now.put(stages[stage]);
      CHECK(now.outcome(lines[at].operation) == lines[at].want[stage]);
    }
}

TEST_CASE("M_cells: a task that waits for its next attempt keeps what it is to do",
          "[fold][shape][modify]") {
  table_board now;
  now.put('B');
  const auto done = now.decide({retry{"x", task_patch{.agent = "echo"}}});
  REQUIRE_FALSE(done.has_value());
  CHECK(done.error().code == errc::already_started);
  CHECK(done.error().field == "/operations/0/with");
}

TEST_CASE("M_rules: tasks that were canceled because of a task come back with it, unless told "
          "otherwise",
          "[fold][shape][modify]") {
  table_board now;
  now.put('F');
  now.edit(1).state = task_state::canceled;
  CHECK(now.outcome(retry{"x"}) == "again t0.r1, again t1.r1, released t0.r1");
  CHECK(now.outcome(retry{"x", std::nullopt, false}) == "again t0.r1, released t0.r1");
  CHECK(now.outcome(skip{"x"}) == "skipped t0, again t1.r1, released t1.r1");
  CHECK(now.outcome(complete{"x"}) == "completed t0.r1, again t0.r1, again t1.r1, released t1.r1");
  // One that began, or that depends on another failed task, stays.
  now.edit(1).attempt = 1;
  CHECK(now.outcome(retry{"x"}) == "again t0.r1, released t0.r1");
}

TEST_CASE("M_rules: what ends a task or brings it back is done once in a change",
          "[fold][shape][modify]") {
  table_board now;
  now.put('F');
  const auto twice = now.decide({retry{"x"}, complete{"x"}});
  REQUIRE_FALSE(twice.has_value());
  CHECK(twice.error().code == errc::invalid_params);
  CHECK(twice.error().field == "/operations/1/task");
}

TEST_CASE("M_rules: a new task does otherwise what it is told, and keeps the rest",
          "[fold][shape][modify]") {
  table_board now;
  now.put('F');
  auto plan = std::make_shared<plan_spec>(*now.plan().spec);
  plan->tasks.edit(0).name = "first";
  now.view.plans.edit(0).spec = plan;
  const auto done = now.decide({retry{"x", task_patch{.agent = "echo"}}});
  REQUIRE(done.has_value());
  for (const auto& each : events_of(now.plan(), done->changed, [](std::uint32_t) { return false; }))
    apply_event(now.view, about("o", 300), each);
  CHECK(now.plan().spec->tasks[0].agent == "echo");
  CHECK(now.plan().spec->tasks[0].name == "first");
  CHECK(now.plan().spec->tasks[0].dependency_indexes == std::vector<std::uint32_t>{3});
  CHECK(now.plan().task_at(0) == task_id{"o.p0.t0.r1"});
  CHECK(now.plan().tasks[0].state == task_state::unspecified);
  CHECK(now.view.revision == 1); // one more for the whole change
  CHECK(now.plan().revision == 1);
}

TEST_CASE("M_rules: the input of no task that is to begin may refer to a skipped one",
          "[fold][shape][modify]") {
  table_board now;
  now.terms.reads = [](std::uint32_t task, std::uint32_t on, const plan_spec&) {
    return task == 1 && on == 0;
  };
  const auto read = now.decide({depend{"other", "next"}, skip{"x"}});
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == errc::still_read);
  CHECK(read.error().message == "operation 1: the input of task \"next\" refers to task \"x\"");
  CHECK(read.error().field == "/operations/1/task");
  CHECK(now.outcome(skip{"x", false, true}) == "skipped t0, skipped t1");
  CHECK(now.decide({skip{"x"}, skip{"next"}}).has_value());
}

TEST_CASE("M_rules: a plan that has failed is changed only so that no failed task is left",
          "[fold][shape][modify]") {
  table_board now(plan_state::failed);
  now.put('F');
  now.edit(1).state = task_state::canceled;
  now.edit(2).state = task_state::failed;
  now.edit(2).attempt = 1;
  const auto one = now.decide({retry{"x"}});
  REQUIRE_FALSE(one.has_value());
  CHECK(one.error().code == errc::plan_failed);
  CHECK_THAT(one.error().message, ContainsSubstring("task \"other\""));
  const auto other_kind =
      now.decide({retry{"x"}, skip{"other"}, rename_task<std::string>{"next", "n"}});
  REQUIRE_FALSE(other_kind.has_value());
  CHECK(other_kind.error().code == errc::plan_failed);
  CHECK(other_kind.error().field == "/operations/2");
  const auto both = now.decide({retry{"x"}, skip{"other"}});
  REQUIRE(both.has_value());
  CHECK(both->report.retried == std::vector<task_id>{task_id{"o.p0.t0.r1"}, task_id{"o.p0.t1.r1"}});
}

TEST_CASE("M_rules: what ends before it began is withdrawn with the change, the rest by its actor",
          "[fold][shape][modify]") {
  table_board now;
  const auto done =
      now.decide({skip{"other"}, complete{"x", false, {std::make_shared<artifact>()}}});
  REQUIRE(done.has_value());
  const auto without = events_of(now.plan(), done->changed, [](std::uint32_t) { return false; });
  REQUIRE(without.size() == 3);
  const auto& skipped = std::get<tasks_withdrawn>(without[1]);
  CHECK(skipped.tasks == std::vector<std::uint32_t>{2});
  CHECK(skipped.to == task_state::canceled);
  CHECK(skipped.metadata.at("opt/v1/skipped") == true);
  const auto& completed = std::get<tasks_withdrawn>(without[2]);
  CHECK(completed.tasks == std::vector<std::uint32_t>{0});
  CHECK(completed.to == task_state::completed);
  CHECK(completed.artifacts.size() == 1);
  for (const auto& each : without)
    apply_event(now.view, about("o", 300), each);
  CHECK(summary_state(now.plan().tasks[2]) == "skipped");
  CHECK(now.plan().tasks[0].has_artifacts);
  CHECK(is_satisfied(now.plan().tasks[2]));
  CHECK(events_of(now.plan(), done->changed, [](std::uint32_t) { return true; }).size() == 1);
}
