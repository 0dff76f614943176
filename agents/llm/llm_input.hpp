// The input of the agent `llm`. Plain functions.
#pragma once

#include "agents/input_check.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>
#include <vector>

namespace troupe {

/// Rounds of a conversation, if the input says nothing; and the most that it may say.
inline constexpr std::uint32_t llm_rounds_default = 10;
inline constexpr std::uint32_t llm_rounds_max = 100;

struct llm_input {
  std::string prompt; ///< Empty: the text of the order.
  std::string system;
  std::string model;              ///< A name of `[models.NAME]`; empty: the operator's choice.
  boost::json::object schema;     ///< Of the answer; empty: a text.
  std::vector<std::string> tools; ///< Those that the model may use.
  std::uint32_t rounds_max = llm_rounds_default;
};

/// `model`, `output` and `tools` take no references: what a task made must not choose whom a task
/// asks or what it may do. Errors: invalid_params, with the place in the input.
[[nodiscard]] result<llm_input> read_llm_input(const boost::json::object& input, input_stage stage);

} // namespace troupe
