// Base64 (RFC 4648) for inline files. Written in the standard alphabet with padding; read in either
// alphabet, padded or not, as ProtoJSON has it.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace troupe {

/// Appends `bytes`, encoded, to `out`.
void append_base64(std::string& out, std::string_view bytes);
[[nodiscard]] std::string to_base64(std::string_view bytes);
/// In the alphabet for URLs, without padding (RFC 7515 section 2).
[[nodiscard]] std::string to_base64url(std::string_view bytes);

/// Nothing if `text` holds another character, padding in a wrong place, or a length that no encoder
/// makes. Bits beyond the last byte are ignored.
[[nodiscard]] std::optional<std::string> from_base64(std::string_view text);

} // namespace troupe
