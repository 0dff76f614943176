// An objective far away is folded like one that is here: what is shown of it and of each change
// gives the same view.
#include "protocol/fold/apply.hpp"
#include "protocol/fold/shown_progress.hpp"
#include "protocol/fold/waiting.hpp"
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/objective_change.hpp"
#include "protocol/opt/objective_reading.hpp"
#include "tests/protocol/codec_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::test;

namespace {

plan_spec_ptr two_tasks() {
  auto out = std::make_shared<plan_spec>();
  out->id = plan_id{"trip.p0"};
  out->name = "Book";
  out->tasks.resize(2);
  for (std::size_t i = 0; i < 2; ++i) {
    out->tasks.edit(i).id = make_task_id(out->id, i);
    out->tasks.edit(i).name = i == 0 ? "Flight" : "Hotel";
  }
  out->tasks.edit(1).dependencies = {"Flight"};
  out->tasks.edit(1).dependency_indexes = {0};
  return out;
}

objective_view trip() {
  auto spec = std::make_shared<objective_spec>();
  spec->id = objective_id{"trip"};
  spec->name = "Trip";
  spec->plans = {two_tasks()};
  objective_view out;
  change made;
  made.context = "trip";
  made.at = noon;
  made.events = {objective_created{spec, {}}};
  apply_event(out, made, made.events[0]);
  return out;
}

boost::json::value shown(const objective_view& view) {
  return parsed(text_from([&](json_writer& out) { opt::write(out, view, true, true); }));
}

/// Applies it here, and what is shown of it to what is there.
void tell(objective_view& here, objective_view& there, event happened, task_address task = {}) {
  change one;
  one.context = "trip";
  one.at = noon + std::chrono::seconds{1};
  one.task = std::move(task);
  one.events = {std::move(happened)};
  const auto text = text_from([&](json_writer& out) {
    opt::write_changes(out, std::vector<change_ptr>{std::make_shared<const change>(one)}, {1, 0},
                       opt::change_detail::tasks, {here.plans[0].spec},
                       [](json_writer&, const change&, const event&) { return false; });
  });
  CAPTURE(text);
  apply_event(here, one, one.events[0]);
  const auto read = opt::read_changes(parsed(text), there);
  REQUIRE(read.has_value());
  CHECK(read->cursor == "1-0");
  CHECK_FALSE(read->is_reshaped);
  for (const auto& each : read->changes)
    for (const auto& event : each.events)
      apply_event(there, each, event);
  for (std::size_t i = 0; i < 2; ++i) {
    CHECK(there.plans[0].task_at(i) == here.plans[0].task_at(i));
    CHECK(summary_state(there.plans[0].tasks[i]) == summary_state(here.plans[0].tasks[i]));
    CHECK(there.plans[0].tasks[i].attempt == here.plans[0].tasks[i].attempt);
  }
  CHECK(there.plans[0].state == here.plans[0].state);
  CHECK(there.plans[0].reason == here.plans[0].reason);
  CHECK(there.state == here.state);
  CHECK(there.reason == here.reason);
  CHECK(there.closing == here.closing);
  CHECK(there.closing_reason == here.closing_reason);
}

task_address at(std::uint32_t index, const std::string& id) {
  return {task_id{id}, false, 0, index};
}

task_created created(task_state state) {
  auto record = std::make_shared<task>();
  record->status.state = state;
  return {std::move(record)};
}

} // namespace

