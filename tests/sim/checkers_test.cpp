// Right histories pass, and each wrong one is refused by the checker that is for it.
#include "tests/support/catch.hpp"

#include <string>
#include <utility>
#include <vector>

#include "sim/checkers/checkers.hpp"
#include "sim/views.hpp"

using namespace troupe::sim;

namespace {

const std::string submitted = "TASK_STATE_SUBMITTED";
const std::string working = "TASK_STATE_WORKING";
const std::string asks = "TASK_STATE_INPUT_REQUIRED";
const std::string completed = "TASK_STATE_COMPLETED";
const std::string canceled = "TASK_STATE_CANCELED";

task_view view(std::string state, std::string id = "t") {
  task_view out;
  out.id = std::move(id);
  out.state = std::move(state);
  return out;
}

stream_event status(const std::string& cursor, const std::string& state, moment at = 0) {
  stream_event out;
  out.cursor = cursor;
  out.task = view(state);
  out.at = at;
  return out;
}

stream_event text(const std::string& cursor, std::string added, bool append = false) {
  stream_event out;
  out.kind = event_kind::artifact;
  out.cursor = cursor;
  out.artifact = "out";
  out.text = std::move(added);
  out.append = append;
  return out;
}

stream_event snapshot(const std::string& cursor, task_view shown) {
  stream_event out;
  out.kind = event_kind::snapshot;
  out.cursor = cursor;
  out.task = std::move(shown);
  return out;
}

/// An answer that shows the task so.
call shown(moment began, moment ended, task_view task) {
  call out;
  out.client = "c";
  out.began = began;
  out.ended = ended;
  out.tasks.push_back(std::move(task));
  return out;
}

call sent(const std::string& message, const std::string& task) {
  auto out = shown(1, 2, view(submitted, task));
  out.kind = call_kind::send;
  out.message_id = message;
  return out;
}

/// A task that worked, made "a;b;" and completed.
history usual() {
  history out;
  out.journal["t"] = {status("2.0", working), text("3.0", "a;"), text("4.0", "b;", true),
                      status("5.0", completed)};
  auto end = view(completed);
  end.artifacts.emplace();
  end.artifacts->emplace("out", "a;b;");
  end.messages = {"m"};
  out.rest = {{"t", end}};
  out.sent = {"m"};
  out.chunks = {"a;", "b;"};
  out.deduplicates = true;
  return out;
}

stream_read stream_of(std::vector<stream_event> events, std::string after = "") {
  stream_read out;
  out.client = "c";
  out.task = "t";
  out.after = std::move(after);
  out.events = std::move(events);
  return out;
}

history with_stream(stream_read read) {
  auto out = usual();
  out.streams.push_back(std::move(read));
  return out;
}

history with_calls(std::vector<call> calls) {
  auto out = usual();
  out.calls = std::move(calls);
  return out;
}

task_view with_text(std::string state, std::string made) {
  auto out = view(std::move(state));
  out.artifacts.emplace();
  out.artifacts->emplace("out", std::move(made));
  return out;
}

history with_attempts(std::vector<attempt> attempts) {
  history out;
  out.attempts = std::move(attempts);
  return out;
}

attempt of(std::string name, std::uint32_t number, moment began, moment ended, moment done = 0) {
  attempt out;
  out.task = "task of " + name;
  out.name = std::move(name);
  out.number = number;
  out.began = began;
  out.ended = ended;
  out.completed = done;
  out.report = done != 0 ? "completed" : "failed";
  out.reported = ended;
  return out;
}

history with_reading(std::string how, task_view shown) {
  auto out = usual();
  out.readings.push_back({std::move(how), std::move(shown)});
  return out;
}

task_view usual_end() {
  return usual().rest->at("t");
}

/// Tasks a and b, b after a, c alone; two at once.
history planned(std::vector<attempt> attempts) {
  auto out = with_attempts(std::move(attempts));
  out.objectives.push_back({"o", 0, {{"p", 2, {{"a", {}}, {"b", {"a"}}, {"c", {}}}}}});
  return out;
}

} // namespace

