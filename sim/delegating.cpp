#include "sim/delegating.hpp"

#include <variant>

#include "sim/views.hpp"

namespace troupe::sim {

namespace {

std::string text_of_parts(const artifact& made) {
  std::string out;
  for (const auto& each : made.parts)
    if (const auto* text = std::get_if<text_content>(&each.content))
      out += text->text;
  return out;
}

/// Writes down what an attempt reports; what comes after its end is not looked at.
struct note_taking {
  world& in;
  attempt& of;

  void operator()(const report_artifact& made) const {
    stream_event event;
    event.kind = event_kind::artifact;
    event.at = in.next_moment();
    event.artifact = made.artifact.artifact_id;
    event.text = text_of_parts(made.artifact);
    event.append = made.append;
    of.made.push_back(std::move(event));
  }
  void operator()(const report_completed&) const {
    of.completed = in.next_moment();
    end("completed");
  }
  void operator()(const report_failed& why) const {
    in.story.add("the delegation of " + of.name + " fails: " + why.reason);
    end(why.retry ? "failed" : "failed for good");
  }
  void operator()(const report_rejected&) const { end("rejected"); }
  void operator()(const report_question&) const { in.story.reached("a delegated task asks"); }
  void operator()(const report_withdrawal&) const {
    in.story.reached("a question of a remote agent is withdrawn");
  }
  void operator()(const report_canceled& how) const {
    of.cancel = to_string(how.outcome);
    of.canceled = in.next_moment();
    in.story.reached("the cancel of a delegation ends: " + of.cancel);
  }
  template<class Other>
  void operator()(const Other&) const {}

private:
  void end(const char* how) const {
    of.report = how;
    of.reported = in.next_moment();
  }
};

} // namespace

class delegating::noting_port final : public agent_port {
public:
  noting_port(world& in, std::size_t place, agent_port_ptr real)
      : in_(in), place_(place), real_(std::move(real)) {}

  void report(agent_report reported) override {
    auto& of = in_.seen.attempts[place_];
    if (!in_.is_dying && of.report.empty() && of.cancel.empty())
      std::visit(note_taking{in_, of}, reported);
    real_->report(std::move(reported));
  }
  void wake_after(std::chrono::nanoseconds delay) override { real_->wake_after(delay); }
  bool has_room() override { return real_->has_room(); }

private:
  world& in_;
  const std::size_t place_;
  const agent_port_ptr real_;
};

class delegating::run final : public agent_run {
public:
  run(world& in, std::size_t place, agent_run_ptr real)
      : in_(in), place_(place), real_(std::move(real)) {}
  ~run() override {
    real_.reset();
    in_.seen.attempts[place_].ended = in_.next_moment();
  }

  void on_references(const std::vector<referenced_task>& references) override {
    real_->on_references(references);
  }
  void on_input(const message_ptr& input) override { real_->on_input(input); }
  void on_answer(const message_ptr& answer) override { real_->on_answer(answer); }
  bool on_question_ended(const std::string& key, question_end how) override {
    return real_->on_question_ended(key, how);
  }
  void on_noted() override { real_->on_noted(); }
  void on_room() override { real_->on_room(); }
  void on_changed(const change_outcome& outcome) override { real_->on_changed(outcome); }
  void on_wake() override { real_->on_wake(); }
  void on_cancel_within(std::chrono::milliseconds within) override {
    real_->on_cancel_within(within);
  }
  bool on_cancel() override { return real_->on_cancel(); }
  std::chrono::nanoseconds cancel_grace_min() const noexcept override {
    return real_->cancel_grace_min();
  }

private:
  world& in_;
  const std::size_t place_;
  agent_run_ptr real_;
};

start_result delegating::start(const order_ptr& order, const agent_port_ptr& port) {
  const auto place = in_.seen.attempts.size();
  attempt& begun = in_.seen.attempts.emplace_back();
  begun.task = order->id.str();
  begun.name = order->name;
  begun.delegated = text_at(order->input.resolve(), "text");
  begun.number = order->attempt;
  begun.began = in_.next_moment();
  in_.story.add("attempt " + std::to_string(order->attempt) + " of " + order->name
                + " is delegated, task " + begun.task);
  in_.story.reached(order->note.empty() ? "a task is delegated"
                                        : "a delegation goes on after a restart");
  auto started = real_->start(order, std::make_shared<noting_port>(in_, place, port));
  if (auto* const real = std::get_if<agent_run_ptr>(&started))
    return std::make_unique<run>(in_, place, std::move(*real));
  auto& ended = in_.seen.attempts[place];
  ended.ended = ended.began;
  if (const auto* failed = std::get_if<report_failed>(&started))
    note_taking{in_, ended}(*failed);
  return started;
}

} // namespace troupe::sim
