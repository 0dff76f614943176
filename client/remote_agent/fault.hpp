// Why a call of `remote_agent` failed: the code, the message and the details that its caller gets.
// Plain values, and one function for each code.
#pragma once

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/value.hpp>
#include <boost/system/result.hpp>

#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::remote_agent {

/// The `error` of an answer.
struct fault {
  std::string code;
  std::string message;
  boost::json::object details;
};

[[noreturn]] inline void throw_exception_from_error(const fault& why,
                                                    const boost::source_location&) {
  throw std::runtime_error(why.code + ": " + why.message);
}

template<class T>
using outcome = boost::system::result<T, fault>;

/// One thing that is wrong with a request, in the words of JSON Schema validators.
struct invalid_item {
  std::string keyword;
  std::string instance_path; ///< A JSON pointer; empty: the request.
  std::string message;
  std::string schema_path;
  boost::json::object params;
};

/// VALIDATION_ERROR with all that is wrong.
[[nodiscard]] fault validation_fault(const std::vector<invalid_item>& found);
/// The same for two values that do not agree; both are in the details.
[[nodiscard]] fault conflict_fault(std::string_view member, std::string_view given,
                                   std::string_view known, std::string_view known_by);

/// TARGET_RESOLUTION_ERROR. `reason`: a word, see docs/remote-agent.md.
[[nodiscard]] fault target_fault(std::string_view reason, std::string message,
                                 boost::json::object details);

/// INTERNAL_ERROR: a fault of this program.
[[nodiscard]] fault internal_fault(std::string message);

/// What is wrong with a request whose action, or more, is unknown.
inline constexpr std::string_view unknown_action = "unknown";

/// `{"ok": false, ...}`.
[[nodiscard]] boost::json::object failure(std::string_view action, fault why);

} // namespace troupe::remote_agent
