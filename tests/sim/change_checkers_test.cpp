// The checkers of changes, questions, progress and deadlines: right histories pass, and each wrong
// one is refused.
#include "tests/support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

#include "sim/checkers/checkers.hpp"
#include "sim/checkers/deadline_time.hpp"

using namespace troupe::sim;

namespace {

bool says(const verdict& found, std::string_view text) {
  return found && found->find(text) != std::string::npos;
}

/// A change of plan o.p that was acknowledged as this revision; 0: it was refused.
call changed(const std::string& reason, std::uint64_t revision) {
  call out;
  out.client = "c";
  out.kind = call_kind::change;
  out.objective = "o";
  out.began = 1;
  out.ended = 2;
  out.tries = 1;
  out.change.emplace();
  out.change->target = "o.p";
  out.change->is_of_plan = true;
  out.change->reason = reason;
  if (revision != 0)
    out.change->revision = revision;
  else
    out.error = -32602;
  return out;
}

shown_plan plan_of(std::string state, std::vector<shown_task> tasks) {
  shown_plan out;
  out.id = "o.p";
  out.name = "p";
  out.state = std::move(state);
  out.tasks = std::move(tasks);
  return out;
}

shown_objective objective_of(std::string state, std::vector<shown_plan> plans) {
  shown_objective out;
  out.id = "o";
  out.state = std::move(state);
  out.plans = std::move(plans);
  return out;
}

/// Two changes, one and two.
history revised() {
  history out;
  out.ends = {objective_of("completed", {plan_of("completed", {})})};
  out.ends[0].revision = out.ends[0].plans[0].revision = 2;
  out.revisions["o"] = out.revisions["o.p"] = {{2, "two", {}}, {1, "one", {}}};
  out.calls = {changed("one", 1), changed("two", 2)};
  out.calls[1].change->if_revision = 1;
  return out;
}

} // namespace

TEST_CASE("revisions have no gap, and acknowledged changes are in the history once",
          "[sim][checkers]") {
  CHECK(check_revisions(revised()).value_or("") == "");
  auto gap = revised();
  gap.revisions["o"].pop_back();
  CHECK(says(check_revisions(gap), "ends above revision 1"));
  gap.revisions["o"].front().revision = 3;
  CHECK(says(check_revisions(gap), "should have 2"));
  auto lost = revised();
  lost.calls.push_back(changed("three", 3));
  CHECK(says(check_revisions(lost), "is not in the history"));
  lost.calls.back().ended = 0;
  CHECK_FALSE(check_revisions(lost)); // It may not have been made.
  lost.calls.back() = changed("one", 0);
  lost.calls[0] = changed("one", 0);
  CHECK(says(check_revisions(lost), "was refused"));
  auto other = revised();
  other.calls[0].change->revision = 2;
  CHECK(says(check_revisions(other), "acknowledged as revision 2, and is revision 1"));
  auto twice = revised();
  twice.revisions["o"][0].reason = twice.revisions["o.p"][0].reason = "one";
  CHECK(says(check_revisions(twice), "was made 2 times"));
  auto of_plan = revised();
  of_plan.revisions["o.p"].front().revision = 1;
  CHECK(check_revisions(of_plan));
}

TEST_CASE("a change is made on the revision that it is for, and once for its request id",
          "[sim][checkers]") {
  auto stale = revised();
  stale.calls[1].change->if_revision = 0;
  CHECK(says(check_revisions(stale), "was made on revision 1, and was for revision 0"));
  auto again = revised();
  again.calls[0].change->request_id = "r";
  again.calls.push_back(again.calls[0]);
  CHECK_FALSE(check_revisions(again));
  again.calls[1].change->request_id = "r";
  CHECK(says(check_revisions(again), "both were acknowledged"));
  again.has_clock_jumps = true;
  CHECK_FALSE(check_revisions(again)); // The id may be forgotten.
  auto tried = revised();
  tried.calls[1].change->is_dry_run = true;
  CHECK(says(check_revisions(tried), "only tried"));
}

