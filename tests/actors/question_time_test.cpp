// Questions, notes and times of tasks on the turned clock.
#include "actors/task/task_decision.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/clock_bed.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/specs.hpp"
#include <troupe/actors/limits.hpp>

#include <algorithm>
#include <array>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

send_message text_to(clock_bed& bed, const std::string& name, const std::string& text) {
  send_message out;
  out.message.message_id = "m-" + text;
  out.message.from = role::user;
  out.message.parts.push_back(text_part(text));
  out.message.task_id = bed.task(name)->id.str();
  return out;
}

/// Its attempts go on until the test says how they end; it hears how its questions end, and may go
/// on after a restart.
class listening_agent final : public agent {
public:
  start_result start(const order_ptr& order, const agent_port_ptr& port) override {
    orders.push_back(order);
    ports.push_back(port);
    return std::make_unique<run>(*this);
  }
  [[nodiscard]] bool goes_on(const std::string& note) const override { return note == "job 7"; }
  [[nodiscard]] std::uint32_t parallel_max() const override { return limit; }

  std::vector<order_ptr> orders;
  std::vector<agent_port_ptr> ports;
  std::vector<std::string> heard;
  bool goes_on_unanswered = true;
  std::uint32_t limit = 0; ///< No limit.

private:
  struct run final : agent_run {
    explicit run(listening_agent& of) : of_(of) {}
    bool on_question_ended(const std::string& key, question_end how) override {
      constexpr std::array words{" expired", " withdrawn", " declined", " canceled"};
      of_.heard.push_back(key + words[static_cast<std::size_t>(how)]);
      return of_.goes_on_unanswered;
    }
    void on_noted() override { of_.heard.emplace_back("noted"); }
    void on_answer(const message_ptr& answer) override {
      of_.heard.push_back("answer " + text_of(answer->parts));
    }
    listening_agent& of_;
  };
};

struct listening_bed : clock_bed {
  listening_bed() { agents.add("listening", listening); }
  void report_now(agent_report report) {
    listening->ports.back()->report(std::move(report));
    clock.settle();
  }
  /// Of the last attempt at `name`.
  void report_of(const std::string& name, agent_report report) {
    const auto& orders = listening->orders;
    const auto last = std::find_if(orders.rbegin(), orders.rend(),
                                   [&](const order_ptr& each) { return each->name == name; });
    REQUIRE(last != orders.rend());
    listening->ports[static_cast<std::size_t>(orders.rend() - last) - 1]->report(std::move(report));
    clock.settle();
  }
  std::shared_ptr<listening_agent> listening = std::make_shared<listening_agent>();
};

/// Its only task is done by the listening agent.
struct question_bed : listening_bed {
  explicit question_bed(std::uint32_t attempts_max = 1) {
    auto asking = a_task("a", {}, "listening");
    asking.retry.attempts_max = attempts_max;
    begin(an_objective({a_plan("p", {std::move(asking)})}));
  }
};

} // namespace

TEST_CASE("of two messages to a task that asks, the first is the answer, and the second is refused",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"which?"});
  std::vector<result<sent>> answers;
  for (const auto* text : {"this", "that"})
    bed.main_gateway().send(text_to(bed, "a", text), nullptr,
                            [&](result<sent> got) { answers.push_back(std::move(got)); });
  bed.clock.settle();
  REQUIRE(answers.size() == 2);
  CHECK(answers[0].has_value());
  REQUIRE(answers[1].has_error());
  CHECK(answers[1].error().code == errc::already_answered);
  CHECK(bed.listening->heard == std::vector<std::string>{"answer this"});
}

TEST_CASE("an answer to one question is not taken for the next one", "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"first?"});
  bed.report_now(report_question{"second?"});
  std::vector<result<sent>> answers;
  for (const auto* text : {"1", "1 again"})
    bed.main_gateway().send(text_to(bed, "a", text), nullptr,
                            [&](result<sent> got) { answers.push_back(std::move(got)); });
  bed.clock.settle();
  CHECK(answers[1].has_error());
  CHECK(bed.text("a") == "second?");
  CHECK(bed.task("a")->question->id == "question-2");
  auto named = text_to(bed, "a", "late");
  named.question = "question-1";
  bed.main_gateway().send(std::move(named), nullptr,
                          [&](result<sent> got) { answers.push_back(std::move(got)); });
  bed.clock.settle();
  CHECK(answers[2].error().code == errc::already_answered);
  CHECK(bed.states() == "input-required");
}

