// Templates: plans with places for values, chosen by name or because a message fits one of their
// patterns. A value is a value: nothing in it becomes structure, a reference or an agent.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/spec.hpp>

#include <boost/json/value.hpp>

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "planner/template_params.hpp"
#include "planner/text_pattern.hpp"

namespace troupe::planner {

struct plan_template {
  std::string name;
  std::string description;
  std::vector<text_pattern> patterns;
  std::vector<std::string> examples; ///< Messages that fit.
  std::vector<template_param> params;
  /// The plan document with its places, without the members of templates.
  boost::json::value document;
  bool has_own_name = false; ///< Else the objective is called like the message.
};

/// A text with a placeholder in the `input` of a task.
struct input_place {
  std::string agent;   ///< As the task names it; may be empty.
  std::string pointer; ///< A JSON pointer below the document: `/plans/0/tasks/1/input/text`.
  std::string below;   ///< The same below `input`: `/text`.
};

/// A JSON file: `template`, `description`, `match`, `examples`, `params` and the members of a plan
/// document, whose `name` may be missing. Its dependencies are names. errc::invalid_document: also
/// if a filled name could be taken for another task's, an example does not fit, a placeholder is no
/// parameter, or one stands elsewhere than in names, descriptions, metadata and inputs. The message
/// has the line, and begins with `from` (a file) unless that is empty.
[[nodiscard]] result<plan_template> read_template(std::string_view json,
                                                  std::string_view from = {});

/// The objective of a template. `message_name` is its name unless the template has one.
/// errc::invalid_params: a value is missing, is of another type, or is of no parameter.
[[nodiscard]] result<objective_spec>
fill_template(const plan_template& from, const given_values& given, std::string_view message_name);

/// Where values come into inputs: an agent says whether they are values there
/// (agent::takes_value_at).
[[nodiscard]] std::vector<input_place> input_places(const plan_template& of);
/// The objective with values that are only looked at: the defaults, else the first choice, else any
/// of the right type.
[[nodiscard]] result<objective_spec> sample_of(const plan_template& of);

/// The template that fits a message best, with what its placeholders took.
struct template_choice {
  const plan_template* fits = nullptr; ///< Null: none, or several equally well.
  given_values values;
  std::vector<std::string> equal{}; ///< The names of several.
};
[[nodiscard]] template_choice choose_template(std::span<const plan_template> all,
                                              std::string_view text);

/// Those that are part of the program, by name.
[[nodiscard]] std::span<const plan_template> shipped_templates();

} // namespace troupe::planner
