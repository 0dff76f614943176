#include "protocol/json/quoted.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>
#include <array>

namespace troupe {

namespace {

constexpr auto names = std::to_array<std::string_view>({
    "none",
    "task_not_found",
    "task_not_cancelable",
    "push_not_supported",
    "unsupported_operation",
    "content_type_not_supported",
    "invalid_agent_response",
    "extended_card_not_configured",
    "extension_required",
    "version_not_supported",
    "parse_error",
    "invalid_request",
    "method_not_found",
    "invalid_params",
    "internal",
    "overloaded",
    "unavailable",
    "too_large",
    "objective_not_found",
    "plan_not_found",
    "invalid_transition",
    "revision_mismatch",
    "dependency_cycle",
    "unknown_dependency",
    "duplicate_id",
    "limit_exceeded",
    "invalid_document",
    "invalid_reference",
    "agent_not_found",
    "agent_failed",
    "timed_out",
    "canceled",
    "store_failed",
    "store_locked",
    "no_question",
    "unauthenticated",
    "verb_not_allowed",
    "not_here",
    "store_unreadable",
    "forbidden",
    "idempotency_key_reused",
    "already_started",
    "already_ended",
    "still_needed",
    "still_read",
    "dependency_failed",
    "nothing_to_retry",
    "plan_failed",
    "duplicate_request",
    "revision_not_found",
    "input_not_found",
    "already_answered",
    "input_expired",
    "input_withdrawn",
    "ambiguous_input",
    "invalid_answer",
    "input_claimed",
    "planner_failed",
    "budget_exceeded",
});
static_assert(names.size() == errc_end);

/// Bytes of a foreign text that are repeated.
constexpr std::size_t shown_bytes_max = 128;

} // namespace

std::string_view to_string(errc code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return index < names.size() ? names[index] : "unknown";
}

void throw_exception_from_error(const error& cause, const boost::source_location&) {
  throw error_exception(cause);
}

std::string shown(std::string_view text) {
  const auto cut = cut_utf8(text, shown_bytes_max);
  std::string out(text.substr(0, cut));
  if (find_invalid_utf8(out))
    std::replace_if(
        out.begin(), out.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; }, '?');
  if (cut < text.size())
    out += "...";
  return out;
}

error unknown_task(std::string_view id) {
  return make_error(errc::task_not_found, "there is no task " + quoted(shown(id)), shown(id));
}

error unknown_objective(std::string_view id) {
  return make_error(errc::objective_not_found, "there is no objective " + quoted(shown(id)),
                    shown(id));
}

error unknown_plan(std::string_view id) {
  return make_error(errc::plan_not_found, "there is no plan " + quoted(shown(id)), shown(id));
}

error unknown_input(std::string_view id) {
  return make_error(errc::input_not_found, "there is no question " + quoted(shown(id)), shown(id));
}

error task_has_ended(std::string_view id) {
  return make_error(errc::unsupported_operation, "the task has ended and takes no more messages",
                    shown(id));
}

error task_has_not_begun(std::string_view id) {
  return make_error(errc::unsupported_operation,
                    "the task has not begun; it takes messages once it works", shown(id));
}

} // namespace troupe
