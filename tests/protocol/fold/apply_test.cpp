#include "protocol/fold/apply.hpp"
#include "protocol/fold/limits.hpp"
#include "protocol/fold/span_reason.hpp"
#include "tests/store/changes.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

task plain_task() {
  task out;
  out.id = task_id{"task-1"};
  return out;
}

/// An objective of two plans with two tasks each, as just created.
struct board {
  std::shared_ptr<objective_spec> spec = make_objective("o", {2, 2});
  objective_view view;
  board() { apply(view, about("o", 1, objective_created{spec, task_id{"root"}})); }
};

} // namespace

TEST_CASE("A move sets state, attempt and time, and its message becomes the status message",
          "[fold]") {
  auto record = plain_task();
  apply(record, about_lone("task-1", "c", 5, moved(task_state::working, 2, say("on it"))));
  CHECK(record.status.state == task_state::working);
  CHECK(record.attempt == 2);
  CHECK(record.status.at == at_ms(5));
  REQUIRE(record.status.message);
  CHECK(text_of(record.status.message->parts) == "on it");
  CHECK(record.history.empty());
}

TEST_CASE("A status message that is replaced moves to the history", "[fold]") {
  auto record = plain_task();
  apply(record,
        about_lone("task-1", "c", 1, moved(task_state::input_required, 1, say("which city?"))));
  apply(record, about_lone("task-1", "c", 2, moved(task_state::working)));
  CHECK(record.status.message == nullptr);
  REQUIRE(record.history.size() == 1);
  CHECK(text_of(record.history.front()->parts) == "which city?");
}

TEST_CASE("An answer to a task that still asks stands behind the question, which is kept once",
          "[fold]") {
  auto record = plain_task();
  apply(record,
        about_lone("task-1", "c", 1, moved(task_state::input_required, 1, say("when and where?"))));
  for (const std::string text : {"on Friday", "by the sea"})
    apply(record, about_lone("task-1", "c", 2,
                             task_message{say(text, role::user), task_state::input_required}));
  CHECK(record.status.message != nullptr);
  apply(record, about_lone("task-1", "c", 3, moved(task_state::working)));
  std::string texts;
  for (const auto& each : record.history)
    texts += text_of(each->parts) + "|";
  CHECK(texts == "when and where?|on Friday|by the sea|");
}

TEST_CASE("Progress lasts until the task ends and does not come back", "[fold]") {
  auto record = plain_task();
  const auto report = std::make_shared<const progress_report>();
  apply(record, about_lone("task-1", "c", 1, moved(task_state::working), task_progress{report}));
  CHECK(record.progress == report);
  apply(record, about_lone("task-1", "c", 2, moved(task_state::failed)));
  CHECK(record.progress == nullptr);
  apply(record, about_lone("task-1", "c", 3, task_progress{report}));
  CHECK(record.progress == nullptr);
}

TEST_CASE("The history keeps the latest messages up to its limit", "[fold]") {
  auto record = plain_task();
  for (std::size_t i = 0; i < history_messages_max + 3; ++i)
    apply(record, about_lone("task-1", "c", 1, task_message{say(std::to_string(i))}));
  REQUIRE(record.history.size() == history_messages_max);
  CHECK(text_of(record.history.front()->parts) == "3");
  CHECK(text_of(record.history.back()->parts) == std::to_string(history_messages_max + 2));
}

TEST_CASE("The history keeps the latest messages up to its bytes, and the last one however large",
          "[fold]") {
  const auto large = [](std::size_t bytes, const std::string& id) {
    auto out = std::make_shared<message>();
    out->message_id = id;
    out->parts.push_back(text_part(std::string(bytes, 'x')));
    return task_message{std::move(out)};
  };
  auto record = plain_task();
  record.history.push_back(large(history_bytes_max / 2, "created with it").message);
  apply(record, about_lone("task-1", "c", 1, large(history_bytes_max / 4, "second")));
  CHECK(record.history.size() == 2);
  apply(record, about_lone("task-1", "c", 2, large(history_bytes_max / 4, "third")));
  REQUIRE(record.history.size() == 2);
  CHECK(record.history.front()->message_id == "second");
  apply(record, about_lone("task-1", "c", 3, large(history_bytes_max + 1, "last")));
  REQUIRE(record.history.size() == 1);
  CHECK(record.history.front()->message_id == "last");
  apply(record, about_lone("task-1", "c", 4, task_message{say("small")}));
  CHECK(record.history.size() == 1);
  CHECK(record.history_bytes == bytes_of(*record.history.front()));
}

