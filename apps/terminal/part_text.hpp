// What people are shown of a part of a message or artifact.
#pragma once

#include <troupe/protocol/message.hpp>

#include <string>
#include <string_view>

namespace troupe {

/// The text, the JSON, or the URL. Of bytes only how many there are, and `advice`: how to get them.
[[nodiscard]] std::string text_of_part(const part& one, std::string_view advice);

} // namespace troupe