TEST_CASE("an objective and its changes are the same far away", "[protocol][opt][client]") {
  auto here = trip();
  const auto read = opt::read_objective_view(shown(here));
  REQUIRE(read.has_value());
  auto there = *read;
  CHECK(there.id.str() == "trip");
  CHECK(there.name == "Trip");
  REQUIRE(there.plans.size() == 1);
  CHECK(there.plans[0].spec->name == "Book");
  CHECK(there.plans[0].spec->tasks[1].name == "Hotel");
  CHECK(there.plans[0].spec->tasks[1].dependencies == std::vector<std::string>{"trip.p0.t0"});
  CHECK(there.plans[0].spec->tasks[1].dependency_indexes == std::vector<std::uint32_t>{0});
  tell(here, there, objective_moved{objective_event::work, ""});
  tell(here, there, plan_moved{0, event_to(plan_state::working), ""});
  tell(here, there, created(task_state::submitted), at(0, "trip.p0.t0"));
  tell(here, there, task_moved{task_state::working, 1, nullptr}, at(0, "trip.p0.t0"));
  tell(here, there, task_moved{task_state::failed, 1, agent_says("no seat")}, at(0, "trip.p0.t0"));
  tell(here, there, tasks_withdrawn{0, {1}, task_state::canceled, "Flight failed"});
  tell(here, there, objective_closing{objective_state::failed, "by request"});
  // A reader that begins now knows it, too.
  CHECK(opt::read_objective_view(shown(here)).value().closing == objective_state::failed);
  tell(here, there, plan_moved{0, event_to(plan_state::failed), "Flight failed"});
  tell(here, there, objective_moved{event_to(objective_state::failed), "Book failed"});
  tell(here, there, tasks_renewed{0, {0, 1}});
  CHECK(there.plans[0].task_at(0).str() == "trip.p0.t0.r1");
  // What was read in the middle goes on in the same way.
  auto later = opt::read_objective_view(shown(here)).value();
  CHECK(later.plans[0].task_at(0).str() == "trip.p0.t0.r1");
  CHECK(later.plans[0].spec->tasks[1].dependencies == std::vector<std::string>{"trip.p0.t0.r1"});
  CHECK(later.plans[0].spec->tasks[1].dependency_indexes == std::vector<std::uint32_t>{0});
  tell(here, later, created(task_state::submitted), at(0, "trip.p0.t0.r1"));
  tell(here, later, task_moved{task_state::input_required, 2, agent_says("which?")},
       at(0, "trip.p0.t0.r1"));
}

TEST_CASE("the question of a task far away has its words and its id", "[protocol][opt][client]") {
  auto here = trip();
  auto there = *opt::read_objective_view(shown(here));
  auto asked = std::make_shared<message>();
  asked->from = role::agent;
  asked->parts = {text_part("By the sea?")};
  asked->metadata[question_id_key] = "trip.p0.t0.question-1";
  for (const std::uint32_t attempt : {1, 2}) { // The second one goes on with the question.
    tell(here, there, task_moved{task_state::input_required, attempt, asked}, at(0, "trip.p0.t0"));
    REQUIRE(there.pending_inputs.size() == 1);
    CHECK(there.pending_inputs[0].prompt == "By the sea?");
    CHECK(there.pending_inputs[0].question == "question-1");
  }
}

TEST_CASE("when a plan began and a task changed is the same far away", "[protocol][opt][client]") {
  auto view = trip();
  view.plans.edit(0).began = noon + std::chrono::seconds{2};
  view.plans.edit(0).tasks.edit(0) =
      task_summary{.state = task_state::working, .attempt = 1, .changed_ms = 3500};
  const auto read = opt::read_objective_view(shown(view)).value();
  CHECK(read.plans[0].began == view.plans[0].began);
  CHECK(changed_at(read, 0, 0) == changed_at(view, 0, 0));
  CHECK_FALSE(changed_at(read, 0, 1).has_value()); // It is no task yet.
}

TEST_CASE("how far a task is far away is what it says, and no more", "[protocol][opt][client]") {
  const auto view = trip();
  const auto far_away = [&](progress_report report) {
    change one;
    one.context = "trip";
    one.at = noon;
    one.task = at(0, "trip.p0.t0");
    one.events = {task_progress{std::make_shared<const progress_report>(std::move(report))}};
    const auto text = text_from([&](json_writer& out) {
      opt::write_changes(out, std::vector<change_ptr>{std::make_shared<const change>(one)}, {1, 0},
                         opt::change_detail::tasks, {view.plans[0].spec},
                         [](json_writer&, const change&, const event&) { return false; });
    });
    const auto read = opt::read_changes(parsed(text), view).value();
    return read.changes.empty()
               ? progress_report{}
               : *std::get<task_progress>(read.changes.at(0).events.at(0)).progress;
  };
  progress_tracker output;
  output.id = "output";
  output.message = "compiling";
  const auto words = far_away({{output}, std::nullopt});
  CHECK_FALSE(known_fraction(words));
  CHECK(words_of(words) == "compiling");
  output.progress = 1;
  output.total = 4;
  output.message.clear();
  const auto fraction = far_away({{output}, std::nullopt});
  CHECK(known_fraction(fraction) == 0.25);
  CHECK(words_of(fraction).empty());
}

