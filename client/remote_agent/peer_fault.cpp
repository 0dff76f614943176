#include "client/remote_agent/peer_fault.hpp"

#include "protocol/json/json_parser.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace troupe::remote_agent {

namespace json = boost::json;

namespace {

constexpr const char* sdk_code = "A2A_SDK_ERROR";

struct cause_row {
  std::string_view noted; ///< By the client (net::with_cause).
  std::string_view word;  ///< As callers know it.
};
/// docs/remote-agent.md has the words. What is not here is not told.
constexpr auto causes = std::to_array<cause_row>({
    {"refused", "refused"},
    {"reset", "reset"},
    {"dns", "dns"},
    {"tls", "tls"},
    {"address", "address"},
    {"timeout", "timeout"},
    {"breaker", "refused"}, // not sent: it has failed again and again
    {"proxy", "refused"},   // the proxy did not connect
    {"busy", "timeout"},    // no connection was free in time
    {"memory", "decode"},   // there was no room to read the answer
});

std::string_view word_of(const json::value& noted) {
  const auto* text = noted.if_string();
  const auto found = text == nullptr
                         ? causes.end()
                         : std::ranges::find(causes, std::string_view(*text), &cause_row::noted);
  return found == causes.end() ? std::string_view{} : found->word;
}

} // namespace

fault peer_fault(const error& why) {
  fault out{sdk_code, why.message, {}};
  boost::system::error_code failed;
  const auto noted = parse_json(why.details, failed);
  if (const auto* members = noted.if_object(); !failed && members != nullptr) {
    for (const auto* name : {"httpStatus", "rpcCode", "rpcData"})
      if (const auto* found = members->if_contains(name))
        out.details[name] = *found;
    if (const auto* found = members->if_contains("cause"))
      if (const auto word = word_of(*found); !word.empty())
        out.details["cause"] = word;
  }
  const bool is_unreadable =
      why.code == errc::invalid_agent_response || why.code == errc::too_large;
  if (is_unreadable && !out.details.contains("rpcCode") && !out.details.contains("httpStatus"))
    out.details["cause"] = "decode";
  return out;
}

fault late_fault(std::chrono::milliseconds timeout) {
  fault out{sdk_code,
            "the agent did not finish its answer in " + std::to_string(timeout.count()) + " ms",
            {}};
  out.details["cause"] = "timeout";
  out.details["timeout_ms"] = timeout.count();
  out.details["hint"] = "What the agent has begun goes on. Use status or watch with the "
                        "continuation, if there is one, or a longer timeout_ms.";
  return out;
}

fault no_streaming_fault(const std::string& task_id) {
  fault out{sdk_code, "the agent does not stream", {}};
  if (!task_id.empty()) {
    out.message += ": the task " + task_id + " cannot be watched; use status";
    out.details["task_id"] = task_id;
  }
  out.details["suggested_action"] = "status";
  return out;
}

fault empty_stream_fault() {
  fault out{sdk_code, "the stream ended without an event", {}};
  out.details["cause"] = "decode";
  return out;
}

fault no_task_fault(const std::string& context_id, const std::string& message_id) {
  fault out{"TASK_REQUIRED_BUT_MESSAGE_RETURNED",
            "a task was required, and the agent answered with a message",
            {}};
  if (!context_id.empty())
    out.details["context_id"] = context_id;
  if (!message_id.empty())
    out.details["message_id"] = message_id;
  out.details["response_kind"] = "message";
  return out;
}

} // namespace troupe::remote_agent
