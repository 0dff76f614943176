#include "protocol/fold/operation_errors.hpp"

#include <troupe/protocol/plan_change.hpp>

namespace troupe {

result<void> check_operation_count(std::size_t operations) {
  if (operations == 0)
    return make_error(errc::invalid_params, "the change has no operations", "/operations");
  if (operations > plan_operations_max)
    return make_error(errc::limit_exceeded,
                      "the change has " + std::to_string(operations) + " operations; the limit is "
                          + std::to_string(plan_operations_max)
                          + " (plan_operations_max), so make it in several",
                      "/operations");
  return {};
}

error operation_error(std::size_t position, errc code, const std::string& why,
                      std::string_view member) {
  const auto at = std::to_string(position);
  return make_error(code, "operation " + at + ": " + why,
                    "/operations/" + at + std::string{member});
}

} // namespace troupe
