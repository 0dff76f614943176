#include "apps/remote/missed_changes.hpp"
#include "apps/remote/watch_session.hpp"
#include "apps/run/json_events.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

#include <memory>

using namespace troupe;

namespace {

plan_view plan_of(const std::string& id, std::size_t count) {
  auto spec = std::make_shared<plan_spec>();
  spec->name = id;
  for (std::size_t i = 0; i < count; ++i) {
    task_spec one;
    one.id = task_id(id + ".t" + std::to_string(i));
    spec->tasks.push_back(std::move(one));
  }
  plan_view out;
  out.spec = spec;
  out.tasks = std::vector<task_summary>(count);
  return out;
}

void set_slot(plan_view& plan, std::size_t index, task_state state, std::uint16_t attempt) {
  std::vector<task_summary> slots(plan.tasks.begin(), plan.tasks.end());
  slots[index].state = state;
  slots[index].attempt = attempt;
  plan.tasks = std::move(slots);
}

objective_view small_objective() {
  objective_view out;
  out.id = objective_id("o");
  out.state = objective_state::working;
  out.plans.push_back(plan_of("p0", 3));
  out.plans.edit(0).state = plan_state::working;
  set_slot(out.plans.edit(0), 0, task_state::working, 1);
  return out;
}

} // namespace

TEST_CASE("what was missed is what differs, and what is the same is not told again",
          "[apps][remote]") {
  const auto before = small_objective();
  run_model model;
  model.reset(before);
  CHECK(missed_changes(model, before).empty());

  auto now = before;
  now.updated = parse_rfc3339("2026-11-23T07:11:43.483Z").value();
  set_slot(now.plans.edit(0), 0, task_state::completed, 1);
  set_slot(now.plans.edit(0), 1, task_state::working, 2);
  now.plans.edit(0).state = plan_state::failed;
  now.plans.push_back(plan_of("p1", 1));
  now.state = objective_state::failed;
  const auto missed = missed_changes(model, now);
  model.reset(now);
  std::string text;
  for (const auto& each : missed)
    append_json_events(text, each, model);
  std::vector<std::string> told;
  for (std::size_t begin = 0; begin < text.size(); begin = text.find('\n', begin) + 1) {
    const auto line =
        boost::json::parse(text.substr(begin, text.find('\n', begin) - begin)).as_object();
    CHECK(line.at("at") == "2026-11-23T07:11:43.483Z");
    auto words = std::string(line.at("event").as_string());
    if (const auto* task = line.if_contains("task"))
      words += " " + std::string(task->at("id").as_string());
    if (const auto* state = line.if_contains("state"))
      words += " " + std::string(state->as_string());
    told.push_back(words);
  }
  CHECK(told
        == std::vector<std::string>{"plan_added", "task_moved p0.t0 completed",
                                    "task_moved p0.t1 working", "plan_moved failed",
                                    "objective_moved failed"});
}

TEST_CASE("a task that is to begin anew was renewed", "[apps][remote]") {
  auto before = small_objective();
  set_slot(before.plans.edit(0), 0, task_state::failed, 1);
  run_model model;
  model.reset(before);
  auto now = before;
  set_slot(now.plans.edit(0), 0, task_state::unspecified, 0);
  const auto missed = missed_changes(model, now);
  REQUIRE(missed.size() == 1);
  CHECK(std::get<tasks_renewed>(missed[0].events[0]).tasks == std::vector<std::uint32_t>{0});
}

TEST_CASE("a question is shown once, also if its task asks again after a break", "[apps][remote]") {
  const auto asked = [](std::uint64_t number, const std::string& prompt) {
    return open_question{number, task_id("o.p0.t0"), 0, 0, prompt, false, {}};
  };
  shown_questions shown;
  CHECK(shown.take_new({asked(1, "Where?")}).size() == 1);
  CHECK(shown.take_new({asked(1, "Where?")}).empty());
  shown.on_break();
  CHECK(shown.take_new({}).empty());
  CHECK(shown.take_new({asked(2, "Where?")}).empty());
  CHECK(shown.take_new({asked(2, "Where?"), asked(3, "When?")}).size() == 1);
  // Without a break it is another question, whether or not it was seen to be answered.
  CHECK(shown.take_new({asked(4, "Where?")}).size() == 1);
  CHECK(shown.take_new({}).empty());
  CHECK(shown.take_new({asked(5, "Where?")}).size() == 1);
}