TEST_CASE("a history in which all goes right passes every checker", "[sim][checkers]") {
  auto all = with_stream(
      stream_of({snapshot("1", view(submitted)), status("2.0", working, 5), text("3.0", "a;"),
                 text("4.0", "b;", true), status("5.0", completed, 9)}));
  all.streams.push_back(
      stream_of({snapshot("3.0", with_text(working, "a;")), text("4.0", "b;", true)}));
  all.streams.back().events.front().at = 6;
  all.streams.push_back(stream_of({status("5.0", completed, 12)}, "4.0"));
  all.streams.push_back(stream_of({snapshot("", with_text(completed, "a;b;"))}));
  all.streams.back().events.front().at = 20;
  all.calls = {sent("m", "t"), shown(3, 10, with_text(working, "a;")),
               shown(11, 13, with_text(completed, "a;b;"))};
  all.attempts = {of("a", 1, 3, 4), of("a", 2, 5, 8, 7), of("b", 1, 9, 10, 10)};
  all.attempts.push_back(of("c", 1, 9, 10, 10));
  all.readings = {{"0.3 over REST", usual_end()}};
  all.listed = {{"t", 1}};
  all.objectives = planned({}).objectives;
  for (const auto& each : checkers) {
    INFO(each.name);
    CHECK(each.check(all).value_or("") == "");
  }
}

TEST_CASE("what was shown must be kept", "[sim][checkers]") {
  auto gone = with_calls({shown(1, 2, view(working, "other"))});
  CHECK(check_kept(gone).value_or("").find("is gone") != std::string::npos);
  CHECK(check_kept(with_calls({shown(1, 2, view(canceled))})));
  CHECK(check_kept(with_calls({shown(1, 2, view(asks))})));
  CHECK(check_kept(with_calls({shown(1, 2, with_text(working, "c;"))})));
  CHECK(check_kept(with_calls({sent("lost", "t")})));
  CHECK(check_kept(with_stream(stream_of({status("9.0", asks)}))));
  CHECK_FALSE(check_kept(with_calls({shown(1, 0, view(canceled))}))); // Never answered.
}

namespace {

/// Objective o with plan p, which was made, paused and claimed in.
history acknowledged(call made) {
  auto out = usual();
  out.objectives.push_back({"o", 0, {{"p", 0, {{"a", {}}}}}});
  out.objectives[0].plans[0].is_first = true;
  shown_objective shown;
  shown.id = shown.name = "o";
  shown.plans.emplace_back().name = "p";
  out.ends.push_back(shown);
  out.facts["o"] = {{fact_kind::plan_added, 0, 0, 0, 0, "p"},
                    {fact_kind::plan_moved, 0, 0, 0, 0, "working"},
                    {fact_kind::told, 0, 0, 0, 0, "blocked"}};
  made.client = "c";
  made.objective = "o";
  made.began = 5;
  made.ended = 6;
  out.calls.push_back(std::move(made));
  return out;
}

call of_kind(call_kind kind) {
  call out;
  out.kind = kind;
  return out;
}

call of_question(call_kind kind) {
  auto out = of_kind(kind);
  out.input.emplace();
  out.input->question = "t.question-1";
  out.input->by = "anna";
  return out;
}

question_fact turn_of(question_turn kind) {
  question_fact out;
  out.kind = kind;
  out.by = "anna";
  return out;
}

} // namespace

TEST_CASE("acknowledged objectives and plans must be kept", "[sim][checkers]") {
  const auto created = acknowledged(of_kind(call_kind::create));
  CHECK(check_kept(created).value_or("") == "");
  auto gone = created;
  gone.ends.clear();
  CHECK(check_kept(gone).value_or("").find("objective o, which was acknowledged") == 0);
  gone = created;
  gone.ends[0].plans.clear();
  CHECK(check_kept(gone).value_or("").find("plan p, which was acknowledged") == 0);
  gone.objectives[0].plans[0].is_first = false; // It was added later, or never.
  CHECK_FALSE(check_kept(gone));

  auto joined = of_kind(call_kind::add_plan);
  joined.plan = "p";
  CHECK_FALSE(check_kept(acknowledged(joined)));
  joined.plan = "q";
  CHECK(check_kept(acknowledged(joined)));
  auto removed = acknowledged(joined);
  removed.calls.push_back(of_kind(call_kind::change));
  removed.calls.back().change.emplace();
  removed.calls.back().change->names = {"q"};
  removed.calls.back().change->operations = {"skipPlan"};
  CHECK(check_kept(removed));
  removed.calls.back().change->operations = {"removePlan"};
  CHECK_FALSE(check_kept(removed));

  auto changed = of_kind(call_kind::change);
  changed.change.emplace();
  changed.change->added_plans = {"q"};
  CHECK(check_kept(acknowledged(changed)));
  changed.change->is_dry_run = true;
  CHECK_FALSE(check_kept(acknowledged(changed)));
}

