// What this build is: filled in by the build (apps/version.cmake).
#pragma once

#include <string>
#include <string_view>

namespace troupe {

/// `0.1.0`
[[nodiscard]] std::string_view version_number();

/// Version, commit, CAF version and compiler, a line each.
[[nodiscard]] std::string version_text();

} // namespace troupe
