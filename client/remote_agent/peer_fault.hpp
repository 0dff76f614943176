// What went wrong between `remote_agent` and an agent: what the agent or the network said, as the
// caller gets it. Plain functions.
#pragma once

#include "client/remote_agent/fault.hpp"
#include <troupe/protocol/errc.hpp>

#include <chrono>
#include <string>

namespace troupe::remote_agent {

/// A2A_SDK_ERROR with what the client noted (error::details): `httpStatus`, `rpcCode`, `rpcData`
/// of a refusal; `cause` of a broken connection, or `decode` of an answer that is none, in one of
/// the words that callers know.
[[nodiscard]] fault peer_fault(const error& why);

/// The time of the call is up; what was begun goes on.
[[nodiscard]] fault late_fault(std::chrono::milliseconds timeout);

/// The agent does not stream. `task_id`: empty: none.
[[nodiscard]] fault no_streaming_fault(const std::string& task_id);

/// A stream ended without an event.
[[nodiscard]] fault empty_stream_fault();

/// A task was required, and there is none. Empty ids are left out.
[[nodiscard]] fault no_task_fault(const std::string& context_id, const std::string& message_id);

} // namespace troupe::remote_agent
