#include "agents/builtin/echo.hpp"

#include <utility>

namespace troupe {

start_result echo_agent::start(const order_ptr& order, const agent_port_ptr&) {
  report_completed done;
  done.artifacts.push_back(text_artifact("echo", order->text()));
  return done;
}

std::string echo_agent::description() const {
  return "Returns the text it is given";
}

start_result noop_agent::start(const order_ptr&, const agent_port_ptr&) {
  return report_completed{};
}

std::string noop_agent::description() const {
  return "Completes at once and makes nothing; for measurements";
}

} // namespace troupe
