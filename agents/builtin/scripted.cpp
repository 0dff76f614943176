#include "agents/builtin/scripted.hpp"

#include "agents/builtin/sleep.hpp"
#include "agents/input_check.hpp"
#include "agents/work_reports.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <memory>
#include <stdexcept>
#include <utility>

namespace troupe {

namespace {

namespace json = boost::json;

// -- the steps ------------------------------------------------------------------------------------

struct wait_step {
  double seconds;
};
struct say_step {
  std::string text;
};
struct ask_step {
  report_question question;
};
struct answer_step {
  std::string name;
};
struct fail_step {
  std::string reason;
  double until_attempt; // fails while the attempt is below; infinite: always
};
struct reject_step {
  std::string reason;
};
struct hang_step {};
struct crash_step {
  std::string text;
};
struct complete_step {
  std::string text;
};

using script_step =
    std::variant<progress_step, wait_step, report_artifact, say_step, ask_step, answer_step,
                 fail_step, reject_step, hang_step, crash_step, complete_step>;

constexpr std::array<std::string_view, 1> answer_members{"name"};

result<std::string> read_text(const json::value& from, const std::string& pointer,
                              input_stage stage) {
  if (from.is_string())
    return std::string(from.get_string());
  if (stage == input_stage::resolved) // a reference to data, written out
    return json_text(from);
  return input_error(pointer, "must be a string");
}

result<script_step> read_fail_until(const json::object& step, const json::value& value,
                                    const std::string& pointer) {
  auto reason = read_string(step, "reason", pointer, "failed on purpose");
  if (!reason)
    return reason.error();
  const auto where = below(pointer, "failUntilAttempt");
  const auto attempt = read_amount(value, where, 1e6);
  if (!attempt || std::trunc(*attempt) != *attempt)
    return input_error(where, "must be a whole number >= 0");
  return script_step{fail_step{std::move(*reason), *attempt}};
}

result<script_step> read_answer(const json::value& value, const std::string& pointer) {
  const auto* object = value.if_object();
  if (object == nullptr)
    return input_error(pointer, "must be an object with a name");
  if (auto known = refuse_unknown(*object, answer_members, pointer); !known)
    return known.error();
  auto name = read_string(*object, "name", pointer, "answer");
  if (!name)
    return name.error();
  return script_step{answer_step{std::move(*name)}};
}

result<script_step> read_action(std::string_view name, const json::object& step,
                                const json::value& value, const std::string& pointer,
                                input_stage stage) {
  const auto where = below(pointer, name);
  if (is_pending(value, stage)) // a written script is only checked, so any step may stand for it
    return script_step{hang_step{}};
  if (name == "failUntilAttempt")
    return read_fail_until(step, value, pointer);
  if (name == "artifactFromAnswer")
    return read_answer(value, where);
  if (name == "progress") {
    if (has_pending(value, stage))
      return script_step{progress_step{}};
    auto read = read_progress(value, where);
    return read ? result<script_step>(std::move(*read)) : result<script_step>(read.error());
  }
  if (name == "artifact") {
    auto read = read_artifact_step(value, where, stage);
    return read ? result<script_step>(std::move(*read)) : result<script_step>(read.error());
  }
  if (name == "sleep") {
    const auto seconds = read_amount(value, where, sleep_seconds_max);
    return seconds ? result<script_step>(wait_step{*seconds})
                   : result<script_step>(seconds.error());
  }
  if (name == "hang")
    return value.is_bool() && value.get_bool()
               ? result<script_step>(hang_step{})
               : result<script_step>(input_error(where, "must be true"));
  if (name == "ask" || name == "askAuth") {
    auto asked = read_question(value, where, name == "askAuth", stage);
    return asked ? result<script_step>(ask_step{std::move(*asked)})
                 : result<script_step>(asked.error());
  }
  auto text = read_text(value, where, stage);
  if (!text)
    return text.error();
  if (name == "message")
    return script_step{say_step{std::move(*text)}};
  if (name == "fail")
    return script_step{fail_step{std::move(*text), HUGE_VAL}};
  if (name == "reject")
    return script_step{reject_step{std::move(*text)}};
  if (name == "crash")
    return script_step{crash_step{std::move(*text)}};
  return script_step{complete_step{std::move(*text)}};
}

result<script_step> read_step(const json::value& from, const std::string& pointer,
                              input_stage stage) {
  const auto* step = from.if_object();
  if (step == nullptr)
    return input_error(pointer, "a step must be an object with one member, such as {\"sleep\": 1}");
  const json::object::value_type* action = nullptr;
  for (const auto& member : *step) {
    const std::string_view name = member.key();
    if (name == "reason" && step->contains("failUntilAttempt"))
      continue;
    if (std::find(step_names.begin(), step_names.end(), name) == step_names.end())
      return input_error(below(pointer, name), "unknown step " + json::serialize(json::string(name))
                                                   + did_you_mean(name, step_names));
    if (action != nullptr)
      return input_error(pointer, "a step does one thing; this has both "
                                      + troupe::quoted(action->key()) + " and "
                                      + troupe::quoted(name));
    action = &member;
  }
  if (action == nullptr)
    return input_error(pointer, "this step is empty");
  return read_action(action->key(), *step, action->value(), pointer, stage);
}

order_input borrowed(const json::object& input) {
  return order_input{std::shared_ptr<const json::object>{std::shared_ptr<const void>{}, &input}};
}

// The steps of an input: a list, or in a written input a reference that becomes one.
result<input_value> find_steps(const order_input& input, input_stage stage) {
  if (auto known = refuse_unknown(input.written(), script_members, ""); !known)
    return known.error();
  const auto steps = input.find("steps");
  if (!steps)
    return input_error("/steps", "is missing; must be a list of steps");
  const bool is_reference =
      steps->kind() == json::kind::string && is_pending(steps->resolve(), stage);
  if (steps->kind() != json::kind::array && !is_reference)
    return input_error("/steps", "must be a list of steps");
  return *steps;
}

result<script_step> read_step_at(const input_value& steps, std::size_t index) {
  return read_step(steps.at(index).resolve(), below("/steps", index), input_stage::resolved);
}

// -- acting ---------------------------------------------------------------------------------------

// A step is read when its turn has come, and forgotten when it was reported: the texts of others to
// which it refers are in memory only meanwhile.
class scripted_run final : public agent_run {
public:
  scripted_run(order_input input, input_value steps, order_ptr order, agent_port_ptr port)
      : input_(std::move(input)), steps_(steps), order_(std::move(order)), port_(std::move(port)) {}