namespace {

constexpr auto question = "t.question-1";

question_fact fact(question_turn kind, std::int64_t at, std::string by = {},
                   std::int64_t until = 0) {
  question_fact out;
  out.kind = kind;
  out.at = at;
  out.by = std::move(by);
  out.until = until;
  return out;
}

call answered(const std::string& by, const std::string& value) {
  call out;
  out.client = by;
  out.kind = call_kind::answer_input;
  out.began = 1;
  out.ended = 2;
  out.input.emplace();
  out.input->question = question;
  out.input->by = out.input->shown_by = by;
  out.input->value = out.input->shown_value = value;
  out.input->shown_state = "answered";
  return out;
}

call refused(const std::string& by, const std::string& winner) {
  auto out = answered(by, "late");
  out.error = -32602;
  out.refusal = "ALREADY_ANSWERED";
  out.input->shown_by = winner;
  return out;
}

/// A question that anna has answered.
history asked(std::vector<call> calls) {
  history out;
  out.rest.emplace();
  out.questions[question] = {fact(question_turn::opened, 1),
                             fact(question_turn::answered, 5, "anna")};
  out.calls = std::move(calls);
  return out;
}

history claimed(std::vector<question_fact> facts) {
  history out;
  out.rest.emplace();
  out.questions[question] = std::move(facts);
  return out;
}

} // namespace

TEST_CASE("one answer wins, and the others are told who gave it", "[sim][checkers]") {
  CHECK_FALSE(check_answers(asked({answered("anna", "x"), refused("ben", "anna")})));
  CHECK(says(check_answers(asked({answered("anna", "x"), answered("anna", "y")})), "two answers"));
  CHECK(says(check_answers(asked({answered("ben", "x")})), "the answer is of anna"));
  CHECK(says(check_answers(asked({refused("ben", "carl")})), "carl had won"));
  auto other = asked({answered("anna", "x")});
  other.calls[0].input->shown_value = "y";
  CHECK(says(check_answers(other), "it shows y"));
  other.questions.clear();
  CHECK(says(check_answers(other), "it shows no answer"));
  auto twice = asked({});
  twice.questions[question].push_back(fact(question_turn::answered, 6, "ben"));
  CHECK(says(check_answers(twice), "that was not its end"));
  CHECK(check_answers(claimed({fact(question_turn::answered, 2, "anna")}))); // It was not asked.
}

TEST_CASE("one message answers all its questions, or none", "[sim][checkers]") {
  const auto told = [](int error, std::vector<std::string> by) {
    history out;
    out.rest.emplace();
    call made;
    made.kind = call_kind::answer_together;
    made.message_id = "m";
    made.questions = {"o.p.t0.question-1", "o.p.t1.question-1"};
    made.began = 1;
    made.ended = 2;
    made.tries = 1;
    made.error = error;
    for (std::size_t i = 0; i < by.size(); ++i) {
      auto& facts = out.questions[made.questions[i]];
      facts = {fact(question_turn::opened, 1), fact(question_turn::answered, 2, "c")};
      facts.back().message = by[i];
    }
    out.calls = {made};
    return out;
  };
  CHECK_FALSE(check_answers(told(0, {"m", "m"})));
  CHECK_FALSE(check_answers(told(-32602, {"other"})));
  CHECK(says(check_answers(told(0, {"m", "other"})), "1 of them"));
  CHECK(says(check_answers(told(0, {})), "0 of them"));
  CHECK(says(check_answers(told(-32602, {"m"})), "was refused"));
  auto again = told(-32602, {"m"});
  again.calls[0].tries = 2; // The first one may have been taken.
  CHECK_FALSE(check_answers(again));
}

