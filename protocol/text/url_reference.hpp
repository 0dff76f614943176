// What an address that is written relative to another one means (RFC 3986 section 5). A plain
// function.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// `reference` as an absolute URL: as it is, if it is one, else as seen from `base`, which is one.
/// Nothing if either is no URL.
[[nodiscard]] std::optional<std::string> resolve_reference(std::string_view base,
                                                           std::string_view reference);

/// `url` without slashes at its end.
[[nodiscard]] std::string without_end_slashes(std::string url);

} // namespace troupe
