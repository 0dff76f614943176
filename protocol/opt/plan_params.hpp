// What stands at the root of a plan document for the person who runs it: parameters, and variables
// of commands. `fill_params` (plan_document.hpp) gives the parameters values.
#pragma once

#include <troupe/protocol/plan_document.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::opt {

inline constexpr std::size_t params_max = 100;
inline constexpr std::size_t param_name_bytes_max = 64;
inline constexpr std::size_t env_max = 1000;

/// Takes the member `params` out of `document`: `{"city": {"description": "Where to", "default":
/// "Oslo"}}`. Errors: invalid_document; `field` is a JSON pointer.
[[nodiscard]] result<std::vector<plan_param>> take_params(boost::json::value& document);

/// Takes the member `env` out of `document`: `{"LANG": "C", "DEPTH": 3}`. Errors: as take_params.
[[nodiscard]] result<boost::json::object> take_env(boost::json::value& document);

/// As part of an input `text` refers to nothing, whatever it looks like: `$${` is a literal `${`.
[[nodiscard]] std::string without_references(std::string_view text);

} // namespace troupe::opt
