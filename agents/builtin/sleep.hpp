// Waits: `{"seconds": 0.5}`, times the run's time scale. Stands for work of known length in plans
// from measurements, in demos and tests. The wait is the actor's timer; no thread is held.
#pragma once

#include <troupe/actors/agent.hpp>

#include <array>
#include <chrono>
#include <string_view>

namespace troupe {

/// What its input may have (docs/agents.md).
inline constexpr auto sleep_members = std::to_array<std::string_view>({"seconds"});

/// The longest wait of one `sleep`, before scaling: about 31 years.
inline constexpr double sleep_seconds_max = 1e9;

/// `seconds` x `scale`, held within what the timer can express.
[[nodiscard]] std::chrono::nanoseconds scaled_wait(double seconds, double scale);

/// Completes without artifacts once the time is over; zero seconds at once.
class sleep_agent final : public agent {
public:
  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override;
  [[nodiscard]] std::string description() const override;
};

} // namespace troupe
