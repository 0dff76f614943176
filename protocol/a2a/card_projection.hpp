// What an Agent Card's signature is about (A2A 1.0 section 8.4): the card without anything that
// the 1.0 schema does not know, in the presence that the schema prescribes, in one spelling.
// Signers and verifiers both go through here.
#pragma once

#include <troupe/protocol/agent_card.hpp>
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>

#include <cstdint>
#include <string>

namespace troupe {

/// The card on the 1.0 schema: unknown members go, also in nested messages; so do nulls,
/// `signatures`, and members with a default value that are neither REQUIRED nor `optional`. A pure
/// and a superset card have the same projection. Members of the wrong type are kept as they are.
[[nodiscard]] boost::json::object project_card(const boost::json::object& card);

/// The bytes that are signed. Error: invalid_params (see canonical_json).
[[nodiscard]] result<std::string> signed_form(const boost::json::object& card, card_form form);

} // namespace troupe