TEST_CASE("an agent can withdraw an open or waiting question, and is notified",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"first?", false, "one"});
  bed.report_now(report_question{"second?", false, "two"});
  bed.report_now(report_question{"third?", false, "three"});
  bed.report_now(report_withdrawal{"two", {}});
  CHECK(bed.text("a") == "first?");
  bed.report_now(report_withdrawal{"one", "found out"});
  CHECK(bed.listening->heard == std::vector<std::string>{"two withdrawn", "one withdrawn"});
  CHECK(bed.text("a") == "third?");
  bed.report_now(report_withdrawal{"nobody", {}});
  bed.say("a", "3");
  CHECK(bed.states() == "working");
  CHECK_FALSE(bed.task("a")->question);
  CHECK(bed.objective()->pending_inputs.empty());
}

TEST_CASE(
    "a question expires at its deadline and not before, and its agent says whether it goes on",
    "[actors][time][question]") {
  question_bed bed;
  bed.listening->goes_on_unanswered = GENERATE(true, false);
  bed.report_now(report_question{"which?", false, "q", {}, {}, 90s});
  bed.pass(90s - 1ms);
  CHECK(bed.states() == "input-required");
  bed.pass(1ms);
  CHECK(bed.listening->heard == std::vector<std::string>{"q expired"});
  if (bed.listening->goes_on_unanswered) {
    CHECK(bed.states() == "working");
    bed.report_now(report_question{"again?", false, "q", {}, {}, 10s});
    bed.say("a", "yes");
    bed.pass(1min); // the deadline of an answered question counts no more
    CHECK(bed.states() == "working");
  } else {
    CHECK(bed.states() == "failed");
    CHECK(bed.text("a") == "the question expired without an answer: which?");
  }
}

TEST_CASE("Q12_deadline: at its deadline a question is answered with the default of its form",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(
      report_question{"how many?", false, "q", {{"type", "integer"}, {"default", 7}}, {}, 90s});
  bed.pass(90s - 1ms);
  CHECK(bed.states() == "input-required");
  bed.pass(1ms);
  CHECK(bed.states() == "working");
  const auto record = bed.task("a");
  const auto* closed = find_closed(*record, "question-1");
  REQUIRE(closed != nullptr);
  CHECK(closed->state == question_state::answered);
  CHECK(closed->by == "default");
  REQUIRE_FALSE(record->history.empty());
  CHECK(record->history.back()->parts.at(0) == data_part(7));
  CHECK(bed.listening->heard == std::vector<std::string>{"answer "});
}

TEST_CASE("Q12_deadline: a default that does not fit is no answer, and none signs in",
          "[actors][time][question]") {
  question_bed bed;
  const bool is_auth = GENERATE(false, true);
  const boost::json::object form{{"type", is_auth ? "string" : "integer"}, {"default", "many"}};
  bed.report_now(report_question{"how many?", is_auth, "q", form, {}, 90s});
  bed.pass(90s);
  CHECK(bed.listening->heard == std::vector<std::string>{"q expired"});
}

TEST_CASE("after a restart it is known who answered a question, and when",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"which?"});
  auto first = text_to(bed, "a", "this");
  first.by = "anna";
  bed.main_gateway().send(std::move(first), nullptr, [](const result<sent>&) {});
  bed.clock.settle();
  const auto record = bed.task("a");
  const auto& known = record->closed.get();
  REQUIRE(known.size() == 1);
  bed.restart();
  auto late = text_to(bed, "a", "that");
  late.question = known[0].asked.id;
  std::optional<error> refusal;
  bed.main_gateway().send(std::move(late), nullptr,
                          [&](const result<sent>& got) { refusal = got ? error{} : got.error(); });
  bed.clock.settle();
  REQUIRE(refusal);
  CHECK(refusal->code == errc::already_answered);
  CHECK_THAT(refusal->message, ContainsSubstring("by \"anna\" at "));
}

