#include "actors/task/task_decision.hpp"
#include "protocol/fold/apply.hpp"
#include "tests/support/catch.hpp"

#include <array>

using namespace std::chrono_literals;
using namespace troupe;

namespace {

constexpr timestamp noon{std::chrono::hours{12}};

const std::function<message_ptr(const std::string&, const boost::json::object&)> say =
    [](const std::string& text, const boost::json::object&) {
      auto out = std::make_shared<message>();
      out->parts.push_back(text_part(text));
      return out;
    };

constexpr retry_policy three_attempts{.attempts_max = 3, .backoff = 2s};

task_life in_state(task_state state) {
  task_life life;
  life.status.state = state;
  life.attempt = state == task_state::unspecified || state == task_state::submitted ? 0 : 1;
  if (is_interrupted(state)) {
    life.questions = 1;
    life.question = question{
        .id = "question-1", .prompt = "which?", .key = {}, .form = {}, .data = {}, .deadline = {}};
  }
  return life;
}

/// A decision, and the life that its events lead to.
struct outcome {
  result<task_decision> decided;
  task_events events;
  task_life after;
};

template<class Input>
outcome decided(task_life life, const Input& input, const retry_policy& retry = three_attempts) {
  outcome out{task_decision{}, {}, std::move(life)};
  out.decided = decide(out.after, input, task_terms{noon, retry, say}, out.events);
  for (const auto& one : out.events)
    apply_event(out.after, noon, one);
  return out;
}

template<class Event>
const Event* find(const task_events& in) {
  for (const auto& one : in)
    if (const auto* found = std::get_if<Event>(&one))
      return found;
  return nullptr;
}

const report_question asked{"which?"};

struct row {
  const char* name;
  std::function<outcome(task_life)> decide;
  std::function<std::optional<task_event>(task_state)>
      on; ///< What the table is asked; nothing: it moves nowhere.
};

const std::array rows{
    row{"attempt_begins", [](task_life life) { return decided(std::move(life), attempt_begins{}); },
        [](task_state) { return task_event::start; }},
    row{"question_asked",
        [](task_life life) { return decided(std::move(life), question_asked{asked}); },
        [](task_state) { return task_event::ask; }},
    row{"attempt_fails for good",
        [](task_life life) {
          return decided(std::move(life), attempt_fails{{"no", false}, 0});
        },
        [](task_state) { return task_event::fail; }},
    row{"attempt_fails and is tried again",
        [](task_life life) {
          return decided(std::move(life), attempt_fails{{"no", true}, 0});
        },
        [](task_state) { return task_event::start; }},
    row{"completes",
        [](task_life life) {
          return decided(std::move(life), task_ends{task_event::complete, {}});
        },
        [](task_state) { return task_event::complete; }},
    row{"fails",
        [](task_life life) {
          return decided(std::move(life), task_ends{task_event::fail, "no"});
        },
        [](task_state) { return task_event::fail; }},
    row{"is canceled",
        [](task_life life) {
          return decided(std::move(life), task_ends{task_event::cancel, "no"});
        },
        [](task_state) { return task_event::cancel; }},
    row{"is rejected",
        [](task_life life) {
          return decided(std::move(life), task_ends{task_event::reject, "no"});
        },
        [](task_state) { return task_event::reject; }},
    row{"an answer",
        [](task_life life) {
          return decided(std::move(life), input_given{say("x", {}), "question-1", true, "t"});
        },
        [](task_state) { return task_event::answer; }},
    row{"the question expires",
        [](task_life life) {
          return decided(std::move(life), question_ends{"question-1", question_end::expired, {}});
        },
        [](task_state) { return task_event::answer; }},
    row{"the question is withdrawn",
        [](task_life life) {
          return decided(std::move(life),
                         question_ends{"question-1", question_end::withdrawn, "found"});
        },
        [](task_state) { return task_event::answer; }},
};

} // namespace

TEST_CASE("for every input in every state, the state of a task moves by the table only",
          "[actors][decision]") {
  for (const auto& one : rows)
    for (std::size_t i = 0; i < task_state_count; ++i) {
      const auto from = static_cast<task_state>(i);
      const auto got = one.decide(in_state(from));
      const auto to = next_state(from, *one.on(from));
      INFO(one.name << " in " << to_string(from));
      CHECK(got.decided.has_value() == to.has_value());
      if (to) {
        CHECK(got.after.status.state == *to);
      } else {
        CHECK(got.events.empty());
        CHECK(got.after.status.state == from);
      }
      // A question is open exactly while the task asks.
      CHECK(bool{got.after.question} == is_interrupted(got.after.status.state));
      CHECK((find<question_opened>(got.events) != nullptr)
            == (!is_interrupted(from) && is_interrupted(got.after.status.state)));
    }
}

