#include "apps/run/question_form.hpp"

#include "apps/terminal/text.hpp"
#include "protocol/json/text_in.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <charconv>

namespace troupe {

namespace json = boost::json;

namespace {

std::string text_of_value(const json::value& value) {
  return value.is_string() ? std::string(value.get_string()) : json::serialize(value);
}

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
  if (const auto* all = array_at(schema, "enum"))
    for (const auto& each : *all) {
      out.values.push_back(text_of_value(each));
      out.titles.emplace_back();
    }
  if (const auto* all = array_at(schema, "oneOf"))
    for (const auto& each : *all)
      if (const auto* one = each.if_object(); one && one->contains("const")) {
        out.values.push_back(text_of_value(one->at("const")));
        out.titles.push_back(text_in(*one, "title"));
      }
  if (text_in(schema, "type") == "boolean") {
    out.values = {"yes", "no"};
    out.titles = {"", ""};
  }
  return out;
}

} // namespace

question_form form_of(const json::object& schema) {
  question_form out;
  const auto choices = choices_of(schema);
  for (std::size_t i = 0; i < choices.values.size(); ++i)
    out.lines.push_back("  " + std::to_string(i + 1) + "  " + clean_line(choices.values[i])
                        + (choices.titles[i].empty() ? "" : "  " + clean_line(choices.titles[i])));
  out.choices = choices.values;
  if (out.choices.empty() && !schema.empty())
    out.lines.push_back("form: " + clean_line(json::serialize(schema)));
  return out;
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