TEST_CASE("a declined question is told to its agent, and fails a task that has no use for that",
          "[actors][time][question]") {
  question_bed bed;
  bed.listening->goes_on_unanswered = GENERATE(true, false);
  bed.report_now(report_question{"which?", false, "q"});
  auto answer = text_to(bed, "a", "no");
  answer.action = answer_action::decline;
  bed.main_gateway().send(std::move(answer), nullptr, [](const result<sent>&) {});
  bed.clock.settle();
  CHECK(bed.listening->heard == std::vector<std::string>{"q declined"});
  if (bed.listening->goes_on_unanswered) {
    CHECK(bed.states() == "working");
  } else {
    CHECK(bed.states() == "failed");
    CHECK(bed.text("a") == "the question was declined: which?");
  }
}

TEST_CASE("an answer that does not fit is refused with the place, and the question stays open",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"how many?", false, "q", {{"type", "integer"}, {"maximum", 9}}});
  std::vector<result<sent>> answers;
  for (const auto* text : {"10", "7"}) {
    bed.main_gateway().send(text_to(bed, "a", text), nullptr,
                            [&](result<sent> got) { answers.push_back(std::move(got)); });
    bed.clock.settle();
  }
  REQUIRE(answers[0].has_error());
  CHECK(answers[0].error().code == errc::invalid_answer);
  CHECK(answers[0].error().message == "the answer must be at most 9, found 10");
  CHECK(answers[1].has_value());
  CHECK(bed.listening->heard == std::vector<std::string>{"answer 7"});
}

TEST_CASE("an agent that asks with a form that cannot be checked fails",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"which?", false, "q", {{"pattern", "(a*)*b"}}});
  CHECK(bed.states() == "failed");
  CHECK(bed.text("a")
        == "the agent asked with a form that cannot be checked: /pattern \"pattern\" cannot be "
           "checked here");
}

TEST_CASE("a question that is asked again after a restart keeps its deadline",
          "[actors][time][question]") {
  question_bed bed;
  const report_question which{"which?", false, "q", {}, {}, 90s};
  bed.report_now(which);
  bed.pass(60s);
  SECTION("which lies ahead") {
    bed.restart();
    bed.report_now(which);
    bed.pass(30s - 1ms);
    CHECK(bed.states() == "input-required");
    CHECK(bed.listening->heard.empty());
    bed.pass(1ms);
    CHECK(bed.listening->heard == std::vector<std::string>{"q expired"});
  }
  SECTION("which has passed meanwhile") {
    bed.stop();
    bed.clock.set(bed.clock.now() + 1h);
    bed.restart();
    bed.report_now(which);
    bed.pass(1ms);
    CHECK(bed.listening->heard == std::vector<std::string>{"q expired"});
  }
  SECTION("but another question has its own") {
    bed.restart();
    bed.report_now(report_question{"where?", false, "q", {}, {}, 90s});
    bed.pass(90s - 1ms);
    CHECK(bed.states() == "input-required");
  }
}

TEST_CASE("an answer that comes before the question is asked again after a restart is its answer",
          "[actors][time][question]") {
  question_bed bed;
  const report_question which{"which?", false, "q", {}, {}, {}};
  bed.report_now(which);
  bed.restart();
  auto answer = text_to(bed, "a", "this one");
  answer.question = "question-1";
  std::vector<result<sent>> answers;
  bed.main_gateway().send(std::move(answer), nullptr,
                          [&](result<sent> got) { answers.push_back(std::move(got)); });
  bed.clock.settle();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].has_value());
  CHECK(bed.listening->heard.empty());
  CHECK(find_closed(*bed.task("a"), "question-1")->state == question_state::answered);
  SECTION("if the same question is asked again") {
    bed.report_now(which);
    CHECK(bed.listening->heard == std::vector<std::string>{"answer this one"});
    CHECK(bed.states() == "working");
  }
  SECTION("also after another restart") {
    bed.restart();
    bed.report_now(which);
    CHECK(bed.listening->heard == std::vector<std::string>{"answer this one"});
  }
  SECTION("but not that of another question") {
    bed.report_now(report_question{"where?", false, "q", {}, {}, {}});
    CHECK(bed.listening->heard.empty());
    CHECK(bed.states() == "input-required");
  }
}

