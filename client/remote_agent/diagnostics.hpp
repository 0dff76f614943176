// What a failed send says about media types: those of the request beside those that the card of the
// agent names. It never keeps a request from being sent. Plain functions.
#pragma once

#include "client/remote_agent/request.hpp"
#include <troupe/protocol/agent_card.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <vector>

namespace troupe::remote_agent {

/// `details.capability_diagnostics`. `accepted`: the output modes that the request was sent with.
[[nodiscard]] boost::json::object capability_diagnostics(const std::vector<part>& parts,
                                                         const std::vector<std::string>& accepted,
                                                         const agent_card& card);

} // namespace troupe::remote_agent
