// The two cheapest agents: `echo` returns the text it was given, `noop` nothing at all. Both
// complete at once, on the task's actor; they are what benchmarks and plain messages run, so
// nothing here may cost more than it must.
#pragma once

#include <troupe/actors/agent.hpp>

#include <array>
#include <string_view>

namespace troupe {

/// What its input may have (docs/agents.md).
inline constexpr auto echo_members = std::to_array<std::string_view>({"text"});

/// Completes at once with one text artifact `echo` that holds `order::text()`.
class echo_agent final : public agent {
public:
  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override;
  [[nodiscard]] std::string description() const override;
};

/// Completes at once without artifacts. It takes no input.
class noop_agent final : public agent {
public:
  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override;
  [[nodiscard]] std::string description() const override;
};

} // namespace troupe
