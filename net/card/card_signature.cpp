#include "protocol/a2a/card_projection.hpp"
#include "protocol/json/base64.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/quoted.hpp"
#include <troupe/net/card_signature.hpp>
#include <troupe/net/limits.hpp>

#include <boost/json/array.hpp>

#include <array>
#include <optional>
#include <utility>

namespace troupe::net {

namespace json = boost::json;

namespace {

constexpr std::size_t signature_bytes_max = 2048; ///< Of the longest RSA key that is taken.

error refuse(std::string why) {
  return make_error(errc::invalid_agent_response, std::move(why));
}

std::string_view text_at(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_string() ? std::string_view(found->get_string())
                                                : std::string_view{};
}

std::optional<json::object> parse_object(std::string_view text) {
  json::error_code ec;
  auto tree = parse_json(text, ec);
  if (ec || !tree.is_object())
    return std::nullopt;
  return std::move(tree.get_object());
}

/// Empty if the protected header allows the signature to be looked at, else why not.
std::string objection_to(std::string_view protected_header, std::string_view algorithm,
                         std::string_view kid) {
  const auto text = from_base64(protected_header);
  const auto header = text ? parse_object(*text) : std::nullopt;
  if (!header)
    return "its protected header is not JSON in base64url";
  if (const auto alg = text_at(*header, "alg"); alg != algorithm)
    return "its algorithm is " + quoted(alg.substr(0, echoed_bytes_max)) + ", not "
           + std::string(algorithm) + ", which is that of the key";
  if (header->contains("crit"))
    return "it has critical extensions";
  const auto named = text_at(*header, "kid");
  if (named.empty())
    return "it does not name its key";
  if (!kid.empty() && named != kid)
    return "it is by another key, " + quoted(named.substr(0, echoed_bytes_max));
  return {};
}

/// The bytes that the card's signatures may be over.
std::vector<std::string> signed_forms(const json::object& card) {
  std::vector<std::string> out;
  for (const auto form : {card_form::standard, card_form::stripped, card_form::python})
    if (auto text = signed_form(card, form))
      out.push_back(to_base64url(*text));
  return out;
}

/// Empty if the signature is by `key`.
std::string objection_to(const json::value& signature, const std::vector<std::string>& payloads,
                         const verifying_key& key, std::string_view kid) {
  if (!signature.is_object())
    return "it is not an object";
  const auto header = text_at(signature.get_object(), "protected");
  if (auto why = objection_to(header, key.algorithm(), kid); !why.empty())
    return why;
  const auto raw = from_base64(text_at(signature.get_object(), "signature"));
  if (!raw || raw->empty() || raw->size() > signature_bytes_max)
    return "it is no signature in base64url";
  for (const auto& payload : payloads)
    if (key.verify(std::string(header) + '.' + payload, *raw))
      return {};
  return "it is not by this key over this card";
}

} // namespace

result<card_signature> sign_card(const json::object& card, const signing_key& key,
                                 const key_name& name, card_form form) {
  const auto payload = signed_form(card, form);
  if (!payload)
    return payload.error();
  std::string header;
  json_writer out(header);
  out.begin_object()
      .member("alg", key.algorithm())
      .member("typ", "JOSE")
      .member("kid", name.kid)
      .optional_member("jku", name.jku)
      .end_object();
  card_signature signature;
  signature.protected_header = to_base64url(header);
  const auto raw = key.sign(signature.protected_header + '.' + to_base64url(*payload));
  if (!raw)
    return raw.error();
  signature.signature = to_base64url(*raw);
  return signature;
}

result<void> verify_card(std::string_view card, const verifying_key& key, std::string_view kid) {
  const auto tree = parse_object(card);
  if (!tree)
    return refuse("the card is not a JSON object");
  const auto* signatures = tree->if_contains("signatures");
  if (signatures == nullptr || !signatures->is_array() || signatures->get_array().empty())
    return refuse("the card is not signed");
  const auto payloads = signed_forms(*tree);
  std::string why;
  std::size_t looked_at = 0;
  for (const auto& one : signatures->get_array()) {
    if (looked_at++ == card_signatures_max)
      break;
    why = objection_to(one, payloads, key, kid);
    if (why.empty())
      return {};
  }
  return refuse("no signature of the card is valid; the last one: " + why);
}

} // namespace troupe::net
