// How an Agent Card looks to clients of either generation: the 1.0 shape, the 0.3 shape, and the
// superset of both that serves a client that does not say which one it wants (docs/agent-card.md).
// Trees, because a card is written once and then signed.
#pragma once

#include <troupe/protocol/agent_card.hpp>
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstdint>

namespace troupe {

/// The card as JSON, in fields' presence as A2A 1.0 section 5.7 has it: what is empty and not
/// required is left out.
[[nodiscard]] boost::json::object card_to_json(const agent_card& card, card_shape shape);

/// The card of another agent, in any of these shapes (card_reading.cpp). What a client cannot use
/// is passed over: only a name and an interface must be there. `protocol_version` of an interface
/// is as the card has it, `0.3.0` too. Of an OAuth scheme only its kind is read. Errors:
/// invalid_agent_response, with the place in the card.
[[nodiscard]] result<agent_card> read_agent_card(const boost::json::value& from);

} // namespace troupe