TEST_CASE("places of removed tasks stay empty", "[protocol][opt][client]") {
  auto view = trip();
  auto spec = *view.plans[0].spec;
  spec.tasks.edit(0).is_removed = true;
  spec.tasks.edit(1).dependencies.clear();
  spec.tasks.edit(1).dependency_indexes.clear();
  view.plans.edit(0).spec = std::make_shared<const plan_spec>(std::move(spec));
  const auto read = opt::read_objective_view(shown(view)).value();
  REQUIRE(read.plans[0].tasks.size() == 2);
  CHECK(read.plans[0].spec->tasks[0].is_removed);
  CHECK(read.plans[0].task_at(1).str() == "trip.p0.t1");
}

TEST_CASE("a change of structure, or of a plan that is not known, says to read again",
          "[protocol][opt][client]") {
  const auto view = trip();
  const auto reshaped = [&](const std::string& events) {
    return opt::read_changes(parsed(R"({"cursor":"1-1","events":[)" + events + "]}"), view)
        .value()
        .is_reshaped;
  };
  CHECK(reshaped(R"({"kind":"plan","planId":"trip.p0","change":{}})"));
  CHECK(reshaped(R"({"kind":"plan","planId":"trip.p1","name":"Pack","status":"pending"})"));
  CHECK(reshaped(
      R"({"kind":"task","planId":"trip.p0","taskId":"x","taskIndex":9,"status":"working"})"));
  CHECK_FALSE(reshaped(R"({"kind":"weather","sky":"blue"})"));
}

TEST_CASE("what is no objective is refused with its place", "[protocol][opt][client]") {
  const auto error_of = [](std::string_view text) {
    return opt::read_objective_view(parsed(text)).error();
  };
  CHECK(error_of("[]").code == errc::invalid_agent_response);
  CHECK(error_of(R"({"id":"x","name":"x","status":"odd"})").field == "/status");
  CHECK(error_of(R"({"name":"x","status":"working"})").field == "/id");
  const auto far = error_of(R"({"id":"x","name":"x","status":"working","plans":[{"id":"x.p0",)"
                            R"("name":"p","status":"working","tasks":[)"
                            R"({"id":"x.p0.t0","name":"t","taskIndex":999999}]}]})");
  CHECK(far.code == errc::invalid_agent_response);
  CHECK(far.field == "/plans/0/tasks/0/taskIndex");
  CHECK(opt::read_fraction(parsed(R"({"progress":{"fraction":0.5}})")) == 0.5);
  CHECK_FALSE(opt::read_fraction(parsed(R"({"progress":3})")));
  CHECK_FALSE(opt::read_fraction(parsed(R"({"progress":{"fraction":7}})")));
}

TEST_CASE("what models have used is read as it was written", "[protocol][opt][client]") {
  const model_usage used{2, 310, 45, 1200, 100, true};
  std::string text;
  json_writer out(text);
  out.begin_object().key("modelUsage");
  opt::write(out, used);
  out.end_object();
  CHECK(opt::read_usage(parsed(text).as_object(), "modelUsage") == used);
  CHECK(opt::read_usage(parsed(text).as_object(), "other") == model_usage{});
  CHECK(
      opt::read_usage(parsed(R"({"modelUsage":{"calls":-1,"cost":"x"}})").as_object(), "modelUsage")
      == model_usage{});
  const auto view = opt::read_objective_view(
      parsed(R"({"id":"o","name":"o","status":"working","modelUsage":{"calls":3}})"));
  REQUIRE(view.has_value());
  CHECK(view->usage.calls == 3);
}