TEST_CASE("a question that was answered is not asked again after a restart",
          "[actors][time][question]") {
  question_bed bed;
  const report_question first{"first?", false, "one"};
  const report_question second{"second?", false, "two"};
  bed.report_now(first);
  bed.say("a", "1");
  bed.report_now(second);
  bed.restart();
  bed.listening->heard.clear();
  bed.report_now(first);
  SECTION("the agent hears its answer again, and the later question stays open") {
    CHECK(bed.listening->heard == std::vector<std::string>{"answer 1"});
    CHECK(bed.task("a")->question->id == "question-2");
    bed.report_now(second);
    CHECK(bed.task("a")->question->id == "question-2");
    bed.say("a", "2");
    CHECK(bed.listening->heard == std::vector<std::string>{"answer 1", "answer 2"});
  }
  SECTION("once: the same question, asked twice, is asked") {
    bed.report_now(first);
    CHECK(bed.listening->heard == std::vector<std::string>{"answer 1"});
    CHECK(bed.text("a") == "first?");
    CHECK(bed.task("a")->question->id == "question-3");
  }
}

TEST_CASE("an attempt that follows a failed one is not told earlier answers",
          "[actors][time][question]") {
  question_bed bed(2);
  const report_question which{"which?", false, "q"};
  bed.report_now(which);
  bed.say("a", "wrong");
  bed.report_now(report_failed{"no", true});
  bed.pass(1min);
  bed.restart();
  bed.listening->heard.clear();
  bed.report_now(which);
  CHECK(bed.listening->heard.empty());
  CHECK(bed.states() == "input-required");
}

TEST_CASE("answers that wait for the agent after a restart count as memory, and have a bound",
          "[actors][time][question][memory]") {
  listening_bed bed;
  bed.begin(
      an_objective({a_plan("p", {a_task("b", {}, "listening"), a_task("a", {}, "listening")})}));
  bed.report_of("a", report_note{"job 7"});
  const report_question which{"which?", false, "q", {}, {}, {}};
  bed.report_of("a", which);
  bed.listening->limit = 1;
  bed.restart();
  REQUIRE(bed.listening->orders.back()->name == "b"); // It has the slot, and "a" waits for it.
  const auto& memory = *bed.main_gateway().memory();
  const auto before = memory.held(memory_account::live_work);
  constexpr std::size_t long_bytes = task_input_bytes_max / 3;
  std::vector<result<sent>> answers;
  const auto send = [&] {
    auto answer = text_to(bed, "a", std::string(long_bytes, 'x'));
    answer.message.message_id = "m";
    answer.question = "question-1";
    bed.main_gateway().send(std::move(answer), nullptr,
                            [&](result<sent> got) { answers.push_back(std::move(got)); });
    bed.clock.settle();
  };
  send();
  send();
  CHECK(answers.empty());
  CHECK(memory.held(memory_account::live_work) >= before + 2 * long_bytes);
  send();
  REQUIRE(answers.size() == 1);
  CHECK(answers[0].error().code == errc::overloaded);
  CHECK_THAT(answers[0].error().message, ContainsSubstring("32768 KiB"));
  bed.report_of("b", report_completed{});
  bed.report_of("a", which);
  REQUIRE(answers.size() == 3);
  CHECK(answers[1].has_value());
  CHECK(memory.held(memory_account::live_work) < before + 2 * long_bytes);
}

TEST_CASE("a question that is asked again after a restart has the same id",
          "[actors][time][question]") {
  question_bed bed;
  const report_question which{"which?", false, "q", {}, {}, {}};
  bed.report_now(which);
  const auto id = bed.task("a")->question->id;
  bed.restart();
  bed.report_now(which);
  CHECK(bed.task("a")->question->id == id);
  bed.say("a", "this one");
  bed.report_now(which);
  CHECK(bed.task("a")->question->id != id);
}

TEST_CASE("a task that waits for an answer sets no timer and gets no message before its deadline",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"which?", false, "q", {}, {}, 24h});
  REQUIRE(bed.clock.next_due());
  CHECK(*bed.clock.next_due() == 24h);
  bed.say("a", "this one");
  CHECK_FALSE(bed.clock.next_due()); // Nothing is kept for what was answered.
}

TEST_CASE("a deadline is a time of day: it has passed when the computer's clock is set forward",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"which?", false, "q", {}, {}, 24h});
  bed.clock.set(bed.clock.now() + 25h);
  bed.pass(1ms);
  CHECK(bed.listening->heard == std::vector<std::string>{"q expired"});
}

