#include "protocol/fold/apply.hpp"
#include "protocol/fold/limits.hpp"
#include "protocol/fold/objective_life.hpp"
#include "protocol/fold/rollup.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"
#include <troupe/protocol/unshared.hpp>

#include <algorithm>
#include <functional>
#include <map>
#include <set>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr objective_state all_states[]{objective_state::submitted, objective_state::planning,
                                       objective_state::working,   objective_state::blocked,
                                       objective_state::completed, objective_state::failed,
                                       objective_state::canceled};
constexpr plan_state all_plan_states[]{plan_state::pending, plan_state::working,
                                       plan_state::blocked, plan_state::completed,
                                       plan_state::failed,  plan_state::skipped};

/// Two plans of two tasks, the second one after the first; a third one of one task, by itself.
std::vector<plan_relations> relations() {
  return {{}, {.dependencies = {0}, .alternatives = {}, .alternative_of = {}}, {}};
}

objective_view a_view() {
  objective_view out;
  auto spec = make_objective("o", {2, 2, 1});
  unshared(spec->plans[0]).deadline = at_ms(5);
  apply(out, about("o", 1, objective_created{std::move(spec), {}}));
  return out;
}

bool same(const objective_view& a, const objective_view& b) {
  const auto same_slot = [](const task_summary& x, const task_summary& y) {
    return x.state == y.state && x.generation == y.generation && x.attempt == y.attempt;
  };
  const auto same_task = [](const task_spec& x, const task_spec& y) {
    return x.id == y.id && x.name == y.name && x.is_removed == y.is_removed
           && x.dependency_indexes == y.dependency_indexes;
  };
  const auto same_question = [](const pending_input& x, const pending_input& y) {
    return x.task == y.task && x.prompt == y.prompt && x.plan == y.plan;
  };
  const auto same_plan = [&](const plan_view& x, const plan_view& y) {
    return std::ranges::equal(x.spec->tasks, y.spec->tasks, same_task) && x.state == y.state
           && x.spec->name == y.spec->name && x.reason == y.reason && x.paused == y.paused
           && x.start_requested == y.start_requested && x.skip_requested == y.skip_requested
           && x.is_lent == y.is_lent && std::ranges::equal(x.tasks, y.tasks, same_slot);
  };
  return a.state == b.state && a.reason == b.reason && a.planning == b.planning
         && a.revision == b.revision && a.paused == b.paused && a.closing == b.closing
         && a.name == b.name && std::ranges::equal(a.plans, b.plans, same_plan)
         && std::ranges::equal(a.pending_inputs, b.pending_inputs, same_question);
}

update_objective to(objective_state state) {
  update_objective out;
  out.state = state;
  return out;
}

plan_addition one_more(bool start) {
  return {make_plan(objective_id{"o"}, 3, 1),
          {.dependencies = {2}, .alternatives = {}, .alternative_of = {}},
          start};
}

shape_change reshaping(std::uint32_t plan, std::vector<wanted_operation> operations) {
  shape_change out{plan, {}, {}};
  out.command.operations = std::move(operations);
  out.terms.tasks_max = 10;
  return out;
}

objective_reshape modifying(std::vector<wanted_objective_operation> operations) {
  objective_reshape out;
  out.command.operations = std::move(operations);
  out.relate = [](const std::vector<plan_spec_ptr>& plans) {
    return result<std::vector<plan_relations>>{std::vector<plan_relations>(plans.size())};
  };
  return out;
}

constexpr std::uint64_t stale_revision = 7;

/// Commands that expect a revision which the objective does not have.
std::vector<objective_input> stale_inputs() {
  std::vector<objective_input> out;
  for (const auto state : all_states) {
    auto command = to(state);
    command.if_revision = stale_revision;
    out.emplace_back(std::move(command));
  }
  for (const auto state : all_plan_states)
    out.emplace_back(plan_update{0, state, stale_revision});
  auto addition = one_more(true);
  addition.revision = stale_revision;
  out.emplace_back(std::move(addition));
  auto shape = reshaping(0, {add_task{}});
  shape.command.if_revision = stale_revision;
  out.emplace_back(std::move(shape));
  auto whole = modifying({edit_objective{{.name = "another"}, {}, {}}});
  whole.command.if_revision = stale_revision;
  out.emplace_back(std::move(whole));
  return out;
}

