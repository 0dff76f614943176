// The agent that asks a person for what a template lacks, and then adds the plans of the template
// to its objective (planner/parameters_task.hpp). The gateway has one; nobody registers it.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/actors/gateway.hpp>

namespace troupe {

class parameters_agent final : public agent {
public:
  explicit parameters_agent(gateway& to) : to_(to) {}

  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override;
  [[nodiscard]] std::string description() const override;

private:
  gateway& to_;
};

} // namespace troupe