TEST_CASE("an attempt that keeps the question of the one before leaves the task in its state",
          "[actors][decision][question]") {
  const auto before = in_state(task_state::auth_required);
  const auto got = decided(before, attempt_begins{.keeps_question = true});
  CHECK(got.events.size() == 1);
  CHECK(got.after.status.state == task_state::auth_required);
  CHECK(got.after.question == before.question);
  CHECK(got.after.attempt == before.attempt + 1);
}

TEST_CASE("a question that is asked again keeps its id, and the next one has a new one",
          "[actors][decision][question]") {
  auto life = in_state(task_state::working);
  life.questions = 1;
  question before;
  before.id = "question-1";
  before.claim = input_claim{"anna", noon + 1min};
  before.reminders = 3;
  const auto again = decided(life, question_asked{asked, &before}).after;
  CHECK(again.question->id == "question-1");
  CHECK(again.question->claim == before.claim);
  CHECK(again.question->reminders == 3);
  CHECK(again.questions == 1);
  const auto other = decided(life, question_asked{asked}).after;
  CHECK(other.question->id == "question-2");
}

TEST_CASE("a question has a number of its own, and ends in one of four ways",
          "[actors][decision][question]") {
  auto life = in_state(task_state::working);
  const report_question sign_in{"a?", true, "key", {{"type", "string"}}, {{"n", 1}}, 5s};
  auto opened = decided(life, question_asked{sign_in});
  REQUIRE(opened.decided.has_value());
  const auto& open = opened.after.question.get();
  CHECK(open.id == "question-1");
  CHECK(open.attempt == 1);
  CHECK(open.kind == question_kind::auth);
  CHECK(open.key == "key");
  CHECK(open.form.at("type") == "string");
  CHECK(open.data.at("n") == 1);
  CHECK(open.deadline == noon + 5s);
  CHECK(open.opened == noon);
  CHECK(opened.after.status.state == task_state::auth_required);

  const auto answered = decided(opened.after, input_given{say("x", {}), "question-1", false, "t"});
  CHECK(find<question_answered>(answered.events)->id == "question-1");
  CHECK(
      decided(opened.after, question_ends{"question-1", question_end::expired, {}}).decided->effect
      == task_effect::question_closed);
  CHECK(find<question_withdrawn>(decided(opened.after, task_ends{task_event::cancel, {}}).events)
            ->reason
        == "the task has ended");
  CHECK(find<question_withdrawn>(decided(opened.after, attempt_fails{{"no", true}, 0}).events));
  CHECK(decided(opened.after, question_ends{"question-2", question_end::expired, {}})
            .decided.error()
            .code
        == errc::no_question);

  const auto second = decided(answered.after, question_asked{asked});
  CHECK(second.after.question->id == "question-2");
  // An answer to the first one is not one to the second.
  const auto late = decided(second.after, input_given{say("x", {}), "question-1", false, "t"});
  REQUIRE(late.decided.has_error());
  CHECK(late.decided.error().code == errc::already_answered);
}

TEST_CASE("an answer to a closed question is refused with how it was closed, by whom and when",
          "[actors][decision][question]") {
  const auto life = in_state(task_state::input_required);
  const input_given anna{say("x", {}), "question-1", false, "t", "anna"};
  const auto late = [](const task_life& after) {
    const auto out = decided(after, input_given{say("y", {}), "question-1", false, "t", "bob"});
    CHECK(out.events.empty());
    return out.decided.error();
  };
  SECTION("answered") {
    const auto refusal = late(decided(life, anna).after);
    CHECK(refusal.code == errc::already_answered);
    CHECK(refusal.message
          == "question \"t.question-1\" was answered by \"anna\" at 1970-01-01T12:00:00.000Z");
    CHECK(refusal.details
          == R"({"inputId":"t.question-1","state":"answered","by":"anna",)"
             R"("at":"1970-01-01T12:00:00.000Z"})");
  }
  SECTION("expired") {
    const auto after = decided(life, question_ends{"question-1", question_end::expired, {}}).after;
    CHECK(late(after).code == errc::input_expired);
  }
  SECTION("withdrawn") {
    const auto after =
        decided(life, question_ends{"question-1", question_end::withdrawn, "found"}).after;
    CHECK(late(after).code == errc::input_withdrawn);
    CHECK(late(after).message.ends_with(": found"));
  }
  SECTION("withdrawn with the end of its task") {
    CHECK(late(decided(life, task_ends{task_event::cancel, "no"}).after).code
          == errc::input_withdrawn);
  }
  SECTION("expired with the end of its task at a deadline") {
    CHECK(late(decided(life, task_ends{task_event::fail, "late", {}, true}).after).code
          == errc::input_expired);
    CHECK(late(decided(life, attempt_fails{{"late", false}, 0, true}).after).code
          == errc::input_expired);
  }
  SECTION("answered, and its task has ended") {
    const auto answered = decided(life, anna).after;
    CHECK(late(decided(answered, task_ends{task_event::complete, {}}).after).code
          == errc::already_answered);
  }
}

