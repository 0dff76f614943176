// Adds the built-in agents to a registry: echo, noop, sleep, scripted and, if the options say so,
// command and conformance.
#pragma once

#include <troupe/actors/agent.hpp>
#include <troupe/agents/program_log.hpp>
#include <troupe/protocol/memory_budget.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// How many programs run, and whether further ones may begin. Any thread.
struct program_gate {
  std::atomic<std::size_t> running{0};
  /// Of a process that ends: a task that could begin waits for the next one
  /// (agent::begins_nothing).
  std::atomic<bool> is_closed{false};
};

/// Of the agent `command`, which runs local programs.
struct command_options {
  std::uint32_t parallel_max = 0;                       ///< 0: one for each core.
  restart_rule on_restart = restart_rule::next_attempt; ///< Unless the task's input says otherwise.
  /// The variables from which programs get some, as `NAME=value`; empty: those of this process.
  std::vector<std::string> environment;
  /// The names of those which a task's input may ask for (`envAllow`), beside the harmless few that
  /// every program gets; `*`: all of them.
  std::vector<std::string> variables_passed;
  /// Descendants of a program that have left its process group end with it, too. This process then
  /// becomes their parent (PR_SET_CHILD_SUBREAPER) and takes every child that no task of this agent
  /// started for such a descendant: not for a process that starts programs by other means.
  bool adopts_orphans = false;
  std::shared_ptr<program_log> log{}; ///< Hears what programs write; null: nobody does.
  /// Where stdout is counted until it is handed on (memory_account::programs); null: nowhere.
  memory_budget_ptr memory{};
  std::shared_ptr<program_gate> gate{}; ///< Null: none.
};

struct builtin_agent_options {
  /// None: no `command` agent. This agent runs any program for every client that may give it a
  /// task. A server that takes plans from others should have it only on purpose.
  std::optional<command_options> command = command_options{};
  bool conformance = false; ///< Only for a server under test by a conformance kit.
};

/// Replaces agents of the same names.
void register_builtin_agents(agent_registry& into, const builtin_agent_options& options = {});

} // namespace troupe