TEST_CASE("acknowledged moves, claims and releases must be kept", "[sim][checkers]") {
  auto moved = of_kind(call_kind::move);
  moved.to = "blocked";
  CHECK_FALSE(check_kept(acknowledged(moved)));
  moved.plan = "p";
  CHECK(check_kept(acknowledged(moved)).value_or("").find("plan p was never blocked") == 0);
  moved.to = "working";
  CHECK_FALSE(check_kept(acknowledged(moved)));
  moved.plan.clear();
  CHECK(check_kept(acknowledged(moved)).value_or("").find("objective o was never working") == 0);
  moved.to = "submitted"; // As it began.
  CHECK_FALSE(check_kept(acknowledged(moved)));

  auto claimed = acknowledged(of_question(call_kind::claim));
  CHECK(check_kept(claimed).value_or("").find("was never claimed") != std::string::npos);
  claimed.questions["t.question-1"] = {turn_of(question_turn::opened),
                                       turn_of(question_turn::claimed)};
  CHECK_FALSE(check_kept(claimed));
  claimed.calls[0].input->by = "ben";
  CHECK(check_kept(claimed));

  auto released = acknowledged(of_question(call_kind::release));
  CHECK_FALSE(check_kept(released)); // There was no claim.
  released.questions = claimed.questions;
  CHECK(check_kept(released).value_or("").find("the release was acknowledged")
        != std::string::npos);
  released.calls.push_back(of_question(call_kind::claim)); // Once more, and never answered.
  CHECK_FALSE(check_kept(released));
  released.calls.pop_back();
  released.questions["t.question-1"].push_back(turn_of(question_turn::withdrawn));
  CHECK(check_kept(released));
  released.questions["t.question-1"].push_back(turn_of(question_turn::opened)); // Without a claim.
  CHECK_FALSE(check_kept(released));
  released.questions = claimed.questions;
  released.questions["t.question-1"].push_back(turn_of(question_turn::released));
  CHECK_FALSE(check_kept(released));
}

TEST_CASE("names that nobody has given are never shown", "[sim][checkers]") {
  auto named = usual();
  named.names = {"o", "p", "a"};
  named.shown_names = {{"o", "c"}, {"p", "c"}, {"a", "witness"}};
  named.facts["o"] = {{fact_kind::plan_added, 0, 0, 0, 0, "p"},
                      {fact_kind::task_added, 0, 0, 0, 0, "a"},
                      {fact_kind::task_ended, 0, 0, 0, 0, "completed"}};
  CHECK_FALSE(check_invented(named));
  auto shown = named;
  shown.shown_names["b"] = "c";
  CHECK(check_invented(shown).value_or("").find("was shown to c") != std::string::npos);
  auto added = named;
  added.facts["o"].push_back({fact_kind::task_added, 0, 0, 1, 0, "b"});
  CHECK(check_invented(added));
  auto renamed = named;
  renamed.facts["o"].push_back({fact_kind::task_renamed, 0, 0, 0, 0, "b"});
  CHECK(check_invented(renamed));
  renamed.names.insert("b");
  CHECK_FALSE(check_invented(renamed));
}

TEST_CASE("nothing may be invented", "[sim][checkers]") {
  auto strange = view(working);
  strange.messages = {"never"};
  CHECK(check_invented(with_calls({shown(1, 2, strange)})));
  CHECK(check_invented(with_calls({shown(1, 2, with_text(working, "a;x;"))})));
  CHECK(check_invented(with_stream(stream_of({text("3.0", "torn")}))));
  auto at_the_end = usual();
  at_the_end.rest->at("t").messages.emplace_back("never");
  CHECK(check_invented(at_the_end));
}

