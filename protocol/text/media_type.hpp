// Media types as A2A compares them: what a client accepts, what an agent takes and makes (A2A 1.0
// sections 3.2.2 and 4.4.1). Plain functions.
#pragma once

#include <troupe/protocol/message.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// Whether there can be content that both stand for. Either may be a pattern: `*/*`, `text/*`, or
/// (as older clients write it) `text` alone. Case and parameters (`; charset=...`) do not count
/// (RFC 9110 section 8.3.1).
[[nodiscard]] bool media_types_meet(std::string_view a, std::string_view b) noexcept;

/// Whether any of `a` meets any of `b`. An empty list stands for everything.
[[nodiscard]] bool any_media_types_meet(const std::vector<std::string>& a,
                                        const std::vector<std::string>& b) noexcept;

/// What the part says of itself, or else what its kind implies: text is text/plain, data is
/// application/json. Empty for a file that does not say.
[[nodiscard]] std::string_view media_type_of(const part& part) noexcept;

/// By the ending of a file's name, in any case; empty for an ending that is not known.
[[nodiscard]] std::string_view media_type_of_name(std::string_view name);

} // namespace troupe
