// Saying things to people and scripts: one place for how error lines look.
#pragma once

#include <string_view>

#include "protocol/errc.hpp"

namespace troupe {

/// `troupe: <text>` on standard error, cleaned, with a newline.
void complain(std::string_view text);

/// `text` on standard output as it is. False, and complained of, if it could not be written; a reader that has gone is no error.
bool say(std::string_view text);

/// `{"error": {"code", "message", "field"}}` as a line on standard output.
void say_json_error(const error& why);

} // namespace troupe