/// Everything that can be asked or reported of an objective with three plans.
std::vector<objective_input> all_inputs() {
  auto out = stale_inputs();
  const auto more = std::to_array<objective_input>(
      {objective_begins{{make_objective("o", {2, 2, 1}), {}}, false},
       objective_begins{{make_objective("o", {2, 2, 1}), {}}, true}, objective_goes_on{},
       objective_cancellation{"by request"}, one_more(false), one_more(true), plans_told{},
       update_objective{}, deadline_passed{},
       modifying({edit_objective{{.name = "another"}, deadline_edit{at_ms(50)}, 3}}),
       modifying({set_plan_dependencies<std::string>{"plan-1", {}}})});
  out.insert(out.end(), more.begin(), more.end());
  for (const auto state : all_states)
    out.emplace_back(to(state));
  for (std::uint32_t plan = 0; plan < 3; ++plan) {
    out.emplace_back(plan_update{plan, std::nullopt, std::nullopt});
    for (const auto state : all_plan_states)
      out.emplace_back(plan_update{plan, state, std::nullopt});
    out.emplace_back(plan_update{plan, std::nullopt, std::nullopt, {.name = "another"}});
    out.emplace_back(plan_ended{plan, {{plan, plan_event::skip, "so it is", true}}, {}});
    out.emplace_back(task_withdrawal{plan, 0, "by request", {}});
    const auto name = "plan-" + std::to_string(plan);
    out.emplace_back(modifying({skip_plan<std::string>{name}}));
    out.emplace_back(modifying({skip_plan<std::string>{name, true}}));
    out.emplace_back(
        modifying({edit_plan_of<std::string>{name, {{}, {}, {}, deadline_edit{at_ms(50)}, {}}}}));
    out.emplace_back(reshaping(plan, {rename_task<std::string>{"task-0", "another"}, add_task{}}));
    out.emplace_back(reshaping(plan, {add_task{}, remove_task<std::string>{"task-0"}}));
    for (const auto state : {plan_state::working, plan_state::blocked})
      out.emplace_back(plan_progressed{plan, {{plan, event_to(state), ""}}});
    for (const auto state : {plan_state::completed, plan_state::failed})
      out.emplace_back(plan_ended{plan, {{plan, event_to(state), "so it is"}}, {}});
    out.emplace_back(
        plan_ended{plan, {{plan, plan_event::work, ""}, {plan, plan_event::complete, ""}}, {}});
    out.emplace_back(plan_reshaped{
        {plan, {add_task{}, remove_task<std::uint32_t>{0}}, "somebody", "so it is", 1}});
    const task_address asking{task_id{"asking-" + std::to_string(plan)}, false, plan, 0};
    out.emplace_back(question_changed{asking, {}, {task_state::input_required, 1, say("Which?")}});
    out.emplace_back(question_changed{asking, {}, {task_state::working, 1, nullptr}});
    out.emplace_back(plan_activity_changed{plan, {true, 0}});
    out.emplace_back(plan_activity_changed{plan, {false, 1}});
  }
  return out;
}

/// The moves that a plan's actor has committed itself; none for other inputs.
std::vector<plan_moved> moves_of(const objective_input& input) {
  if (const auto* progressed = std::get_if<plan_progressed>(&input))
    return progressed->moves;
  if (const auto* ended = std::get_if<plan_ended>(&input))
    return ended->moves;
  return {};
}

/// Whether the input can come: an objective begins once, and before anything else; a fact of a
/// plan's actor comes while the plan runs, and the plan can have moved so.
bool can_come(const objective_input& input, const objective_view& view) {
  if (std::holds_alternative<objective_begins>(input) != view.plans.empty())
    return false;
  if (const auto* reshaped = std::get_if<plan_reshaped>(&input))
    return is_running(view.plans[reshaped->changed.plan].state);
  const auto moves = moves_of(input);
  if (moves.empty())
    return true;
  auto now = view.plans[moves.front().plan].state;
  if (!is_running(now))
    return false;
  for (const auto& moved : moves) {
    if (!next_state(now, moved.on))
      return false;
    now = moved.to();
  }
  return true;
}

/// What a plan's actor, or a new process, has done to the view.
void apply_fact(objective_view& view, const objective_input& input) {
  for (const auto& moved : moves_of(input))
    apply(view, about("o", 9), moved);
  if (const auto* reshaped = std::get_if<plan_reshaped>(&input))
    apply(view, about("o", 9), reshaped->changed);
  if (std::holds_alternative<objective_goes_on>(input))
    forget_questions(view);
  if (const auto* asked = std::get_if<question_changed>(&input)) {
    auto of = about("o", 9);
    of.task = asked->task;
    of.at = asked->at;
    apply(view, of, asked->moved);
  }
}

/// A fact that only some plans can have.
enum class plan_flag : std::uint8_t { none, start_requested, skip_requested, paused, lent };

