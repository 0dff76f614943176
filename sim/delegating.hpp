// The agent `a2a` of a world: the product's own, with notes in the history of what begins and what
// it reports.
#pragma once

#include "agents/a2a/a2a_agent.hpp"
#include <troupe/actors/agent.hpp>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "sim/world.hpp"

namespace troupe::sim {

class delegating final : public troupe::agent {
public:
  delegating(world& in, std::shared_ptr<a2a_agent> real) : in_(in), real_(std::move(real)) {}

  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  /// Of the process before.
  void deliver_cancels() const { real_->deliver_cancels(); }
  [[nodiscard]] bool goes_on(const std::string& note) const override {
    return real_->goes_on(note);
  }
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override {
    return real_->check_input(input);
  }
  [[nodiscard]] std::vector<std::string> output_modes() const override {
    return real_->output_modes();
  }

private:
  class run;
  class noting_port;

  world& in_;
  const std::shared_ptr<a2a_agent> real_;
};

} // namespace troupe::sim
