// Does what outside conformance kits ask of a server under test: the beginning of a message's id,
// or its whole text, names a behaviour (as https://github.com/a2aproject/a2a-tck does). The table
// is in conformance.cpp. What it does not know makes it ask, so that a task stays open to further
// messages and to being canceled.
//
// For test systems: `troupe serve --agent conformance`. No other way leads to it.
#pragma once

#include <troupe/actors/agent.hpp>

namespace troupe {

class conformance_agent final : public agent {
public:
  /// The last message of the order decides, so a follow-up may name another behaviour than the
  /// message before it.
  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  [[nodiscard]] std::vector<std::string> output_modes() const override { return {"*/*"}; }
  [[nodiscard]] std::string description() const override;
};

} // namespace troupe
