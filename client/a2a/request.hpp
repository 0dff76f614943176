// Operations as HTTP requests, and the answers to them as values or errors, in every version and
// binding. Plain functions.
#pragma once

#include "client/a2a/operation.hpp"
#include "client/a2a/target.hpp"
#include "client/http_message.hpp"
#include "client/sse_reader.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/task.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::a2a {

/// Writes the params of an operation for one format. Which one that is may turn out only when the
/// agent is asked: its card can be wrong.
using params_writer = std::function<boost::json::object(wire::wire_format)>;
/// The same in every format.
[[nodiscard]] params_writer same_params(boost::json::object params);

/// A request that is ready to be sent.
struct prepared_request {
  std::string url;
  net::outbound_request request;
};

/// `params`: as the JSON-RPC method takes them. `more_headers`: further ones.
[[nodiscard]] prepared_request
prepare(operation which, const endpoint& to, boost::json::object params,
        const std::vector<std::pair<std::string, std::string>>& more_headers);

/// The result in the answer to a request that does not stream, or the server's error. Errors
/// besides: too_large, invalid_agent_response (no JSON, no JSON-RPC), unauthenticated. `now`: for a
/// `Retry-After` that is a date.
[[nodiscard]] result<boost::json::value> read_result(const net::outbound_answer& answer,
                                                     wire::wire_format format, timestamp now);
/// The same of one event of a stream. One that the server calls `error` is an error, whatever it
/// holds.
[[nodiscard]] result<boost::json::value> read_event(const net::sse_event& event,
                                                    wire::wire_format format);
/// The task in the answer to a request about the task `id`. Errors: invalid_agent_response, also if
/// it is another task.
[[nodiscard]] result<task> read_asked_task(const boost::json::value& answer, const std::string& id,
                                           wire::wire_format format);
/// Whether the refusal of a request may mean that the agent speaks the other version: it does not
/// know the method, the path, or the version.
[[nodiscard]] bool may_be_wrong_version(const error& why, operation which, wire::a2a_binding by);
/// How long the server does not want to be asked, as the error says it; nothing if it does not.
[[nodiscard]] std::optional<std::chrono::milliseconds> pause_in(const error& why);
/// The error with that, if it does not say a longer time.
[[nodiscard]] error with_pause(error why, std::chrono::milliseconds wait);

} // namespace troupe::a2a
