// The parameters of templates: their types and limits, the values that clients give for them, and
// the form that asks a person for values.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::planner {

/// A value that a template needs.
struct template_param {
  std::string name;
  std::string description;
  /// JSON Schema of a value: its `type` (string, integer, number or boolean), and limits of it
  /// (protocol/json/json_schema.hpp).
  boost::json::object schema;
  std::optional<boost::json::value> otherwise; ///< `default`; without one it must be given.
};

/// Values by the names of parameters.
using given_values = std::map<std::string, boost::json::value, std::less<>>;

/// The parameter that a template's document describes. What plan documents do not know is taken
/// out of `from`. errc::invalid_document: a type or limit that is none, a default that does not
/// fit.
[[nodiscard]] result<template_param> take_param(std::string_view name, boost::json::value& from);

/// `value` as one of the parameter: a text that a placeholder took may be a number.
/// errc::invalid_params: it is of another type, or not within the limits.
[[nodiscard]] result<boost::json::value> value_for(const template_param& param,
                                                   const boost::json::value& value);

/// The values as those of the parameters. errc::invalid_params: as value_for, or one is of no
/// parameter.
[[nodiscard]] result<given_values> check_values(std::span<const template_param> params,
                                                const given_values& given);

/// Parameters without a default that are not in `given`.
[[nodiscard]] std::vector<const template_param*>
missing_params(std::span<const template_param> params, const given_values& given);

/// Their names, with their descriptions: `topic (What the post is about)`.
[[nodiscard]] std::string listed_params(const std::vector<const template_param*>& params);

/// JSON Schema of an object that has what is missing, and may have what has a default and was not
/// given.
[[nodiscard]] boost::json::object form_of(std::span<const template_param> params,
                                          const given_values& given);

} // namespace troupe::planner
