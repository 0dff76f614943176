// What an objective's actor keeps, says and answers: its own view, never the store's; answers when
// what they show is committed; a root task that sums up what is asked; who commanded what, and in
// which trace.
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/passing_store.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/results.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// Counts how often an objective is looked up.
class counting_store final : public passing_store {
public:
  void read_objective(const objective_id& id, read_done<objective_ptr> done,
                      const std::string& client) const override {
    looks += counts ? 1 : 0;
    passing_store::read_objective(id, std::move(done), client);
  }
  void read_objective(const plan_id& id, read_done<objective_ptr> done,
                      const std::string& client) const override {
    looks += counts ? 1 : 0;
    passing_store::read_objective(id, std::move(done), client);
  }

  bool counts = false;
  mutable std::size_t looks = 0;
};

struct change_watcher final : watcher {
  void on_change(const change_ptr& change) override { changes.push_back(change); }
  std::vector<change_ptr> changes;

  /// Who commanded the first change with such an event; nothing: no command did.
  template<class Event>
  [[nodiscard]] std::optional<std::string> by() const {
    for (const auto& one : changes)
      for (const auto& each : one->events)
        if (std::holds_alternative<Event>(each))
          return one->by;
    FAIL("there is no such event");
    return std::nullopt;
  }
};

objective_spec two_plans() {
  auto second = a_plan("q", {a_task("c", {}, "hand")});
  second.dependencies = {"p"};
  return an_objective(
      {a_plan("p", {a_task("a", {}, "hand"), a_task("b", {"a"}, "hand")}), std::move(second)});
}

objective_ptr create(clock_bed& bed, objective_spec spec, principal who, message_ptr request,
                     watcher_ptr seen) {
  create_objective command;
  command.who = std::move(who);
  command.spec = std::move(spec);
  command.start = true;
  command.request = std::move(request);
  std::optional<result<objective_ptr>> made;
  bed.main_gateway().create(std::move(command), std::move(seen),
                            [&](result<objective_ptr> how) { made = std::move(how); });
  bed.clock.settle();
  REQUIRE(made);
  REQUIRE(*made);
  return **made;
}

} // namespace

TEST_CASE("the answer to a pause shows the pause, and the answer to its end shows the new state",
          "[actors][time]") {
  clock_bed bed{{}, static_cast<std::uint64_t>(GENERATE(range(1, 40)))};
  const auto id = bed.begin(two_plans());
  for (const auto to :
       {objective_state::blocked, objective_state::working, objective_state::blocked}) {
    update_objective command;
    command.id = id;
    command.state = to;
    std::optional<objective_state> shown;
    std::optional<plan_state> plan_shown;
    bed.main_gateway().update(command, [&](const result<objective_ptr>& how) {
      shown = (*how)->state;
      plan_shown = (*how)->plans[0].state;
    });
    bed.clock.settle();
    CHECK(shown == to);
    CHECK(plan_shown
          == (to == objective_state::blocked ? plan_state::blocked : plan_state::working));
  }
}

TEST_CASE("the answer to the pause of a plan comes when the plan is paused", "[actors][time]") {
  clock_bed bed{{}, static_cast<std::uint64_t>(GENERATE(range(1, 40)))};
  const auto id = bed.begin(an_objective(
      {a_plan("p", {a_task("a", {}, "hand")}), a_plan("q", {a_task("c", {}, "hand")})}));
  for (const auto to : {plan_state::blocked, plan_state::working}) {
    update_plan command;
    command.id = bed.objective()->plans[0].spec->id;
    command.state = to;
    std::optional<plan_state> shown;
    bed.main_gateway().update(command, [&](const result<plan_id>& how) {
      REQUIRE(how);
      shown = find_objective(bed.records(), id)->plans[0].state;
    });
    bed.clock.settle();
    CHECK(shown == to);
  }
}

TEST_CASE("a pause is answered also if what runs ends meanwhile", "[actors][time]") {
  clock_bed bed{{}, static_cast<std::uint64_t>(GENERATE(range(1, 40)))};
  const auto id = bed.begin(an_objective(
      {a_plan("p", {a_task("a", {}, "hand")}), a_plan("q", {a_task("c", {}, "hand")})}));
  update_objective command;
  command.id = id;
  command.state = objective_state::blocked;
  bool answered = false;
  bed.main_gateway().update(command,
                            [&](const result<objective_ptr>& how) { answered = how.has_value(); });
  bed.hand->of("a").port->report(report_completed{});
  bed.hand->of("c").port->report(report_failed{"no", false});
  bed.clock.settle();
  CHECK(answered);
  CHECK(is_settled(bed.objective()->state));
}

