// Reads the TOML file of `troupe serve --config`, and the targets and the tool in it or in that of
// the commands. The only file that knows toml++ is its .cpp.
#pragma once

#include "apps/settings/settings.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe {

/// The tables `[[targets]]` and `[remote-agent]` are no settings of the server: they are passed
/// over.
inline constexpr std::string_view targets_table = "targets";
inline constexpr std::string_view remote_agent_table = "remote-agent";

/// The tables `[models.NAME]` are none either.
inline constexpr std::string_view models_table = "models";

/// The file of `--config`, read once: it may be a pipe, which has nothing for a second reader.
struct config_text {
  std::string text; ///< Empty without a file: then nothing is set.
  std::string name; ///< For messages.
};

/// An empty path is no file. Errors: those of read_text.
[[nodiscard]] result<config_text> read_config_file(const std::string& path);

/// Sets everything that `text` names; `name` is the file's, for messages. Errors: invalid_document
/// with file, line and, for an unknown key, the one that was probably meant. Nothing is promised
/// about `to` then.
[[nodiscard]] result<void> read_config(serve_settings& to, std::string_view text,
                                       const std::string& name);

/// One of `[[targets]]`: its members, and the line where it begins.
struct target_row {
  text_row members; ///< `true`, `false` and numbers as texts.
  std::uint32_t line = 0;
};

/// The targets that `text` names, in their order. The rest of the file must be as `read_config`
/// wants it. Errors: as there.
[[nodiscard]] result<std::vector<target_row>> read_target_rows(std::string_view text,
                                                               const std::string& name);

/// One of `[models.NAME]`: its members, and the line where it begins.
struct model_row {
  std::string name;
  std::vector<std::pair<std::string, setting_value>> members;
  std::uint32_t line = 0;
};

/// The models that `text` names, by their names. As read_target_rows.
[[nodiscard]] result<std::vector<model_row>> read_model_rows(std::string_view text,
                                                             const std::string& name);

/// The table `[remote-agent]` as a tree; nothing if there is none. The rest of the file must be as
/// `read_config` wants it. Errors: as there.
[[nodiscard]] result<std::optional<boost::json::object>>
read_remote_agent_table(std::string_view text, const std::string& name);

/// The tables that are no settings, each by its name: `models.fast`, `targets.harbour` (by its
/// alias; without one by its place, `targets.1`), `remote-agent`. The text of one is the same if
/// its members are.
using other_tables = std::map<std::string, std::string>;

/// The rest of the file must be as `read_config` wants it. Errors: as there.
[[nodiscard]] result<other_tables> read_other_tables(std::string_view text,
                                                     const std::string& name);

} // namespace troupe
