#include "actors/service/operation.hpp"

#include "protocol/json/quoted.hpp"

#include <string>

namespace troupe {

namespace {

std::string_view name_of(scope needed) noexcept {
  switch (needed) {
    case scope::read: return "read";
    case scope::write: return "write";
    case scope::notify: return "notify";
  }
  return "unknown";
}

} // namespace

result<void> admit(const principal& who, operation which) {
  const auto& row = row_of(which);
  if (who.scopes.has(row.needs))
    return {};
  return make_error(errc::forbidden, "the operation " + troupe::quoted(row.name)
                                         + " needs the scope " + troupe::quoted(name_of(row.needs))
                                         + "; send credentials that have it");
}

} // namespace troupe
