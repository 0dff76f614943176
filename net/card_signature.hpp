// Signatures over Agent Cards: JWS with ES256 (A2A 1.0 section 8.4, RFC 7515). What is signed is made by
// protocol/card_projection.hpp, so a signature holds for the pure and the superset card alike.
#pragma once

#include "net/keys.hpp"
#include "protocol/agent_card.hpp"
#include "protocol/card_projection.hpp"
#include "protocol/errc.hpp"

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace troupe::net {

/// What the protected header says about a key.
struct key_name {
  std::string kid;
  std::string jku; ///< Where the public key is published; empty: not said.
};

/// A signature over `card` (in the 1.0 or the superset shape). Errors: those of signed_form and of signing_key::sign.
[[nodiscard]] result<card_signature> sign_card(const boost::json::object& card, const signing_key& key,
                                               const key_name& name, card_form form);

/// Whether one of the card's signatures is by `key`, in any of the forms of card_form; the first `card_signatures_max`
/// are looked at. `kid`: only signatures that name it count; empty: any. `alg` must be ES256 (`none` and all others are
/// refused), critical extensions
/// (`crit`) are refused, `jku` is never followed. Error: invalid_agent_response, and why.
[[nodiscard]] result<void> verify_card(std::string_view card, const verifying_key& key, std::string_view kid = {});

} // namespace troupe::net
