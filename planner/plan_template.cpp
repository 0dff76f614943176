#include "planner/plan_template.hpp"

#include "protocol/json/json_parser.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"
#include <troupe/protocol/plan_document.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "planner/shipped_texts.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

namespace json = boost::json;

constexpr std::string_view place_opening = "${params.";

error wrong_template(std::string_view name, const std::string& why) {
  return make_error(errc::invalid_document,
                    (name.empty() ? "a template" : "the template " + quoted(shown(name))) + ": "
                        + why);
}

constexpr auto type_names = std::to_array<std::pair<std::string_view, value_type>>({
    {"string", value_type::string},
    {"integer", value_type::integer},
    {"number", value_type::number},
    {"boolean", value_type::boolean},
});

std::string_view name_of_type(value_type type) {
  return std::ranges::find(type_names, type, &std::pair<std::string_view, value_type>::second)
      ->first;
}

/// A value of a slot or of the wire as one of `type`; nothing if it is none.
std::optional<json::value> converted(const json::value& value, value_type type) {
  const auto* text = value.if_string();
  switch (type) {
    case value_type::string: return text ? std::optional(value) : std::nullopt;
    case value_type::integer: {
      if (value.is_int64() || value.is_uint64())
        return value;
      const auto number = text ? number_of(*text) : std::nullopt;
      return number && !text->starts_with("#") ? std::optional(json::value(*number)) : std::nullopt;
    }
    case value_type::number: {
      if (value.is_number())
        return value;
      if (!text)
        return std::nullopt;
      boost::system::error_code failed;
      auto number = parse_json(*text, failed);
      return !failed && number.is_number() ? std::optional(std::move(number)) : std::nullopt;
    }
    case value_type::boolean: return value.is_bool() ? std::optional(value) : std::nullopt;
  }
  return std::nullopt;
}

