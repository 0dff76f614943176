#include "net/card/card_documents.hpp"

#include "net/card/agent_card.hpp"
#include "protocol/a2a/codec_agent_card.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/text/hex.hpp"
#include "protocol/text/http_date.hpp"
#include "protocol/text/http_url.hpp"
#include <troupe/net/card_signature.hpp>

#include <optional>
#include <span>
#include <utility>

namespace troupe::net {

namespace {

/// The key, if the card is to be signed.
result<std::optional<signing_key>> read_key(const card_signing_options& options) {
  if (options.key_file.empty())
    return std::optional<signing_key>{};
  if (options.kid.empty())
    return make_error(errc::invalid_params,
                      "card.signing.kid is missing: verifiers find the key by its name");
  auto key = signing_key::from_file(options.key_file);
  if (!key)
    return make_error(key.error().code, "card.signing.key: " + key.error().message);
  return std::optional<signing_key>{std::move(*key)};
}

result<void> sign(agent_card& card, const signing_key& key, const card_signing_options& options) {
  const auto tree = card_to_json(card, card_shape::pure_1_0);
  const key_name name{options.kid, options.jku};
  auto first = sign_card(tree, key, name, card_form::standard);
  if (!first)
    return first.error();
  card.signatures.push_back(std::move(*first));
  if (!options.python_compatible)
    return {};
  auto second = sign_card(tree, key, name, card_form::python);
  if (!second)
    return second.error();
  card.signatures.push_back(std::move(*second));
  return {};
}

std::string render(const agent_card& card, card_shape shape) {
  std::string out;
  json_writer(out).value(card_to_json(card, shape));
  return out;
}

/// Half of a SHA-256 is enough to tell the versions of a card apart.
std::string etag_of(std::string_view body) {
  constexpr std::size_t bytes = 16;
  const auto hash = sha256(body);
  return "\"" + to_hex(std::span{hash}.first<bytes>()) + "\"";
}

card_document document_of(const agent_card& card, card_shape shape, std::chrono::seconds max_age,
                          std::chrono::sys_seconds made_at) {
  card_document out;
  out.body = render(card, shape);
  out.etag = etag_of(out.body);
  out.headers = "Cache-Control: public, max-age=" + std::to_string(max_age.count())
                + "\r\nETag: " + out.etag + "\r\nLast-Modified: ";
  append_http_date(out.headers, made_at);
  out.headers += "\r\nVary: A2A-Version\r\nAccess-Control-Allow-Origin: "
                 "*\r\nAccess-Control-Expose-Headers: ETag\r\n";
  return out;
}

/// Where clients are to reach the server; empty: it is not said.
result<void> check_url(const std::string& text) {
  if (text.empty())
    return {};
  const auto refuse = [](const std::string& why) {
    return make_error(errc::invalid_params, "card.url (--public-url) " + why);
  };
  const auto url = parse_http_url(text);
  if (!url)
    return refuse("is not an http or https URL: " + url.error().message);
  if (is_every_address(url->host))
    return refuse(url->host + " is no address for clients; say the name or address that they use");
  if (url->target.find('?') != std::string::npos)
    return refuse("has a query; clients append the paths of the protocol to it");
  auto path = url->target;
  while (path.ends_with('/'))
    path.pop_back();
  if (path.ends_with("/v1")) // Paths of 1.0 below it would be those of 0.3 below its parent.
    return refuse("ends with /v1, where clients of A2A 0.3 look for that version; choose another "
                  "path");
  return {};
}

} // namespace

result<void> check_card(const card_options& options) {
  if (auto good = check_url(options.url); !good)
    return good;
  if (options.provider.organization.empty() != options.provider.url.empty())
    return make_error(errc::invalid_params, "card.provider needs both organization and url");
  if (options.extended.tokens.empty()
      && (!options.extended.description.empty() || !options.extended.skills.empty()))
    return make_error(errc::invalid_params,
                      "card.extended.tokens is missing: nobody could read the extended card");
  for (const auto& token : options.extended.tokens)
    if (token.empty())
      return make_error(errc::invalid_params, "card.extended.tokens contains an empty token");
  if (auto key = read_key(options.signing); !key)
    return key.error();
  return {};
}

result<card_documents> make_card_documents(const server_options& options, std::string_view url,
                                           const agent_registry& agents,
                                           std::span<const template_summary> templates) {
  if (auto good = check_card(options.card); !good)
    return good.error();
  const auto key = read_key(options.card.signing);
  if (!key)
    return key.error();
  auto open = make_agent_card(options, url, agents, templates);
  auto extended = make_extended_card(open, options.card.extended);
  for (auto* card : {&open, &extended})
    if (key->has_value())
      if (auto done = sign(*card, **key, options.card.signing); !done)
        return done.error();
  card_documents out;
  out.made_at = std::chrono::floor<std::chrono::seconds>(options.time->now());
  out.unasked = options.card.unasked;
  out.pure_1_0 = document_of(open, card_shape::pure_1_0, options.card.max_age, out.made_at);
  out.superset = document_of(open, card_shape::superset, options.card.max_age, out.made_at);
  if (options.card.extended.tokens.empty())
    return out;
  out.extended_1_0 = render(extended, card_shape::pure_1_0);
  out.extended_0_3 = render(extended, card_shape::pure_0_3);
  out.extended_0_3_rest = render(extended, card_shape::rest_0_3);
  for (const auto& token : options.card.extended.tokens)
    out.tokens.push_back(sha256(token));
  return out;
}

} // namespace troupe::net
