// `troupe agent`: what the card of an agent says.
#include "apps/remote/remote_commands.hpp"
#include "apps/remote/server_link.hpp"
#include "apps/terminal/console.hpp"
#include "apps/terminal/text.hpp"
#include "apps/text_file.hpp"
#include "protocol/json/base64.hpp"
#include "protocol/json/json_parser.hpp"
#include <troupe/net/card_signature.hpp>
#include <troupe/protocol/agent_card.hpp>

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

namespace {

class card_drawing {
public:
  card_drawing(bool colour, std::size_t columns) : colour_(colour), columns_(columns) {}

  void line(std::string_view name, const std::string& text) {
    constexpr std::size_t text_column = 12;
    if (!text.empty())
      add(fit_to(name, text_column, "") + clean_line(text), text_column);
  }
  void heading(const std::string& text) {
    out_ += "\n" + render_line({{text, style::bold}}, display_width(text), colour_, "") + "\n";
  }
  void item(const std::string& name, const std::string& about) {
    add("  " + clean_line(name), 4);
    if (!about.empty())
      add("      " + clean_line(about), 6);
  }
  [[nodiscard]] std::string text() const { return out_; }

private:
  /// What goes on is indented.
  void add(const std::string& line, std::size_t indent) {
    for (const auto& each : wrapped(line, columns_, indent))
      out_ += each + "\n";
  }

  const bool colour_;
  const std::size_t columns_;
  std::string out_;
};

std::string listed(const std::vector<std::string>& texts) {
  std::string out;
  for (const auto& each : texts)
    out += (out.empty() ? "" : ", ") + each;
  return out;
}

std::string abilities_of(const agent_card& card) {
  std::vector<std::string> out;
  if (card.capabilities.streaming.value_or(false))
    out.emplace_back("streaming");
  if (card.capabilities.push_notifications.value_or(false))
    out.emplace_back("push notifications");
  if (card.capabilities.extended_card.value_or(false))
    out.emplace_back("a longer card for those who show a key");
  return out.empty() ? "none" : listed(out);
}

struct scheme_words {
  std::string operator()(const api_key_scheme& one) const {
    return "an API key in the " + one.location + " " + one.name;
  }
  std::string operator()(const http_auth_scheme& one) const { return "HTTP " + one.scheme; }
  std::string operator()(const oauth2_scheme&) const { return "OAuth 2.0"; }
  std::string operator()(const open_id_connect_scheme&) const { return "OpenID Connect"; }
  std::string operator()(const mutual_tls_scheme&) const { return "a client certificate"; }
};

/// Who signed, as the signatures say: `bakery-2026 (ES256)`.
std::string signers_of(const agent_card& card) {
  std::vector<std::string> out;
  for (const auto& each : card.signatures) {
    boost::system::error_code failed;
    const auto text = from_base64(each.protected_header);
    const auto header = text ? parse_json(*text, failed) : boost::json::value{};
    const auto kid = failed ? std::string{} : text_in(header, "kid");
    const auto alg = failed ? std::string{} : text_in(header, "alg");
    auto one = (kid.empty() ? "a key without a name" : kid) + (alg.empty() ? "" : " (" + alg + ")");
    if (std::ranges::find(out, one) == out.end())
      out.push_back(std::move(one));
  }
  return listed(out);
}

/// `verified`: nothing, if no key was given.
std::string words_on_signature(const agent_card& card,
                               const std::optional<result<void>>& verified) {
  const auto why = verified && !*verified ? ": " + verified->error().message : std::string{};
  if (card.signatures.empty())
    return "no";
  if (!verified)
    return "by " + signers_of(card) + "; not verified: troupe agent --key FILE does that";
  return "by " + signers_of(card) + "; " + (*verified ? "verified" : "not verified" + why);
}

/// The key that was given; nothing, if there is none. Errors: those of reading it.
result<std::optional<net::verifying_key>> key_of(const agent_options& options) {
  if (options.key_file.empty())
    return std::optional<net::verifying_key>{};
  const auto pem = read_text(options.key_file);
  if (!pem)
    return pem.error();
  auto key = net::verifying_key::from_pem(*pem);
  if (!key)
    return make_error(key.error().code, options.key_file + ": " + key.error().message);
  return std::optional{std::move(*key)};
}

std::string draw_card(const agent_card& card, const result<a2a::endpoint>& used,
                      const std::optional<result<void>>& verified, bool colour) {
  card_drawing out(colour, stdout_width());
  out.line("name", card.name);
  out.line("about", card.description);
  out.line("version", card.version);
  if (card.provider)
    out.line("provider", card.provider->organization + " " + card.provider->url);
  out.line("docs", card.documentation_url);
  out.line("can", abilities_of(card));
  out.line("takes", listed(card.input_modes));
  out.line("makes", listed(card.output_modes));
  out.line("signed", words_on_signature(card, verified));
  out.heading("Interfaces");
  for (const auto& each : card.interfaces)
    out.item("A2A " + each.protocol_version + " over " + each.binding + " at " + each.url, "");
  if (used)
    out.item("used here: A2A " + std::string(wire::to_string(used->format.version)) + " over "
                 + std::string(wire::to_string(used->format.binding)),
             "");
  else
    out.item("none is used: " + used.error().message, "");
  if (!card.security_schemes.empty()) {
    out.heading("Keys");
    for (const auto& each : card.security_schemes)
      out.item(each.name + ": " + std::visit(scheme_words{}, each.kind), each.description);
  }
  if (!card.skills.empty()) {
    out.heading("Skills");
    for (const auto& each : card.skills)
      out.item((each.name.empty() ? each.id : each.name)
                   + (each.tags.empty() ? "" : " (" + listed(each.tags) + ")"),
               each.description);
  }
  if (!card.capabilities.extensions.empty()) {
    out.heading("Extensions");
    for (const auto& each : card.capabilities.extensions)
      out.item(each.uri + (each.required ? " (required)" : ""), each.description);
  }
  return out.text();
}

} // namespace

int agent_command(const agent_options& options) {
  const auto key = key_of(options);
  if (!key)
    return refuse_usage(key.error());
  const auto on = link_to(options.server);
  if (!on)
    return refuse_usage(on.error());
  const auto card = on->client->card();
  if (!card)
    return on->refuse(card.error());
  std::optional<result<void>> verified;
  if (*key)
    verified = net::verify_card(on->client->card_text(), **key);
  const bool is_wrong = verified && !*verified;
  if (is_wrong)
    complain(on->name + ": the card is not signed with this key: " + verified->error().message);
  const int code = is_wrong ? exit_failed : exit_ok;
  if (options.json) { // On one line, and otherwise as the agent has it: signatures stay right.
    boost::system::error_code failed;
    const auto tree = parse_json(on->client->card_text(), failed);
    return exit_code_of(code, say(boost::json::serialize(tree) + "\n"));
  }
  return exit_code_of(
      code, say(draw_card(*card, on->client->where(), verified, stdout_colour(options.colour))));
}

int server_templates_command(const templates_options& options) {
  const auto on = link_to(options.server);
  if (!on)
    return refuse_usage(on.error());
  const auto card = on->client->card();
  if (!card)
    return on->refuse(card.error());
  std::vector<listed_template> rows;
  for (const auto& each : card->skills)
    if (std::ranges::find(each.tags, template_tag) != each.tags.end())
      rows.push_back({each.name, each.examples.empty() ? std::string{} : each.examples.front(),
                      each.description});
  return say(draw_templates(rows, options.format, stdout_width(), stdout_colour(options.colour)))
             ? exit_ok
             : exit_failed;
}

} // namespace troupe
