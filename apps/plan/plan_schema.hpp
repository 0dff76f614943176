// docs/plan.schema.json, which is part of the binary.
#pragma once

#include <string>

namespace troupe {

/// Ends with a newline.
extern const std::string plan_schema;

} // namespace troupe
