#include "tests/agents/fake_port.hpp"

#include <boost/json/parse.hpp>

#include <stdexcept>

namespace troupe::test {

namespace {

bool is_end(const agent_report& one) {
  return std::holds_alternative<report_completed>(one) || std::holds_alternative<report_failed>(one)
         || std::holds_alternative<report_rejected>(one);
}

} // namespace

void fake_port::report(agent_report report) {
  const std::lock_guard guard(mutex_);
  reports_.push_back(std::move(report));
  changed_.notify_all();
}

void fake_port::wake_after(std::chrono::nanoseconds delay) {
  const std::lock_guard guard(mutex_);
  wakes_.push_back(delay);
}

std::vector<agent_report> fake_port::reports() const {
  const std::lock_guard guard(mutex_);
  return reports_;
}

std::vector<std::chrono::nanoseconds> fake_port::wakes() const {
  const std::lock_guard guard(mutex_);
  return wakes_;
}

agent_report fake_port::wait_for_end() {
  return wait_until(is_end);
}

agent_report fake_port::wait_until(std::function<bool(const agent_report&)> fits) {
  std::unique_lock guard(mutex_);
  const agent_report* found = nullptr;
  const auto look = [&] {
    auto fresh = fits; // it may count
    for (const auto& one : reports_)
      if (fresh(one)) {
        found = &one;
        return true;
      }
    return false;
  };
  if (!changed_.wait_for(guard, std::chrono::minutes{1}, look)) {
    std::string seen = "the report did not come; there were " + std::to_string(reports_.size());
    for (const auto& one : reports_)
      seen += "; " + ending(one);
    throw std::runtime_error(seen);
  }
  return *found;
}

order order_with(std::string_view input) {
  order out;
  out.id = task_id("t1");
  out.context = "c1";
  out.input = object(input);
  return out;
}

order_ptr shared(order given) {
  return std::make_shared<const order>(std::move(given));
}

boost::json::object object(std::string_view json) {
  return boost::json::parse(json).as_object();
}

message_ptr user_says(std::string text) {
  message out;
  out.message_id = "m1";
  out.from = role::user;
  out.parts.push_back(text_part(std::move(text)));
  return std::make_shared<const message>(std::move(out));
}

std::string ending(const agent_report& end) {
  if (const auto* completed = std::get_if<report_completed>(&end))
    return "completed: " + completed->message;
  if (const auto* failed = std::get_if<report_failed>(&end))
    return (failed->retry ? "failed: " : "failed for good: ") + failed->reason;
  if (const auto* rejected = std::get_if<report_rejected>(&end))
    return "rejected: " + rejected->reason;
  return "no end";
}

std::string verdict(const agent& agent, std::string_view input) {
  const auto checked = agent.check_input(object(input));
  return checked ? "fine" : checked.error().field + ": " + checked.error().message;
}

} // namespace troupe::test
