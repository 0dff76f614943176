// How the Agent Card is served over HTTP (docs/agent-card.md): which representation answers which
// version, caching, conditional requests, and who may read the extended card.
#pragma once

#include "net/card/card_documents.hpp"
#include "net/http/http_request.hpp"
#include "net/http/http_response.hpp"
#include "protocol/a2a/codec_agent_card.hpp"
#include <troupe/protocol/errc.hpp>

#include <string>
#include <string_view>

namespace troupe::net {

/// `GET /.well-known/agent-card.json` and its alias. `A2A-Version: 1.0` gets the pure card, 0.3 the
/// superset; without a version, or with one that is not known, it is what the options say: the card
/// is where a client learns which versions there are.
void get_card(const card_documents& cards, const http_request& request, http_response& response);

/// What `OPTIONS` answers besides `Allow`: any web page may read the card.
void append_card_preflight(std::string& headers);

/// The extended card in `shape` (pure_1_0 or pure_0_3), if the request shows a token. Appends to
/// `headers` what every binding sends with the answer: `Cache-Control` and `Vary`, or the challenge
/// of a 401. Errors: unsupported_operation, if none is offered; unauthenticated, which is HTTP 401
/// on every binding, JSON-RPC too (docs/agent-card.md). The view lives as long as `cards`.
[[nodiscard]] result<std::string_view> extended_card(const card_documents& cards,
                                                     const http_request& request, card_shape shape,
                                                     std::string& headers);

} // namespace troupe::net