TEST_CASE("an alternative begins once the plan has failed for which it stands", "[sim][checkers]") {
  const auto begun = [](std::vector<objective_fact> before) {
    history out;
    ordered_objective made;
    made.id = "o";
    made.plans = {{"p", 0, {}}, {"q", 0, {}}, {"r", 0, {}}};
    made.plans[0].alternatives = {"q"};
    out.objectives = {made};
    auto& facts = out.facts["o"];
    for (std::uint32_t i = 0; i < 3; ++i)
      facts.push_back({fact_kind::plan_added, 0, i, 0, 0, made.plans[i].name});
    facts.insert(facts.end(), before.begin(), before.end());
    facts.push_back({fact_kind::task_begun, 0, before.empty() ? 1U : before.back().plan});
    return out;
  };
  const auto moved = [](std::uint32_t plan, std::string state) {
    return objective_fact{fact_kind::plan_moved, 0, plan, 0, 0, std::move(state)};
  };
  CHECK(says(check_plans(begun({})), "had not failed"));
  CHECK(says(check_plans(begun({moved(0, "completed"), moved(1, "working")})), "had not failed"));
  CHECK_FALSE(check_plans(begun({moved(0, "failed"), moved(1, "working")})));
  CHECK_FALSE(check_plans(begun({moved(0, "failed"), moved(0, "working"), moved(1, "working")})));
  objective_fact after{fact_kind::plan_after, 0, 2};
  after.others = {0};
  CHECK(check_plans(begun({moved(0, "failed"), after, moved(2, "working")})));
  CHECK_FALSE(
      check_plans(begun({moved(0, "failed"), moved(1, "completed"), after, moved(2, "working")})));
}

TEST_CASE("what still stops does not count once its plan is tried again", "[sim][checkers]") {
  const auto ran_together = [](const std::vector<std::string>& states) {
    history out;
    ordered_objective made;
    made.id = "o";
    made.plans = {{"p", 1, {{"a", {}}}}};
    out.objectives = {made};
    for (const auto& state : states)
      out.facts["o"].push_back({fact_kind::plan_moved, 0, 0, 0, 0, state});
    for (const moment began : {1U, 2U}) {
      attempt one;
      one.task = "o.p0.t0";
      one.name = "a";
      one.began = began;
      one.ended = 5;
      out.attempts.push_back(one);
    }
    return out;
  };
  CHECK(says(check_plans(ran_together({"working"})), "its maxParallel is 1"));
  CHECK(says(check_plans(ran_together({"working", "failed"})), "its maxParallel is 1"));
  CHECK_FALSE(check_plans(ran_together({"working", "failed", "working"})));
}

TEST_CASE("what still stops does not count once a try began that a crash took back",
          "[sim][checkers]") {
  history lost;
  ordered_objective made;
  made.id = "o";
  made.parallel_max = 1;
  made.plans = {{"p", 1, {{"a", {}}}}};
  lost.objectives = {made};
  lost.facts["o"] = {{fact_kind::plan_moved, 0, 0, 0, 0, "failed"}};
  const auto add_attempt = [](history& to, moment began) {
    attempt one;
    one.task = "o.p0.t0";
    one.name = "a";
    one.began = began;
    one.ended = 8;
    to.attempts.push_back(one);
  };
  add_attempt(lost, 1);
  add_attempt(lost, 5);
  call again;
  again.kind = call_kind::move;
  again.objective = "o";
  again.began = 4;
  lost.calls = {again};
  lost.crashes = {9};
  const auto with = [&](auto change) {
    auto out = lost;
    change(out);
    return out;
  };
  CHECK_FALSE(check_plans(lost));
  CHECK_FALSE(check_plans(with([](history& of) { of.calls[0].ended = 10; })));
  CHECK_FALSE(check_plans(with([](history& of) {
    of.calls[0].kind = call_kind::change;
    of.calls[0].change = asked_change{};
  })));

  const auto is_refused = [&](auto change) {
    return says(check_plans(with(change)), "its maxParallel is 1");
  };
  CHECK(is_refused([](history& of) { of.calls.clear(); }));
  CHECK(is_refused([](history& of) { of.crashes.clear(); }));
  CHECK(is_refused([](history& of) { of.crashes = {3, 5}; }));
  CHECK(is_refused([](history& of) { of.calls[0].ended = 6; }));
  CHECK(is_refused([](history& of) { of.calls[0].began = 6; }));
  CHECK(is_refused([](history& of) { of.calls[0].objective = "another"; }));
  CHECK(is_refused([](history& of) { of.calls[0].kind = call_kind::read; }));
  CHECK(is_refused([](history& of) {
    of.calls[0].kind = call_kind::change;
    of.calls[0].change = asked_change{};
    of.calls[0].change->is_dry_run = true;
  }));
  CHECK(is_refused([&](history& of) { add_attempt(of, 2); }));
}