TEST_CASE("a note is found again after a restart, with the same attempt, if its agent goes on",
          "[actors][time][note]") {
  question_bed bed;
  bed.report_now(report_note{"job 6"});
  const std::string last = GENERATE("job 7", "job 8");
  bed.report_now(report_note{last, true});
  CHECK(bed.listening->heard == std::vector<std::string>{"noted"});
  CHECK(bed.task("a")->details->note == last);
  bed.restart();
  REQUIRE(bed.listening->orders.size() == 2);
  const auto& order = *bed.listening->orders.back();
  CHECK(order.attempt == (last == "job 7" ? 1u : 2u));
  CHECK(order.note == (last == "job 7" ? last : ""));
  CHECK(bed.states() == "working");
  bed.report_now(report_completed{});
  CHECK(bed.states() == "completed");
}

TEST_CASE("a note that is too long or no text fails its attempt", "[actors][time][note]") {
  question_bed bed;
  bed.report_now(report_note{GENERATE(std::string(note_bytes_max + 1, 'x'), std::string("\xff"))});
  CHECK(bed.states() == "failed");
  CHECK_THAT(bed.text("a"), ContainsSubstring("left a note"));
}

TEST_CASE("an agent that is asked to stop says how that went", "[actors][time]") {
  clock_bed bed;
  bed.hand->stops_at_once = false;
  auto slow = a_task("a", {}, "hand");
  slow.timeout = 5s;
  bed.begin(an_objective({a_plan("p", {slow})}));
  // Else a server that gets it would end the task while it asks.
  CHECK_FALSE(bed.hand->of("a").order->deadline);
  bed.pass(5s);
  bed.report("a", report_canceled{cancel_outcome::refused, "too late"});
  CHECK(bed.text("a") == "timed out after 5 s; the agent was asked to stop: refused, too late");
}

TEST_CASE("a lone task keeps its trace over a restart", "[actors][time][trace]") {
  clock_bed bed;
  const auto listening = std::make_shared<listening_agent>();
  bed.agents.add("listening", listening);
  bed.agents.default_agent = "listening";
  send_message begin;
  begin.traceparent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";
  begin.tracestate = "vendor=1";
  begin.message.message_id = "m";
  begin.message.from = role::user;
  std::optional<result<sent>> made;
  bed.main_gateway().send(begin, nullptr, [&](result<sent> got) { made = std::move(got); });
  bed.clock.settle();
  REQUIRE(made);
  const auto id = (*made)->task;
  bed.stop();
  recovered left;
  left.lone_tasks.push_back(find_task(bed.records(), id));
  bed.main_gateway().resume(left);
  bed.clock.settle();
  REQUIRE(listening->orders.size() == 2);
  CHECK(listening->orders[1]->traceparent == begin.traceparent);
  CHECK(listening->orders[1]->tracestate == begin.tracestate);
  CHECK(listening->orders[1]->attempt == 2);
}

TEST_CASE("a task's record says when it was ready, what it was about when, and what it waits for",
          "[actors][time][times]") {
  clock_bed bed;
  bed.hand->limit = 1;
  auto second = a_task("b", {}, "hand");
  second.retry = {.attempts_max = 2, .backoff = 10s};
  bed.begin(an_objective({a_plan("p", {a_task("a", {}, "hand"), second})}));
  const auto start = bed.clock.now();
  bed.pass(3s);
  bed.report("a", report_completed{});
  CHECK(bed.task("a")->since == start);
  CHECK(bed.task("a")->status.at == start + 3s);
  CHECK_FALSE(bed.task("a")->details); // most tasks keep nothing more
  CHECK(bed.task("b")->ready_at == start);
  CHECK(bed.task("b")->since == start + 3s);
  bed.pass(1s);
  bed.report("b", report_failed{"no", true});
  CHECK(phase_of(*bed.task("b")) == task_phase::backoff);
  bed.pass(12s); // two of them in its second attempt
  bed.report("b", report_question{"which?"});
  CHECK(phase_of(*bed.task("b")) == task_phase::question);
  bed.pass(5s);
  bed.say("b", "that");
  bed.pass(7s);
  bed.report("b", report_completed{});
  const auto record = bed.task("b");
  using span = task_span;
  CHECK(record->details->spans
        == std::vector<span>{
            {task_phase::running, 1, start + 3s, start + 4s,
             "attempt 1 of 2 failed: no; the next one in 10 s"},
            {task_phase::backoff, 1, start + 4s, start + 14s, ""},
            {task_phase::running, 2, start + 14s, start + 16s, "which?"},
            {task_phase::question, 2, start + 16s, start + 21s, "answered"},
        });
  CHECK(record->since == start + 21s);
  CHECK(record->status.at == start + 28s);
}

