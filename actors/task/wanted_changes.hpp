// The changes of its plan that the agent of one attempt wants (report_change), until it hears of
// them. A plain value; the task's actor has it.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/task.hpp>

#include <cstddef>
#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

class wanted_changes {
public:
  [[nodiscard]] bool has(const std::string& key) const noexcept;
  [[nodiscard]] std::size_t size() const noexcept { return all_.size(); }
  void add(std::string key, bool waits);

  void on_answered(const std::string& key, result<change_report> outcome);
  /// May come before the answer that says who called it, and again.
  void on_ended(const task_id& called, task_state state);
  /// `record`: null if there is none (the task never began).
  void on_read(const task_id& called, const task* record);

  /// The called tasks that have ended and were not read.
  [[nodiscard]] std::vector<task_id> unread() const;
  /// Whether something that the agent waits for is still to come.
  [[nodiscard]] bool are_calls_open() const noexcept;
  /// What the agent is told now. Nothing while calls are open.
  [[nodiscard]] std::vector<change_outcome> take();

private:
  struct wanted {
    std::string key;
    bool waits = false;
    std::optional<result<change_report>> answer{};
    std::map<task_id, called_task> read{};
  };
  [[nodiscard]] static bool is_open(const wanted& each) noexcept;

  std::vector<wanted> all_;
  std::map<task_id, task_state> ended_;
};

} // namespace troupe
