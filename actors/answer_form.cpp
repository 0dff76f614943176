#include "actors/answer_form.hpp"

#include "protocol/json/json_schema.hpp"
#include "protocol/text.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>

namespace troupe {

namespace {

namespace json = boost::json;

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t\r\n";
  const auto begin = text.find_first_not_of(blanks);
  if (begin == std::string_view::npos)
    return {};
  return text.substr(begin, text.find_last_not_of(blanks) - begin + 1);
}

bool is_same_word(std::string_view a, std::string_view b) {
  return std::ranges::equal(a, b, [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

/// Whether a person who writes `text` means `value`.
bool is_meant(const json::value& value, std::string_view text) {
  const auto* word = value.if_string();
  return is_same_word(word ? std::string(*word) : json::serialize(value), text);
}

std::optional<json::value> chosen(const json::object& form, std::string_view text) {
  if (const auto* values = form.if_contains("enum"))
    for (const auto& each : values->get_array())
      if (is_meant(each, text))
        return each;
  if (const auto* choices = form.if_contains("oneOf"))
    for (const auto& each : choices->get_array()) {
      const auto& choice = each.get_object();
      const auto* title = choice.if_contains("title");
      if (is_meant(choice.at("const"), text) || (title && is_meant(*title, text)))
        return choice.at("const");
    }
  return std::nullopt;
}

} // namespace

json::value value_of_answer(const message& answer, const json::object& form) {
  for (const auto& part : answer.parts)
    if (const auto* content = std::get_if<data_content>(&part.content))
      return content->data;
  const auto whole = text_of(answer.parts);
  const auto text = without_blanks(whole);
  if (auto choice = chosen(form, text))
    return *choice;
  const auto* type = form.if_contains("type");
  if (type == nullptr || *type == "string")
    return json::value(whole);
  if (*type == "boolean" && (is_same_word(text, "yes") || is_same_word(text, "true")))
    return true;
  if (*type == "boolean" && (is_same_word(text, "no") || is_same_word(text, "false")))
    return false;
  boost::system::error_code failed;
  auto parsed = json::parse({text.data(), text.size()}, failed);
  return failed ? json::value(whole) : parsed;
}

result<void> check_answer(const question& asked, const message& answer) {
  if (asked.form.empty())
    return {};
  const auto misfit = find_misfit(value_of_answer(answer, asked.form), asked.form);
  if (!misfit)
    return {};
  const auto where = misfit->pointer.empty() ? std::string("the answer") : misfit->pointer;
  return make_error(errc::invalid_answer, where + " " + misfit->message, misfit->pointer);
}

} // namespace troupe
