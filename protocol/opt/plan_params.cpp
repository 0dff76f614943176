#include "protocol/opt/plan_params.hpp"

#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/limits_opt.hpp"
#include "protocol/text/near_name.hpp"
#include <troupe/protocol/unshared.hpp>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

namespace json = boost::json;

constexpr std::string_view place_begin = "${params.";

error wrong(std::string pointer, std::string message) {
  return make_error(errc::invalid_document, std::move(message), std::move(pointer));
}

bool is_param_name(std::string_view name) {
  const auto fits = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'
           || c == '-';
  };
  return !name.empty() && name.size() <= opt::param_name_bytes_max
         && std::ranges::all_of(name, fits);
}

/// As the agent `command` has it.
bool is_variable_name(std::string_view name) {
  return !name.empty() && name.find('=') == std::string_view::npos
         && name.find('\0') == std::string_view::npos;
}

result<plan_param> read_param(std::string_view name, const json::value& from) {
  constexpr std::array<std::string_view, 2> members{"description", "default"};
  const auto pointer = "/params/" + std::string(name);
  if (!is_param_name(name))
    return wrong("/params", "the name of a parameter has 1 to "
                                + std::to_string(opt::param_name_bytes_max)
                                + " letters, digits, _ and -; found " + quoted(shown(name)));
  const auto* object = from.if_object();
  if (object == nullptr)
    return wrong(pointer, R"(a parameter must be an object such as {"default": "x"})");
  plan_param out;
  out.name = name;
  for (const auto& [member, value] : *object) {
    if (member == "default") {
      out.value = json::value(value, json::storage_ptr{}); // in its own memory
    } else if (member == "description") {
      if (!value.is_string() || value.get_string().size() > opt::description_bytes_max)
        return wrong(pointer + "/description", "\"description\" must be a string of at most "
                                                   + std::to_string(opt::description_bytes_max)
                                                   + " bytes");
      out.description = std::string(value.get_string());
    } else {
      return wrong(pointer,
                   "unknown member " + quoted(shown(member)) + did_you_mean(member, members));
    }
  }
  return out;
}

/// The values of all parameters, by name.
using values_by_name = std::map<std::string, json::value, std::less<>>;

std::string said(const plan_param& param) {
  return param.name + (param.description.empty() ? "" : " (" + param.description + ")");
}

/// `text` as a value of the type that the default has, if that is a number or a truth value.
result<json::value> typed_value(const plan_param& param, const std::string& text) {
  const bool is_number = param.value && param.value->is_number();
  if (!is_number && !(param.value && param.value->is_bool()))
    return json::value(opt::without_references(text));
  boost::system::error_code failed;
  auto value =
      text.find_first_of(" \t\r\n") == std::string::npos ? parse_json(text, failed) : json::value();
  if (!failed && (is_number ? value.is_number() : value.is_bool()))
    return value;
  return make_error(errc::invalid_params, "--param " + shown(param.name) + "=" + shown(text) + ": "
                                              + said(param) + " is "
                                              + (is_number ? "a number" : "true or false")
                                              + ", as its default " + json_text(*param.value));
}

result<values_by_name> values_of(const std::vector<plan_param>& params,
                                 const std::vector<std::pair<std::string, std::string>>& given) {
  values_by_name out;
  std::vector<std::string_view> names;
  for (const auto& each : params)
    names.push_back(each.name);
  for (const auto& [name, text] : given) {
    const auto declared = std::ranges::find(params, name, &plan_param::name);
    if (declared == params.end())
      return make_error(errc::invalid_params, "--param " + shown(name)
                                                  + "=...: the plan has no such parameter"
                                                  + did_you_mean(name, names));
    auto value = typed_value(*declared, text);
    if (!value)
      return value.error();
    if (!out.emplace(name, std::move(*value)).second)
      return make_error(errc::invalid_params, "--param " + name + "=... is given twice");
  }
  std::string missing;
  for (const auto& each : params) {
    if (each.value)
      out.try_emplace(each.name, *each.value);
    else if (!out.contains(each.name))
      missing += (missing.empty() ? "" : ", ") + said(each);
  }
  if (!missing.empty())
    return make_error(errc::invalid_params,
                      "a value is missing, --param NAME=VALUE, for: " + missing);
  return out;
}

/// Puts values in their places in one input.
class filler {
public:
  explicit filler(const values_by_name& values) : values_(values) {}

  void fill(json::value& within) {
    if (auto* text = within.if_string()) {
      if (const auto at = std::string_view(*text).find(place_begin); at != std::string_view::npos)
        fill_text(within);
    } else if (auto* list = within.if_array()) {
      for (auto& each : *list)
        fill(each);
    } else if (auto* object = within.if_object()) {
      for (auto& member : *object)
        fill(member.value());
    }
  }

  [[nodiscard]] static bool has_place(const json::value& within) {
    if (const auto* text = within.if_string())
      return std::string_view(*text).find(place_begin) != std::string_view::npos;
    if (const auto* list = within.if_array())
      return std::ranges::any_of(*list, has_place);
    const auto* object = within.if_object();
    return object != nullptr && std::ranges::any_of(*object, [](const auto& member) {
             return has_place(member.value());
           });
  }