TEST_CASE("the root task of a blocked objective sums up what is asked", "[actors][time]") {
  constexpr std::size_t asking = 40;
  clock_bed bed;
  std::vector<task_spec> tasks;
  for (std::size_t i = 0; i < asking; ++i)
    tasks.push_back(a_task("t" + std::to_string(i), {}, "hand"));
  auto request = std::make_shared<message>();
  request->message_id = "m";
  const auto made =
      create(bed, an_objective({a_plan("p", std::move(tasks))}), {}, std::move(request), nullptr);
  for (std::size_t i = 0; i < asking; ++i)
    bed.report("t" + std::to_string(i),
               report_question{std::to_string(i) + std::string(100'000, '?'), false});
  const auto now = find_objective(bed.records(), made->id);
  REQUIRE(now->state == objective_state::blocked);
  CHECK(now->pending_inputs.size() == asking);
  CHECK(now->pending_inputs.front().prompt.size() > 100'000);
  const auto root = find_task(bed.records(), made->root_task);
  REQUIRE(root->status.state == task_state::input_required);
  const auto words = text_of(root->status.message->parts);
  CHECK(words.size() < 2 * questions_shown_max * question_shown_bytes_max);
  CHECK_THAT(words, ContainsSubstring("40 tasks ask"));
  CHECK_THAT(words, ContainsSubstring("waits for input"));
  CHECK_THAT(words, ContainsSubstring(now->pending_inputs[0].task.str() + ": 0???"));
}

TEST_CASE("neither objective nor plans look anything up in the store", "[actors][time]") {
  auto owned = std::make_unique<counting_store>();
  auto& disk = *owned;
  clock_bed bed{std::move(owned), {}, std::nullopt};
  auto request = std::make_shared<message>();
  request->message_id = "m";
  auto spec = an_objective({a_plan("p", {a_task("a", {}, "hand"), a_task("b", {"a"}, "hand")}),
                            a_plan("q", {a_task("c", {"b"}, "hand")})});
  const auto made = create(bed, std::move(spec), {}, std::move(request), nullptr);
  bed.main_gateway(); // what is counted from here on happens in actors' turns
  const auto report = [&](const std::string& name, agent_report reported) {
    bed.hand->of(name).port->report(std::move(reported));
    disk.counts = true;
    bed.clock.settle();
    disk.counts = false;
  };
  report("a", report_question{"which?", false});
  send_message answer;
  answer.message.message_id = "answer";
  answer.message.from = role::user;
  answer.message.parts.push_back(text_part("this"));
  answer.message.task_id = made->root_task.str();
  bool taken = false;
  bed.main_gateway().send(std::move(answer), nullptr,
                          [&](const result<sent>& how) { taken = how.has_value(); });
  bed.clock.settle(); // the gateway looks for the question
  CHECK(taken);
  report("a", report_completed{});
  report("b", report_failed{"no", false});
  CHECK(disk.looks == 0);
  CHECK(find_objective(bed.records(), made->id)->state == objective_state::failed);
}

TEST_CASE("an answer to the root task is for the question that was open when it was sent",
          "[actors][time][question]") {
  clock_bed bed;
  auto request = std::make_shared<message>();
  request->message_id = "m";
  auto spec = an_objective({a_plan("p", {a_task("a", {}, "hand")})});
  const auto made = create(bed, std::move(spec), {}, std::move(request), nullptr);
  bed.hand->of("a").port->report(report_question{"first?", false});
  bed.hand->of("a").port->report(report_question{"second?", false});
  bed.clock.settle();
  std::vector<result<sent>> answers;
  for (const auto* words : {"this", "that"}) {
    send_message answer;
    answer.message.message_id = words;
    answer.message.from = role::user;
    answer.message.parts.push_back(text_part(words));
    answer.message.task_id = made->root_task.str();
    bed.main_gateway().send(std::move(answer), nullptr,
                            [&](result<sent> how) { answers.push_back(std::move(how)); });
  }
  bed.clock.settle();
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].has_value() != answers[1].has_value());
  CHECK((answers[0] ? answers[1] : answers[0]).error().code == errc::already_answered);
  const auto asking = find_task(bed.records(), made->plans[0].task_at(0));
  REQUIRE(asking->question);
  CHECK(asking->question->prompt == "second?");
}

TEST_CASE("events that a command causes say who gave it", "[actors][time]") {
  clock_bed bed;
  const auto seen = std::make_shared<change_watcher>();
  const principal me{.id = "me", .tenant = "us"};
  const auto made = create(bed, two_plans(), me, nullptr, seen);
  CHECK(seen->by<objective_created>() == owner_of(me));
  CHECK_FALSE(seen->by<plan_moved>()); // it follows from the states of the plans
  const principal other{.id = "other", .tenant = "us"};
  CHECK(owner_of(other) != owner_of(me));
  const auto update = [&](update_objective command) {
    command.id = made->id;
    command.who = me;
    bed.main_gateway().update(std::move(command),
                              [](const result<objective_ptr>& how) { CHECK(how.has_value()); });
    bed.clock.settle();
  };
  update_objective pause;
  pause.state = objective_state::blocked;
  update(pause);
  CHECK(seen->by<pause_changed>() == owner_of(me));
  update_objective edit;
  edit.edited.name = "renamed";
  update(edit);
  CHECK(find_objective(bed.records(), made->id)->name == "renamed");
  create_plan more;
  more.who = me;
  more.objective = made->id;
  more.spec = a_plan("more", {a_task("d", {}, "hand")});
  bed.main_gateway().create(std::move(more),
                            [](const result<plan_id>& how) { CHECK(how.has_value()); });
  bed.clock.settle();
  CHECK(seen->by<plan_added>() == owner_of(me));
}

TEST_CASE("tasks that a command ends say who gave it", "[actors][time]") {
  const principal me{.id = "me", .tenant = "us"};
  const auto seen = std::make_shared<change_watcher>();
  const auto ended_by = [&](const std::string& reason) {
    std::vector<std::optional<std::string>> out;
    for (const auto& one : seen->changes)
      for (const auto& each : one->events)
        if (const auto* moved = std::get_if<task_moved>(&each);
            moved && moved->to == task_state::canceled) {
          out.push_back(one->by);
          CHECK(text_of(moved->message->parts) == reason);
        }
    return out;
  };
  clock_bed bed;
  const auto made = create(bed, two_plans(), me, nullptr, seen);
  SECTION("one task") {
    cancel_task command;
    command.who = me;
    command.id = made->plans[0].task_at(0);
    bed.main_gateway().cancel(std::move(command),
                              [](const result<task_ptr>& how) { CHECK(how.has_value()); });
    bed.clock.settle();
    CHECK(ended_by("canceled by request") == std::vector<std::optional<std::string>>{owner_of(me)});
  }
  SECTION("the whole objective") {
    update_objective command;
    command.who = me;
    command.id = made->id;
    command.state = objective_state::canceled;
    bed.main_gateway().update(std::move(command),
                              [](const result<objective_ptr>& how) { CHECK(how.has_value()); });
    bed.clock.settle();
    CHECK(ended_by("canceled by request") == std::vector<std::optional<std::string>>{owner_of(me)});
    CHECK(seen->by<tasks_withdrawn>() == owner_of(me));
  }
}

TEST_CASE(
    "the tasks of an objective are in the trace of the request that made it, also after a restart",
    "[actors][time]") {
  clock_bed bed;
  const std::string trace = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  create_objective command;
  command.traceparent = trace;
  command.tracestate = "vendor=1";
  command.spec = two_plans();
  command.spec.id = objective_id{"o"};
  command.start = true;
  bed.main_gateway().create(std::move(command), nullptr,
                            [](const result<objective_ptr>& how) { CHECK(how.has_value()); });
  bed.clock.settle();
  CHECK(bed.hand->of("a").order->traceparent == trace);
  CHECK(bed.hand->of("a").order->tracestate == "vendor=1");
  auto left = std::make_shared<objective_view>(*find_objective(bed.records(), objective_id{"o"}));
  REQUIRE(left->trace);
  CHECK(left->trace->tracestate == "vendor=1");
  auto longer = *left->trace;
  longer.path = {"first", "second"};
  left->trace = shared_trace(std::move(longer));
  bed.stop();
  bed.main_gateway().resume(
      {.objectives = {left}, .lone_tasks = {}, .events_replayed = 0, .repaired = {}});
  bed.clock.settle();
  CHECK(bed.hand->of("a").number == 2);
  CHECK(bed.hand->of("a").order->traceparent == trace);
  CHECK(bed.hand->of("a").order->tracestate == "vendor=1");
  CHECK(bed.hand->of("a").order->path == std::vector<std::string>{"first", "second"});
}

// ThreadSanitizer does not see the fence of is_unshared, so there every changed value is copied.
#if !defined(__SANITIZE_THREAD__)
TEST_CASE("an objective's plans are not copied when it is created", "[actors][time]") {
  clock_bed bed;
  auto spec = two_plans();
  const auto* first = spec.plans[0].get();
  const auto made = create(bed, std::move(spec), {}, nullptr, nullptr);
  CHECK(made->plans[0].spec.get() == first);
  CHECK(first->id == made->plans[0].spec->id);
  CHECK(first->tasks[1].dependency_indexes == std::vector<std::uint32_t>{0});
}
#endif
