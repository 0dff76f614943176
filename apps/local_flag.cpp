#include "apps/local_flag.hpp"

#include "apps/remote/targets.hpp"

#include <cstdlib>

namespace troupe {

std::string local_flag() {
  const auto* variable = std::getenv("TROUPE_SERVER");
  std::string named = variable == nullptr ? "" : variable;
  if (named.empty())
    named = own_context();
  return named.empty() || named == "local" ? "" : " --server local";
}

} // namespace troupe
