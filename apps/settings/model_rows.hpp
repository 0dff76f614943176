// `[models.NAME]` of a configuration file as the settings of models. Plain functions.
#pragma once

#include "apps/settings/config_file.hpp"
#include "client/models/model_settings.hpp"
#include <troupe/protocol/errc.hpp>

#include <functional>
#include <string>
#include <vector>

namespace troupe {

/// The value of a variable; null if it is unset.
using model_variables = std::function<const char*(const char* name)>;
/// The text of a file.
using model_files = std::function<result<std::string>(const std::string& path)>;

/// The models as tables of a TOML file, with what they set. Their keys are not among it: the file
/// has only where those are. `models_from` has taken them.
[[nodiscard]] std::string print_models(const std::vector<model_row>& rows);

/// All members that a model may have.
[[nodiscard]] std::vector<std::string> model_member_names();

/// `name`: the file's, for messages. A key that cannot be read is no error here: calls of that
/// model fail with it. Errors: invalid_document, with the line.
[[nodiscard]] result<std::vector<models::model_settings>>
models_from(const std::vector<model_row>& rows, const std::string& name,
            const model_variables& variables, const model_files& files);

} // namespace troupe
