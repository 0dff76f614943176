#include "apps/version.hpp"

#include "apps/version_of_build.hpp" // generated: TROUPE_VERSION, TROUPE_COMMIT, TROUPE_CAF_VERSION

namespace troupe {

namespace {

constexpr std::string_view compiler =
#if defined(__clang__)
    "clang " __clang_version__;
#else
    "gcc " __VERSION__;
#endif

} // namespace

std::string_view version_number() {
  return TROUPE_VERSION;
}

std::string version_text() {
  return "troupe " TROUPE_VERSION "\ncommit " TROUPE_COMMIT "\nCAF " TROUPE_CAF_VERSION "\n"
         + std::string(compiler) + "\n";
}

} // namespace troupe
