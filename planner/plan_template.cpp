#include "planner/plan_template.hpp"

#include "protocol/json/json_location.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_pointer.hpp"
#include "protocol/json/json_schema.hpp"
#include "protocol/json/quoted.hpp"
#include <troupe/protocol/plan_document.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include "planner/parameters_task.hpp"
#include "planner/shipped_texts.hpp"

namespace troupe::planner {

namespace {

namespace json = boost::json;

constexpr std::string_view place_opening = "${params.";

/// `templates/trip.json: line 3 (/params/to): the template "trip": ...`
error wrong_template(std::string_view from, std::string_view text, std::string_view name,
                     error why) {
  std::string where(from);
  const auto add = [&](const std::string& more) { where += (where.empty() ? "" : ": ") + more; };
  if (const auto line = why.field.empty() ? 0 : line_of(text, why.field); line != 0)
    add("line " + std::to_string(line) + " (" + why.field + ")");
  add(name.empty() ? std::string("a template") : "the template " + quoted(shown(name)));
  return make_error(errc::invalid_document, where + ": " + why.message, std::move(why.field));
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

/// Takes a member that is a list of texts out of `from`.
result<std::vector<std::string>> take_texts(json::object& from, std::string_view member) {
  std::vector<std::string> out;
  const auto* list = from.if_contains(member);
  if (!list)
    return out;
  const auto wrong =
      make_error(errc::invalid_document, quoted(member) + " must be a list of strings",
                 "/" + std::string(member));
  if (!list->is_array())
    return wrong;
  for (const auto& each : list->get_array()) {
    if (!each.is_string())
      return wrong;
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
  for (std::size_t i = 0; i < patterns->size(); ++i) {
    auto pattern = text_pattern::read((*patterns)[i]);
    if (!pattern)
      return make_error(errc::invalid_document, pattern.error().message,
                        "/match/" + std::to_string(i));
    into.patterns.push_back(std::move(*pattern));
  }
  auto examples = take_texts(root, "examples");
  if (!examples)
    return examples.error();
  into.examples = std::move(*examples);
  if (auto* params = root.if_contains("params"); params && params->is_object())
    for (auto& member : params->get_object()) {
      auto param = take_param(member.key(), member.value());
      if (!param)
        return param.error();
      into.params.push_back(std::move(*param));
    }
  const auto form = form_of(into.params, {});
  if (const auto fault = check_schema(form))
    return make_error(errc::invalid_document,
                      "its parameters cannot be asked for: " + fault->message, "/params");
  if (json::serialize(form).size() > schema_bytes_max)
    return make_error(errc::invalid_document,
                      "its parameters cannot be asked for: their form has more than "
                          + std::to_string(schema_bytes_max) + " bytes (schema_bytes_max)",
                      "/params");
  into.has_own_name = root.contains("name");
  auto* plans = root.if_contains("plans");
  if (!plans || !plans->is_array())
    return make_error(errc::invalid_document, "\"plans\" must be a list", "/plans");
  resolve_names(plans->get_array(), "plan-");
  for (auto& plan : plans->get_array())
    if (auto* object = plan.if_object())
      if (auto* tasks = object->if_contains("tasks"); tasks && tasks->is_array())
        resolve_names(tasks->get_array(), "task-");
  return {};
}

/// Fills the places with values of the right types, whatever their limits are: the result is only
/// looked at.
given_values values_for_check(const plan_template& of) {
  given_values out;
  for (const auto& each : of.params) {
    const std::string_view type = each.schema.at("type").get_string();
    if (each.otherwise)
      continue;
    if (const auto* choices = each.schema.if_contains("enum");
        choices != nullptr && choices->is_array() && !choices->get_array().empty())
      out.emplace(each.name, choices->get_array().front());
    else if (type == "string")
      out.emplace(each.name, "something");
    else if (type == "boolean")
      out.emplace(each.name, true);
    else
      out.emplace(each.name, 1);
  }
  return out;
}

/// Members of which a text is a value wherever it comes from.
bool holds_values(std::string_view member) {
  return member == "name" || member == "description" || member == "metadata";
}

/// Calls `look(member, text, pointer)` with each text below `within` that has a placeholder, but
/// not with those below members of which `skips` is true.
template<class Skips, class Look>
void for_each_place(const json::value& within, std::string_view member, const std::string& pointer,
                    const Skips& skips, const Look& look) {
  if (const auto* list = within.if_array()) {
    for (std::size_t i = 0; i < list->size(); ++i) {
      auto place = pointer;
      append_pointer(place, i);
      for_each_place((*list)[i], member, place, skips, look);
    }
  } else if (const auto* object = within.if_object()) {
    for (const auto& each : *object) {
      std::string_view key = each.key();
      if (key.find(place_opening) != std::string_view::npos)
        look(key, pointer);
      if (skips(key))
        continue;
      auto place = pointer;
      append_pointer(place, key);
      for_each_place(each.value(), key, place, skips, look);
    }
  } else if (const auto* text = within.if_string()) {
    if (text->find(place_opening) != json::string::npos)
      look(member, pointer);
  }
}

/// A value must not become structure: an agent, a dependency, a deadline.
result<void> check_places(const json::value& document) {
  std::optional<error> wrong;
  for_each_place(
      document, {}, {},
      [](std::string_view key) { return holds_values(key) || key == "input" || key == "params"; },
      [&](std::string_view member, const std::string& pointer) {
        if (!wrong)
          wrong = make_error(errc::invalid_document,
                             "a parameter may stand only in names, descriptions, metadata and "
                             "inputs, not in "
                                 + quoted(shown(member)),
                             pointer);
      });
  return wrong ? result<void>(*wrong) : result<void>{};
}

/// Whether a task names the agent that asks for parameters.
bool asks_itself(const objective_spec& of) {
  return std::ranges::any_of(of.plans, [](const plan_spec_ptr& plan) {
    return std::ranges::any_of(
        plan->tasks, [](const task_spec& task) { return task.agent == parameters_agent_name; });
  });
}

/// The objective with these values, and the defaults of the others. All that are needed are there.
result<objective_spec> filled(const plan_template& from, const given_values& given,
                              std::string_view message_name, const find_line_fn& line_of) {
  auto document = from.document;
  // A text that was given refers to nothing; a number has nothing that could.
  std::vector<std::pair<std::string, std::string>> texts;
  for (const auto& [name, value] : given)
    if (value.is_string())
      texts.emplace_back(name, value.get_string());
    else
      document.at("params").at(name).get_object()["default"] = value;
  auto values = given;
  for (const auto& each : from.params)
    if (each.otherwise)
      values.try_emplace(each.name, *each.otherwise);
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
  auto read = read_plan_document(std::move(document), line_of);
  if (!read)
    return read.error();
  if (auto done = fill_params(*read, texts); !done)
    return done.error();
  return std::move(read->objective);
}

result<void> check_template(const plan_template& made, const find_line_fn& line_of) {
  if (auto fine = check_places(made.document); !fine)
    return fine;
  for (const auto& pattern : made.patterns)
    for (const auto& placeholder : pattern.placeholders())
      if (std::ranges::find(made.params, placeholder, &template_param::name) == made.params.end())
        return make_error(errc::invalid_document,
                          "the placeholder " + quoted(shown(placeholder)) + " is no parameter",
                          "/match");
  for (const auto& example : made.examples)
    if (!choose_template(std::span(&made, 1), example).fits)
      return make_error(errc::invalid_document,
                        "the example " + quoted(shown(example)) + " fits no pattern", "/examples");
  std::optional<error> bad_name;
  for_each_name(made.document, [&](std::string_view name) {
    if (name.starts_with(place_opening))
      bad_name =
          make_error(errc::invalid_document,
                     "a name may not begin with a parameter: " + quoted(shown(name)), "/plans");
  });
  if (bad_name)
    return *bad_name;
  const auto made_of = filled(made, values_for_check(made), "check", line_of);
  if (!made_of)
    return make_error(errc::invalid_document, made_of.error().message); // It has the place.
  if (asks_itself(*made_of))
    return make_error(errc::invalid_document,
                      "no task may name the agent " + quoted(parameters_agent_name), "/plans");
  return {};
}

} // namespace

result<plan_template> read_template(std::string_view text, std::string_view from) {
  json_parser parser;
  boost::system::error_code failed;
  std::size_t offset = 0;
  auto root = parser.parse(text, {}, failed, offset);
  plan_template out;
  const auto refuse = [&](error why) {
    return wrong_template(from, text, out.name, std::move(why));
  };
  const auto refuse_at = [&](std::size_t byte, const std::string& why) {
    const auto at = position_at(text, byte);
    return refuse(make_error(errc::invalid_document, "line " + std::to_string(at.line) + ", column "
                                                         + std::to_string(at.column) + ": " + why));
  };
  if (failed)
    return refuse_at(offset, json_fault(failed));
  if (const auto twin = find_duplicate_member(text))
    return refuse_at(twin->offset, quoted(shown(twin->name)) + " appears twice in one object");
  if (!root.is_object())
    return refuse(make_error(errc::invalid_document, "it is no JSON object"));
  out.name = take_text(root.get_object(), "template");
  if (out.name.empty())
    return refuse(make_error(errc::invalid_document, "it needs a name, \"template\""));
  if (auto taken = take_members(root.get_object(), out); !taken)
    return refuse(taken.error());
  out.document = std::move(root);
  const auto find_line = [text](std::string_view pointer) { return line_of(text, pointer); };
  if (auto fine = check_template(out, find_line); !fine)
    return refuse(fine.error());
  return out;
}

result<objective_spec> fill_template(const plan_template& from, const given_values& given,
                                     std::string_view message_name) {
  auto values = check_values(from.params, given);
  if (!values)
    return make_error(errc::invalid_params,
                      "the template " + quoted(from.name) + ": " + values.error().message);
  if (const auto missing = missing_params(from.params, *values); !missing.empty())
    return make_error(errc::invalid_params, "the template " + quoted(from.name)
                                                + " needs a value for: " + listed_params(missing));
  auto out = filled(from, *values, message_name, [](std::string_view) { return std::size_t{0}; });
  if (!out)
    return make_error(errc::invalid_params, out.error().message, out.error().field);
  return out;
}

std::vector<input_place> input_places(const plan_template& of) {
  std::vector<input_place> out;
  const auto* plans = of.document.get_object().if_contains("plans");
  if (plans == nullptr || !plans->is_array())
    return out;
  for (std::size_t p = 0; p < plans->get_array().size(); ++p) {
    const auto* plan = plans->get_array()[p].if_object();
    const auto* tasks = plan == nullptr ? nullptr : plan->if_contains("tasks");
    if (tasks == nullptr || !tasks->is_array())
      continue;
    for (std::size_t t = 0; t < tasks->get_array().size(); ++t) {
      const auto* task = tasks->get_array()[t].if_object();
      const auto* input = task == nullptr ? nullptr : task->if_contains("input");
      if (input == nullptr)
        continue;
      const auto base = "/plans/" + std::to_string(p) + "/tasks/" + std::to_string(t) + "/input";
      for_each_place(
          *input, {}, {}, [](std::string_view) { return false; },
          [&](std::string_view, const std::string& below) {
            const auto* agent = task->if_contains("agent");
            out.push_back({agent != nullptr && agent->is_string() ? std::string(agent->get_string())
                                                                  : std::string{},
                           base + below, below});
          });
    }
  }
  return out;
}

result<objective_spec> sample_of(const plan_template& of) {
  return filled(of, values_for_check(of), "check", [](std::string_view) { return std::size_t{0}; });
}

template_choice choose_template(std::span<const plan_template> all, std::string_view text) {
  template_choice out;
  std::size_t best = 0;
  const matched_text message(text);
  for (const auto& each : all)
    for (const auto& pattern : each.patterns) {
      auto placeholders = pattern.match(message);
      if (!placeholders || pattern.words() < best || (pattern.words() == best && out.fits == &each))
        continue;
      given_values values;
      bool fits = true;
      for (auto& [name, value] : *placeholders) {
        const auto param = std::ranges::find(each.params, name, &template_param::name);
        fits = fits && param != each.params.end() && value_for(*param, json::value(value));
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
