// All error codes of the program, as one enumeration, and the error value.
// protocol/a2a/errc_wire.hpp has the form of each code on the wire.
#pragma once

#include <boost/system/result.hpp>

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

enum class errc : std::uint8_t {
  none = 0,                ///< No error.
  task_not_found = 1,      ///< Unknown, purged or invisible task.
  task_not_cancelable = 2, ///< Cancel of a task that has ended with another state.
  push_not_supported = 3,  ///< Push configuration while the capability is off.
  /// Message to a terminal task, subscribe to one, capability not offered.
  unsupported_operation = 4,
  content_type_not_supported = 5, ///< A part's or the request's media type is not accepted.
  invalid_agent_response = 6,     ///< An agent returned something that the protocol forbids.
  /// The capability is declared, but there is no card. Not raised by Troupe.
  extended_card_not_configured = 7,
  /// A required extension was not named by the client (1.0). Not raised by Troupe: none is
  /// required.
  extension_required = 8,
  /// `A2A-Version` names a version this interface does not offer (1.0).
  version_not_supported = 9,
  parse_error = 10,      ///< The body is not JSON.
  invalid_request = 11,  ///< JSON, but not a request object.
  method_not_found = 12, ///< Unknown method or route.
  invalid_params = 13,   ///< A parameter is missing or wrong; the message names it.
  internal = 14,         ///< A fault of Troupe itself.
  overloaded = 15,       ///< Refused early to protect running work; try again later.
  unavailable = 16,      ///< Draining, or the store cannot write at the moment.
  /// A request over a limit of size; the message names the limit. Not raised by Troupe, whose
  /// server answers 413 itself.
  too_large = 17,
  objective_not_found = 18, ///< Unknown objective (OPT: -32000).
  plan_not_found = 19,      ///< Unknown plan (OPT: -32000).
  invalid_transition = 20,  ///< The table of states does not allow the move (OPT: -32001).
  revision_mismatch = 21,   ///< Another client has changed the objective meanwhile.
  /// The plan's dependencies form a cycle; the message prints it as a path.
  dependency_cycle = 22,
  unknown_dependency = 23, ///< A dependency names no task or plan.
  duplicate_id = 24,       ///< An id occurs twice in one document, or is in use already.
  limit_exceeded = 25,     ///< A named limit is reached; the message says which.
  /// A plan file that is not valid; the message has JSON pointer and line.
  invalid_document = 26,
  invalid_reference = 27, ///< `${...}` in a task's input that cannot be resolved.
  agent_not_found = 28,   ///< A task names an agent that this server does not have.
  /// The agent reported failure, threw, or died. For programs that wait for a task; records have it
  /// in the task.
  agent_failed = 29,
  timed_out = 30,    ///< A deadline passed.
  canceled = 31,     ///< Canceled by request.
  store_failed = 32, ///< The store failed; the message says how.
  store_locked = 33, ///< Another process uses the data directory.
  /// An answer to a task that asks nothing (or that another answer reached first).
  no_question = 34,
  unauthenticated = 35,  ///< The caller gave no credentials, or invalid ones.
  verb_not_allowed = 36, ///< The path exists, but takes other HTTP methods.
  /// Another process owns it and answers for it. Not raised by Troupe: one process owns everything.
  not_here = 37,
  /// The disk could not be read, so it is not known if the object exists; try again.
  store_unreadable = 38,
  /// The caller is known and may not do this; the message names the scope that it lacks.
  forbidden = 39,
  /// The `Idempotency-Key` was used for another message.
  idempotency_key_reused = 40,
  // Why an operation of a change is refused; the message names the task.
  already_started = 41,    ///< The task has begun.
  already_ended = 42,      ///< The task, the plan or the objective has ended.
  still_needed = 43,       ///< Other tasks depend on the task.
  still_read = 44,         ///< The input of another task refers to the task.
  dependency_failed = 45,  ///< A task would depend on one that will never complete.
  nothing_to_retry = 46,   ///< The task has not failed.
  plan_failed = 47,        ///< The plan has failed, and the change leaves a failed task in it.
  duplicate_request = 48,  ///< A `requestId` was used for another command.
  revision_not_found = 49, ///< There is no such revision, or it is no longer kept.
  // Questions; the message says who did it and when.
  input_not_found = 50,  ///< There is no such question, or it is no longer kept.
  already_answered = 51, ///< Another answer came first.
  input_expired = 52,    ///< Its deadline has passed.
  input_withdrawn = 53,  ///< Its agent needs no answer any more.
  ambiguous_input = 54,  ///< Several questions are open; the message names them.
  invalid_answer = 55,   ///< It does not fit the form of its question; the message says where.
  input_claimed = 56,    ///< Somebody else has claimed it; the message says until when.
  planner_failed = 57,   ///< Nobody makes a plan of the text; the message says why.
  /// A budget of a language model refuses a call; the message names it and says until when.
  budget_exceeded = 58,
};

/// One past the last code; tests run over all of them.
inline constexpr std::uint8_t errc_end = 59;

/// The name of the code as written above; "unknown" for an undefined value.
[[nodiscard]] std::string_view to_string(errc code) noexcept;

/// A code, a message that says what happened and what to do next, and the place of the error.
struct error {
  errc code = errc::none;
  std::string message; ///< For people. One or two sentences, no trailing newline.
  /// Path of the offending field (`message.parts[0]`), id or name; may be empty.
  std::string field;
  /// What a client may need to go on, as a JSON object: `{"current":3}`. May be empty.
  std::string details{};

  friend bool operator==(const error&, const error&) = default;
};

/// What boost::system::result::value() throws when it holds an error.
class error_exception : public std::runtime_error {
public:
  explicit error_exception(error cause)
      : std::runtime_error(cause.message), cause_(std::move(cause)) {}
  [[nodiscard]] const error& cause() const noexcept { return cause_; }

private:
  error cause_;
};

[[noreturn]] void throw_exception_from_error(const error& cause, const boost::source_location&);

/// Expected failures are return values.
template<class T>
using result = boost::system::result<T, error>;

[[nodiscard]] inline error make_error(errc code, std::string message, std::string field = {}) {
  return error{code, std::move(message), std::move(field), {}};
}

/// A client's text for an error message: cut if long, and always valid UTF-8.
[[nodiscard]] std::string shown(std::string_view text);

// The same error has the same message everywhere. An object of another owner gives the error of an
// object that does not exist.
[[nodiscard]] error unknown_task(std::string_view id);      ///< task_not_found.
[[nodiscard]] error unknown_objective(std::string_view id); ///< objective_not_found.
[[nodiscard]] error unknown_plan(std::string_view id);      ///< plan_not_found.
[[nodiscard]] error unknown_input(std::string_view id);     ///< input_not_found.
/// unsupported_operation: it takes no more messages.
[[nodiscard]] error task_has_ended(std::string_view id);
/// unsupported_operation: it takes messages once it works.
[[nodiscard]] error task_has_not_begun(std::string_view id);

} // namespace troupe
