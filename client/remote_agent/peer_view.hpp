// How `list_targets` shows an agent: what the settings say, and what its card says, whichever
// version the card is of. Plain functions.
#pragma once

#include "client/remote_agent/settings.hpp"
#include <troupe/protocol/agent_card.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <boost/json/object.hpp>

#include <optional>

namespace troupe::remote_agent {

/// What is known of the card of an agent.
struct card_view {
  std::optional<agent_card> card; ///< The last that was read.
  timestamp read_at{};            ///< When it was last known to hold.
  error failed;                   ///< Of the last try; no code: it succeeded.
};

/// An element of `summary.targets`.
[[nodiscard]] boost::json::object shown_peer(const peer& one, const card_view& seen);
/// An element of `raw`.
[[nodiscard]] boost::json::object raw_peer(const peer& one, const card_view& seen);

} // namespace troupe::remote_agent
