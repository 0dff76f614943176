#include "tests/protocol/json_schema.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>
#include <string>

namespace troupe::test {

namespace json = boost::json;

namespace {

std::size_t characters(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & 0xc0) != 0x80;
  }));
}

/// The schema's two patterns, compared by their text.
bool matches(std::string_view text, std::string_view pattern) {
  const bool slash_allowed = pattern == "^[^\\u0000-\\u001f\\u007f]*$";
  if (!slash_allowed && pattern != "^[^\\u0000-\\u001f\\u007f/]*$")
    throw std::runtime_error("unknown pattern " + std::string(pattern));
  return std::none_of(text.begin(), text.end(), [&](char c) {
    return static_cast<unsigned char>(c) < 0x20 || c == 0x7f || (c == '/' && !slash_allowed);
  });
}

class checker {
public:
  explicit checker(const json::value& root) : root_(root) {}

  bool check(const json::value& value, const json::value& schema) const {
    for (const auto& [keyword, argument] : schema.as_object())
      if (!check(value, keyword, argument, schema.as_object()))
        return false;
    return true;
  }

private:
  const json::value& target(std::string_view reference) const {
    boost::system::error_code ec;
    const auto* found = root_.find_pointer(reference.substr(1), ec);
    if (found == nullptr)
      throw std::runtime_error("dangling " + std::string(reference));
    return *found;
  }

  long how_many(const json::value& value, const json::value& schemas) const {
    const auto& list = schemas.as_array();
    return std::count_if(list.begin(), list.end(),
                         [&](const json::value& one) { return check(value, one); });
  }

  static bool has_type(const json::value& value, std::string_view type) {
    if (type == "integer")
      return value.is_number()
             && std::floor(value.to_number<double>()) == value.to_number<double>();
    if (type == "number")
      return value.is_number();
    if (type == "string")
      return value.is_string();
    if (type == "object")
      return value.is_object();
    if (type == "array")
      return value.is_array();
    throw std::runtime_error("unknown type " + std::string(type));
  }

  bool check(const json::value& value, std::string_view keyword, const json::value& argument,
             const json::object& schema) const {
    if (keyword == "type")
      return has_type(value, argument.as_string());
    if (keyword == "$ref")
      return check(value, target(argument.as_string()));
    if (keyword == "oneOf")
      return how_many(value, argument) == 1;
    if (keyword == "anyOf")
      return how_many(value, argument) > 0;
    if (keyword == "not")
      return !check(value, argument);
    if (keyword == "const")
      return value == argument;
    if (keyword == "enum")
      return std::find(argument.as_array().begin(), argument.as_array().end(), value)
             != argument.as_array().end();
    if (keyword == "minimum")
      return !value.is_number() || value.to_number<double>() >= argument.to_number<double>();
    if (keyword == "maximum")
      return !value.is_number() || value.to_number<double>() <= argument.to_number<double>();
    if (keyword == "minLength")
      return !value.is_string()
             || characters(value.get_string()) >= argument.to_number<std::size_t>();
    if (keyword == "maxLength")
      return !value.is_string()
             || characters(value.get_string()) <= argument.to_number<std::size_t>();
    if (keyword == "pattern")
      return !value.is_string() || matches(value.get_string(), argument.as_string());
    if (keyword == "minItems")
      return !value.is_array() || value.get_array().size() >= argument.to_number<std::size_t>();
    if (keyword == "maxItems")
      return !value.is_array() || value.get_array().size() <= argument.to_number<std::size_t>();
    if (keyword == "items")
      return !value.is_array()
             || std::all_of(value.get_array().begin(), value.get_array().end(),
                            [&](const json::value& item) { return check(item, argument); });
    if (keyword == "required")
      return !value.is_object()
             || std::all_of(argument.as_array().begin(), argument.as_array().end(),
                            [&](const json::value& name) {
                              return value.get_object().contains(name.as_string());
                            });
    if (keyword == "properties")
      return !value.is_object()
             || std::all_of(value.get_object().begin(), value.get_object().end(),
                            [&](const auto& member) {
                              const auto* known = argument.as_object().if_contains(member.key());
                              return known == nullptr || check(member.value(), *known);
                            });
    if (keyword == "additionalProperties" && argument == false)
      return !value.is_object()
             || std::all_of(value.get_object().begin(), value.get_object().end(),
                            [&](const auto& member) {
                              return schema.at("properties").as_object().contains(member.key());
                            });
    for (const std::string_view remark :
         {"$schema", "$id", "$defs", "title", "description", "default"})
      if (keyword == remark)
        return true;
    throw std::runtime_error("unknown keyword " + std::string(keyword));
  }

  const json::value& root_;
};

} // namespace

bool conforms(const json::value& document, const json::value& schema) {
  return checker(schema).check(document, schema);
}

} // namespace troupe::test
