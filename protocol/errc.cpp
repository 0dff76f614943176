#include "protocol/errc.hpp"

#include <array>

namespace troupe {

namespace {

constexpr auto names = std::to_array<std::string_view>({
    "none", "task_not_found", "task_not_cancelable", "push_not_supported", "unsupported_operation",
    "content_type_not_supported", "invalid_agent_response", "extended_card_not_configured",
    "extension_required", "version_not_supported", "parse_error", "invalid_request", "method_not_found",
    "invalid_params", "internal", "overloaded", "unavailable", "too_large", "objective_not_found",
    "plan_not_found", "invalid_transition", "revision_mismatch", "dependency_cycle", "unknown_dependency",
    "duplicate_id", "limit_exceeded", "invalid_document", "invalid_reference", "agent_not_found",
    "agent_failed", "timed_out", "canceled", "store_failed", "store_locked", "no_question",
    "unauthenticated", "verb_not_allowed",
});
static_assert(names.size() == errc_end);

} // namespace

std::string_view to_string(errc code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < names.size() ? names[index] : "unknown";
}

void throw_exception_from_error(const error& cause, const boost::source_location&) {
  throw error_exception(cause);
}

} // namespace troupe
