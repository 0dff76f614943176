// Signatures over Agent Cards: JWS (A2A 1.0 section 8.4, RFC 7515), with the algorithm of the key.
// protocol/a2a/card_projection.hpp makes the signed bytes, so a signature is valid for both the
// pure and the superset card.
#pragma once

#include <troupe/net/keys.hpp>
#include <troupe/protocol/agent_card.hpp>
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>

#include <string>
#include <string_view>

namespace troupe::net {

/// The key in the protected header of a signature.
struct key_name {
  std::string kid;
  std::string jku; ///< Where the public key is published; empty: not given.
};

/// A signature over `card` (in the 1.0 or the superset format). Errors: those of signed_form and of
/// signing_key::sign.
[[nodiscard]] result<card_signature> sign_card(const boost::json::object& card,
                                               const signing_key& key, const key_name& name,
                                               card_form form);

/// Whether one of the card's signatures is by `key`, in any of the forms of card_form. The first
/// `card_signatures_max` are checked. `kid`: only signatures with this key name count; empty: any.
/// `alg` must be that of the key (`none` and all others are refused), critical extensions (`crit`)
/// are refused, `jku` is never followed. Error: invalid_agent_response; the message says why.
[[nodiscard]] result<void> verify_card(std::string_view card, const verifying_key& key,
                                       std::string_view kid = {});

} // namespace troupe::net