std::string text_of_value(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

/// Puts values in the places of all texts but those of inputs, which fill_params fills.
void fill_names(json::value& within, const given_values& values) {
  if (auto* list = within.if_array()) {
    for (auto& each : *list)
      fill_names(each, values);
  } else if (auto* object = within.if_object()) {
    for (auto& member : *object)
      if (member.key() != "input")
        fill_names(member.value(), values);
  } else if (auto* text = within.if_string()) {
    std::string out;
    std::string_view rest = *text;
    for (auto at = rest.find(place_opening); at != std::string_view::npos;
         at = rest.find(place_opening)) {
      const auto end = rest.find('}', at);
      const auto name_at = at + place_opening.size();
      const auto value = end == std::string_view::npos
                             ? values.end()
                             : values.find(rest.substr(name_at, end - name_at));
      if (value == values.end()) {
        out += rest.substr(0, name_at);
        rest.remove_prefix(name_at);
        continue;
      }
      out += rest.substr(0, at);
      out += text_of_value(value->second);
      rest.remove_prefix(end + 1);
    }
    out += rest;
    *text = out;
  }
}

/// Names in `dependencies` become positions, which no value can be taken for.
void resolve_names(json::array& all, std::string_view prefix) {
  std::map<std::string, std::string, std::less<>> positions;
  for (std::size_t i = 0; i < all.size(); ++i)
    if (const auto* object = all[i].if_object())
      if (const auto* name = object->if_contains("name"); name && name->is_string())
        positions.emplace(name->get_string(), std::string(prefix) + std::to_string(i));
  for (auto& each : all) {
    auto* object = each.if_object();
    auto* on = object ? object->if_contains("dependencies") : nullptr;
    if (!on || !on->is_array())
      continue;
    for (auto& dependency : on->get_array())
      if (auto* text = dependency.if_string())
        if (const auto found = positions.find(std::string_view(*text)); found != positions.end())
          *text = found->second;
  }
}

/// Calls `look` with the name of each plan and task.
template<class Look>
void for_each_name(const json::value& document, Look look) {
  const auto names_in = [&](const json::value* list, const auto& then) {
    if (!list || !list->is_array())
      return;
    for (const auto& each : list->get_array()) {
      const auto* object = each.if_object();
      if (!object)
        continue;
      if (const auto* name = object->if_contains("name"); name && name->is_string())
        look(std::string_view(name->get_string()));
      then(*object);
    }
  };
  names_in(document.get_object().if_contains("plans"), [&](const json::object& plan) {
    names_in(plan.if_contains("tasks"), [](const json::object&) {});
  });
}

result<template_param> read_param_of_template(std::string_view name, json::value& from) {
  auto* object = from.if_object();
  if (!object)
    return make_error(errc::invalid_document, "a parameter must be an object");
  template_param out;
  out.name = name;
  if (const auto* description = object->if_contains("description");
      description && description->is_string())
    out.description = description->get_string();
  if (const auto* type = object->if_contains("type")) {
    const auto found = std::ranges::find_if(type_names, [&](const auto& each) {
      return type->is_string() && std::string_view(type->get_string()) == each.first;
    });
    if (found == type_names.end())
      return make_error(errc::invalid_document,
                        "the type of a parameter is string, integer, number or boolean");
    out.type = found->second;
    object->erase("type");
  }
  if (const auto* value = object->if_contains("default")) {
    out.otherwise = converted(*value, out.type);
    if (!out.otherwise)
      return make_error(errc::invalid_document, "the default of " + quoted(shown(name)) + " is no "
                                                    + std::string(name_of_type(out.type)));
  }
  return out;
}

/// Takes a member that is a list of texts out of `from`.
result<std::vector<std::string>> take_texts(json::object& from, std::string_view member) {
  std::vector<std::string> out;
  const auto* list = from.if_contains(member);
  if (!list)
    return out;
  if (!list->is_array())
    return make_error(errc::invalid_document, quoted(member) + " must be a list of strings");
  for (const auto& each : list->get_array()) {
    if (!each.is_string())
      return make_error(errc::invalid_document, quoted(member) + " must be a list of strings");
    out.emplace_back(each.get_string());
  }
  from.erase(member);
  return out;
}

std::string take_text(json::object& from, std::string_view member) {
  std::string out;
  if (const auto* text = from.if_contains(member); text && text->is_string()) {
    out = text->get_string();
    from.erase(member);
  }
  return out;
}

result<void> take_members(json::object& root, plan_template& into) {
  into.description = take_text(root, "description");
  const auto patterns = take_texts(root, "match");
  if (!patterns)
    return patterns.error();
  for (const auto& each : *patterns) {
    auto pattern = text_pattern::read(each);
    if (!pattern)
      return pattern.error();
    into.patterns.push_back(std::move(*pattern));
  }
  auto examples = take_texts(root, "examples");
  if (!examples)
    return examples.error();
  into.examples = std::move(*examples);
  if (auto* params = root.if_contains("params"); params && params->is_object())
    for (auto& member : params->get_object()) {
      auto param = read_param_of_template(member.key(), member.value());
      if (!param)
        return param.error();
      into.params.push_back(std::move(*param));
    }
  into.has_own_name = root.contains("name");
  auto* plans = root.if_contains("plans");
  if (!plans || !plans->is_array())
    return make_error(errc::invalid_document, "\"plans\" must be a list");
  resolve_names(plans->get_array(), "plan-");
  for (auto& plan : plans->get_array())
    if (auto* object = plan.if_object())
      if (auto* tasks = object->if_contains("tasks"); tasks && tasks->is_array())
        resolve_names(tasks->get_array(), "task-");
  return {};
}

/// A value that makes a document of every template, to check it before anybody uses it.
given_values values_for_check(const plan_template& of) {
  given_values out;
  for (const auto& each : of.params)
    switch (each.type) {
      case value_type::string: out.emplace(each.name, "something"); break;
      case value_type::integer:
      case value_type::number: out.emplace(each.name, 1); break;
      case value_type::boolean: out.emplace(each.name, true); break;
    }
  return out;
}

result<void> check_template(const plan_template& made) {
  for (const auto& pattern : made.patterns)
    for (const auto& slot : pattern.slots())
      if (std::ranges::find(made.params, slot, &template_param::name) == made.params.end())
        return make_error(errc::invalid_document,
                          "the slot " + quoted(shown(slot)) + " is no parameter");
  for (const auto& example : made.examples)
    if (!choose_template(std::span(&made, 1), example).fits)
      return make_error(errc::invalid_document,
                        "the example " + quoted(shown(example)) + " fits no pattern");
  std::optional<error> bad_name;
  for_each_name(made.document, [&](std::string_view name) {
    if (name.starts_with(place_opening))
      bad_name = make_error(errc::invalid_document,
                            "a name may not begin with a parameter: " + quoted(shown(name)));
  });
  if (bad_name)
    return *bad_name;
  const auto filled = fill_template(made, values_for_check(made), "check");
  return filled ? result<void>{} : result<void>(filled.error());
}

} // namespace

