#include "protocol/json/json_depth.hpp"

#include <algorithm>

namespace troupe {

bool is_deeper_than(const boost::json::value& tree, std::size_t levels) {
  const auto below = [levels](const boost::json::value& child) {
    return is_deeper_than(child, levels - 1);
  };
  if (const auto* array = tree.if_array())
    return levels == 0 || std::any_of(array->begin(), array->end(), below);
  if (const auto* object = tree.if_object())
    return levels == 0 || std::any_of(object->begin(), object->end(), [&](const auto& member) {
             return below(member.value());
           });
  return false;
}

} // namespace troupe
