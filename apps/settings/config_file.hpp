// Reads the TOML file of `troupe serve --config`. The only file that knows toml++ is its .cpp.
#pragma once

#include "apps/settings/settings.hpp"
#include <troupe/protocol/errc.hpp>

#include <string>
#include <string_view>

namespace troupe {

/// Sets everything that `text` names; `name` is the file's, for messages. Errors: invalid_document
/// with file, line and, for an unknown key, the one that was probably meant. Nothing is promised
/// about `to` then.
[[nodiscard]] result<void> read_config(serve_settings& to, std::string_view text,
                                       const std::string& name);

} // namespace troupe