TEST_CASE("a claim is kept to until it ends", "[sim][checkers]") {
  const auto opened = fact(question_turn::opened, 1);
  const auto by_anna = fact(question_turn::claimed, 2, "anna", 10);
  CHECK_FALSE(check_answers(claimed({opened, by_anna, fact(question_turn::answered, 3, "anna")})));
  CHECK_FALSE(check_answers(claimed({opened, by_anna, fact(question_turn::answered, 10, "ben")})));
  CHECK_FALSE(check_answers(claimed({opened, by_anna, fact(question_turn::released, 3, "anna"),
                                     fact(question_turn::answered, 4, "ben")})));
  CHECK_FALSE(check_answers(claimed({opened, by_anna, fact(question_turn::expired, 3), opened})));
  auto taken = claimed({opened, by_anna, fact(question_turn::answered, 3, "ben")});
  CHECK(says(check_answers(taken), "claimed by anna"));
  CHECK(check_answers(claimed({opened, by_anna, fact(question_turn::claimed, 3, "ben", 20)})));
  CHECK(check_answers(claimed({opened, by_anna, opened, fact(question_turn::released, 3, "ben")})));
  taken.calls = {answered("ben", "x")};
  taken.calls[0].input->overrides = true;
  CHECK_FALSE(check_answers(taken));
}

TEST_CASE("states of objectives and plans agree with their tasks", "[sim][checkers]") {
  const auto ended = [](std::string objective, std::string plan, std::string task) {
    history out;
    out.ends = {objective_of(std::move(objective),
                             {plan_of(std::move(plan), {{"o.p.t0", "t0", std::move(task), 0}})})};
    return out;
  };
  CHECK_FALSE(check_parents(ended("completed", "completed", "completed")));
  CHECK_FALSE(check_parents(ended("completed", "completed", "skipped")));
  CHECK_FALSE(check_parents(ended("canceled", "skipped", "pending")));
  CHECK_FALSE(check_parents(ended("failed", "failed", "rejected")));
  CHECK(check_parents(ended("completed", "completed", "canceled")));
  CHECK(check_parents(ended("completed", "failed", "failed")));
  CHECK(check_parents(ended("failed", "completed", "completed")));
  CHECK(says(check_parents(ended("failed", "failed", "completed")), "all its tasks"));
  CHECK_FALSE(check_parents(ended("completed", "skipped", "pending"))); // A client wanted it so.
  CHECK(check_parents(ended("failed", "failed", "working")));
  CHECK(check_parents(ended("canceled", "blocked", "canceled")));
  CHECK(check_parents(ended("working", "failed", "failed")));
  auto replaced = ended("completed", "failed", "failed");
  replaced.ends[0].plans.push_back(plan_of("completed", {}));
  replaced.ends[0].plans.back().name = "q";
  CHECK(check_parents(replaced));
  ordered_plan first{"p", 0, {}};
  first.alternatives = {"q"};
  replaced.objectives = {{"o", 0, {first, {"q", 0, {}}}}};
  CHECK_FALSE(check_parents(replaced));
  auto moved = ended("completed", "completed", "canceled");
  moved.calls.emplace_back().kind = call_kind::move;
  moved.calls.back().objective = "o";
  CHECK_FALSE(check_parents(moved)); // A client completed it.
  auto other = ended("failed", "failed", "failed");
  auto& facts = other.facts["o"];
  facts.emplace_back().text = "canceled";
  CHECK(says(check_parents(other), "its changes lead to canceled"));
  facts.front().text = "failed";
  facts.push_back({fact_kind::plan_added, 0, 0, 0, 0, "p"});
  facts.push_back({fact_kind::plan_moved, 0, 0, 0, 0, "skipped"});
  CHECK(says(check_parents(other), "its changes lead to skipped"));
}