TEST_CASE("An artifact is added, replaced by its id, or grows by parts", "[fold]") {
  auto record = plain_task();
  const auto first = output("a", "one");
  apply(record, about_lone("task-1", "c", 1, task_artifact{first, false, false}));
  apply(record, about_lone("task-1", "c", 2, task_artifact{output("a", "two"), true, false}));
  apply(record, about_lone("task-1", "c", 3, task_artifact{output("b", "other"), true, true}));
  REQUIRE(record.artifacts.size() == 2);
  CHECK(record.artifacts[0]->parts == std::vector{text_part("onetwo")});
  CHECK(text_of(first->parts) == "one"); // What others hold does not change.
  CHECK(text_of(record.artifacts[1]->parts) == "other");
  apply(record, about_lone("task-1", "c", 4, task_artifact{output("a", "anew"), false, false}));
  REQUIRE(record.artifacts.size() == 2);
  CHECK(text_of(record.artifacts[0]->parts) == "anew");
}

TEST_CASE("However many chunks a text comes in, it is one part; what differs in more than its text "
          "is one of its own",
          "[fold]") {
  auto record = plain_task();
  for (int i = 0; i < 60'000; ++i)
    apply(record, about_lone("task-1", "c", 1, task_artifact{output("a", "x"), i > 0, false}));
  REQUIRE(record.artifacts.size() == 1);
  CHECK(record.artifacts[0]->parts == std::vector{text_part(std::string(60'000, 'x'))});

  const auto append = [&](part next) {
    auto chunk = std::make_shared<artifact>();
    chunk->artifact_id = "b";
    chunk->parts.push_back(std::move(next));
    apply(record, about_lone("task-1", "c", 1, task_artifact{std::move(chunk), true, false}));
  };
  std::vector<part> all(6, text_part("1"));
  all[1].media_type = "text/markdown";
  all[2].filename = "a.txt";
  all[3].metadata["k"] = 1;
  all[4] = data_part("1");
  for (const auto& each : all)
    append(each);
  CHECK(record.artifacts[1]->parts == all);
  append(text_part("2"));
  CHECK(record.artifacts[1]->parts.size() == 6);
  CHECK(record.artifacts[1]->parts.back() == text_part("12"));
}

TEST_CASE("An artifact that is being read is copied before it grows", "[fold]") {
  auto record = plain_task();
  apply(record, about_lone("task-1", "c", 1, task_artifact{output("a", "one"), false, false}));
  apply(record, about_lone("task-1", "c", 2, task_artifact{output("a", "two"), true, false}));
  const auto read = record.artifacts[0];
  apply(record, about_lone("task-1", "c", 3, task_artifact{output("a", "three"), true, false}));
  CHECK(text_of(read->parts) == "onetwo");
  CHECK(text_of(record.artifacts[0]->parts) == "onetwothree");
}

TEST_CASE("Null messages and artifacts change nothing", "[fold]") {
  auto record = plain_task();
  apply(record,
        about_lone("task-1", "c", 1, task_message{nullptr}, task_artifact{nullptr, true, false}));
  CHECK(record.history.empty());
  CHECK(record.artifacts.empty());
}

TEST_CASE("An objective begins as written, submitted, with pending tasks", "[fold]") {
  const board made;
  CHECK(made.view.id.str() == "o");
  CHECK(made.view.name == "objective o");
  CHECK(made.view.state == objective_state::submitted);
  CHECK(made.view.root_task.str() == "root");
  CHECK(made.view.revision == 0);
  CHECK(made.view.created == at_ms(1));
  REQUIRE(made.view.plans.size() == 2);
  CHECK(made.view.plans[1].tasks.size() == 2);
  CHECK(made.view.plans[1].tasks[1].state == task_state::unspecified);
  CHECK(made.view.plans[1].created == at_ms(1));
}

TEST_CASE("Edits change what they name and the revision", "[fold]") {
  board made;
  apply(made.view, about("o", 2, objective_edited{"new name", ""}));
  CHECK(made.view.name == "new name");
  CHECK(made.view.description == "for a test");
  CHECK(made.view.revision == 1);
  apply(made.view, about("o", 3, plan_added{make_plan(made.spec->id, 2, 3)}));
  CHECK(made.view.plans.size() == 3);
  CHECK(made.view.plans[2].tasks.size() == 3);
  CHECK(made.view.revision == 2);
  CHECK(made.view.updated == at_ms(3));
}

TEST_CASE("M21_revision: a plan has the revision of its own last change", "[fold]") {
  board made;
  const auto revisions = [&] {
    std::vector<std::uint64_t> out;
    for (const auto& plan : made.view.plans)
      out.push_back(plan.revision);
    return out;
  };
  using numbers = std::vector<std::uint64_t>;
  apply(made.view, about("o", 2, plan_edited{1, {.name = "new"}}));
  CHECK(revisions() == numbers{0, 1});
  apply(made.view, about("o", 3, objective_edited{{.name = "n"}}));
  apply(made.view, about("o", 4, plan_added{make_plan(made.spec->id, 2, 1)}));
  CHECK(revisions() == numbers{0, 1, 3});
  apply(made.view, about("o", 5, tasks_renewed{0, {0}}));
  apply(made.view, about("o", 6, plan_changed{1, {add_task{}}, "", "", 5}));
  CHECK(revisions() == numbers{4, 5, 3});
  CHECK(made.view.revision == 5);
  apply(made.view, about("o", 7, plan_moved{0, plan_event::work, ""}));
  CHECK(revisions() == numbers{4, 5, 3});
}

TEST_CASE("Objective and plans move with a reason", "[fold]") {
  board made;
  apply(made.view, about("o", 2, objective_moved{objective_event::work, "started"},
                         plan_moved{1, plan_event::work, ""},
                         plan_moved{1, plan_event::fail, "task-0 failed"}));
  CHECK(made.view.state == objective_state::working);
  CHECK(made.view.reason == "started");
  CHECK(made.view.plans[1].state == plan_state::failed);
  CHECK(made.view.plans[1].reason == "task-0 failed");
  CHECK(made.view.plans[1].updated == at_ms(2));
  CHECK(made.view.plans[0].updated == at_ms(1));
  CHECK(made.view.revision == 0);
}

TEST_CASE(
    "In every state, each event moves an objective and a plan by the table, or changes nothing",
    "[fold]") {
  for (std::size_t from = 0; from < objective_state_count; ++from)
    for (std::size_t on = 0; on < objective_event_count; ++on) {
      board made;
      made.view.state = static_cast<objective_state>(from);
      const objective_moved moved{static_cast<objective_event>(on), "why"};
      apply(made.view, about("o", 2, moved));
      const auto next = next_state(static_cast<objective_state>(from), moved.on);
      CHECK(made.view.state == next.value_or(static_cast<objective_state>(from)));
      CHECK(made.view.reason == (next ? "why" : ""));
      CHECK(made.view.updated == at_ms(next ? 2 : 1));
    }
  for (std::size_t from = 0; from < plan_state_count; ++from)
    for (std::size_t on = 0; on < plan_event_count; ++on) {
      board made;
      auto& plan = made.view.plans.edit(0);
      plan.state = static_cast<plan_state>(from);
      const plan_moved moved{0, static_cast<plan_event>(on), "why"};
      apply(plan, about("o", 2), moved);
      const auto next = next_state(static_cast<plan_state>(from), moved.on);
      CHECK(plan.state == next.value_or(static_cast<plan_state>(from)));
      CHECK(plan.reason == (next ? "why" : ""));
      CHECK(plan.updated == at_ms(next ? 2 : 1));
    }
}

TEST_CASE("A plan that was skipped by request is marked until it moves again", "[fold]") {
  board made;
  apply(made.view, about("o", 2, plan_moved{0, plan_event::skip, "", true},
                         plan_moved{1, plan_event::skip, ""}));
  CHECK(made.view.plans[0].skip_requested);
  CHECK_FALSE(made.view.plans[1].skip_requested);
  apply(made.view, about("o", 3, plan_moved{0, plan_event::retry, ""}));
  CHECK_FALSE(made.view.plans[0].skip_requested);
}

TEST_CASE("An objective that is blocked remembers that its plans are started one by one",
          "[fold]") {
  board made;
  apply(made.view, about("o", 2, objective_moved{objective_event::start_planning, ""},
                         objective_moved{objective_event::block, ""}));
  CHECK(made.view.planning);
  apply(made.view, about("o", 3, objective_moved{objective_event::work, ""},
                         objective_moved{objective_event::block, ""}));
  CHECK_FALSE(made.view.planning);
}

TEST_CASE(
    "A plan that was added to begin is known as such until it has, or the objective has settled",
    "[fold]") {
  board made;
  for (std::uint32_t index = 2; index < 5; ++index)
    apply(made.view, about("o", index, plan_added{make_plan(made.spec->id, index, 1), index != 4}));
  apply(made.view,
        about("o", 5, plan_moved{2, plan_event::work, ""}, plan_moved{3, plan_event::skip, ""}));
  CHECK_FALSE(made.view.plans[2].start_requested);
  CHECK(made.view.plans[3].start_requested);
  CHECK_FALSE(made.view.plans[4].start_requested);
  apply(made.view, about("o", 6, objective_moved{objective_event::work, ""},
                         objective_moved{objective_event::fail, ""}));
  CHECK_FALSE(made.view.plans[3].start_requested);
}

TEST_CASE("A slot follows its task", "[fold]") {
  board made;
  apply(made.view, about_task(*made.spec, 1, 0, 2, born(*made.spec, 1, 0, 2)));
  const auto& slot = made.view.plans[1].tasks[0];
  CHECK(slot.state == task_state::submitted);
  apply(made.view, about_task(*made.spec, 1, 0, 3, moved(task_state::working, 2),
                              task_artifact{output("a", "x"), false, true}));
  CHECK(slot.state == task_state::working);
  CHECK(slot.attempt == 2);
  CHECK(slot.has_artifacts);
  CHECK(made.view.plans[1].updated == at_ms(3));
  CHECK(made.view.plans[1].tasks[1].state == task_state::unspecified);
  CHECK(made.view.plans[0].tasks[0].state == task_state::unspecified);
}

TEST_CASE("A question is pending while its task waits, under every state that ends the wait",
          "[fold]") {
  const auto to = GENERATE(task_state::working, task_state::completed, task_state::failed,
                           task_state::canceled);
  const auto asks = GENERATE(task_state::input_required, task_state::auth_required);
  board made;
  apply(made.view, about_task(*made.spec, 0, 1, 2, moved(asks, 1, say("which city?"))));
  REQUIRE(made.view.pending_inputs.size() == 1);
  CHECK(made.view.pending_inputs[0].task == made.spec->plans[0]->tasks[1].id);
  CHECK(made.view.pending_inputs[0].prompt == "which city?");
  CHECK(made.view.pending_inputs[0].since == at_ms(2));
  apply(made.view,
        about_task(*made.spec, 0, 0, 3, moved(task_state::input_required, 1, say("when?"))));
  CHECK(made.view.pending_inputs.size() == 2);
  apply(made.view, about_task(*made.spec, 0, 1, 4, moved(to)));
  REQUIRE(made.view.pending_inputs.size() == 1);
  CHECK(made.view.pending_inputs[0].prompt == "when?");
}

TEST_CASE("A question that is asked again replaces the one before", "[fold]") {
  board made;
  apply(made.view,
        about_task(*made.spec, 0, 0, 2, moved(task_state::input_required, 1, say("first"))));
  apply(made.view,
        about_task(*made.spec, 0, 0, 3, moved(task_state::input_required, 1, say("second"))));
  REQUIRE(made.view.pending_inputs.size() == 1);
  CHECK(made.view.pending_inputs[0].prompt == "second");
}

TEST_CASE("Withdrawn tasks end without an attempt; renewed ones are pending in the next generation",
          "[fold]") {
  board made;
  apply(made.view, about("o", 2, tasks_withdrawn{0, {0, 1}, task_state::canceled, "not needed"}));
  CHECK(made.view.plans[0].tasks[0].state == task_state::canceled);
  CHECK(made.view.plans[0].tasks[1].state == task_state::canceled);
  CHECK(made.view.revision == 0);
  apply(made.view, about_task(*made.spec, 1, 0, 3, moved(task_state::failed, 4),
                              task_artifact{output("a", "x"), false, true}));
  apply(made.view, about("o", 4, tasks_renewed{1, {0}}));
  const auto& slot = made.view.plans[1].tasks[0];
  CHECK(slot.state == task_state::unspecified);
  CHECK(slot.generation == 1);
  CHECK(slot.attempt == 0);
  CHECK_FALSE(slot.has_artifacts);
  CHECK(made.view.plans[1].task_at(0).str() == "o.p1.t0.r1");
  CHECK(made.view.revision == 1);
}

TEST_CASE("A pause holds until it is taken back or what is paused has settled", "[fold]") {
  board made;
  apply(made.view, about("o", 2, plan_moved{0, plan_event::work, ""},
                         plan_moved{0, plan_event::fail, ""}, pause_changed{true}));
  CHECK(made.view.paused);
  CHECK_FALSE(made.view.plans[0].paused);
  CHECK(made.view.plans[1].paused);
  CHECK(made.view.revision == 0);
  apply(made.view, about("o", 3, pause_changed{false, 1}));
  CHECK(made.view.paused);
  CHECK_FALSE(made.view.plans[1].paused);
  apply(made.view, about("o", 4, pause_changed{true, 1}, plan_moved{1, plan_event::skip, ""}));
  CHECK_FALSE(made.view.plans[1].paused);
  apply(made.view, about("o", 5, objective_moved{objective_event::work, ""},
                         objective_moved{objective_event::fail, ""}));
  CHECK_FALSE(made.view.paused);
}

TEST_CASE("A requested end stays in the view until the objective ends", "[fold]") {
  board made;
  apply(made.view, about("o", 2, objective_closing{objective_state::canceled, "by request"}));
  CHECK(made.view.closing == objective_state::canceled);
  CHECK(made.view.closing_reason == "by request");
  apply(made.view, about("o", 3, objective_moved{objective_event::work, ""}));
  CHECK(made.view.closing == objective_state::canceled);
  apply(made.view, about("o", 4, objective_moved{objective_event::cancel, ""}));
  CHECK_FALSE(made.view.closing);
  CHECK(made.view.closing_reason.empty());
}

TEST_CASE("Facts that point outside change nothing and do no harm", "[fold]") {
  board made;
  auto stray = about_task(*made.spec, 1, 1, 9, moved(task_state::input_required, 1, say("?")));
  stray.task.plan_index = 7;
  apply(made.view, stray);
  stray.task.plan_index = 1;
  stray.task.task_index = 2;
  apply(made.view, stray);
  apply(made.view,
        about("o", 9, plan_moved{2, plan_event::work, ""}, plan_moved{2, plan_event::fail, ""},
              tasks_withdrawn{9, {0}, task_state::canceled, ""}, tasks_renewed{9, {0}},
              plan_added{nullptr}, pause_changed{true, 9}));
  apply(made.view, about("o", 9, tasks_withdrawn{0, {2, 4'000'000'000}, task_state::canceled, ""}));
  CHECK(made.view.pending_inputs.empty());
  CHECK(made.view.plans.size() == 2);
  for (const auto& plan : made.view.plans)
    for (const auto& slot : plan.tasks)
      CHECK(slot.state == task_state::unspecified);
}

TEST_CASE("A change says what it creates and whether it ends its task", "[fold]") {
  const auto spec = make_objective("o", {1});
  CHECK(created_objective(about("o", 1, objective_created{spec, {}})));
  CHECK_FALSE(created_objective(about("o", 1, objective_edited{})));
  CHECK(created_record(about_lone("t", "c", 1, born_lone("t", "c", 1))));
  CHECK_FALSE(created_record(about_lone("t", "c", 1, task_created{nullptr})));
  CHECK_FALSE(created_record(about("c", 1)));
  CHECK(
      ends_task(about_lone("t", "c", 1, moved(task_state::working), moved(task_state::rejected))));
  CHECK(ends_task(about_lone("t", "c", 1, moved(task_state::completed), task_message{say("x")})));
  CHECK_FALSE(ends_task(about_lone("t", "c", 1, moved(task_state::working))));
  CHECK_FALSE(ends_task(about_lone("t", "c", 1, task_message{say("x")})));
}

TEST_CASE("A question is open from its event until one of its ends or the next move", "[fold]") {
  auto record = plain_task();
  const auto asked = std::make_shared<const question>(question{
      .id = "question-1", .prompt = "which?", .key = {}, .form = {}, .data = {}, .deadline = {}});
  const auto ask = [&](std::int64_t at) {
    apply(record, about_lone("task-1", "c", at, moved(task_state::working), question_opened{asked},
                             moved(task_state::input_required, 1, say("which?"))));
    REQUIRE(record.question);
  };
  ask(1);
  CHECK(record.questions == 1);
  apply(record, about_lone("task-1", "c", 2, question_answered{"question-2"}));
  CHECK(record.question); // not this one
  apply(record,
        about_lone("task-1", "c", 2, question_answered{"question-1"}, moved(task_state::working)));
  CHECK_FALSE(record.question);
  ask(3);
  apply(record, about_lone("task-1", "c", 4, question_withdrawn{"question-1", "found"}));
  CHECK_FALSE(record.question);
  ask(5);
  apply(record, about_lone("task-1", "c", 6, moved(task_state::failed)));
  CHECK_FALSE(record.question);
}

TEST_CASE("A record keeps its newest phases, and counts those that are gone", "[fold]") {
  auto record = plain_task();
  std::int64_t now = 1;
  apply(record, about_lone("task-1", "c", now, moved(task_state::working)));
  for (std::size_t i = 0; i < task_spans_max; ++i) {
    apply(record, about_lone("task-1", "c", ++now,
                             moved(task_state::input_required, 1, say(std::string(1'000, 'x')))));
    apply(record, about_lone("task-1", "c", ++now, moved(task_state::working)));
  }
  CHECK(record.details->spans.size() == task_spans_max);
  CHECK(record.details->spans_dropped == task_spans_max);
  CHECK(record.details->spans.back().phase == task_phase::question);
  CHECK(record.details->spans.back().reason == "answered");
  CHECK(record.details->spans[task_spans_max - 2].reason.size() == span_reason_bytes_max);
  CHECK(record.since == at_ms(now));
}

TEST_CASE("A record says which attempts a restart has interrupted", "[fold]") {
  auto record = plain_task();
  apply(record, about_lone("task-1", "c", 1, moved(task_state::working)));
  apply(record, about_lone("task-1", "c", 5, moved(task_state::working, 2)));
  apply(record, about_lone("task-1", "c", 6, moved(task_state::input_required, 2, say("which?")),
                           question_opened{std::make_shared<question>()}));
  apply(record, about_lone("task-1", "c", 7, moved(task_state::working, 2)));
  auto fails = moved(task_state::working, 2, say("no; the next one in 1 s"));
  fails.failures = 1;
  apply(record, about_lone("task-1", "c", 9, fails));
  CHECK(record.details->spans
        == std::vector<task_span>{
            {task_phase::running, 1, at_ms(1), at_ms(5), std::string{interrupted_reason}},
            {task_phase::running, 2, at_ms(5), at_ms(6), "which?"},
            {task_phase::question, 2, at_ms(6), at_ms(7), "answered"},
            {task_phase::running, 2, at_ms(7), at_ms(9), "no; the next one in 1 s"}});
}

TEST_CASE("A note lasts as long as its attempt, and who took it is the latest", "[fold]") {
  auto record = plain_task();
  auto taken = moved(task_state::working);
  taken.taken_by = "worker 7";
  apply(record, about_lone("task-1", "c", 1, taken, task_noted{"job 7"}));
  CHECK(record.details->note == "job 7");
  CHECK(record.details->taken_by == "worker 7");
  apply(record, about_lone("task-1", "c", 2, moved(task_state::input_required),
                           moved(task_state::working)));
  CHECK(record.details->note == "job 7");
  CHECK(record.details->taken_by == "worker 7");
  apply(record, about_lone("task-1", "c", 3, moved(task_state::working, 2)));
  CHECK(record.details->note.empty());
  CHECK(record.details->taken_by.empty());
}

TEST_CASE("A record keeps the last questions that were closed, and one that is asked again is open",
          "[fold][question]") {
  auto record = plain_task();
  const auto ask = [&](std::uint32_t number, std::size_t bytes) {
    question asked;
    asked.id = make_question_id(number);
    asked.prompt.assign(bytes, 'x');
    apply(record, about_lone("task-1", "c", number, moved(task_state::working),
                             question_opened{std::make_shared<const question>(asked)},
                             moved(task_state::input_required, 1, say("x"))));
  };
  const auto close = [&](std::uint32_t number) {
    apply(record, about_lone("task-1", "c", number,
                             question_answered{make_question_id(number), "anna", "m"},
                             moved(task_state::working)));
  };
  ask(1, 3);
  close(1);
  const auto* closed = find_closed(record, "question-1");
  REQUIRE(closed);
  CHECK(closed->state == question_state::answered);
  CHECK(closed->by == "anna");
  CHECK(closed->message == "m");
  CHECK(closed->asked.prompt == "xxx");
  ask(1, 3);
  CHECK(record.questions == 1);
  CHECK_FALSE(find_closed(record, "question-1"));
  close(1);
  SECTION("so many") {
    for (std::uint32_t number = 2; number <= closed_questions_max + 5; ++number) {
      ask(number, 3);
      close(number);
    }
    CHECK(record.closed->size() == closed_questions_max);
    CHECK(record.closed->front().asked.id == "question-6");
  }
  SECTION("of so many bytes, and always the last one") {
    ask(2, 2 * closed_questions_bytes_max);
    close(2);
    CHECK(record.closed->size() == 1);
    ask(3, closed_questions_bytes_max / 2);
    close(3);
    ask(4, closed_questions_bytes_max / 4);
    close(4);
    CHECK(record.closed->size() == 2);
    CHECK(record.closed->front().asked.id == "question-3");
  }
}

TEST_CASE("The id of a question is that of its task and its own", "[question]") {
  const auto read = question_address_from("a.p0.t1.question-12");
  REQUIRE(read);
  CHECK(read->task == task_id{"a.p0.t1"});
  CHECK(read->question == "question-12");
  CHECK(read->str() == "a.p0.t1.question-12");
  for (const auto* text : {"", "question-1", ".question-1", "a.question-", "a.question-1x", "a.b",
                           "a.question", "a.question-1."})
    CHECK_FALSE(question_address_from(text));
}

namespace {

/// A life with an open question of that id, asked at 1 s.
task_life asking(const std::string& id, std::chrono::milliseconds remind_after) {
  task_life life;
  life.status.state = task_state::input_required;
  question asked;
  asked.id = id;
  asked.opened = timestamp{std::chrono::seconds{1}};
  asked.remind_after = remind_after;
  if (remind_after.count() > 0)
    asked.remind_at = asked.opened + remind_after;
  life.question = asked;
  return life;
}

} // namespace

TEST_CASE("Q11_claims: a claim belongs to the question that is open, and ends with it",
          "[protocol][fold]") {
  auto life = asking("question-1", std::chrono::milliseconds{0});
  const timestamp now{std::chrono::seconds{2}};
  const input_claim anna{"anna", now + std::chrono::minutes{5}};
  apply(life, now, question_claimed{"question-2", anna});
  CHECK_FALSE(life.question->claim);
  apply(life, now, question_claimed{"question-1", anna});
  CHECK(life.question->claim == anna);
  REQUIRE(live_claim(life.question.get(), now) != nullptr);
  CHECK(live_claim(life.question.get(), anna.until) == nullptr);
  SECTION("released") {
    apply(life, now, question_released{"question-1", "anna"});
    CHECK_FALSE(life.question->claim);
  }
  SECTION("answered") {
    apply(life, now, question_answered{"question-1", "anna"});
    REQUIRE(find_closed(life, "question-1") != nullptr);
    CHECK_FALSE(find_closed(life, "question-1")->asked.claim);
  }
}

TEST_CASE("Q12_reminders: each reminder says when the next one is due, up to the last",
          "[protocol][fold]") {
  auto life = asking("question-1", std::chrono::seconds{10});
  const timestamp now{std::chrono::seconds{11}};
  CHECK(next_due(life.question.get()) == now);
  apply(life, now, question_reminded{"question-2", nullptr});
  CHECK(life.question->reminders == 0);
  apply(life, now, question_reminded{"question-1", nullptr});
  CHECK(life.question->reminders == 1);
  CHECK(life.question->remind_at == now + std::chrono::seconds{10});
  life.question.edit().deadline = now + std::chrono::seconds{5};
  CHECK(next_due(life.question.get()) == now + std::chrono::seconds{5});
  apply(
      life, now,
      question_reminded{"question-1", nullptr, task_state::input_required, question_reminders_max});
  CHECK_FALSE(life.question->remind_at);
  apply(life, now, question_expired{"question-1"});
  CHECK(find_closed(life, "question-1")->asked.reminders == question_reminders_max);
}