result<plan_template> read_template(std::string_view text) {
  boost::system::error_code failed;
  auto root = parse_json(text, failed);
  if (failed || !root.is_object())
    return wrong_template({}, failed ? json_fault(failed) : "it is no JSON object");
  plan_template out;
  out.name = take_text(root.get_object(), "template");
  if (out.name.empty())
    return wrong_template({}, "it needs a name, \"template\"");
  if (auto taken = take_members(root.get_object(), out); !taken)
    return wrong_template(out.name, taken.error().message);
  out.document = std::move(root);
  if (auto fine = check_template(out); !fine)
    return wrong_template(out.name, fine.error().message);
  return out;
}

std::vector<const template_param*> missing_params(const plan_template& of,
                                                  const given_values& given) {
  std::vector<const template_param*> out;
  for (const auto& each : of.params)
    if (!each.otherwise && !given.contains(each.name))
      out.push_back(&each);
  return out;
}

result<objective_spec> fill_template(const plan_template& from, const given_values& given,
                                     std::string_view message_name) {
  std::vector<std::string_view> names;
  for (const auto& each : from.params)
    names.push_back(each.name);
  for (const auto& [name, value] : given)
    if (std::ranges::find(names, name) == names.end())
      return make_error(errc::invalid_params, "the template " + quoted(from.name)
                                                  + " has no parameter " + quoted(shown(name))
                                                  + did_you_mean(name, names));
  std::string missing;
  for (const auto* each : missing_params(from, given))
    missing += (missing.empty() ? "" : ", ") + each->name
               + (each->description.empty() ? "" : " (" + each->description + ")");
  if (!missing.empty())
    return make_error(errc::invalid_params,
                      "the template " + quoted(from.name) + " needs a value for: " + missing);
  given_values values;
  std::vector<std::pair<std::string, std::string>> texts;
  auto document = from.document;
  for (const auto& each : from.params) {
    const auto found = given.find(each.name);
    if (found == given.end()) {
      values.emplace(each.name, *each.otherwise);
      continue;
    }
    auto value = converted(found->second, each.type);
    if (!value)
      return make_error(errc::invalid_params, "the value of " + quoted(each.name) + " is no "
                                                  + std::string(name_of_type(each.type)));
    // A text that was given refers to nothing; a number has nothing that could.
    if (value->is_string())
      texts.emplace_back(each.name, text_of_value(*value));
    else
      document.at("params").at(each.name).get_object()["default"] = *value;
    values.emplace(each.name, std::move(*value));
  }
  auto& root = document.get_object();
  const auto params = root.contains("params") ? root["params"] : json::value();
  fill_names(document, values);
  if (!params.is_null())
    root["params"] = params;
  if (!from.has_own_name)
    root["name"] = message_name;
  std::set<std::string, std::less<>> seen;
  std::optional<error> same;
  for_each_name(document, [&](std::string_view name) {
    if (!seen.emplace(name).second)
      same = make_error(errc::invalid_params,
                        "the values make two tasks with the name " + quoted(shown(name)));
  });
  if (same)
    return *same;
  auto read = read_plan_document(std::move(document), [](std::string_view) { return 0; });
  if (!read)
    return make_error(errc::invalid_params, read.error().message, read.error().field);
  if (auto filled = fill_params(*read, texts); !filled)
    return filled.error();
  return std::move(read->objective);
}

template_choice choose_template(std::span<const plan_template> all, std::string_view text) {
  template_choice out;
  std::size_t best = 0;
  for (const auto& each : all)
    for (const auto& pattern : each.patterns) {
      auto slots = pattern.match(text);
      if (!slots || pattern.words() < best || (pattern.words() == best && out.fits == &each))
        continue;
      given_values values;
      bool fits = true;
      for (auto& [name, value] : *slots) {
        const auto param = std::ranges::find(each.params, name, &template_param::name);
        fits = fits && param != each.params.end() && converted(json::value(value), param->type);
        values.emplace(name, json::value(value));
      }
      if (!fits)
        continue;
      if (pattern.words() > best) {
        best = pattern.words();
        out.equal.clear();
      }
      out.equal.push_back(each.name);
      out.fits = &each;
      out.values = std::move(values);
    }
  if (out.equal.size() > 1)
    out.fits = nullptr;
  else
    out.equal.clear();
  return out;
}

std::span<const plan_template> shipped_templates() {
  static const auto all = [] {
    std::vector<plan_template> out;
    for (const auto text : shipped_template_texts())
      out.push_back(read_template(text).value());
    return out;
  }();
  return all;
}

} // namespace troupe::planner
