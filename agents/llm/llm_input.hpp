// The input of the agent `llm`. Plain functions.
#pragma once

#include "agents/input_check.hpp"
#include "client/models/chat.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// What its input may have (docs/agents.md).
inline constexpr auto llm_members = std::to_array<std::string_view>(
    {"prompt", "system", "model", "output", "tools", "agents", "approve", "settings", "maxRounds"});

/// Rounds of a conversation, if the input says nothing; and the most that it may say.
inline constexpr std::uint32_t llm_rounds_default = 10;
inline constexpr std::uint32_t llm_rounds_max = 100;

/// Agents that one task may list.
inline constexpr std::size_t llm_agents_max = 32;

/// An agent that a model may give tasks to. The model chooses their texts only; all else is said
/// here, by the author of the task.
struct llm_listed_agent {
  std::string name;          ///< As the model calls it.
  std::string agent;         ///< Of the tasks.
  std::string description;   ///< For the model; may be empty.
  boost::json::object input; ///< Of each task.

  friend bool operator==(const llm_listed_agent&, const llm_listed_agent&) = default;
};

struct llm_input {
  std::string prompt; ///< Empty: the text of the order.
  std::string system;
  std::string model;              ///< A name of `[models.NAME]`; empty: the operator's choice.
  boost::json::object schema;     ///< Of the answer; empty: a text.
  std::vector<std::string> tools; ///< Those that the model may use.
  std::vector<llm_listed_agent> agents; ///< That its tasks may name.
  std::vector<std::string> approved;    ///< Tools whose calls a person approves first.
  models::chat_settings settings;       ///< Of each request.
  std::uint32_t rounds_max = llm_rounds_default;
};

/// `model`, `output`, `tools`, `agents`, `approve` and `settings` take no references: what a task
/// made must not choose whom a task asks or what it may do. Errors: invalid_params, with the place
/// in the input.
[[nodiscard]] result<llm_input> read_llm_input(const boost::json::object& input, input_stage stage);

} // namespace troupe
