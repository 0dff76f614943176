// Skills of the agent card as they stand in the configuration: `[[card.skill]]` and
// `[[card.extended.skill]]`.
#pragma once

#include "apps/settings/settings.hpp"
#include <troupe/protocol/agent_card.hpp>
#include <troupe/protocol/errc.hpp>

#include <vector>

namespace troupe {

/// An entry needs `id` and `description`; `name` is the id if it is missing; `tags`, `examples`,
/// `input-modes` and `output-modes` are lists of texts. Errors: invalid_params, which entry and
/// what is wrong with it, without the setting's name.
[[nodiscard]] result<std::vector<agent_skill>> skills_from(const setting_value& value);

[[nodiscard]] text_rows to_rows(const std::vector<agent_skill>& skills);

} // namespace troupe
