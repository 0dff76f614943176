// An agent whose every attempt is drawn from the seed: delays, chunks, messages, questions,
// failure, throwing, silence; and careless ones, which report twice or after their end.
#pragma once

#include <troupe/actors/agent.hpp>

#include <cstdint>
#include <set>
#include <string>
#include <utility>

#include "sim/world.hpp"

namespace troupe::sim {

class agent final : public troupe::agent {
public:
  explicit agent(world& in) : in_(in) {}
  start_result start(const order_ptr& order, const agent_port_ptr& port) override;

private:
  class run;
  class held_run;

  world& in_;
  std::set<std::pair<std::string, std::uint32_t>> asked_; ///< Attempts that only asked.
};

} // namespace troupe::sim
