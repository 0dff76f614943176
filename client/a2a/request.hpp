// Operations as HTTP requests, and the answers to them as values or errors, in every version and
// binding. Plain functions.
#pragma once

#include "client/a2a/operation.hpp"
#include "client/a2a/target.hpp"
#include "client/http_client.hpp"
#include "client/sse_reader.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <string>
#include <utility>
#include <vector>

namespace troupe::a2a {

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
/// besides: too_large, invalid_agent_response (no JSON, no JSON-RPC), unauthenticated.
[[nodiscard]] result<boost::json::value> read_result(const net::outbound_answer& answer,
                                                     wire::wire_format format);
/// The same of one event of a stream.
[[nodiscard]] result<boost::json::value> read_event(const net::sse_event& event,
                                                    wire::wire_format format);

} // namespace troupe::a2a