/// Sets the flag of every plan that can have it. False if there is no such plan.
bool set_flag(objective_view& view, plan_flag flag) {
  bool is_set = flag == plan_flag::none;
  for (std::uint32_t p = 0; p < view.plans.size(); ++p) {
    auto& plan = view.plans.edit(p);
    const bool can_have = flag == plan_flag::start_requested  ? plan.state == plan_state::pending
                          : flag == plan_flag::skip_requested ? plan.state == plan_state::skipped
                          : flag == plan_flag::paused
                              ? !is_settled(plan.state) && !is_settled(view.state)
                              : flag == plan_flag::lent && is_running(plan.state);
    if (!can_have)
      continue;
    is_set = true;
    plan.start_requested = flag == plan_flag::start_requested && !is_settled(view.state);
    plan.skip_requested = flag == plan_flag::skip_requested;
    plan.paused = flag == plan_flag::paused;
    if (flag == plan_flag::lent) {
      plan.is_lent = true;
      plan.tasks = {};
    }
  }
  return is_set;
}

/// Calls `visit` with an objective that does not exist yet; then with one in every state, its plans
/// in every state and with every flag, a question open or not, paused or not, closing or not.
void for_each_life(const std::function<void(const objective_view&)>& visit) {
  objective_view blank;
  blank.id = objective_id{"o"};
  visit(blank);
  for (const auto state : all_states)
    for (const auto first : all_plan_states)
      for (const auto second : all_plan_states)
        for (const auto third :
             {plan_state::pending, plan_state::working, plan_state::completed, plan_state::failed})
          for (const int flags : {0, 1, 2, 3}) {
            auto view = a_view();
            view.state = state;
            view.planning = state == objective_state::planning
                            || (flags == 3 && state == objective_state::blocked);
            view.plans.edit(0).state = first;
            view.plans.edit(1).state = second;
            view.plans.edit(2).state = third;
            for (std::uint32_t p = 0; p < view.plans.size(); ++p)
              if (auto& plan = view.plans.edit(p); is_settled(plan.state))
                for (std::size_t t = 0; t < plan.tasks.size(); ++t)
                  plan.tasks.edit(t).state = plan.state == plan_state::completed
                                                 ? task_state::completed
                                                 : task_state::canceled;
            const auto running = std::ranges::count_if(
                view.plans, [](const plan_view& plan) { return is_running(plan.state); });
            if (is_settled(state) && (running > 0 || flags > 0))
              continue;
            view.paused = flags == 1;
            if (flags == 2) {
              if (running == 0)
                continue;
              view.closing = objective_state::canceled;
            }
            if (view.state == objective_state::blocked)
              view.pending_inputs.push_back({task_id{"asking-0"}, "Really?", {}, 0, 0, {}});
            for (const auto flag :
                 {plan_flag::none, plan_flag::start_requested, plan_flag::skip_requested,
                  plan_flag::paused, plan_flag::lent}) {
              auto with_flag = view;
              if (set_flag(with_flag, flag))
                visit(with_flag);
            }
          }
}

objective_life life_of(objective_view view) {
  return {std::move(view), relations()};
}

/// An objective that works, as its actor begins it.
objective_life started() {
  objective_view blank;
  blank.id = objective_id{"o"};
  objective_life life{std::move(blank), relations()};
  static_cast<void>(
      life.decide(objective_begins{{make_objective("o", {2, 2, 1}), {}}, true}, at_ms(1)));
  return life;
}

template<class Effect>
std::vector<std::uint32_t> plans_of(const objective_decision& decision) {
  std::vector<std::uint32_t> out;
  for (const auto& each : decision.effects)
    if (const auto* effect = std::get_if<Effect>(&each))
      out.push_back(effect->plan);
  return out;
}

} // namespace

TEST_CASE("the tests in every state use each kind of input", "[fold][objective_life]") {
  std::set<std::size_t> kinds;
  for (const auto& input : all_inputs())
    kinds.insert(input.index());
  CHECK(kinds.size() == std::variant_size_v<objective_input>);
}

TEST_CASE("in every state a command for another revision is refused, and nothing else is done",
          "[fold][objective_life]") {
  const auto inputs = stale_inputs();
  for_each_life([&](const objective_view& before) {
    for (const auto& input : inputs) {
      if (!can_come(input, before))
        continue;
      const auto decision = life_of(before).decide(input, at_ms(9));
      if (!decision.refused || decision.refused->code != errc::revision_mismatch
          || !decision.events.empty() || !decision.effects.empty())
        FAIL_CHECK("input " << input.index() << " in " << to_string(before.state));
    }
  });
}

