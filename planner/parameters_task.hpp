// The task that asks a person for the values that a template lacks. Its answer makes the plans of
// the template. Plain functions.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

#include "planner/plan_template.hpp"

namespace troupe::planner {

/// Who does it (actors/planning/parameters_agent.hpp). No template may name it.
inline constexpr std::string_view parameters_agent_name = "troupe.parameters";

/// What it is to do.
struct parameters_input {
  std::string template_name;
  given_values given;   ///< The other values are asked for.
  bool renames = false; ///< The objective gets the template's own name then.
};

/// As the input of the task. Nothing in a value is a reference.
[[nodiscard]] boost::json::object write_parameters_input(const parameters_input& from);
/// The same, read. errc::invalid_params: it is none.
[[nodiscard]] result<parameters_input> read_parameters_input(const boost::json::object& from);

/// What is made of a template that lacks values: an objective called `name`, with one plan whose
/// only task asks for them. errc::invalid_params: a value is of another type, or of no parameter.
[[nodiscard]] result<objective_spec> objective_that_asks(const plan_template& from,
                                                         const given_values& given,
                                                         std::string_view name, bool renames);

/// `A blog post. Needed: topic (What the post is about)`
[[nodiscard]] std::string question_for(const plan_template& from, const given_values& given);

} // namespace troupe::planner