  // Goes on until a step waits or the script is over. Every report goes through the port, the last
  // one too: so none overtakes another.
  void go_on() {
    waiting_ = waiting_for::nothing;
    while (waiting_ == waiting_for::nothing) {
      if (next_ == steps_.size())
        return end(report_completed{});
      auto step = read_step_at(steps_, next_++);
      if (!step)
        return end(input_failure(step.error())); // start has read it: it cannot fail now
      std::visit([this](auto& one) { act(one); }, *step);
    }
  }

  void on_wake() override {
    if (waiting_ == waiting_for::time)
      go_on();
  }

  void on_answer(const message_ptr& answer) override {
    if (waiting_ != waiting_for::answer)
      return;
    answer_ = text_of(answer->parts);
    go_on();
  }

  bool on_cancel() override {
    waiting_ = waiting_for::end;
    return true;
  }

private:
  enum class waiting_for : std::uint8_t { nothing, time, answer, end };

  void act(const progress_step& step) { port_->report(report_progress{trackers_.apply(step)}); }

  void act(const wait_step& step) {
    const auto wait = scaled_wait(step.seconds, order_->time_scale);
    if (wait.count() == 0)
      return;
    waiting_ = waiting_for::time;
    port_->wake_after(wait);
  }

  void act(report_artifact& step) { port_->report(namer_.name(std::move(step))); }

  void act(say_step& step) { port_->report(agent_message(std::move(step.text))); }

  void act(ask_step& step) {
    waiting_ = waiting_for::answer;
    port_->report(std::move(step.question));
  }

  void act(const answer_step& step) {
    port_->report(namer_.name({text_artifact(step.name, answer_)}));
  }

  void act(const fail_step& step) {
    if (static_cast<double>(order_->attempt) < step.until_attempt)
      end(report_failed{step.reason});
  }

  void act(const reject_step& step) { end(report_rejected{step.reason}); }
  void act(const hang_step&) { waiting_ = waiting_for::end; }
  void act(const crash_step& step) { throw std::runtime_error(step.text); }
  void act(const complete_step& step) { end(report_completed{{}, step.text}); }

  void end(agent_report how) {
    waiting_ = waiting_for::end;
    port_->report(std::move(how));
  }

  order_input input_;
  input_value steps_; ///< Of `input_`.
  order_ptr order_;
  agent_port_ptr port_;
  tracker_set trackers_;
  artifact_namer namer_;
  std::string answer_;
  std::size_t next_ = 0;
  waiting_for waiting_ = waiting_for::nothing;
};

} // namespace

start_result scripted_agent::start(const order_ptr& order, const agent_port_ptr& port) {
  auto input = input_of(*order);
  const auto steps = find_steps(input, input_stage::resolved);
  if (!steps)
    return input_failure(steps.error());
  for (std::size_t i = 0; i < steps->size(); ++i)
    if (const auto step = read_step_at(*steps, i); !step)
      return input_failure(step.error());
  auto run = std::make_unique<scripted_run>(std::move(input), *steps, order, port);
  run->go_on();
  return run;
}

result<void> scripted_agent::check_input(const json::object& input) const {
  const auto here = borrowed(input);
  const auto steps = find_steps(here, input_stage::written);
  if (!steps)
    return steps.error();
  for (std::size_t i = 0; i < steps->size(); ++i) {
    const auto written = steps->at(i).resolve();
    if (is_pending(written, input_stage::written))
      continue;
    if (const auto step = read_step(written, below("/steps", i), input_stage::written); !step)
      return step.error();
  }
  return {};
}

std::string scripted_agent::description() const {
  return "Acts out a list of steps: progress, artifacts, questions, failures; for tests and demos";
}

} // namespace troupe
