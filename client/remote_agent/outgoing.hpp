// What a request of `remote_agent` becomes on the wire, in every version and binding. Plain
// functions.
#pragma once

#include "client/remote_agent/request.hpp"
#include "client/remote_agent/route.hpp"
#include "client/remote_agent/settings.hpp"
#include "protocol/a2a/request_writing.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <utility>
#include <vector>

namespace troupe::remote_agent {

/// The output modes that are sent: the request's own, also if there are none, else the policy's.
[[nodiscard]] const std::vector<std::string>& modes_of(const request& asked, const settings& known);

/// The params of a send. `fresh`: the id of the message, if the request has none.
[[nodiscard]] boost::json::object send_params(const request& asked, const route& way,
                                              const settings& known, const std::string& fresh,
                                              wire::wire_format format);
/// Those of GetTask.
[[nodiscard]] boost::json::object get_params(const request& asked, const std::string& task_id);

/// The headers: the defaults', and the request's in their place.
[[nodiscard]] std::vector<std::pair<std::string, std::string>> headers_of(const request& asked,
                                                                          const settings& known);

} // namespace troupe::remote_agent
