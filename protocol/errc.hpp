// What can go wrong, as one enumeration for the whole program, and the error value that carries it.
// How each code looks on the wire stands in protocol/errc_wire.hpp.
#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>

#include <boost/system/result.hpp>

namespace troupe {

enum class errc : std::uint8_t {
  none = 0,                     ///< No error.
  task_not_found = 1,           ///< Unknown, purged or invisible task.
  task_not_cancelable = 2,      ///< Cancel on a task that has ended otherwise.
  push_not_supported = 3,       ///< Push configuration while the capability is off.
  unsupported_operation = 4,    ///< Message to a terminal task, subscribe to one, capability not offered.
  content_type_not_supported = 5, ///< A part's or the request's media type is not accepted.
  invalid_agent_response = 6,   ///< An agent produced something the protocol forbids.
  extended_card_not_configured = 7, ///< Capability declared, no card behind it. Not raised by Troupe.
  extension_required = 8,       ///< A required extension was not named by the client (1.0). Not raised by Troupe: none is required.
  version_not_supported = 9,    ///< `A2A-Version` names a version this interface does not offer (1.0).
  parse_error = 10,             ///< The body is not JSON.
  invalid_request = 11,         ///< JSON, but not a request object.
  method_not_found = 12,        ///< Unknown method or route.
  invalid_params = 13,          ///< A parameter is missing or wrong; the message names it.
  internal = 14,                ///< A fault of ours.
  overloaded = 15,              ///< Refused early to protect what is running; try again later.
  unavailable = 16,             ///< Draining, or the store cannot write at the moment.
  too_large = 17,               ///< A request over a limit of size; the message names the limit. Not raised by Troupe, whose server answers 413 itself.
  objective_not_found = 18,     ///< Unknown objective (OPT: -32000).
  plan_not_found = 19,          ///< Unknown plan (OPT: -32000).
  invalid_transition = 20,      ///< The state's table does not allow the move (OPT: -32001).
  revision_mismatch = 21,       ///< The objective was changed by somebody else meanwhile.
  dependency_cycle = 22,        ///< The plan's dependencies form a cycle; the message prints it as a path.
  unknown_dependency = 23,      ///< A dependency names nothing.
  duplicate_id = 24,            ///< An id stands twice in one document, or is in use already.
  limit_exceeded = 25,          ///< A named limit; the message says which.
  invalid_document = 26,        ///< A plan file that is not valid; the message has JSON pointer and line.
  invalid_reference = 27,       ///< `${...}` in a task's input that cannot be resolved.
  agent_not_found = 28,         ///< A task names an agent this server does not have.
  agent_failed = 29,            ///< The agent reported failure, threw, or died. For programs that wait for a task; Troupe's records say it in the task.
  timed_out = 30,               ///< A deadline passed.
  canceled = 31,                ///< Somebody asked for it to stop.
  store_failed = 32,            ///< The store refused or broke; the message says how.
  store_locked = 33,            ///< Another process uses the data directory.
  no_question = 34,             ///< An answer for a task that asks nothing (or was answered by somebody else first).
  unauthenticated = 35,         ///< Who asks did not say who it is, or not convincingly.
  verb_not_allowed = 36,        ///< The path is there, but takes other HTTP methods.
};

/// One past the last code; tests run over all of them.
inline constexpr std::uint8_t errc_end = 37;

/// The code's name as written above; "unknown" for a value nobody defined.
[[nodiscard]] std::string_view to_string(errc code) noexcept;

/// A code, what happened in words (with what to do next where there is something), and where.
struct error {
  errc code = errc::none;
  std::string message; ///< For people. One or two sentences, no trailing newline.
  std::string field;   ///< Path of the offending field (`message.parts[0]`), id or name; may be empty.

  friend bool operator==(const error&, const error&) = default;
};

/// What boost::system::result::value() throws when it holds an error.
class error_exception : public std::runtime_error {
public:
  explicit error_exception(error cause) : std::runtime_error(cause.message), cause_(std::move(cause)) {}
  [[nodiscard]] const error& cause() const noexcept { return cause_; }

private:
  error cause_;
};

[[noreturn]] void throw_exception_from_error(const error& cause, const boost::source_location&);

/// Expected failures are return values.
template<class T>
using result = boost::system::result<T, error>;

[[nodiscard]] inline error make_error(errc code, std::string message, std::string field = {}) {
  return error{code, std::move(message), std::move(field)};
}

/// A client's text for an error message: cut if long, and valid UTF-8 whatever it was.
[[nodiscard]] std::string shown(std::string_view text);

// The same mistake is told in the same words, wherever it is found. What is somebody else's is told like what does not exist.
[[nodiscard]] error unknown_task(std::string_view id);      ///< task_not_found.
[[nodiscard]] error unknown_objective(std::string_view id); ///< objective_not_found.
[[nodiscard]] error unknown_plan(std::string_view id);      ///< plan_not_found.
[[nodiscard]] error task_has_ended(std::string_view id);    ///< unsupported_operation: it takes no more messages.
[[nodiscard]] error task_has_not_begun(std::string_view id); ///< unsupported_operation: it takes messages once it works.

} // namespace troupe
