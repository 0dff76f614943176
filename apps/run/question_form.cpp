#include "apps/run/question_form.hpp"

#include "apps/terminal/text.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/json/schema_choices.hpp"
#include "protocol/json/text_in.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <charconv>

namespace troupe {

namespace json = boost::json;

namespace {

const json::array* array_at(const json::object& in, std::string_view name) {
  const auto* found = in.if_contains(name);
  return found ? found->if_array() : nullptr;
}

/// What a schema leaves to choose.
struct choice_list {
  std::vector<std::string> values;
  std::vector<std::string> titles;
};

choice_list choices_of(const json::object& schema) {
  choice_list out;
  for (const auto& each : choices_in(schema)) {
    out.values.push_back(text_of_value(*each.value));
    out.titles.emplace_back(each.title);
  }
  if (text_in(schema, "type") == "boolean") {
    out.values = {"yes", "no"};
    out.titles = {"", ""};
  }
  return out;
}

/// A line for each choice. Those of a list that takes one have numbers, which may be typed.
std::vector<std::string> lines_of(const choice_list& choices, bool has_numbers) {
  std::vector<std::string> out;
  for (std::size_t i = 0; i < choices.values.size(); ++i)
    out.push_back("  " + (has_numbers ? std::to_string(i + 1) + "  " : std::string{})
                  + clean_line(choices.values[i])
                  + (choices.titles[i].empty() ? "" : "  " + clean_line(choices.titles[i])));
  return out;
}

// -- what a person may type -----------------------------------------------------------------------

constexpr std::size_t members_shown_max = 12;

/// ` from 1 to 9`, ` of at least 1`, ` of at most 9`; empty without a bound.
std::string range_of(const json::object& schema, const char* least, const char* most) {
  const auto* from = schema.if_contains(least);
  const auto* to = schema.if_contains(most);
  if (from && to)
    return " from " + json_text(*from) + " to " + json_text(*to);
  if (from || to)
    return (from ? " of at least " : " of at most ") + json_text(from ? *from : *to);
  return {};
}

/// `a whole number from 1 to 9`, `single or double`. What has no words is shown as its schema.
std::string words_of(const json::object& schema) {
  const auto* items = items_in(schema);
  const auto choices = choices_of(items ? *items : schema);
  std::string out;
  for (std::size_t i = 0; i < choices.values.size(); ++i)
    out += (i == 0 ? "" : " or ") + choices.values[i]
           + (choices.titles[i].empty() ? "" : " (" + choices.titles[i] + ")");
  if (!out.empty())
    return (items ? "a list of " : "") + out;
  const auto type = text_in(schema, "type");
  if (type == "integer" || type == "number")
    return (type == "integer" ? "a whole number" : "a number")
           + range_of(schema, "minimum", "maximum");
  if (type == "string" && !schema.contains("pattern")) {
    const auto format = text_in(schema, "format");
    const auto range = range_of(schema, "minLength", "maxLength");
    return "a text" + (format.empty() ? "" : " (" + format + ")")
           + (range.empty() ? "" : range + " characters");
  }
  return json_text(schema);
}

json::value example_of(const json::object& schema) {
  const auto choices = choices_of(schema);
  const auto type = text_in(schema, "type");
  if (type == "boolean")
    return true;
  if (!choices.values.empty() && type != "integer" && type != "number")
    return json::value(choices.values.front());
  if (type == "integer" || type == "number") {
    const auto* least = schema.if_contains("minimum");
    return least ? *least : json::value(1);
  }
  return type == "array" ? json::value(json::array{}) : json::value("...");
}

bool is_required(const json::object& schema, std::string_view name) {
  const auto* all = array_at(schema, "required");
  return all && std::ranges::any_of(*all, [name](const json::value& each) {
           return each.is_string() && std::string_view(each.get_string()) == name;
         });
}

/// An example, and a line for each member.
std::vector<std::string> lines_of_members(const json::object& members, const json::object& schema) {
  std::vector<std::string> out;
  json::object example;
  for (const auto& [name, about] : members) {
    const auto* of = about.if_object();
    const bool is_needed = is_required(schema, name);
    if (of && is_needed)
      example[name] = example_of(*of);
    if (out.size() < members_shown_max)
      out.push_back("  " + clean_line(std::string(name)) + ": "
                    + clean_line(of ? words_of(*of) : "anything")
                    + (is_needed ? "" : ", optional"));
  }
  if (members.size() > members_shown_max)
    out.push_back("  and " + std::to_string(members.size() - members_shown_max) + " more");
  out.insert(out.begin(), "JSON, e.g. " + clean_line(json_text(example)));
  return out;
}

} // namespace

question_form form_of(const json::object& schema) {
  question_form out;
  const auto choices = choices_of(schema);
  out.lines = lines_of(choices, true);
  out.choices = choices.values;
  if (!out.choices.empty() || schema.empty())
    return out;
  const auto* items = items_in(schema);
  if (const auto several = items ? choices_of(*items) : choice_list{}; !several.values.empty()) {
    out.lines = lines_of(several, false);
    out.lines.push_back("type one of them, or several as JSON, e.g. "
                        + clean_line(json_text(json::array{several.values.front()})));
    return out;
  }
  const auto* members = schema.if_contains("properties");
  if (const auto* all = members ? members->if_object() : nullptr; all && !all->empty())
    out.lines = lines_of_members(*all, schema);
  else
    out.lines.push_back("type " + clean_line(words_of(schema)));
  return out;
}

bool is_answer(const question_form& form, std::string_view typed) {
  return typed.find_first_not_of(" \t\r") != std::string_view::npos
         || std::ranges::find(form.choices, typed) != form.choices.end();
}

std::string chosen_text(const question_form& form, std::string_view typed) {
  // A value that is a number is itself, not the place of another one.
  if (std::ranges::find(form.choices, typed) != form.choices.end())
    return std::string(typed);
  std::size_t number = 0;
  const auto [stop, failed] = std::from_chars(typed.data(), typed.data() + typed.size(), number);
  const bool is_number = failed == std::errc{} && stop == typed.data() + typed.size();
  if (is_number && number >= 1 && number <= form.choices.size())
    return form.choices[number - 1];
  return valid_utf8(typed);
}

} // namespace troupe