  /// The name of a place without a value; empty if there is none.
  [[nodiscard]] const std::string& unknown() const { return unknown_; }

private:
  void fill_text(json::value& within) {
    const std::string text(within.get_string());
    std::string out;
    std::size_t from = 0;
    for (auto at = text.find(place_begin); at != std::string::npos;
         at = text.find(place_begin, from)) {
      const auto end = text.find('}', at);
      const bool is_literal = at > 0 && text[at - 1] == '$';
      if (is_literal || end == std::string::npos) {
        out += text.substr(from, at + 2 - from);
        from = at + 2;
        continue;
      }
      const auto name = text.substr(at + place_begin.size(), end - at - place_begin.size());
      const auto value = values_.find(name);
      if (value == values_.end()) {
        unknown_ = name.empty() ? "(no name)" : name;
        return;
      }
      if (at == 0 && end + 1 == text.size()) {
        within = value->second;
        return;
      }
      out += text.substr(from, at - from);
      out += text_of_value(value->second);
      from = end + 1;
    }
    within = json::value(out + text.substr(from));
  }

  const values_by_name& values_;
  std::string unknown_;
};

} // namespace

result<std::vector<plan_param>> opt::take_params(json::value& document) {
  std::vector<plan_param> out;
  auto* root = document.if_object();
  const auto* from = root == nullptr ? nullptr : root->if_contains("params");
  if (from == nullptr)
    return out;
  const auto* object = from->if_object();
  if (object == nullptr)
    return wrong("/params", "\"params\" must be an object: the parameters by name");
  if (object->size() > params_max)
    return make_error(errc::limit_exceeded,
                      "\"params\" has " + std::to_string(object->size())
                          + " parameters; the limit is " + std::to_string(params_max),
                      "/params");
  for (const auto& [name, value] : *object) {
    auto one = read_param(name, value);
    if (!one)
      return one.error();
    out.push_back(std::move(*one));
  }
  root->erase("params");
  return out;
}

result<json::object> opt::take_env(json::value& document) {
  auto* root = document.if_object();
  const auto* from = root == nullptr ? nullptr : root->if_contains("env");
  if (from == nullptr)
    return json::object{};
  const auto* object = from->if_object();
  if (object == nullptr)
    return wrong("/env", "\"env\" must be an object of names and values");
  if (object->size() > env_max)
    return make_error(errc::limit_exceeded,
                      "\"env\" has " + std::to_string(object->size()) + " variables; the limit is "
                          + std::to_string(env_max),
                      "/env");
  json::object out;
  for (const auto& [name, value] : *object) {
    if (!is_variable_name(name))
      return wrong("/env", "the name of a variable is not empty and has no \"=\"; found "
                               + quoted(shown(name)));
    if (!value.is_string() && !value.is_number() && !value.is_bool())
      return wrong("/env/" + std::string(name),
                   "the value of a variable is a string, a number or true or false");
    if (value.is_string() && value.get_string().find('\0') != json::string::npos)
      return wrong("/env/" + std::string(name), "a variable has no character NUL");
    out.emplace(name, json::value(value, json::storage_ptr{}));
  }
  root->erase("env");
  return out;
}

namespace {

error unknown_place(const std::string& name, const std::vector<plan_param>& params,
                    std::string field) {
  std::vector<std::string_view> names;
  for (const auto& each : params)
    names.push_back(each.name);
  return make_error(errc::invalid_reference,
                    "${params." + shown(name) + "}: the plan has no such parameter"
                        + did_you_mean(name, names),
                    std::move(field));
}

bool has_place(const json::object& within) {
  return std::ranges::any_of(within,
                             [](const auto& member) { return filler::has_place(member.value()); });
}

} // namespace

std::string opt::without_references(std::string_view text) {
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i) {
    if (text.substr(i).starts_with("${"))
      out += '$';
    out += text[i];
  }
  return out;
}

result<void> fill_params(plan_document& document,
                         const std::vector<std::pair<std::string, std::string>>& given) {
  const auto values = values_of(document.params, given);
  if (!values)
    return values.error();
  filler fills(*values);
  for (auto& member : document.env)
    fills.fill(member.value());
  if (!fills.unknown().empty())
    return unknown_place(fills.unknown(), document.params, "/env");
  const auto task_has_place = [](const task_spec& task) { return has_place(task.input); };
  auto& plans = document.objective.plans;
  for (std::size_t p = 0; p < plans.size(); ++p) {
    if (std::ranges::none_of(plans[p]->tasks, task_has_place))
      continue;
    auto& plan = unshared(plans[p]);
    for (std::size_t t = 0; t < plan.tasks.size(); ++t) {
      if (!task_has_place(plan.tasks[t]))
        continue;
      for (auto& member : plan.tasks.edit(t).input)
        fills.fill(member.value());
      if (!fills.unknown().empty())
        return unknown_place(fills.unknown(), document.params,
                             "/plans/" + std::to_string(p) + "/tasks/" + std::to_string(t)
                                 + "/input");
    }
  }
  return {};
}

} // namespace troupe
