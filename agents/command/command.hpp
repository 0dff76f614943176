// Runs a local program: no shell, its own process group, a small environment, the order as JSON on
// its stdin. Its stdout is the task's artifact, or with `"protocol": "jsonl"` a line for each thing
// it has to say (command_lines.hpp). What it writes is shown while it runs, and kept in the record
// (program_output.hpp). Its end, a cancel and a timeout end the whole group, and what
// has left the group if the options say so (decision 013).
//
// A client that may give a task its input may run any program as this user: offer it only to
// clients that may.
#pragma once

#include "agents/command/process_reactor.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/agents/register_builtin.hpp>

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// Input: see read_command_input. All its programs share one process_reactor.
class command_agent final : public agent {
public:
  /// `reactor`: one that was started, or whose turns the caller takes; null: one of its own,
  /// started with the first program. `time` outlives the agent and its programs.
  explicit command_agent(command_options options = {},
                         std::shared_ptr<process_reactor> reactor = nullptr,
                         const time_source& time = system_time());

  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  [[nodiscard]] std::uint32_t parallel_max() const override { return options_.parallel_max; }
  [[nodiscard]] restart_rule on_restart() const override { return options_.on_restart; }
  [[nodiscard]] restart_rule on_restart_of(const boost::json::object& input) const override;
  [[nodiscard]] bool begins_nothing() const override {
    return options_.gate && options_.gate->is_closed;
  }
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override;
  [[nodiscard]] result<void> check_planned(const boost::json::object& input,
                                           const planned_check& other) const override;
  [[nodiscard]] bool takes_value_at(std::string_view pointer) const override;
  [[nodiscard]] std::vector<std::string> output_modes() const override { return {"*/*"}; }
  [[nodiscard]] std::string description() const override;

private:
  std::shared_ptr<process_reactor> reactor();

  command_options options_;
  const time_source& time_;
  std::optional<std::uint64_t> open_files_max_; ///< When we were made: a server raises its own,
                                                ///< programs expect the usual one.
  std::mutex mutex_;                            // guards reactor_
  std::shared_ptr<process_reactor> reactor_;
};

} // namespace troupe
