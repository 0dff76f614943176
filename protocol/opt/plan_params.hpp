// The parameters that a plan document declares. `fill_params` (plan_document.hpp) gives them
// values.
#pragma once

#include <troupe/protocol/plan_document.hpp>

#include <boost/json/value.hpp>

#include <cstddef>
#include <vector>

namespace troupe::opt {

inline constexpr std::size_t params_max = 100;
inline constexpr std::size_t param_name_bytes_max = 64;

/// Takes the member `params` out of `document`: `{"city": {"description": "Where to", "default":
/// "Oslo"}}`. Errors: invalid_document; `field` is a JSON pointer.
[[nodiscard]] result<std::vector<plan_param>> take_params(boost::json::value& document);

} // namespace troupe::opt
