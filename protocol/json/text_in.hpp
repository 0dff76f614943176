// Texts out of a JSON tree, for readers that take what there is.
#pragma once

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <string_view>

namespace troupe {

/// The text of a member; empty if there is none, or it is no text.
[[nodiscard]] inline std::string text_in(const boost::json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found && found->is_string() ? std::string(found->get_string()) : std::string{};
}

/// The same; empty too if `from` is no object.
[[nodiscard]] inline std::string text_in(const boost::json::value& from, std::string_view name) {
  const auto* object = from.if_object();
  return object ? text_in(*object, name) : std::string{};
}

} // namespace troupe
