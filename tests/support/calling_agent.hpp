// An agent that calls tasks of its plan and adds some to it (report_change), and completes once it
// has heard of all of them. On the test's thread.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/spec.hpp>
#include <troupe/protocol/task_state.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

namespace troupe::testing {

class calling_agent final : public agent {
public:
  start_result start(const order_ptr& order, const agent_port_ptr& to) override {
    ++starts;
    auto out = std::make_unique<run>(*this, to);
    if (order->note.empty()) // Nothing is called before it is durable that this attempt goes on.
      to->report(report_note{"calls", true});
    else
      out->begin();
    return out;
  }
  [[nodiscard]] bool goes_on(const std::string& note) const override { return note == "calls"; }
  [[nodiscard]] std::uint32_t parallel_max() const override { return limit; }

  std::vector<report_change> wanted; ///< By each attempt, in this order.
  bool completes = true;             ///< Once all are answered.
  std::uint32_t limit = 0;
  std::size_t starts = 0;
  std::vector<std::string>
      heard;           ///< "KEY: STATE TEXT" of each called task, "KEY: +N", "KEY: ERROR".
  agent_port_ptr port; ///< Of the last attempt.

private:
  struct run final : agent_run {
    run(calling_agent& of, agent_port_ptr to) : of_(of), port_(std::move(to)) { of_.port = port_; }
    void begin() {
      for (const auto& each : of_.wanted)
        port_->report(each);
    }
    void on_noted() override { begin(); }
    void on_changed(const change_outcome& outcome) override {
      auto text = outcome.key + ":";
      if (!outcome.report)
        text += " " + outcome.report.error().message;
      else if (outcome.called.empty())
        text += " +" + std::to_string(outcome.report->added.size());
      for (const auto& each : outcome.called) {
        text += " " + std::string(to_string(each.state));
        for (const auto& made : each.artifacts)
          text += " " + text_of(made->parts);
        if (!each.reason.empty())
          text += " " + each.reason;
      }
      of_.heard.push_back(std::move(text));
      if (++answered_ == of_.wanted.size() && of_.completes)
        port_->report(report_completed{});
    }
    calling_agent& of_;
    agent_port_ptr port_;
    std::size_t answered_ = 0;
  };
};

/// A change that adds one task, and waits for it if `waits`.
inline report_change a_change(std::string key, task_spec task, bool waits = true) {
  report_change out;
  out.key = std::move(key);
  out.operations = {add_task{std::move(task)}};
  out.waits = waits;
  return out;
}

} // namespace troupe::testing