TEST_CASE("an answer must not be older than what was known when it was asked for",
          "[sim][checkers]") {
  CHECK(check_linear(with_calls({shown(1, 2, view(completed)), shown(3, 4, view(working))})));
  CHECK(check_linear(with_calls({shown(1, 2, view(working)), shown(3, 4, view(submitted))})));
  CHECK(check_linear(with_calls({shown(1, 2, view(asks))})));
  CHECK_FALSE(check_linear(with_calls({shown(1, 5, view(completed)), shown(3, 6, view(working))})));
  auto streamed = with_stream(stream_of({status("5.0", completed, 2)}, "4.0"));
  streamed.calls = {shown(3, 4, view(working))};
  CHECK(check_linear(streamed));
}

TEST_CASE("a stream is a snapshot and then the order of the journal", "[sim][checkers]") {
  const auto begin = snapshot("1", view(submitted));
  CHECK(check_streams(with_stream(stream_of({status("2.0", working)}))));
  CHECK(
      check_streams(with_stream(stream_of({begin, status("5.0", completed)})))); // One is missing.
  CHECK(check_streams(
      with_stream(stream_of({begin, status("2.0", working), status("2.0", working)}))));
  CHECK(check_streams(with_stream(stream_of({begin, text("3.0", "a;"), status("2.0", working)}))));
  CHECK(check_streams(with_stream(stream_of({snapshot("2.0", view(submitted))})))); // It is older.
  // A chunk is missing, and one is there twice, over a resume.
  CHECK(check_streams(with_stream(stream_of({status("5.0", completed)}, "3.0"))));
  CHECK(check_streams(
      with_stream(stream_of({text("3.0", "a;", true), text("4.0", "b;", true)}, "3.0"))));
  // It begins anew, and does not say so.
  CHECK(check_streams(with_stream(stream_of({snapshot("3.0", with_text(working, "a;"))}, "2.0"))));
  // Chunks may be joined.
  CHECK_FALSE(
      check_streams(with_stream(stream_of({begin, status("2.0", working), text("4.0", "a;b;")}))));
}

TEST_CASE("states move by the table, and what ended stays", "[sim][checkers]") {
  const auto with_journal = [](std::vector<stream_event> journal) {
    history out;
    out.journal["t"] = std::move(journal);
    return out;
  };
  CHECK(check_moves(with_journal({status("2.0", completed), status("3.0", working)})));
  CHECK(check_moves(with_journal({status("2.0", asks)})));
  CHECK(check_moves(with_journal({status("2.0", canceled), text("3.0", "a;")})));
  CHECK(check_moves(with_journal({status("2.0", canceled), status("3.0", completed)})));
  CHECK_FALSE(check_moves(with_journal({status("2.0", working), status("3.0", asks),
                                        status("4.0", working), status("5.0", completed)})));
  CHECK(check_moves(
      with_stream(stream_of({snapshot("1", view(completed)), status("2.0", working)}))));
}

TEST_CASE("a message leads to one task", "[sim][checkers]") {
  CHECK(check_messages(with_calls({sent("m", "t"), sent("m", "u")})));
  CHECK(check_messages(with_calls({sent("m", "u")}))); // At the end it is in t.
  auto twice = usual();
  twice.rest->emplace("u", twice.rest->at("t"));
  CHECK(check_messages(twice));
  twice.deduplicates = false;
  CHECK_FALSE(check_messages(twice));
}

TEST_CASE("a task waits for its dependencies and for a slot", "[sim][checkers]") {
  CHECK(check_plans(planned({of("b", 1, 1, 2, 2)})));
  CHECK(check_plans(planned({of("a", 1, 1, 2), of("b", 1, 3, 4)}))); // It failed.
  CHECK(check_plans(planned({of("a", 1, 1, 4, 4), of("b", 1, 3, 5)})));
  auto narrow = planned({of("a", 1, 1, 5, 4), of("c", 1, 2, 6)});
  CHECK_FALSE(check_plans(narrow));
  narrow.objectives[0].plans[0].parallel_max = 1;
  CHECK(check_plans(narrow));
  narrow.objectives[0].plans[0].parallel_max = 0;
  narrow.objectives[0].parallel_max = 1;
  CHECK(check_plans(narrow));
}

