// How an Agent Card looks to clients of either generation: the 1.0 shape, the 0.3 shape, and the superset of both that
// serves whoever does not say which one it wants (docs/agent-card.md). Trees, because a card is written once and then
// signed.
#pragma once

#include "protocol/agent_card.hpp"

#include <boost/json/object.hpp>

#include <cstdint>

namespace troupe {

enum class card_shape : std::uint8_t {
  pure_1_0, ///< Nothing that 1.0 does not know: strict readers take it.
  pure_0_3, ///< Nothing that 0.3 does not know. Without signatures: they are over the 1.0 shape.
  rest_0_3, ///< The 0.3 shape with the 1.0 member in each security scheme besides: JavaScript clients read this binding as ProtoJSON.
  superset, ///< The 1.0 shape and every key of 0.3.
};

/// The card as JSON, in fields' presence as A2A 1.0 section 5.7 has it: what is empty and not required is left out.
[[nodiscard]] boost::json::object card_to_json(const agent_card& card, card_shape shape);

} // namespace troupe
