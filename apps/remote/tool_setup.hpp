// The settings of the tool `remote_agent` for this process: the table `[remote-agent]` and the
// `[[targets]]` of a configuration file, or the JSON document that the table names; and where its
// handles are kept.
#pragma once

#include "apps/remote/targets.hpp"
#include "client/remote_agent/handles.hpp"
#include "client/remote_agent/settings.hpp"
#include <troupe/protocol/errc.hpp>

#include <string>
#include <string_view>

namespace troupe {

/// `text`: of the configuration file `name`. Without the table the tool is not enabled. A target
/// whose credentials cannot be read is refused when it is asked. Errors: invalid_document, with the
/// path of the setting; those of reading files.
[[nodiscard]] result<remote_agent::settings>
tool_settings(std::string_view text, const std::string& name, const variable_reader& variables);

/// Those of own_config_path.
[[nodiscard]] result<remote_agent::settings> own_tool_settings();

/// The file of the handles, in the state directory of the user. Errors: unavailable.
[[nodiscard]] result<std::string> own_handles_path();
/// Adds those of the file, if there is one.
void read_handles(const std::string& path, remote_agent::handles& to);
/// Writes them, with those that others have written meanwhile. Errors: unavailable.
[[nodiscard]] result<void> keep_handles(const std::string& path, remote_agent::handles& all);

} // namespace troupe
