#include "planner/template_params.hpp"

#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_schema.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <utility>

namespace troupe::planner {

namespace {

namespace json = boost::json;

constexpr auto param_types =
    std::to_array<std::string_view>({"string", "integer", "number", "boolean"});

std::string_view type_of(const template_param& param) {
  return param.schema.at("type").get_string();
}

/// A number or a truth value that was written as a text: placeholders and command lines have only
/// texts.
json::value as_written(std::string_view text) {
  boost::system::error_code failed;
  auto read = parse_json(text, failed);
  return !failed && (read.is_number() || read.is_bool()) ? read : json::value(text);
}

/// 20.0 as an integer is 20.
void make_whole(json::value& number) {
  constexpr double most = 9'007'199'254'740'992.0;
  if (const auto* real = number.if_double();
      real && std::trunc(*real) == *real && std::abs(*real) < most)
    number = static_cast<std::int64_t>(*real);
}

} // namespace

result<template_param> take_param(std::string_view name, json::value& from) {
  auto* object = from.if_object();
  if (!object)
    return make_error(errc::invalid_document, "a parameter must be an object",
                      "/params/" + std::string(name));
  template_param out;
  out.name = name;
  out.schema["type"] = "string";
  json::object kept; // what a plan document knows
  for (auto& [member, value] : *object)
    (member == "description" || member == "default" ? kept : out.schema)[member] = value;
  *object = std::move(kept);
  if (const auto* description = object->if_contains("description");
      description && description->is_string())
    out.description = description->get_string();
  const auto* type = out.schema.if_contains("type");
  if (!type->is_string()
      || std::ranges::find(param_types, std::string_view(type->get_string())) == param_types.end())
    return make_error(errc::invalid_document,
                      "the type of a parameter is string, integer, number or boolean",
                      "/params/" + out.name + "/type");
  if (const auto fault = check_schema(form_of(std::span(&out, 1), {}))) {
    constexpr std::string_view properties = "/properties/";
    const auto below = fault->pointer.starts_with(properties)
                           ? fault->pointer.substr(properties.size())
                           : out.name;
    return make_error(errc::invalid_document,
                      "the parameter " + quoted(shown(name)) + " " + fault->message,
                      "/params/" + below);
  }
  if (const auto* value = object->if_contains("default")) {
    auto fits = value_for(out, *value);
    if (!fits)
      return make_error(errc::invalid_document, "its default: " + fits.error().message,
                        "/params/" + out.name + "/default");
    out.otherwise = std::move(*fits);
  }
  return out;
}

result<json::value> value_for(const template_param& param, const json::value& value) {
  const auto type = type_of(param);
  const auto* text = value.if_string();
  auto out = text && type != "string" ? as_written(*text) : value;
  if (type == "integer")
    make_whole(out);
  if (const auto misfit = find_misfit(out, param.schema))
    return make_error(errc::invalid_params,
                      "the value of " + quoted(param.name) + " " + misfit->message);
  return out;
}

result<given_values> check_values(std::span<const template_param> params,
                                  const given_values& given) {
  std::vector<std::string_view> names;
  for (const auto& each : params)
    names.push_back(each.name);
  given_values out;
  for (const auto& [name, value] : given) {
    const auto param = std::ranges::find(params, name, &template_param::name);
    if (param == params.end())
      return make_error(errc::invalid_params,
                        "it has no parameter " + quoted(shown(name)) + did_you_mean(name, names));
    auto fits = value_for(*param, value);
    if (!fits)
      return fits.error();
    out.emplace(name, std::move(*fits));
  }
  return out;
}

std::vector<const template_param*> missing_params(std::span<const template_param> params,
                                                  const given_values& given) {
  std::vector<const template_param*> out;
  for (const auto& each : params)
    if (!each.otherwise && !given.contains(each.name))
      out.push_back(&each);
  return out;
}

std::string listed_params(const std::vector<const template_param*>& params) {
  std::string out;
  for (const auto* each : params)
    out += (out.empty() ? "" : ", ") + each->name
           + (each->description.empty() ? "" : " (" + each->description + ")");
  return out;
}

json::object form_of(std::span<const template_param> params, const given_values& given) {
  json::object properties;
  json::array required;
  for (const auto& each : params) {
    if (given.contains(each.name))
      continue;
    auto property = each.schema;
    if (!each.description.empty())
      property["description"] = each.description;
    if (each.otherwise)
      property["default"] = *each.otherwise;
    else
      required.emplace_back(each.name);
    properties[each.name] = std::move(property);
  }
  json::object out{{"type", "object"}};
  out["properties"] = std::move(properties);
  out["required"] = std::move(required);
  out["additionalProperties"] = false;
  return out;
}

} // namespace troupe::planner