namespace {

progress_sighting sighted(moment began, moment ended, std::uint64_t revision, double fraction) {
  progress_sighting out;
  out.of = "o";
  out.state = "working";
  out.objective_revision = out.revision = revision;
  out.fraction = fraction;
  out.began = began;
  out.ended = ended;
  return out;
}

history read_progress(std::vector<progress_sighting> all) {
  history out;
  out.progress = std::move(all);
  return out;
}

/// One task of 10 s has completed, one of 30 s failed at half, one without a time was skipped.
history half_done() {
  history out;
  auto plan = plan_of("failed", {{"o.p.t0", "t0", "completed", 10},
                                 {"o.p.t1", "t1", "failed", 30},
                                 {"o.p.t2", "t2", "skipped", 0}});
  plan.progress = {0.625, 25, 40};
  out.ends = {objective_of("failed", {plan})};
  out.ends[0].progress = plan.progress;
  auto& facts = out.facts["o"];
  facts.push_back({fact_kind::plan_added, 0, 0, 0, 0, "p"});
  for (std::uint32_t i = 0; i < 3; ++i)
    facts.push_back({fact_kind::task_added, 0, 0, i, 0, "t" + std::to_string(i)});
  facts.push_back({fact_kind::task_reached, 0, 0, 1, 500'000});
  return out;
}

} // namespace

TEST_CASE("progress does not go back within a revision", "[sim][checkers]") {
  CHECK_FALSE(check_progress(read_progress({sighted(1, 2, 0, 0.5), sighted(3, 4, 0, 0.5)})));
  CHECK_FALSE(check_progress(read_progress({sighted(1, 2, 0, 0.5), sighted(3, 4, 1, 0.2)})));
  CHECK_FALSE(check_progress(read_progress({sighted(1, 4, 0, 0.5), sighted(3, 6, 0, 0.2)})));
  CHECK(check_progress(read_progress({sighted(1, 2, 0, 0.5), sighted(3, 4, 0, 0.2)})));
  CHECK(check_progress(read_progress({sighted(1, 2, 0, 1)})));
  auto less = sighted(1, 2, 0, 0.9);
  less.state = "completed";
  CHECK(check_progress(read_progress({less})));
}

TEST_CASE("progress at the end is what a fresh computation gives", "[sim][checkers]") {
  CHECK(check_progress(half_done()).value_or("") == "");
  auto twins = half_done(); // The skipped task has the name of the one that failed.
  twins.ends[0].plans[0].tasks[2].name = twins.facts["o"][3].text = "t1";
  CHECK(check_progress(twins).value_or("") == "");
  twins.facts["o"].back().task = 2; // It was the skipped one that got half-way.
  CHECK(says(check_progress(twins), "plan o.p shows 25"));
  auto wrong = half_done();
  wrong.ends[0].plans[0].progress.done = 26;
  CHECK(says(check_progress(wrong), "plan o.p shows 26"));
  wrong = half_done();
  wrong.ends[0].progress.total = 41;
  CHECK(says(check_progress(wrong), "objective o shows 25"));
  wrong = half_done();
  wrong.facts["o"].push_back({fact_kind::task_begun, 0, 0, 1});
  CHECK(check_progress(wrong)); // A further attempt begins at nothing.
  wrong = half_done();
  wrong.ends[0].plans[0].tasks[2].state = "canceled"; // The median of 10 and 30 counts for it.
  CHECK(says(check_progress(wrong), "of 60"));
  wrong = half_done();
  wrong.ends[0].plans[0].progress.fraction = 0.5;
  CHECK(says(check_progress(wrong), "less progress"));
}

namespace {

constexpr auto noon = "2030-01-01T12:00:00.000Z";

/// Something of objective o failed for its deadline at noon.
history late(std::int64_t after) {
  history out;
  out.deadlines["o"] = {noon};
  out.facts["o"].push_back({fact_kind::plan_moved, milliseconds_of(noon) + after, 0, 0, 0, "failed",
                            std::string("the plan has not ended before its deadline, ") + noon});
  return out;
}

/// Objective o with a deadline at noon, so long after it.
history standing(std::int64_t after, std::string state) {
  history out;
  out.objectives = {{"o", 0, {{"p", 0, {{"t0", {}}}}}, noon}};
  out.stood = {objective_of(std::move(state), {plan_of("working", {})})};
  out.stood_at = milliseconds_of(noon) + after;
  return out;
}

} // namespace

TEST_CASE("what fails for its deadline fails after it", "[sim][checkers]") {
  CHECK(milliseconds_of("1970-01-02T00:00:01.500Z") == 86'401'500);
  CHECK_FALSE(check_deadlines(late(0)));
  CHECK(says(check_deadlines(late(-1)), "before it"));
  auto set_back = late(-1);
  set_back.has_clock_jumps = true;
  CHECK_FALSE(check_deadlines(set_back));
  auto invented = late(1);
  invented.deadlines.clear();
  CHECK(says(check_deadlines(invented), "nobody asked for"));
  auto completed = late(1);
  completed.facts["o"].front().text = "completed";
  CHECK(check_deadlines(completed));
}

TEST_CASE("what has not ended by its deadline fails", "[sim][checkers]") {
  constexpr std::int64_t minute = 60'000;
  CHECK_FALSE(check_deadlines(standing(10, "working")));
  CHECK_FALSE(check_deadlines(standing(minute, "failed")));
  CHECK(says(check_deadlines(standing(minute, "blocked")), "objective o is blocked"));
  auto plan = standing(minute, "working");
  std::swap(plan.objectives[0].deadline, plan.objectives[0].plans[0].deadline);
  CHECK(says(check_deadlines(plan), "plan o.p is working"));
  auto task = standing(minute, "working");
  std::swap(task.objectives[0].deadline, task.objectives[0].plans[0].tasks[0].deadline);
  CHECK_FALSE(check_deadlines(task)); // It has not begun.
  task.waiting["o.p.t0"].state = "TASK_STATE_INPUT_REQUIRED";
  CHECK(says(check_deadlines(task), "task o.p.t0"));
  task.calls.emplace_back().kind = call_kind::change;
  task.calls.back().objective = "o";
  CHECK_FALSE(check_deadlines(task)); // It may have another one now.
}

namespace {

/// Plan 0 has tasks 0 and 1, 1 after 0.
history shaped(std::vector<objective_fact> more) {
  history out;
  auto& facts = out.facts["o"];
  facts = {{fact_kind::edge_added, 0, 0, 1, 0}};
  facts.insert(facts.end(), more.begin(), more.end());
  return out;
}

objective_fact task_fact(fact_kind kind, std::uint32_t task, std::string text = {}) {
  return {kind, 0, 0, task, 0, std::move(text)};
}

} // namespace

TEST_CASE("a task waits for what it depends on after all changes", "[sim][checkers]") {
  const auto begins = task_fact(fact_kind::task_begun, 1);
  const auto completes = task_fact(fact_kind::task_ended, 0, "completed");
  CHECK_FALSE(check_plans(shaped({completes, begins})));
  CHECK_FALSE(check_plans(shaped({{fact_kind::edge_removed, 0, 0, 1, 0}, begins})));
  CHECK_FALSE(check_plans(shaped({task_fact(fact_kind::task_skipped, 0), begins})));
  CHECK(check_plans(shaped({begins})));
  CHECK(check_plans(shaped({task_fact(fact_kind::task_ended, 0, "failed"), begins})));
  CHECK(check_plans(shaped({completes, task_fact(fact_kind::task_renewed, 0), begins})));
  // It may have waited for a slot by then.
  CHECK_FALSE(check_plans(shaped(
      {task_fact(fact_kind::task_skipped, 0), task_fact(fact_kind::task_renewed, 0), begins})));
  CHECK(check_plans(shaped({completes, {fact_kind::edge_added, 0, 0, 1, 2}, begins})));
  objective_fact after{fact_kind::plan_after};
  after.others = {1};
  CHECK(check_plans(shaped({completes, after, begins})));
  objective_fact ends{fact_kind::plan_moved, 0, 1, 0, 0, "completed"};
  CHECK_FALSE(check_plans(shaped({completes, after, ends, begins})));
}

TEST_CASE("a dependency counts from when it was acknowledged", "[sim][checkers]") {
  attempt early;
  early.task = "o.p.t1";
  early.name = "b";
  early.began = 5;
  history one;
  one.attempts = {early};
  one.calls = {changed("one", 1)};
  one.calls[0].change->waiting = {{"b", "a"}};
  CHECK(says(check_plans(one), "began before a"));
  auto other = one;
  other.calls.push_back(changed("two", 2));
  other.calls[1].change->names = {"a"};
  CHECK_FALSE(check_plans(other)); // It may be skipped.
  one.attempts[0].began = 1;
  CHECK_FALSE(check_plans(one));
}
