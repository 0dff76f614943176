#include "tests/net/json_shape.hpp"

#include <boost/json/serialize.hpp>

#include <regex>
#include <string_view>

namespace troupe::testing {

namespace json = boost::json;

namespace {

bool is_marked(const json::value& shape) {
  return shape.is_string() && shape.get_string().starts_with('<')
         && shape.get_string().ends_with('>');
}

bool fits_mark(const json::value& value, std::string_view mark) {
  static const std::regex time(R"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z)");
  if (mark == "string")
    return value.is_string() && !value.get_string().empty();
  if (mark == "time")
    return value.is_string() && std::regex_match(std::string(value.get_string()), time);
  if (mark == "number")
    return value.is_number();
  if (mark == "object")
    return value.is_object();
  if (mark == "array")
    return value.is_array();
  if (!value.is_string())
    return false;
  const std::string text(value.get_string());
  return ("|" + std::string(mark) + "|").find("|" + text + "|") != std::string::npos;
}

} // namespace

std::string misfit(const json::value& value, const json::value& shape, const std::string& where) {
  if (is_marked(shape)) {
    const std::string_view mark = shape.get_string();
    return fits_mark(value, mark.substr(1, mark.size() - 2))
               ? ""
               : where + " is not " + std::string(mark);
  }
  if (const auto* members = shape.if_object()) {
    if (!value.is_object())
      return where + " is no object";
    for (const auto& [name, wanted] : *members) {
      const auto here = where + "/" + std::string(name);
      const auto* found = value.get_object().if_contains(name);
      if (is_marked(wanted) && wanted.get_string() == "<none>") {
        if (found != nullptr)
          return here + " should be absent";
        continue;
      }
      if (found == nullptr)
        return here + " is absent";
      if (auto wrong = misfit(*found, wanted, here); !wrong.empty())
        return wrong;
    }
    return "";
  }
  if (const auto* items = shape.if_array()) {
    if (!value.is_array() || value.get_array().size() != items->size())
      return where + " is no array of " + std::to_string(items->size());
    for (std::size_t i = 0; i < items->size(); ++i)
      if (auto wrong = misfit(value.get_array()[i], (*items)[i], where + "/" + std::to_string(i));
          !wrong.empty())
        return wrong;
    return "";
  }
  const bool same = value == shape
                    || (value.is_number() && shape.is_number()
                        && value.to_number<double>() == shape.to_number<double>());
  return same ? "" : where + " is not " + json::serialize(shape);
}

} // namespace troupe::testing