TEST_CASE("a pause before a task begins is a phase of its own, with or without a limit",
          "[actors][time][times]") {
  const auto parallel_max = GENERATE(0U, 1U);
  clock_bed bed;
  auto plan = a_plan("p", {a_task("a", {}, "hand"), a_task("b", {"a"}, "hand")});
  plan.parallel_max = parallel_max;
  bed.begin(an_objective({plan}));
  const auto start = bed.clock.now();
  bed.pass(3s);
  bed.move_plan(0, plan_state::blocked);
  bed.pass(2s);
  bed.report("a", report_completed{}); // b is ready
  bed.pass(4s);
  bed.move_plan(0, plan_state::working);
  bed.pass(1s);
  bed.report("b", report_completed{});
  const auto record = bed.task("b");
  CHECK(record->ready_at == start + 5s);
  CHECK(record->details->spans
        == std::vector<task_span>{{task_phase::pause, 1, start + 5s, start + 9s, ""}});
  CHECK(record->since == start + 9s);
  CHECK_FALSE(bed.task("a")->details);
}

namespace {

struct all_changes final : watcher {
  void on_change(const change_ptr& change) override { changes.push_back(change); }
  std::vector<change_ptr> changes;
};

claim_input claim_by(std::string by, bool overrides = false, bool releases = false) {
  claim_input out;
  out.by = std::move(by);
  out.overrides = overrides;
  out.releases = releases;
  return out;
}

/// What became of it: "" if it was done.
std::string claim(question_bed& bed, claim_input command,
                  const std::string& question = "question-1") {
  std::string out = "no answer";
  bed.main_gateway().claim(
      bed.task("a"), question, std::move(command),
      [&](const result<task_id>& got) { out = got ? "" : got.error().message; });
  bed.clock.settle();
  return out;
}

/// The same of an answer.
std::string answer_as(question_bed& bed, const std::string& by, bool overrides = false) {
  auto answer = text_to(bed, "a", "by " + by);
  answer.by = by;
  if (overrides)
    answer.message.metadata[override_claim_key] = true;
  std::string out = "no answer";
  bed.main_gateway().send(std::move(answer), nullptr,
                          [&](const result<sent>& got) { out = got ? "" : got.error().message; });
  bed.clock.settle();
  return out;
}

} // namespace

TEST_CASE("Q11_claims: a claim keeps others away until it is over, released or overridden",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"which?", false, "q"});
  CHECK(claim(bed, claim_by("anna")).empty());
  const auto until = to_rfc3339(bed.clock.now() + claim_lease);
  const auto refusal = "question \"" + bed.task("a")->id.str()
                       + ".question-1\" is claimed by \"anna\" until " + until;
  CHECK(claim(bed, claim_by("bob")) == refusal);
  CHECK(claim(bed, claim_by("bob", false, true)) == refusal);
  CHECK(answer_as(bed, "bob") == refusal);
  SECTION("its holder answers") {
    CHECK(answer_as(bed, "anna").empty());
  }
  SECTION("it is over") {
    bed.pass(claim_lease - 1ms);
    CHECK(answer_as(bed, "bob") == refusal);
    bed.pass(1ms);
    CHECK(answer_as(bed, "bob").empty());
  }
  SECTION("it is renewed") {
    bed.pass(claim_lease - 1s);
    CHECK(claim(bed, claim_by("anna")).empty());
    bed.pass(claim_lease - 1s);
    CHECK(answer_as(bed, "bob") != "");
  }
  SECTION("it is released") {
    CHECK(claim(bed, claim_by("anna", false, true)).empty());
    CHECK(answer_as(bed, "bob").empty());
  }
  SECTION("an answer overrides it") {
    CHECK(answer_as(bed, "bob", true).empty());
  }
  SECTION("another claim overrides it") {
    CHECK(claim(bed, claim_by("bob", true)).empty());
    CHECK(answer_as(bed, "anna") != "");
    CHECK(answer_as(bed, "bob").empty());
  }
}

