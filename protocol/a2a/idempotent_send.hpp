// The extension with which a client may send a message again without starting its work twice
// (docs/a2a.md, "The same message again").
#pragma once

#include <string_view>

namespace troupe {

inline constexpr std::string_view idempotent_send_extension = "urn:troupe:idempotent-send:v1";

} // namespace troupe