TEST_CASE("a declined question is closed, and its agent learns that there is no answer",
          "[actors][decision][question]") {
  const auto action = GENERATE(answer_action::decline, answer_action::cancel);
  const auto got = decided(in_state(task_state::input_required),
                           input_given{say("no", {}), {}, false, "t", "anna", action});
  REQUIRE(got.decided.has_value());
  CHECK(got.decided->effect == task_effect::question_closed);
  CHECK(find<question_answered>(got.events)->action == action);
  CHECK(got.after.status.state == task_state::working);
  CHECK(got.after.closed->front().action == action);
  // Without a question there is nothing to decline.
  CHECK(decided(got.after, input_given{say("no", {}), {}, false, "t", "anna", action})
            .decided.error()
            .code
        == errc::no_question);
}

TEST_CASE("the message that asks has the id of the question among those of all tasks",
          "[actors][decision][question]") {
  message_ptr said;
  const std::function<message_ptr(const std::string&, const boost::json::object&)> note =
      [&](const std::string&, const boost::json::object& metadata) {
        auto out = std::make_shared<message>();
        out->metadata = metadata;
        return said = out;
      };
  task_events events;
  REQUIRE(decide(in_state(task_state::working), question_asked{asked, nullptr, "o.p0.t1"},
                 task_terms{noon, three_attempts, note}, events)
              .has_value());
  CHECK(said->metadata.at("opt/v1/inputId") == "o.p0.t1.question-1");
}

TEST_CASE(
    "a message without a question answers what is open, and is further input where nothing is",
    "[actors][decision][question]") {
  const input_given plain{say("x", {}), {}, false, "t"};
  CHECK(decided(in_state(task_state::input_required), plain).decided->effect
        == task_effect::give_answer);
  const auto more = decided(in_state(task_state::working), plain);
  CHECK(more.decided->effect == task_effect::give_input);
  CHECK(more.events.size() == 1);
  CHECK(decided(in_state(task_state::working), input_given{say("x", {}), {}, true, "t"})
            .decided.error()
            .code
        == errc::no_question);
  CHECK(decided(in_state(task_state::unspecified), plain).decided.error().code
        == errc::unsupported_operation);
  CHECK(decided(in_state(task_state::completed), plain).decided.error().code
        == errc::unsupported_operation);
  // As rows of before questions had ids have it.
  auto old = in_state(task_state::input_required);
  old.question.reset();
  CHECK(decided(old, plain).decided->effect == task_effect::give_answer);
  CHECK(decided(old, input_given{say("x", {}), "question-1", false, "t"}).decided.error().code
        == errc::no_question);
}

TEST_CASE("a failed attempt waits for its backoff, and the last one ends the task",
          "[actors][decision]") {
  auto life = in_state(task_state::working);
  for (std::uint32_t failures = 1; failures < 3; ++failures) {
    const auto failed = decided(life, attempt_fails{{"no", true}, 0});
    REQUIRE(failed.decided.has_value());
    CHECK(failed.decided->effect == task_effect::back_off);
    CHECK(failed.decided->wait == 2s * failures);
    CHECK(failed.after.failures == failures);
    CHECK(phase_of(failed.after) == task_phase::backoff);
    // What it reports now is late.
    CHECK_FALSE(decided(failed.after, attempt_fails{{"no", true}, 0}).decided.has_value());
    CHECK_FALSE(decided(failed.after, question_asked{asked}).decided.has_value());
    const auto queued = decided(failed.after, slot_wanted{});
    CHECK(phase_of(queued.after) == task_phase::slot);
    life = decided(queued.after, attempt_begins{}).after;
    CHECK(life.attempt == failures + 1);
    CHECK(phase_of(life) == task_phase::running);
  }
  const auto last = decided(life, attempt_fails{{"no", true}, 0});
  CHECK(last.decided->effect == task_effect::end);
  CHECK(text_of(last.after.status.message->parts) == "no (attempt 3 of 3)");
  CHECK(last.after.failures == 3);
}

TEST_CASE("an attempt that waited for an answer continues under its number, and one of an earlier "
          "process if its agent allows it",
          "[actors][decision]") {
  const auto answered =
      decided(in_state(task_state::input_required), input_given{say("x", {}), {}, false, "t"});
  CHECK_FALSE(decided(answered.after, attempt_resumes{}).decided.has_value());
  const auto queued = decided(answered.after, slot_wanted{});
  CHECK(phase_of(queued.after) == task_phase::slot);
  const auto resumed = decided(queued.after, attempt_resumes{});
  CHECK(resumed.decided->effect == task_effect::start_agent);
  CHECK(resumed.after.attempt == 1);
  CHECK(phase_of(resumed.after) == task_phase::running);
  CHECK(decided(in_state(task_state::working), attempt_begins{}).after.attempt == 2);
  CHECK(decided(in_state(task_state::working), attempt_begins{.goes_on = true}).after.attempt == 1);
  CHECK(find<task_moved>(
            decided(in_state(task_state::submitted), attempt_begins{.taken_by = "worker 7"}).events)
            ->taken_by
        == "worker 7");
}