TEST_CASE("attempts of a task come one after the other, without a gap", "[sim][checkers]") {
  CHECK(check_attempts(with_attempts({of("a", 2, 1, 2)})));
  CHECK(check_attempts(with_attempts({of("a", 1, 1, 2), of("a", 3, 3, 4)})));
  CHECK(check_attempts(with_attempts({of("a", 1, 1, 4), of("a", 2, 3, 5)})));
  CHECK(check_attempts(with_attempts({of("a", 1, 1, 2), of("a", 1, 4, 5)})));
  auto died = with_attempts({of("a", 1, 1, 3), of("a", 1, 4, 5)});
  died.crashes = {2};
  CHECK_FALSE(check_attempts(died));
  // Neither of two was written.
  auto twice = with_attempts({of("a", 1, 1, 2), of("a", 2, 3, 5), of("a", 1, 6, 7)});
  CHECK(check_attempts(twice));
  twice.crashes = {4};
  CHECK_FALSE(check_attempts(twice));
}

TEST_CASE("once faults have ended, nothing stands still", "[sim][checkers]") {
  const auto waiting = [](task_view shown, std::vector<attempt> attempts) {
    auto out = with_attempts(std::move(attempts));
    out.waiting_at = 10;
    out.waiting[shown.id] = shown;
    return out;
  };
  const auto id = "task of a";
  CHECK_FALSE(check_still(waiting(view(working, id), {of("a", 1, 1, 0)})));
  CHECK_FALSE(check_still(waiting(view(asks, id), {of("a", 1, 1, 2)})));
  CHECK_FALSE(check_still(waiting(view(completed, id), {of("a", 1, 1, 2, 2)})));
  CHECK_FALSE(check_still(waiting(view(submitted, "o.p.t0"), {}))); // It waits for a slot.
  CHECK(check_still(waiting(view(working, id), {})));
  CHECK(check_still(waiting(view(working, id), {of("a", 1, 1, 2)})));
  CHECK(check_still(waiting(view(submitted, "task-1"), {})));
  auto reported = of("a", 1, 1, 0);
  reported.reported = 5;
  CHECK(check_still(waiting(view(working, id), {reported})));
}

TEST_CASE("a task shows what its changes lead to", "[sim][checkers]") {
  CHECK_FALSE(check_fold(usual()));
  auto other_state = usual();
  other_state.rest->at("t").state = canceled;
  CHECK(check_fold(other_state));
  auto less = usual();
  less.rest->at("t").artifacts->at("out") = "a;";
  CHECK(check_fold(less));
  auto more = usual();
  more.rest->at("t").artifacts->emplace("other", "a;");
  CHECK(check_fold(more));
}

TEST_CASE("every binding, list and objective shows the same", "[sim][checkers]") {
  CHECK_FALSE(check_same(with_reading("0.3 over REST", usual_end())));
  CHECK_FALSE(check_same(with_reading("objective o", view(completed))));
  CHECK(check_same(with_reading("1.0 over REST", view(completed)))); // Without artifacts.
  CHECK(check_same(with_reading("objective o", view(working))));
  auto silent = usual_end();
  silent.messages.clear();
  CHECK(check_same(with_reading("the list", silent)));
  CHECK(check_same(with_reading("the list", view(completed, "u"))));
}

TEST_CASE("the pages of a list have each task once", "[sim][checkers]") {
  auto listed = usual();
  listed.attempts = {of("a", 1, 1, 2)};
  listed.attempts.front().task = "t";
  listed.listed = {{"t", 1}};
  CHECK_FALSE(check_lists(listed));
  listed.listed["t"] = 2;
  CHECK(check_lists(listed));
  listed.listed.clear();
  CHECK(check_lists(listed));
  listed.attempts.clear();
  CHECK_FALSE(check_lists(listed)); // It never began.
  listed.rest->emplace("task-1", view(canceled, "task-1"));
  CHECK(check_lists(listed));
}

TEST_CASE("what a start finds, the next one finds", "[sim][checkers]") {
  history found;
  found.recoveries = {{"o working\n", false}, {"o blocked\n", false}, {"o blocked\n", true}};
  CHECK_FALSE(check_recovery(found));
  found.recoveries.push_back({"o blocked\ntask-1\n", true});
  CHECK(check_recovery(found).value_or("").find("\"nothing\", and then \"task-1\"")
        != std::string::npos);
  const auto restarted = [](task_view after) {
    history out;
    out.restarts["before"] = {{"t", view(completed)}};
    out.restarts["one more start"] = {{after.id, after}};
    return out;
  };
  CHECK_FALSE(check_recovery(restarted(view(completed))));
  CHECK(check_recovery(restarted(view(canceled))));
  CHECK(check_recovery(restarted(view(completed, "u"))));
  CHECK(check_recovery(restarted(with_text(completed, "a;"))));
  auto more = restarted(view(completed));
  more.restarts["a start with a damaged byte"] = {{"t", view(completed)},
                                                  {"u", view(working, "u")}};
  CHECK(check_recovery(more));
}

