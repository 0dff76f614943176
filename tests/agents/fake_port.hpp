// Stands in for a task's actor: remembers what an agent reports and lets a test wait for it, never
// for a time.
#pragma once

#include <troupe/actors/agent.hpp>

#include <atomic>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <vector>

namespace troupe::test {

class fake_port final : public agent_port {
public:
  void report(agent_report reported) override;
  void wake_after(std::chrono::nanoseconds delay) override;
  bool has_room() override { return is_roomy; }

  /// What was reported so far.
  [[nodiscard]] std::vector<agent_report> reports() const;
  [[nodiscard]] std::vector<std::chrono::nanoseconds> wakes() const;
  /// Waits until a report completes, fails or rejects, and returns it. Throws if none comes within
  /// a minute.
  [[nodiscard]] agent_report wait_for_end();
  /// Waits for the first report of type T that `fits`.
  template<class T>
  [[nodiscard]] T wait_for(std::size_t skip = 0) {
    return std::get<T>(wait_until([skip](const agent_report& one) mutable {
      return std::holds_alternative<T>(one) && skip-- == 0;
    }));
  }
  template<class T>
  [[nodiscard]] std::vector<T> all() const {
    std::vector<T> out;
    for (const auto& one : reports())
      if (const auto* fits = std::get_if<T>(&one))
        out.push_back(*fits);
    return out;
  }

  std::atomic<bool> is_roomy{true}; ///< What has_room returns.

private:
  [[nodiscard]] agent_report wait_until(std::function<bool(const agent_report&)> fits);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<agent_report> reports_;
  std::vector<std::chrono::nanoseconds> wakes_;
};

/// An order with this input, given as JSON.
[[nodiscard]] order order_with(std::string_view input);
[[nodiscard]] order_ptr shared(order order);
[[nodiscard]] boost::json::object object(std::string_view json);
[[nodiscard]] message_ptr user_says(std::string text);
/// How an attempt ended, for one CHECK: `completed: <message>`, `failed: <reason>`, `failed for
/// good: <reason>`, `rejected: <reason>`.
[[nodiscard]] std::string ending(const agent_report& end);
/// `agent.check_input(input)`: "fine", or `<field>: <message>`.
[[nodiscard]] std::string verdict(const agent& agent, std::string_view input);

} // namespace troupe::test
