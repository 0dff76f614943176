// Whether a type is one of several.
#pragma once

#include <type_traits>

namespace troupe {

template<class Type, class... Others>
inline constexpr bool is_one_of = (std::is_same_v<Type, Others> || ...);

} // namespace troupe
