#include "agents/builtin/sleep.hpp"

#include "agents/input_check.hpp"

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace troupe {

namespace {

result<double> read_seconds(const boost::json::object& input, input_stage stage) {
  if (auto known = refuse_unknown(input, sleep_members, ""); !known)
    return known.error();
  const auto* seconds = input.if_contains("seconds");
  if (seconds == nullptr)
    return input_error("/seconds", "is missing; must be a number >= 0");
  if (is_pending(*seconds, stage))
    return 0.0;
  return read_amount(*seconds, "/seconds", sleep_seconds_max);
}

class sleep_run final : public agent_run {
public:
  explicit sleep_run(agent_port_ptr port) : port_(std::move(port)) {}

  void on_wake() override {
    if (!std::exchange(over_, true))
      port_->report(report_completed{});
  }

  bool on_cancel() override {
    over_ = true;
    return true;
  }

private:
  agent_port_ptr port_;
  bool over_ = false;
};

} // namespace

std::chrono::nanoseconds scaled_wait(double seconds, double scale) {
  constexpr double nanoseconds_max = 9.2e18; // a little below the largest std::int64_t
  const auto wait = seconds * 1e9 * scale;
  return std::chrono::nanoseconds{
      wait > 0 ? static_cast<std::int64_t>(std::min(wait, nanoseconds_max)) : 0};
}

start_result sleep_agent::start(const order_ptr& order, const agent_port_ptr& port) {
  const auto seconds = read_seconds(input_of(*order).resolve(), input_stage::resolved);
  if (!seconds)
    return input_failure(seconds.error());
  const auto wait = scaled_wait(*seconds, order->time_scale);
  if (wait.count() == 0)
    return report_completed{};
  port->wake_after(wait);
  return std::make_unique<sleep_run>(port);
}

result<void> sleep_agent::check_input(const boost::json::object& input) const {
  if (auto seconds = read_seconds(input, input_stage::written); !seconds)
    return seconds.error();
  return {};
}

std::string sleep_agent::description() const {
  return "Waits: {\"seconds\": 0.5}";
}

} // namespace troupe