TEST_CASE("nobody sees what belongs to somebody else", "[sim][checkers]") {
  history seen;
  seen.strange_reads = {{"get", "t", ""}, {"list", "", ""}};
  CHECK_FALSE(check_owners(seen));
  seen.strange_reads.push_back({"get", "t", "t"});
  CHECK(check_owners(seen));
  seen.strange_reads.back() = {"list", "", "t"};
  CHECK(check_owners(seen));
  seen.strange_reads.clear();
  seen.leaks = {"c1 was shown stranger.1"};
  CHECK(check_owners(seen));
  seen.leaks.clear();
  note_leaks("c1.m1", "n0", seen);
  CHECK_FALSE(check_owners(seen));
  note_leaks("stranger.1", "n0", seen); // A receiver of notifications.
  CHECK(check_owners(seen).value_or("").find("n0 was shown stranger.1") != std::string::npos);
  seen.leaks.clear();
  note_leaks("of stranger.2", "r1", seen); // A remote agent.
  CHECK(check_owners(seen));
}

TEST_CASE("no counter is above its limit", "[sim][checkers]") {
  history seen;
  CHECK_FALSE(check_limits(seen));
  for (const auto* counted : {"3 streams, and the limit is 2", "4 connections, and the limit is 3",
                              "11 requests in flight, and the limit is 10"}) {
    seen.over_limit = counted;
    CHECK(check_limits(seen).value_or("").find(counted) != std::string::npos);
  }
}

namespace {

stream_event made(std::string id, std::string chunk, bool append = false) {
  auto out = text("", std::move(chunk), append);
  out.artifact = std::move(id);
  return out;
}

/// Tasks o.x.p.a and o.x.p.b, b after a, each with these attempts.
history modelled(std::vector<attempt> attempts) {
  auto out = with_attempts(std::move(attempts));
  out.objectives.push_back({"o.x", 0, {{"p", 0, {{"a", {}}, {"b", {"a"}}}}}});
  out.rest.emplace();
  for (auto& each : out.attempts) {
    each.task = "o.x.p." + each.name;
    auto& shown = (*out.rest)[each.task];
    shown.id = each.task;
    shown.state = each.report == "completed" ? completed : "TASK_STATE_FAILED";
    shown.artifacts.emplace();
  }
  return out;
}

} // namespace

TEST_CASE("a task ends as what its agents report says", "[sim][checkers]") {
  auto right =
      modelled({of("a", 1, 1, 2), of("a", 2, 3, 4, 4), of("b", 1, 5, 6), of("b", 2, 7, 8)});
  right.attempts[0].made = {made("out", "1;")};
  right.attempts[1].made = {made("out", "2;"), made("out", "3;", true)};
  right.rest->at("o.x.p.a").artifacts->emplace("out", "2;3;");
  CHECK(check_model(right).value_or("") == "");

  auto wrong = right;
  wrong.rest->at("o.x.p.a").artifacts->at("out") = "2;";
  CHECK(check_model(wrong));
  wrong.crashes = {3};
  CHECK_FALSE(check_model(wrong)); // What was reported may not have been written.

  wrong = right;
  wrong.rest->at("o.x.p.b").state = completed;
  CHECK(check_model(wrong));
  call ended;
  ended.kind = call_kind::cancel;
  ended.task = "o.x.p.b";
  wrong.calls.push_back(ended);
  CHECK_FALSE(check_model(wrong));

  wrong = right;
  wrong.attempts[2].report = "failed for good";
  CHECK(check_model(wrong)); // There must not be a second attempt.
  wrong = right;
  wrong.attempts[2].report.clear(); // Silent: then the second must not begin.
  CHECK(check_model(wrong));
}

