#include "protocol/opt/answer_text.hpp"

#include "protocol/json/json_text.hpp"
#include "protocol/json/schema_choices.hpp"
#include "protocol/text/blanks.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <variant>

namespace troupe {

namespace {

namespace json = boost::json;

/// Whether a person who writes `text` means `value`.
bool is_meant(const json::value& value, std::string_view text) {
  return is_same_word(text_of_value(value), text);
}

/// The choice that a person who writes `text` means.
std::optional<json::value> chosen(const json::object& schema, std::string_view text) {
  for (const auto& each : choices_in(schema))
    if (is_meant(*each.value, text) || (!each.title.empty() && is_same_word(each.title, text)))
      return *each.value;
  return std::nullopt;
}

/// An answer to a question for several choices: their values in place of their titles.
void put_values(json::value& answer, const json::object& items) {
  auto* given = answer.if_array();
  if (given == nullptr)
    return;
  for (auto& each : *given)
    if (const auto* word = each.if_string())
      if (auto choice = chosen(items, {word->data(), word->size()}))
        each = std::move(*choice);
}

} // namespace

bool is_same_word(std::string_view a, std::string_view b) noexcept {
  return std::ranges::equal(a, b, [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

json::value value_of_text(std::string_view whole, const json::object& schema) {
  const auto as_it_is = [&] { return json::value(json::string_view{whole.data(), whole.size()}); };
  const auto text = without_blanks(whole);
  if (auto choice = chosen(schema, text))
    return *choice;
  const auto* items = items_in(schema);
  if (auto choice = items ? chosen(*items, text) : std::nullopt)
    return json::array{std::move(*choice)};
  const auto* type = schema.if_contains("type");
  if (type == nullptr || *type == "string")
    return as_it_is();
  if (*type == "boolean" && (is_same_word(text, "yes") || is_same_word(text, "true")))
    return true;
  if (*type == "boolean" && (is_same_word(text, "no") || is_same_word(text, "false")))
    return false;
  boost::system::error_code failed;
  auto parsed = json::parse({text.data(), text.size()}, failed);
  if (failed)
    return as_it_is();
  if (items)
    put_values(parsed, *items);
  return parsed;
}

boost::json::value value_of_answer(const message& answer, const boost::json::object& form) {
  for (const auto& part : answer.parts)
    if (const auto* content = std::get_if<data_content>(&part.content))
      return content->data;
  return value_of_text(text_of(answer.parts), form);
}

std::string words_of_answer(const message& answer) {
  std::string out;
  for (const auto& each : answer.parts)
    if (const auto* text = std::get_if<text_content>(&each.content))
      out += (out.empty() ? "" : "\n") + text->text;
    else if (const auto* data = std::get_if<data_content>(&each.content))
      out += (out.empty() ? "" : "\n") + json_text(data->data);
  return out.empty() ? "(an answer without text)" : out;
}

} // namespace troupe
