#include "protocol/json/schema_choices.hpp"

#include <boost/json/array.hpp>

#include <cstddef>

namespace troupe {

namespace {

namespace json = boost::json;

const json::array* array_in(const json::object& schema, std::string_view name) {
  const auto* found = schema.if_contains(name);
  return found ? found->if_array() : nullptr;
}

std::string_view string_of(const json::value* from) {
  const auto* text = from ? from->if_string() : nullptr;
  return text ? std::string_view(text->data(), text->size()) : std::string_view{};
}

} // namespace

std::vector<schema_choice> choices_in(const json::object& schema) {
  std::vector<schema_choice> out;
  if (const auto* values = array_in(schema, "enum")) {
    const auto* names = array_in(schema, "enumNames");
    for (std::size_t i = 0; i < values->size(); ++i)
      out.push_back({&(*values)[i],
                     names && i < names->size() ? string_of(&(*names)[i]) : std::string_view{}});
  }
  for (const std::string_view keyword : {"oneOf", "anyOf"})
    if (const auto* choices = array_in(schema, keyword))
      for (const auto& each : *choices)
        if (const auto* choice = each.if_object(); choice && choice->contains("const"))
          out.push_back({&choice->at("const"), string_of(choice->if_contains("title"))});
  return out;
}

const json::object* items_in(const json::object& schema) {
  if (string_of(schema.if_contains("type")) != "array")
    return nullptr;
  const auto* items = schema.if_contains("items");
  return items ? items->if_object() : nullptr;
}

} // namespace troupe
