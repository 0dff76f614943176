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
