// The two cheapest agents: `echo` returns the text it was given, `noop` nothing at all. Both
// complete at once, on the task's actor; they are what benchmarks and plain messages run, so
// nothing here may cost more than it must.
#pragma once

#include <troupe/actors/agent.hpp>

namespace troupe {

/// Completes at once with one text artifact `echo` that holds `order::text()`.
class echo_agent final : public agent {
public:
  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  [[nodiscard]] std::string description() const override;
};

/// Completes at once without artifacts.
class noop_agent final : public agent {
public:
  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  [[nodiscard]] std::string description() const override;
};

} // namespace troupe
