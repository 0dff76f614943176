// The agent that asks a person what the planner wants to know, and asks the planner once more with
// the answer (actors/planning/question_task.hpp). The gateway has one; nobody registers it.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/actors/gateway.hpp>

namespace troupe {

class question_agent final : public agent {
public:
  explicit question_agent(gateway& to) : to_(to) {}

  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  [[nodiscard]] bool goes_on(const std::string& note) const override;
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override;
  [[nodiscard]] std::string description() const override;

private:
  gateway& to_;
};

} // namespace troupe