TEST_CASE("Q11_claims: a claim is of an open question, and not beyond its deadline",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"which?", false, "q", {}, {}, 60s});
  CHECK(claim(bed, claim_by("anna")).empty());
  CHECK(bed.task("a")->question->claim->until == bed.clock.now() + 60s);
  CHECK(claim(bed, claim_by("anna"), "question-2") != "");
  CHECK(answer_as(bed, "bob") != "");
  CHECK(bed.states() == "input-required");
  bed.pass(60s);
  CHECK(bed.listening->heard == std::vector<std::string>{"q expired"});
  CHECK_THAT(claim(bed, claim_by("anna")), ContainsSubstring("expired"));
}

TEST_CASE("a question stays open over restarts, until the agent has asked again",
          "[actors][time][question]") {
  question_bed bed;
  const report_question which{"which?", false, "q", {}, {}, 1h};
  bed.report_now(which);
  CHECK(claim(bed, claim_by("anna")).empty());
  const auto before = bed.task("a")->question.get();
  for (int restarts = 0; restarts < 2; ++restarts) {
    bed.pass(1min);
    bed.restart();
    CHECK(bed.states() == "input-required");
    CHECK(bed.text("a") == "which?");
    CHECK(bed.task("a")->question.get() == before);
    REQUIRE(bed.objective()->pending_inputs.size() == 1);
    CHECK(bed.objective()->pending_inputs[0].since == before.opened);
  }
  CHECK(bed.task("a")->history.empty());
  SECTION("the same question is taken over") {
    bed.report_now(which);
    CHECK(bed.states() == "input-required");
    CHECK(bed.task("a")->question->id == before.id);
    CHECK(bed.task("a")->question->opened == before.opened);
    CHECK(bed.task("a")->question->deadline == before.deadline);
    CHECK(bed.task("a")->question->claim == before.claim);
    CHECK(bed.objective()->pending_inputs[0].since == before.opened);
  }
  SECTION("another question withdraws it") {
    bed.report_now(report_question{"where?", false, "q"});
    CHECK(bed.task("a")->question->id == "question-2");
    CHECK(find_closed(*bed.task("a"), "question-1")->state == question_state::withdrawn);
  }
  SECTION("another form is another question") {
    bed.report_now(report_question{"which?", false, "q", {{"type", "integer"}}, {}, 1h});
    CHECK(bed.task("a")->question->id == "question-2");
  }
  SECTION("the end of the task withdraws it") {
    bed.report_now(report_completed{});
    CHECK(bed.states() == "completed");
    CHECK(find_closed(*bed.task("a"), "question-1")->state == question_state::withdrawn);
  }
}

TEST_CASE("Q11_claims: a claim survives a restart, and its time goes on",
          "[actors][time][question]") {
  question_bed bed;
  const report_question which{"which?", false, "q"};
  bed.report_now(which);
  CHECK(claim(bed, claim_by("anna")).empty());
  SECTION("while it lasts") {
    bed.pass(1min);
    bed.restart();
    bed.report_now(which);
    CHECK_THAT(answer_as(bed, "bob"), ContainsSubstring("claimed by \"anna\""));
    bed.pass(claim_lease - 1min);
    CHECK(answer_as(bed, "bob").empty());
  }
  SECTION("and is over if that passed meanwhile") {
    bed.stop();
    bed.clock.set(bed.clock.now() + claim_lease);
    bed.restart();
    bed.report_now(which);
    CHECK(answer_as(bed, "bob").empty());
  }
  SECTION("but not of another question") {
    bed.restart();
    bed.report_now(report_question{"where?", false, "q"});
    CHECK(answer_as(bed, "bob").empty());
  }
  SECTION("and may be claimed before it is asked again") {
    bed.restart();
    CHECK(claim(bed, claim_by("bob", true)).empty());
    bed.report_now(which);
    CHECK(bed.task("a")->question->claim->by == "bob");
  }
}