TEST_CASE("a task that only asks needs no slot", "[sim][checkers]") {
  auto one = modelled({of("a", 1, 1, 2)});
  one.objectives[0].plans[0].tasks[1].dependencies.clear();
  one.objectives[0].plans[0].parallel_max = 1;
  one.attempts[0].asks = true;
  one.attempts[0].report.clear();
  one.rest->at("o.x.p.a").state = "TASK_STATE_CANCELED";
  one.waiting_at = 9;
  one.waiting["o.x.p.a"] = view("TASK_STATE_INPUT_REQUIRED", "o.x.p.a");
  CHECK(check_model(one).value_or("").find("b never began") != std::string::npos);
  one.attempts[0].asks = false; // It asks while its agent runs.
  CHECK_FALSE(check_model(one));
}

TEST_CASE("a task begins once what it depends on has completed", "[sim][checkers]") {
  auto one = modelled({of("a", 1, 1, 2, 2)});
  CHECK(check_model(one).value_or("").find("b never began") != std::string::npos);
  auto failed = modelled({of("a", 1, 1, 2), of("a", 2, 3, 4)});
  CHECK_FALSE(check_model(failed));
  one.waiting["o.x.p.a"] = view(working, "o.x.p.a"); // It had its slot.
  CHECK_FALSE(check_model(one));
  one.waiting.clear();
  call moved;
  moved.kind = call_kind::move;
  moved.objective = "o.x";
  one.calls.push_back(moved);
  CHECK_FALSE(check_model(one));
}

namespace {

/// Objective o.x with its plan p, in which a and b have completed, at the end.
history whole(std::string objective, std::string plan) {
  auto out = modelled({of("a", 1, 1, 2, 2), of("b", 1, 3, 4, 4)});
  shown_objective shown;
  shown.id = "o.x";
  shown.state = std::move(objective);
  auto& of_it = shown.plans.emplace_back();
  of_it.id = of_it.name = "p";
  of_it.state = std::move(plan);
  of_it.tasks = {{"o.x.p.a", "a", "completed", 0}, {"o.x.p.b", "b", "completed", 0}};
  out.ends.push_back(std::move(shown));
  return out;
}

} // namespace

TEST_CASE("a plan and its objective end as what their tasks did says", "[sim][checkers]") {
  CHECK(check_model(whole("completed", "completed")).value_or("") == "");
  CHECK(check_model(whole("failed", "failed")).value_or("").find("plan p ends as failed") == 0);
  CHECK(check_model(whole("failed", "completed")).value_or("").find("objective o.x ends") == 0);
  CHECK(check_model(whole("completed", "skipped")));
  auto moved = whole("failed", "failed");
  call by_client;
  by_client.kind = call_kind::move;
  by_client.objective = "o.x";
  moved.calls.push_back(by_client);
  CHECK_FALSE(check_model(moved));

  // The first plan fails, and an alternative takes its place.
  auto replaced = whole("completed", "completed");
  replaced.objectives[0].plans.push_back({"q", 0, {{"c", {}}}});
  replaced.objectives[0].plans[1].alternatives = {"p"};
  auto& other = replaced.ends[0].plans.emplace_back();
  other.id = other.name = "q";
  other.state = "failed";
  other.tasks = {{"o.x.p.c", "c", "failed", 0}};
  replaced.attempts.push_back(of("c", 1, 1, 2));
  replaced.attempts.back().task = "o.x.p.c";
  replaced.attempts.back().report = "failed for good";
  auto& failed = (*replaced.rest)["o.x.p.c"];
  failed.id = "o.x.p.c";
  failed.state = "TASK_STATE_FAILED";
  CHECK(check_model(replaced).value_or("") == "");
  replaced.objectives[0].plans[1].alternatives.clear();
  CHECK(check_model(replaced).value_or("").find("leads to failed") != std::string::npos);
}

TEST_CASE("at the end everything has ended", "[sim][checkers]") {
  CHECK(check_rest(history{}));
  auto open = usual();
  open.rest->at("t").state = working;
  CHECK(check_rest(open));
  auto counted = usual();
  for (const auto* kept : {"1 streams", "17 bytes of live-work", "2 connections to others"}) {
    counted.left_over = kept;
    CHECK(check_rest(counted).value_or("").find(kept) != std::string::npos);
  }
}
