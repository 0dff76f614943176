// What goes along with a request from server to server, in the metadata of the message: the servers
// through which it came, so that no task goes in a circle, and the time by which it must have
// ended. Plain functions.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// The member of a message's metadata: a list of ids, the first server first.
inline constexpr std::string_view request_path_key = "troupe/v1/path";

/// Empty if there is none. What is no text is left out; longer ids are cut to id_bytes_max.
[[nodiscard]] std::vector<std::string> path_in(const boost::json::object& metadata);

/// The path that stands in a `tracestate` (W3C Trace Context section 3.3) as its member `troupe`:
/// agents that know nothing of paths pass it on with the trace. Empty if there is none.
[[nodiscard]] std::vector<std::string> path_in_tracestate(std::string_view tracestate);
/// `tracestate` with that member in front, in place of the one that it had. Of a path that is too
/// long for a member (256 characters) the last servers.
[[nodiscard]] std::string with_path(std::string_view tracestate,
                                    const std::vector<std::string>& path);

/// The path of a request: of its message's metadata, else of its tracestate.
[[nodiscard]] std::vector<std::string> request_path(const boost::json::object& metadata,
                                                    std::string_view tracestate);

/// The id of the trace in a valid `traceparent`; empty if that is empty.
[[nodiscard]] std::string_view trace_id_in(std::string_view traceparent) noexcept;

/// Why a request is refused whose trace `own` has made for a request of its own that is still under
/// way. `path`: as it came; the servers between `own` and its first one are not known.
[[nodiscard]] error came_back(const std::string& own, const std::vector<std::string>& path);

/// The path of a request that goes on from `own`. Errors: invalid_request, with the path in words:
/// `own` is on it already, or it would have more than `hops_max` servers.
[[nodiscard]] result<std::vector<std::string>>
extended_path(std::vector<std::string> path, const std::string& own, std::size_t hops_max);

/// The member of a message's metadata: a time (RFC 3339). Each server keeps the earlier one, of
/// what came and of its own.
inline constexpr std::string_view request_deadline_key = "troupe/v1/deadline";

/// Nothing if there is none, or it is no time.
[[nodiscard]] std::optional<timestamp> deadline_in(const boost::json::object& metadata);

} // namespace troupe
