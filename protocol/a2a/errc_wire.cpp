#include "protocol/a2a/errc_wire.hpp"

#include "protocol/text/text.hpp"

#include <algorithm>
#include <array>

namespace troupe {

namespace {

constexpr auto a2a = a2a_error_domain;
constexpr auto own = own_error_domain;

// A2A 1.0 section 5.4 as of v1.0.1 (docs/a2a.md, D4), JSON-RPC 2.0 section 5.1, and the codes of
// the Objective-Plan-Task extension's reference implementation. Three lines a row; clang-format
// would make ten of some.
// clang-format off
constexpr auto rows = std::to_array<wire_error>({
    {errc::none, 0, 200, "OK", "OK", own,
     "OK", "OK", "field", "",
     ""},
    // A2A, 5.1
    {errc::task_not_found, -32001, 404, "NOT_FOUND", "TASK_NOT_FOUND", a2a,
     "Task not found", "Task not found", "taskId", "TaskNotFoundError",
     "check the id of the task"},
    {errc::task_not_cancelable, -32002, 400, "FAILED_PRECONDITION", "TASK_NOT_CANCELABLE", a2a,
     "Task cannot be canceled", "Task cannot be canceled", "taskId", "TaskNotCancelableError",
     "read the task to see how it ended"},
    {errc::push_not_supported, -32003, 400, "FAILED_PRECONDITION", "PUSH_NOTIFICATION_NOT_SUPPORTED", a2a,
     "Push notifications are not supported", "Push Notification is not supported", "field", "PushNotificationNotSupportedError",
     "read or stream the task instead"},
    {errc::unsupported_operation, -32004, 400, "FAILED_PRECONDITION", "UNSUPPORTED_OPERATION", a2a,
     "This operation is not supported", "This operation is not supported", "taskId", "UnsupportedOperationError",
     "read the task; to go on after its end, send a new message with its id in referenceTaskIds"},
    {errc::content_type_not_supported, -32005, 400, "INVALID_ARGUMENT", "CONTENT_TYPE_NOT_SUPPORTED", a2a,
     "Incompatible content types", "Incompatible content types", "field", "ContentTypeNotSupportedError",
     "use one of the media types that the agent card lists"},
    {errc::invalid_agent_response, -32006, 500, "INTERNAL", "INVALID_AGENT_RESPONSE", a2a,
     "Invalid agent response", "Invalid agent response type", "field", "InvalidAgentResponseError",
     "tell the operator of the server"},
    {errc::extended_card_not_configured, -32007, 400, "FAILED_PRECONDITION", "EXTENDED_AGENT_CARD_NOT_CONFIGURED", a2a,
     "Extended Agent Card not configured", "Authenticated Extended Card not configured", "field",
     "AuthenticatedExtendedCardNotConfiguredError",
     "use the public agent card"},
    {errc::extension_required, -32008, 400, "FAILED_PRECONDITION", "EXTENSION_SUPPORT_REQUIRED", a2a,
     "Extension support required", "Extension support required", "extension", "ExtensionSupportRequiredError",
     "name the extension in the header A2A-Extensions"},
    {errc::version_not_supported, -32009, 400, "FAILED_PRECONDITION", "VERSION_NOT_SUPPORTED", a2a,
     "Version not supported", "Version not supported", "version", "VersionNotSupportedError",
     "send a version that the agent card lists in the header A2A-Version"},
    // JSON-RPC, 5.2
    {errc::parse_error, -32700, 400, "INVALID_ARGUMENT", "PARSE_ERROR", a2a,
     "Invalid JSON payload", "Invalid JSON payload", "field", "JSONParseError",
     "send one JSON text in UTF-8"},
    {errc::invalid_request, -32600, 400, "INVALID_ARGUMENT", "INVALID_REQUEST", a2a,
     "Request payload validation error", "Invalid JSON-RPC Request", "field", "InvalidRequestError",
     "send one JSON-RPC 2.0 request"},
    {errc::method_not_found, -32601, 404, "UNIMPLEMENTED", "METHOD_NOT_FOUND", a2a,
     "Method not found", "Method not found", "method", "MethodNotFoundError",
     "use a method or path of the version that you send"},
    {errc::invalid_params, -32602, 400, "INVALID_ARGUMENT", "INVALID_PARAMS", a2a,
     "Invalid parameters", "Invalid method parameters", "field", "InvalidParamsError",
     "correct the request and send it again"},
    {errc::internal, -32603, 500, "INTERNAL", "INTERNAL_ERROR", a2a,
     "Internal error", "Internal server error", "field", "InternalError",
     "read its object before you repeat it, and tell the operator of the server"},
    {errc::overloaded, -32603, 429, "RESOURCE_EXHAUSTED", "OVERLOADED", own,
     "Too busy, try again later", "Too busy, try again later", "field", "InternalError",
     "wait a little and repeat the request"},
    {errc::unavailable, -32603, 503, "UNAVAILABLE", "UNAVAILABLE", own,
     "Not available at the moment", "Not available at the moment", "field", "InternalError",
     "wait a little and repeat the request"},
    {errc::too_large, -32600, 413, "RESOURCE_EXHAUSTED", "TOO_LARGE", own,
     "Request too large", "Request too large", "field", "InternalError",
     "send less at once"},
    // Objective-Plan-Task, 5.2
    {errc::objective_not_found, -32000, 404, "NOT_FOUND", "OBJECTIVE_NOT_FOUND", own,
     "Objective not found", "Objective not found", "objectiveId", "InvalidParamsError",
     "check the id of the objective"},
    {errc::plan_not_found, -32000, 404, "NOT_FOUND", "PLAN_NOT_FOUND", own,
     "Plan not found", "Plan not found", "planId", "InvalidParamsError",
     "check the id of the plan"},
    {errc::invalid_transition, -32001, 400, "FAILED_PRECONDITION", "INVALID_TRANSITION", own,
     "Invalid status transition", "Invalid status transition", "field", "InvalidParamsError",
     "read the present state and choose one that may follow it"},
    {errc::revision_mismatch, -32602, 409, "ABORTED", "REVISION_MISMATCH", own,
     "Revision mismatch", "Revision mismatch", "field", "InvalidParamsError",
     "read it again and repeat the change"},
    {errc::dependency_cycle, -32602, 400, "INVALID_ARGUMENT", "DEPENDENCY_CYCLE", own,
     "Dependency cycle", "Dependency cycle", "field", "InvalidParamsError",
     "take one of these dependencies away"},
    {errc::unknown_dependency, -32602, 400, "INVALID_ARGUMENT", "UNKNOWN_DEPENDENCY", own,
     "Unknown dependency", "Unknown dependency", "field", "InvalidParamsError",
     "name a task or plan of this objective"},
    {errc::duplicate_id, -32602, 409, "ALREADY_EXISTS", "DUPLICATE_ID", own,
     "Duplicate id", "Duplicate id", "field", "InvalidParamsError",
     "choose another id"},
    {errc::limit_exceeded, -32602, 400, "INVALID_ARGUMENT", "LIMIT_EXCEEDED", own,
     "Limit exceeded", "Limit exceeded", "field", "InvalidParamsError",
     "stay below the limit, or let the operator of the server raise it"},
    {errc::invalid_document, -32602, 400, "INVALID_ARGUMENT", "INVALID_DOCUMENT", own,
     "Invalid plan document", "Invalid plan document", "field", "InvalidParamsError",
     "correct the document and send it again"},
    {errc::invalid_reference, -32602, 400, "INVALID_ARGUMENT", "INVALID_REFERENCE", own,
     "Invalid reference", "Invalid reference", "field", "InvalidParamsError",
     "refer only to tasks on which this task depends"},
    {errc::agent_not_found, -32602, 400, "INVALID_ARGUMENT", "AGENT_NOT_FOUND", own,
     "Agent not found", "Agent not found", "field", "InvalidParamsError",
     "name an agent of this server"},
    // Ours
    {errc::agent_failed, -32603, 500, "INTERNAL", "AGENT_FAILED", own,
     "The agent failed", "The agent failed", "agent", "InternalError",
     "read the task for the reason"},
    {errc::timed_out, -32603, 504, "DEADLINE_EXCEEDED", "TIMED_OUT", own,
     "Timed out", "Timed out", "field", "InternalError",
     "try again, or allow more time"},
    {errc::canceled, -32603, 499, "CANCELLED", "CANCELED", own,
     "Canceled", "Canceled", "field", "InternalError",
     "send it again if it is still wanted"},
    {errc::store_failed, -32603, 500, "INTERNAL", "STORE_FAILED", own,
     "The store failed", "The store failed", "field", "InternalError",
     "tell the operator of the server"},
    {errc::store_locked, -32603, 503, "UNAVAILABLE", "STORE_LOCKED", own,
     "The store is in use", "The store is in use", "field", "InternalError",
     "stop the other process that uses the data"},
    {errc::no_question, -32602, 400, "FAILED_PRECONDITION", "NO_QUESTION", own,
     "Nothing was asked", "Nothing was asked", "taskId", "InvalidParamsError",
     "read the task; an answer is taken while it asks"},
    {errc::unauthenticated, -31401, 401, "UNAUTHENTICATED", "UNAUTHENTICATED", own,
     "Authentication required", "Authentication required", "field", "InternalError",
     "send valid credentials"},
    {errc::verb_not_allowed, -32601, 405, "UNIMPLEMENTED", "METHOD_NOT_ALLOWED", own,
     "Method not allowed", "Method not allowed", "method", "MethodNotFoundError",
     "use a method that the header Allow lists"},
    {errc::not_here, -32603, 503, "UNAVAILABLE", "NOT_HERE", own,
     "Served by another process", "Served by another process", "field", "InternalError",
     "ask the process that it names"},
    {errc::store_unreadable, -32603, 503, "UNAVAILABLE", "STORE_UNREADABLE", own,
     "The store cannot be read, try again later", "The store cannot be read, try again later", "field", "InternalError",
     "repeat the request later"},
    {errc::forbidden, -31403, 403, "PERMISSION_DENIED", "PERMISSION_DENIED", own,
     "Permission denied", "Permission denied", "field", "InternalError",
     "let the operator of the server give you the scope"},
    {errc::idempotency_key_reused, -32602, 422, "INVALID_ARGUMENT", "IDEMPOTENCY_KEY_REUSED", own,
     "Idempotency key reused", "Idempotency key reused", "field", "InvalidParamsError",
     "choose a new key for a new message"},
    // Changes of plans, table E of the extension's methods
    {errc::already_started, -32602, 409, "ABORTED", "ALREADY_STARTED", own,
     "Already started", "Already started", "field", "InvalidParamsError",
     "read the plan again and choose another operation"},
    {errc::already_ended, -32602, 409, "ABORTED", "ALREADY_ENDED", own,
     "Already ended", "Already ended", "field", "InvalidParamsError",
     "read the plan again and choose another operation"},
    {errc::still_needed, -32602, 409, "ABORTED", "STILL_NEEDED", own,
     "Still needed", "Still needed", "field", "InvalidParamsError",
     "remove these dependencies first, or send \"bridge\": true"},
    {errc::still_read, -32602, 409, "ABORTED", "STILL_READ", own,
     "Still read", "Still read", "field", "InvalidParamsError",
     "replace that input in the same change, or skip its task, too"},
    {errc::dependency_failed, -32602, 409, "ABORTED", "DEPENDENCY_FAILED", own,
     "The dependency has failed", "The dependency has failed", "field", "InvalidParamsError",
     "retry or skip it earlier in the same change"},
    {errc::nothing_to_retry, -32602, 409, "ABORTED", "NOTHING_TO_RETRY", own,
     "Nothing to retry", "Nothing to retry", "field", "InvalidParamsError",
     "retry a task that has failed"},
    {errc::plan_failed, -32602, 409, "ABORTED", "PLAN_FAILED", own,
     "The plan has failed", "The plan has failed", "field", "InvalidParamsError",
     "retry, replace, skip or complete each of its failed tasks in one change"},
    {errc::duplicate_request, -32602, 409, "ALREADY_EXISTS", "DUPLICATE_REQUEST", own,
     "Duplicate request", "Duplicate request", "field", "InvalidParamsError",
     "choose a new id for a new request"},
    {errc::revision_not_found, -32000, 404, "NOT_FOUND", "REVISION_NOT_FOUND", own,
     "Revision not found", "Revision not found", "field", "InvalidParamsError",
     "read the history to see which there are"},
    // Questions, table E of the extension's methods
    {errc::input_not_found, -32000, 404, "NOT_FOUND", "INPUT_NOT_FOUND", own,
     "Question not found", "Question not found", "inputId", "InvalidParamsError",
     "check the id of the question"},
    {errc::already_answered, -32602, 409, "ABORTED", "ALREADY_ANSWERED", own,
     "Already answered", "Already answered", "inputId", "InvalidParamsError",
     "read the question to see its answer"},
    {errc::input_expired, -32602, 409, "ABORTED", "INPUT_EXPIRED", own,
     "The question has expired", "The question has expired", "inputId", "InvalidParamsError",
     "read the task to see how it went on"},
    {errc::input_withdrawn, -32602, 409, "ABORTED", "INPUT_WITHDRAWN", own,
     "The question was withdrawn", "The question was withdrawn", "inputId", "InvalidParamsError",
     "read the task to see how it went on"},
    {errc::ambiguous_input, -32602, 400, "INVALID_ARGUMENT", "AMBIGUOUS_INPUT", own,
     "Several questions are open", "Several questions are open", "field", "InvalidParamsError",
     "name one of them in message.metadata[\"opt/v1/inputId\"]"},
    {errc::invalid_answer, -32602, 400, "INVALID_ARGUMENT", "INVALID_ANSWER", own,
     "The answer does not fit", "The answer does not fit", "field", "InvalidParamsError",
     "correct it and send it again; the question is still open"},
    {errc::input_claimed, -32602, 409, "ABORTED", "INPUT_CLAIMED", own,
     "Somebody else has claimed it", "Somebody else has claimed it", "inputId", "InvalidParamsError",
     "leave it to them, or send it with \"override\": true"},
    {errc::planner_failed, -32603, 500, "INTERNAL", "PLANNER_FAILED", own,
     "Nobody makes a plan of it", "Nobody makes a plan of it", "text", "InternalError",
     "say it otherwise, or send the operations with objectives/modify"},
    {errc::budget_exceeded, -32603, 429, "RESOURCE_EXHAUSTED", "BUDGET_EXCEEDED", own,
     "A budget is used up", "A budget is used up", "budget", "InternalError",
     "wait until the budget begins anew, or ask the operator for a larger one"},
});
// clang-format on

constexpr bool rows_stand_in_order() {
  for (std::size_t i = 0; i < rows.size(); ++i)
    if (static_cast<std::size_t>(rows[i].code) != i)
      return false;
  return rows.size() == errc_end;
}

static_assert(rows_stand_in_order());

bool begins_with(std::string_view text, std::string_view start) {
  return text.size() >= start.size()
         && std::equal(start.begin(), start.end(), text.begin(),
                       [](char a, char b) { return ascii_lower(a) == ascii_lower(b); });
}

// google.rpc.ErrorInfo, google.rpc.BadRequest if a field of the request is to blame (AIP-193), and
// what else a client may need to go on.
void write_details(json_writer& out, const wire_error& row, const error& error, timestamp at) {
  out.begin_array().begin_object();
  out.member("@type", "type.googleapis.com/google.rpc.ErrorInfo");
  out.member("reason", row.reason).member("domain", row.domain);
  out.key("metadata").begin_object();
  out.optional_member(row.subject, error.field).member("timestamp", to_rfc3339(at));
  out.end_object().end_object();
  if (row.jsonrpc == -32602 && row.subject == "field" && !error.field.empty()) {
    out.begin_object().member("@type", "type.googleapis.com/google.rpc.BadRequest");
    out.key("fieldViolations").begin_array().begin_object();
    out.member("field", error.field)
        .member("description", error.message.empty() ? row.text_1_0 : error.message);
    out.end_object().end_array().end_object();
  }
  if (!error.details.empty()) {
    out.begin_object().member("@type", "type.googleapis.com/google.protobuf.Struct");
    out.key("value").raw(error.details).end_object();
  }
  out.end_array();
}

// `"error":{code,status,message,details}` (AIP-193).
void write_aip_193(json_writer& out, const wire_error& row, const error& error,
                   std::string_view text, timestamp at, unsigned status) {
  // Only a condition of the request's headers changes the status of an error (RFC 9110 13.1).
  const bool is_condition = status == 412;
  out.key("error").begin_object();
  out.key("code").number(is_condition ? std::uint64_t{status} : row.http);
  out.member("status", is_condition ? "FAILED_PRECONDITION" : row.grpc);
  out.member("message", wire_message(text, error)).key("details");
  write_details(out, row, error, at);
  out.end_object();
}

} // namespace

const wire_error& wire_of(errc code) noexcept {
  const auto index = static_cast<std::size_t>(code);
  return rows[index < rows.size() ? index : static_cast<std::size_t>(errc::internal)];
}

std::string wire_message(std::string_view standard, const error& error) {
  const auto& row = wire_of(error.code);
  std::string text;
  if (!begins_with(error.message, standard))
    text.append(standard).append(error.message.empty() ? "" : ": ");
  text.append(error.message);
  if (text.ends_with('.'))
    text.pop_back();
  if (!row.advice.empty() && error.message.find("; ") == std::string::npos)
    text.append("; ").append(row.advice);
  return text.append(" [")
      .append(row.reason)
      .append(", ")
      .append(std::to_string(row.jsonrpc))
      .append("]");
}

void write_jsonrpc_error(json_writer& out, const error& error, timestamp at) {
  const auto& row = wire_of(error.code);
  out.begin_object().key("code").number(std::int64_t{row.jsonrpc});
  out.member("message", wire_message(row.text_1_0, error)).key("data");
  write_details(out, row, error, at);
  out.end_object();
}

void write_jsonrpc_error_0_3(json_writer& out, const error& error) {
  const auto& row = wire_of(error.code);
  out.begin_object().key("code").number(std::int64_t{row.jsonrpc});
  out.member("message", wire_message(row.text_0_3, error)).end_object();
}

void write_rest_error(json_writer& out, const error& error, timestamp at, unsigned status) {
  const auto& row = wire_of(error.code);
  out.begin_object();
  write_aip_193(out, row, error, row.text_1_0, at, status);
  out.end_object();
}

void write_rest_error_0_3(json_writer& out, const error& error, timestamp at, unsigned status) {
  const auto& row = wire_of(error.code);
  out.begin_object().key("code").number(std::int64_t{row.jsonrpc});
  out.member("message", wire_message(row.text_0_3, error)).member("type", row.type_0_3);
  write_aip_193(out, row, error, row.text_0_3, at, status);
  out.end_object();
}

} // namespace troupe