TEST_CASE("in every state, with any input, an objective and its plans move by the tables",
          "[fold][objective_life]") {
  const auto inputs = all_inputs();
  std::size_t seen = 0;
  for_each_life([&](const objective_view& before) {
    for (const auto& input : inputs) {
      if (!can_come(input, before))
        continue;
      ++seen;
      auto life = life_of(before);
      auto now = before;
      apply_fact(now, input);
      const auto decision = life.decide(input, at_ms(9));
      auto where = about("o", 9);
      bool by_the_table = true;
      for (const auto& one : decision.events) {
        if (const auto* moved = std::get_if<objective_moved>(&one))
          by_the_table = by_the_table && next_state(now.state, moved->on);
        if (const auto* moved = std::get_if<plan_moved>(&one))
          by_the_table = by_the_table && next_state(now.plans[moved->plan].state, moved->on);
        apply_event(now, where, one);
      }
      if (!by_the_table || !same(now, life.view()))
        FAIL_CHECK("input " << input.index() << " in " << to_string(before.state) << ": "
                            << to_string(now.state) << " or " << to_string(life.view().state));
      if (decision.refused && !decision.events.empty())
        FAIL_CHECK("input " << input.index() << " was refused and changed something");
    }
  });
  CHECK(seen > 400'000);
}

TEST_CASE("a life that is loaded from events starts no plan twice, and none while paused",
          "[fold][objective_life]") {
  const auto inputs = all_inputs();
  for_each_life([&](const objective_view& before) {
    for (const auto& input : inputs) {
      if (!can_come(input, before))
        continue;
      auto life = life_of(before);
      const auto decision = life.decide(input, at_ms(9));
      auto begun = plans_of<start_plan>(decision);
      for (const auto plan : begun)
        if (!is_running(life.view().plans[plan].state))
          FAIL_CHECK("plan " << plan << " was started and does not run");
      std::ranges::sort(begun);
      CHECK(std::ranges::adjacent_find(begun) == begun.end());
      if (before.paused && life.view().paused && !std::holds_alternative<objective_goes_on>(input)
          && !std::holds_alternative<plan_update>(input))
        CHECK(begun.empty());
      if (is_settled(life.view().state))
        CHECK(begun.empty());
    }
  });
}

TEST_CASE("an objective that begins starts what depends on nothing", "[fold][objective_life]") {
  auto life = started();
  CHECK(life.view().state == objective_state::working);
  const auto first = life.decide(objective_goes_on{}, at_ms(2));
  CHECK(plans_of<start_plan>(first) == std::vector<std::uint32_t>{0, 2});
  const auto next = life.decide(plan_ended{0, {{0, plan_event::complete, ""}}, {}}, at_ms(3));
  CHECK(plans_of<start_plan>(next) == std::vector<std::uint32_t>{1});
  static_cast<void>(life.decide(plan_ended{2, {{2, plan_event::complete, ""}}, {}}, at_ms(4)));
  CHECK(life.view().state == objective_state::working);
  static_cast<void>(life.decide(plan_ended{1, {{1, plan_event::complete, ""}}, {}}, at_ms(5)));
  CHECK(life.view().state == objective_state::completed);
}

TEST_CASE("a pause is answered once the running plans have received it", "[fold][objective_life]") {
  auto life = started();
  static_cast<void>(life.decide(objective_goes_on{}, at_ms(2)));
  const auto pause = life.decide(to(objective_state::blocked), at_ms(3));
  CHECK(pause.answer == answer_after::plans_heard);
  CHECK(plans_of<pause_running_plan>(pause) == std::vector<std::uint32_t>{0, 2});
  CHECK(life.view().state == objective_state::working);
  static_cast<void>(life.decide(plan_progressed{0, {{0, plan_event::block, ""}}}, at_ms(4)));
  CHECK(life.view().state == objective_state::working);
  static_cast<void>(life.decide(plan_progressed{2, {{2, plan_event::block, ""}}}, at_ms(5)));
  CHECK(life.view().state == objective_state::blocked);
  CHECK(life.view().reason == "paused by request");
  static_cast<void>(life.decide(to(objective_state::working), at_ms(6)));
  CHECK(life.view().state == objective_state::blocked);
  static_cast<void>(life.decide(plan_progressed{2, {{2, plan_event::work, ""}}}, at_ms(7)));
  CHECK(life.view().state == objective_state::working);
}

TEST_CASE("an objective is stuck when all that runs waits for people or for each other",
          "[fold][objective_life]") {
  auto view = a_view();
  view.state = objective_state::working;
  plan_order plans{relations()};
  plans.set_state(0, plan_state::working);
  plans.set_state(2, plan_state::working);
  const auto stuck = [&] { return is_stuck(view, plans.counts()); };
  CHECK_FALSE(stuck());
  plans.set_activity(0, {.idle = true});
  plans.set_activity(2, {.idle = true});
  CHECK_FALSE(stuck()); // a plan that waits for no other is about to begin
  plans.set_state(0, plan_state::blocked);
  CHECK(stuck());
  plans.set_activity(2, {.idle = false});
  CHECK_FALSE(stuck());
  view.parallel_max = 2;
  plans.set_activity(0, {.idle = true, .asking = 1});
  CHECK_FALSE(stuck());
  plans.set_activity(2, {.idle = false, .asking = 1});
  CHECK(stuck()); // who asks holds all the slots
}

TEST_CASE("a blocked plan that completes works again first, and the objective follows both moves",
          "[fold][objective_life]") {
  auto life = started();
  static_cast<void>(life.decide(objective_goes_on{}, at_ms(2)));
  static_cast<void>(life.decide(plan_progressed{0, {{0, plan_event::block, ""}}}, at_ms(3)));
  static_cast<void>(life.decide(
      plan_ended{0, {{0, plan_event::work, ""}, {0, plan_event::complete, ""}}, {}}, at_ms(4)));
  CHECK(life.view().plans[0].state == plan_state::completed);
}

TEST_CASE("P7_rollup: an alternative that begins is a revision of its own, with which alone the "
          "progress may fall",
          "[fold][objective_life][rollup]") {
  auto spec = make_objective("o", {2, 2});
  unshared(spec->plans[0]).alternatives = {spec->plans[1]->name};
  objective_view blank;
  blank.id = objective_id{"o"};
  objective_life life{std::move(blank),
                      {{.dependencies = {}, .alternatives = {1}, .alternative_of = {}},
                       {.dependencies = {}, .alternatives = {}, .alternative_of = 0}}};
  objective_view shown;
  const auto show = [&shown](const objective_decision& decision) {
    for (const auto& one : decision.events)
      apply_event(shown, about("o", 1), one);
  };
  show(life.decide(objective_begins{{std::move(spec), {}}, true}, at_ms(1)));
  show(life.decide(objective_goes_on{}, at_ms(2)));
  auto done = about("o", 3, moved(task_state::completed, 1));
  done.task = {shown.plans[0].task_at(0), false, 0, 0};
  apply(shown, done);
  const plan_moved failed{0, plan_event::fail, "no"};
  apply(shown, about("o", 4, failed));
  CHECK(progress_of(shown).fraction == 500'000);
  const auto begun = life.decide(plan_ended{0, {failed}, {}}, at_ms(4));
  CHECK(plans_of<start_plan>(begun) == std::vector<std::uint32_t>{1});
  show(begun);
  CHECK(progress_of(shown).fraction == 0);
  CHECK(shown.revision == 1);
  CHECK(life.view().revision == 1);
  const auto* changed = std::get_if<objective_changed>(&begun.events.back());
  REQUIRE(changed);
  CHECK(changed->reason == "plan \"plan 1\" begins in place of plan \"plan 0\"");
}

TEST_CASE("an end that is asked for comes when nothing runs any more", "[fold][objective_life]") {
  auto life = started();
  static_cast<void>(life.decide(objective_goes_on{}, at_ms(2)));
  const auto cancel = life.decide(to(objective_state::canceled), at_ms(3));
  CHECK(cancel.answer == answer_after::objective_end);
  CHECK(plans_of<end_running_plan>(cancel) == std::vector<std::uint32_t>{0, 2});
  CHECK(life.view().closing == objective_state::canceled);
  static_cast<void>(life.decide(plan_ended{0, {{0, plan_event::fail, ""}}, {}}, at_ms(4)));
  CHECK(life.view().state == objective_state::working);
  static_cast<void>(life.decide(plan_ended{2, {{2, plan_event::fail, ""}}, {}}, at_ms(5)));
  CHECK(life.view().state == objective_state::canceled);
  CHECK(life.view().plans[1].tasks[0].state == task_state::canceled);
}

TEST_CASE("T_moves: a client moves objectives and plans as the table says",
          "[fold][objective_life]") {
  using enum objective_state;
  const std::map<objective_state, std::vector<objective_state>> allowed{
      {submitted, {planning, working, canceled}},
      {planning, {working, blocked, failed, canceled}},
      {working, {blocked, completed, failed, canceled}},
      {blocked, {planning, working, failed, canceled}},
      {failed, {submitted, planning}},
      {canceled, {submitted}},
      {completed, {}}};
  const std::map<plan_state, std::vector<plan_state>> plans_allowed{
      {plan_state::pending,
       {plan_state::working, plan_state::skipped, plan_state::completed, plan_state::failed}},
      {plan_state::working, {plan_state::blocked, plan_state::completed, plan_state::failed}},
      {plan_state::blocked, {plan_state::working, plan_state::failed, plan_state::skipped}},
      {plan_state::failed, {plan_state::pending, plan_state::working}},
      {plan_state::skipped, {}},
      {plan_state::completed, {}}};
  const auto is_in = [](const auto& rows, auto from, auto to) {
    const auto& row = rows.at(from);
    return from == to || std::ranges::find(row, to) != row.end();
  };
  for_each_life([&](const objective_view& before) {
    if (before.plans.empty())
      return; // no client knows it
    CAPTURE(to_string(before.state), to_string(before.plans[0].state));
    for (const auto to_state : all_states) {
      const bool ends_otherwise =
          before.closing && to_state != *before.closing && to_state != canceled;
      if (life_of(before).decide(to(to_state), at_ms(9)).refused.has_value()
          == (is_in(allowed, before.state, to_state) && !ends_otherwise))
        FAIL_CHECK("the objective to " << to_string(to_state));
    }
    if (before.closing || before.state == completed || before.state == canceled)
      return;
    for (const auto to_state : all_plan_states) {
      const auto refused =
          life_of(before).decide(plan_update{0, to_state, std::nullopt}, at_ms(9)).refused;
      if (refused.has_value() == is_in(plans_allowed, before.plans[0].state, to_state))
        FAIL_CHECK("the plan to " << to_string(to_state));
      if (refused)
        CHECK(refused->code == errc::invalid_transition);
    }
  });
}

TEST_CASE("no end of an objective, and no move of a plan after it, leaves a plan pending for ever",
          "[fold][objective_life]") {
  const auto inputs = all_inputs();
  const auto pending = [](const objective_view& view) {
    return std::ranges::count(view.plans, plan_state::pending, &plan_view::state);
  };
  for_each_life([&](const objective_view& before) {
    if (is_settled(before.state) && pending(before) > 0)
      return; // as earlier versions left it
    for (const auto& input : inputs) {
      if (!can_come(input, before))
        continue;
      auto life = life_of(before);
      static_cast<void>(life.decide(input, at_ms(9)));
      if (is_settled(life.view().state) && pending(life.view()) > 0)
        FAIL_CHECK("input " << input.index() << " in " << to_string(before.state));
    }
  });
}

TEST_CASE(
    "an objective that is completed by request completes the plans that run, and skips the rest",
    "[fold][objective_life]") {
  auto life = started();
  static_cast<void>(life.decide(objective_goes_on{}, at_ms(2)));
  const auto asked = life.decide(to(objective_state::completed), at_ms(3));
  CHECK(asked.answer == answer_after::objective_end);
  REQUIRE(plans_of<end_running_plan>(asked) == std::vector<std::uint32_t>{0, 2});
  CHECK(std::get<end_running_plan>(asked.effects.front()).to == plan_state::completed);
  static_cast<void>(life.decide(plan_ended{0, {{0, plan_event::complete, ""}}, {}}, at_ms(4)));
  static_cast<void>(life.decide(plan_ended{2, {{2, plan_event::complete, ""}}, {}}, at_ms(5)));
  CHECK(life.view().state == objective_state::completed);
  CHECK(life.view().plans[1].state == plan_state::skipped);
}

TEST_CASE("plans that a cancel skipped are retried with their objective; plans that a client "
          "skipped are not",
          "[fold][objective_life]") {
  auto life = life_of(a_view());
  static_cast<void>(life.decide(plan_update{2, plan_state::skipped, std::nullopt}, at_ms(2)));
  static_cast<void>(life.decide(to(objective_state::canceled), at_ms(3)));
  CHECK(life.view().state == objective_state::canceled);
  CHECK(life.view().plans[0].state == plan_state::skipped);
  CHECK(life.view().plans[1].state == plan_state::skipped);
  static_cast<void>(life.decide(to(objective_state::submitted), at_ms(4)));
  CHECK(life.view().plans[0].state == plan_state::pending);
  CHECK(life.view().plans[1].state == plan_state::pending);
  CHECK(life.view().plans[2].state == plan_state::skipped);
}

TEST_CASE("a failed plan that works again takes its failed objective with it",
          "[fold][objective_life]") {
  auto life = started();
  static_cast<void>(life.decide(objective_goes_on{}, at_ms(2)));
  static_cast<void>(life.decide(plan_ended{2, {{2, plan_event::complete, ""}}, {}}, at_ms(3)));
  static_cast<void>(life.decide(plan_ended{0, {{0, plan_event::fail, "no"}}, {}}, at_ms(4)));
  REQUIRE(life.view().state == objective_state::failed);
  REQUIRE(life.view().plans[1].state == plan_state::skipped);
  auto other = life;
  const auto again = life.decide(plan_update{0, plan_state::working, std::nullopt}, at_ms(5));
  CHECK_FALSE(again.refused);
  CHECK(plans_of<start_plan>(again) == std::vector<std::uint32_t>{0});
  CHECK(life.view().state == objective_state::working);
  CHECK(life.view().plans[1].state == plan_state::pending); // it depends on the other
  CHECK_FALSE(other.decide(plan_update{0, plan_state::pending, std::nullopt}, at_ms(5)).refused);
  CHECK(other.view().state == objective_state::planning);
}

TEST_CASE("a plan is renamed unless another plan means it by its name", "[fold][objective_life]") {
  auto view = a_view();
  auto second = *view.plans[1].spec;
  second.dependencies = {view.plans[0].spec->name};
  view.plans.edit(1).spec = std::make_shared<const plan_spec>(second);
  auto life = life_of(view);
  const auto name = view.plans[0].spec->name;
  const auto rename = [&](std::uint32_t plan, const std::string& to) {
    return life.decide(plan_update{plan, std::nullopt, std::nullopt, {.name = to}}, at_ms(2));
  };
  CHECK(rename(0, "first").refused->field == "name");
  CHECK(rename(2, name).refused->code == errc::invalid_params);
  CHECK_FALSE(rename(0, name).refused);
  CHECK_FALSE(rename(2, "third").refused);
  CHECK(life.view().plans[2].spec->name == "third");
  CHECK(life.view().revision == 2);
}

TEST_CASE("metadata is merged key by key, and no longer than its limit", "[fold][objective_life]") {
  auto life = started();
  const auto edit = [&](boost::json::object metadata) {
    auto command = to(objective_state::working);
    command.edited.metadata = std::move(metadata);
    return life.decide(command, at_ms(2));
  };
  CHECK_FALSE(edit({{"a", 1}, {"b", 2}}).refused);
  CHECK_FALSE(edit({{"a", nullptr}, {"c", 3}}).refused);
  CHECK(life.view().metadata == boost::json::object{{"b", 2}, {"c", 3}});
  const auto long_one = edit({{"d", std::string(edited_metadata_bytes_max, 'x')}});
  REQUIRE(long_one.refused);
  CHECK(long_one.refused->code == errc::limit_exceeded);
  CHECK(life.view().metadata.size() == 2);
}

TEST_CASE("metadata that is longer than its limit from the beginning can be made shorter",
          "[fold][objective_life]") {
  auto view = a_view();
  const std::string half(edited_metadata_bytes_max / 2, 'x');
  view.metadata = {{"a", half}, {"b", half}, {"c", half}};
  auto life = life_of(view);
  const auto edit = [&](boost::json::object metadata) {
    update_objective command;
    command.edited.metadata = std::move(metadata);
    return life.decide(command, at_ms(2)).refused;
  };
  CHECK(edit({{"d", 1}}));
  CHECK_FALSE(edit({{"a", nullptr}}));
  CHECK_FALSE(edit({{"b", "short"}, {"c", half + "y"}}));
  CHECK(edit({{"d", half}}));
}

TEST_CASE("a plan that starts its objective starts all plans, unless they start one by one already",
          "[fold][objective_life]") {
  auto life = life_of(a_view());
  auto addition = one_more(true);
  addition.starts_objective = true;
  SECTION("submitted") {
    REQUIRE_FALSE(life.decide(addition, at_ms(2)).refused);
    CHECK(life.view().state == objective_state::working);
    CHECK(life.view().plans[0].state == plan_state::working);
    CHECK(life.view().plans[2].state == plan_state::working);
  }
  SECTION("planning") {
    REQUIRE_FALSE(life.decide(plan_update{2, plan_state::working, {}}, at_ms(2)).refused);
    REQUIRE_FALSE(life.decide(addition, at_ms(3)).refused);
    CHECK(life.view().state == objective_state::planning);
    CHECK(life.view().plans[0].state == plan_state::pending);
  }
}

TEST_CASE("an end that is under way becomes no other end, except that it is canceled",
          "[fold][objective_life]") {
  for (const auto first : {objective_state::canceled, objective_state::failed}) {
    auto life = started();
    static_cast<void>(life.decide(objective_goes_on{}, at_ms(2)));
    REQUIRE_FALSE(life.decide(to(first), at_ms(3)).refused);
    REQUIRE(life.view().closing == first);
    for (const auto other : all_states) {
      const auto refused = life.decide(to(other), at_ms(4)).refused;
      if (other == first || other == objective_state::canceled)
        CHECK_FALSE(refused);
      else {
        REQUIRE(refused);
        CHECK(refused->code == errc::invalid_transition);
      }
      if (other != objective_state::canceled)
        CHECK(life.view().closing == first);
    }
    CHECK(life.view().closing == objective_state::canceled);
  }
}

TEST_CASE("a change that names an old revision is refused", "[fold][objective_life]") {
  auto life = started();
  auto stale = to(objective_state::canceled);
  stale.if_revision = stale_revision;
  const auto decision = life.decide(stale, at_ms(2));
  REQUIRE(decision.refused);
  CHECK(decision.refused->code == errc::revision_mismatch);
  CHECK(life.decide(plan_update{0, plan_state::working, stale_revision}, at_ms(2)).refused->code
        == errc::revision_mismatch);
  auto addition = one_more(true);
  addition.revision = stale_revision;
  CHECK(life.decide(addition, at_ms(2)).refused->code == errc::revision_mismatch);
}

TEST_CASE("the summaries of a plan are lent and come back", "[fold][objective_life]") {
  auto life = started();
  static_cast<void>(life.decide(objective_goes_on{}, at_ms(2)));
  auto plan = life.lend(0);
  REQUIRE(plan.tasks.size() == 2);
  CHECK(life.view().plans[0].tasks.empty());
  plan.tasks.edit(1).state = task_state::failed;
  life.take_back(0, std::move(plan.tasks));
  static_cast<void>(life.decide(plan_ended{0, {{0, plan_event::fail, "no"}}, {}}, at_ms(3)));
  CHECK(life.view().plans[0].tasks[1].state == task_state::failed);
}

TEST_CASE("a plan that begins without tasks gets none here while its summaries are lent",
          "[fold][objective_life]") {
  objective_view blank;
  blank.id = objective_id{"o"};
  objective_life life{std::move(blank), {{}}};
  static_cast<void>(life.decide(objective_begins{{make_objective("o", {0}), {}}, true}, at_ms(1)));
  static_cast<void>(life.decide(objective_goes_on{}, at_ms(2)));
  auto plan = life.lend(0);
  static_cast<void>(life.decide(plan_reshaped{{0, {add_task{}}, "", "", 1}}, at_ms(3)));
  CHECK(life.view().plans[0].spec->tasks.size() == 1);
  CHECK(life.view().plans[0].tasks.empty());
  apply(plan, about("o", 3), plan_changed{0, {add_task{}}, "", "", 1});
  CHECK(plan.tasks.size() == 1);
}

TEST_CASE("the shape of a plan is changed here before it runs, and by its own actor while it does",
          "[fold][objective_life]") {
  auto life = started();
  static_cast<void>(life.decide(objective_goes_on{}, at_ms(2)));
  const auto waiting = life.decide(reshaping(1, {remove_task<std::string>{"task-1"}}), at_ms(3));
  REQUIRE(waiting.events.size() == 2);
  CHECK(std::holds_alternative<plan_changed>(waiting.events.front()));
  CHECK(waiting.effects.empty());
  CHECK(life.view().revision == 1);
  CHECK(life.view().plans[1].tasks[1].state == task_state::canceled);
  const auto running = life.decide(reshaping(0, {remove_task<std::string>{"task-1"}}), at_ms(4));
  CHECK(running.events.empty());
  CHECK(plans_of<change_running_plan>(running) == std::vector<std::uint32_t>{0});
  CHECK(life.view().revision == 1);
}

TEST_CASE("a plan that has ended keeps its shape, and so does one of an objective that has",
          "[fold][objective_life]") {
  auto life = started();
  static_cast<void>(life.decide(objective_goes_on{}, at_ms(2)));
  static_cast<void>(life.decide(plan_ended{0, {{0, plan_event::complete, ""}}, {}}, at_ms(3)));
  const auto ended = life.decide(reshaping(0, {add_task{}}), at_ms(4));
  REQUIRE(ended.refused);
  CHECK(ended.refused->code == errc::invalid_transition);
  CHECK(ended.refused->message == "the plan is completed and stays as it is");
  auto stale = reshaping(1, {add_task{}});
  stale.command.if_revision = stale_revision;
  CHECK(life.decide(stale, at_ms(5)).refused->code == errc::revision_mismatch);
}

TEST_CASE("a task that was removed does not come back when its plan is tried again",
          "[fold][objective_life]") {
  auto life = started();
  static_cast<void>(life.decide(reshaping(0, {remove_task<std::string>{"task-1"}}), at_ms(2)));
  static_cast<void>(life.decide(objective_goes_on{}, at_ms(3)));
  static_cast<void>(life.decide(plan_ended{2, {{2, plan_event::fail, "no"}}, {}}, at_ms(4)));
  static_cast<void>(life.decide(plan_ended{0, {{0, plan_event::fail, "no"}}, {}}, at_ms(5)));
  static_cast<void>(life.decide(to(objective_state::planning), at_ms(6)));
  CHECK(life.view().plans[0].state == plan_state::pending);
  CHECK(life.view().plans[0].tasks[1].state == task_state::canceled);
}