TEST_CASE("Q11_claims: what somebody released without a claim changes nothing",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"which?", false, "q"});
  const auto heard = std::make_shared<all_changes>();
  bed.records().watch_all(heard);
  CHECK(claim(bed, claim_by("anna", false, true)).empty());
  CHECK(heard->changes.empty());
  CHECK(claim(bed, claim_by("anna")).empty());
  CHECK(heard->changes.size() == 1);
  bed.records().unwatch_all(heard);
}

TEST_CASE("Q12_reminders: a question reminds again and again, until it is answered",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"which?", false, "q", {}, {}, 1h, 60s});
  bed.pass(60s - 1ms);
  CHECK(bed.task("a")->question->reminders == 0);
  bed.pass(1ms);
  CHECK(bed.task("a")->question->reminders == 1);
  CHECK(bed.task("a")->question->remind_at == bed.clock.now() + 60s);
  bed.pass(60s);
  CHECK(bed.task("a")->question->reminders == 2);
  // The task stays as it is: its state, its message and its history.
  CHECK(bed.states() == "input-required");
  CHECK(bed.text("a") == "which?");
  CHECK(bed.task("a")->history.empty());
  bed.say("a", "this one");
  CHECK_FALSE(bed.clock.next_due());
  CHECK(find_closed(*bed.task("a"), "question-1")->asked.reminders == 2);
}

TEST_CASE("Q12_reminders: reminders do not move the deadline, and end with it",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"which?", false, "q", {}, {}, 90s, 60s});
  bed.pass(90s - 1ms);
  CHECK(bed.task("a")->question->reminders == 1);
  CHECK(bed.states() == "input-required");
  bed.pass(1ms);
  CHECK(bed.listening->heard == std::vector<std::string>{"q expired"});
}

TEST_CASE("Q12_reminders: reminders go on after a restart, by the time of day",
          "[actors][time][question]") {
  question_bed bed;
  const report_question which{"which?", false, "q", {}, {}, {}, 60s};
  bed.report_now(which);
  SECTION("the next one comes when it was due") {
    bed.pass(40s);
    bed.restart();
    bed.report_now(which);
    bed.pass(20s - 1ms);
    CHECK(bed.task("a")->question->reminders == 0);
    bed.pass(1ms);
    CHECK(bed.task("a")->question->reminders == 1);
  }
  SECTION("those that were due meanwhile are one") {
    bed.pass(60s);
    bed.stop();
    bed.clock.set(bed.clock.now() + 1h);
    bed.restart();
    bed.report_now(which);
    bed.pass(1ms);
    CHECK(bed.task("a")->question->reminders == 2);
    bed.pass(60s);
    CHECK(bed.task("a")->question->reminders == 3);
  }
}

TEST_CASE("Q12_reminders: there are at most so many, and not faster than allowed",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"which?", false, "q", {}, {}, {}, 1ms});
  bed.pass(remind_after_min - 1ms);
  CHECK(bed.task("a")->question->reminders == 0);
  for (std::uint32_t i = 0; i < question_reminders_max + 5; ++i)
    bed.pass(remind_after_min);
  CHECK(bed.task("a")->question->reminders == question_reminders_max);
  CHECK_FALSE(bed.clock.next_due());
}

TEST_CASE("Q12_reminders: a reminder is a message of the agent about the same question",
          "[actors][time][question]") {
  question_bed bed;
  bed.report_now(report_question{"which?", true, "q", {}, {}, {}, 60s});
  const auto heard = std::make_shared<all_changes>();
  bed.records().watch_all(heard);
  bed.pass(60s);
  bed.records().unwatch_all(heard);
  const question_reminded* reminded = nullptr;
  for (const auto& each : heard->changes)
    for (const auto& one : each->events)
      if (const auto* found = std::get_if<question_reminded>(&one))
        reminded = found;
  REQUIRE(reminded != nullptr);
  CHECK(reminded->id == "question-1");
  CHECK(reminded->count == 1);
  CHECK(reminded->state == task_state::auth_required);
  REQUIRE(reminded->message);
  CHECK(text_of(reminded->message->parts) == "which?");
  CHECK(reminded->message->metadata.at(question_id_key).as_string()
        == bed.task("a")->id.str() + ".question-1");
  CHECK(reminded->message->metadata.at(reminder_key) == 1);
  CHECK(reminded->message->message_id != bed.task("a")->status.message->message_id);
}
