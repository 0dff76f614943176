#include "agents/builtin/echo.hpp"

#include "agents/input_check.hpp"

#include <utility>

namespace troupe {

start_result echo_agent::start(const order_ptr& order, const agent_port_ptr&) {
  report_completed done;
  done.artifacts.push_back(text_artifact("echo", order->text()));
  return done;
}

result<void> echo_agent::check_input(const boost::json::object& input) const {
  if (auto known = refuse_unknown(input, echo_members, ""); !known)
    return known;
  if (const auto text = read_string(input, "text", ""); !text)
    return text.error();
  return {};
}

std::string echo_agent::description() const {
  return "Returns the text it is given";
}

start_result noop_agent::start(const order_ptr&, const agent_port_ptr&) {
  return report_completed{};
}

result<void> noop_agent::check_input(const boost::json::object& input) const {
  return refuse_unknown(input, {}, "");
}

std::string noop_agent::description() const {
  return "Completes at once and makes nothing; for measurements";
}

} // namespace troupe
