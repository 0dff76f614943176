// The servers through which a request came: each one that passes a task on to another adds its id
// to the metadata of the message, so that no task goes in a circle. Plain functions.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>

#include <cstddef>
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

} // namespace troupe
