// Runs a local program: no shell, its own process group, a small environment, the order as JSON on its stdin. Its stdout is the task's
// artifact, or with `"protocol": "jsonl"` a line for each thing it has to say (command_lines.hpp). Cancel and timeout end the whole group.
//
// Whoever may give a task its input may run any program as this user: offer it only to those who may.
#pragma once

#include "actors/agent.hpp"
#include "agents/process_reactor.hpp"

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

struct command_options {
  std::uint32_t parallel_max = 0; ///< 0: one for each core.
  restart_rule on_restart = restart_rule::next_attempt; ///< Unless the task's input says otherwise.
  std::vector<std::string> environment; ///< What is passed on in part, as `NAME=value`; empty: this process's own.
};

/// Input: see read_command_input. All its programs share one process_reactor, started with the first of them.
class command_agent final : public agent {
public:
  explicit command_agent(command_options options = {});

  [[nodiscard]] start_result start(const order_ptr& what, const agent_port_ptr& port) override;
  [[nodiscard]] std::uint32_t parallel_max() const override { return options_.parallel_max; }
  [[nodiscard]] restart_rule on_restart() const override { return options_.on_restart; }
  [[nodiscard]] restart_rule on_restart_of(const boost::json::object& input) const override;
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override;
  [[nodiscard]] std::vector<std::string> output_modes() const override { return {"*/*"}; }
  [[nodiscard]] std::string description() const override;

private:
  std::shared_ptr<process_reactor> reactor();

  command_options options_;
  std::optional<std::uint64_t> open_files_max_; ///< When we were made: a server raises its own, programs expect the usual one.
  std::mutex mutex_; // guards reactor_
  std::shared_ptr<process_reactor> reactor_;
};

} // namespace troupe
