// The cards of other agents, in the shapes of 1.0, of 0.3 and of both. A card that is accepted has
// a name and a way to reach the agent, and is the same when it is written as 1.0 and read again.
// Credentials go to the host of the target only, wherever the card leads.
#include "client/a2a/target.hpp"
#include "protocol/a2a/codec_agent_card.hpp"
#include "protocol/text/http_url.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <boost/json/serialize.hpp>

using namespace troupe;

namespace {

constexpr std::string_view home = "agents.example";

void check_interfaces(const agent_card& card, const agent_card& back, std::string_view text) {
  for (const auto& each : back.interfaces) {
    bool is_known = false;
    for (const auto& known : card.interfaces)
      is_known = is_known || (known.url == each.url && known.binding == each.binding);
    fuzz::demand(is_known, "an interface that the card does not have", text, each.url);
  }
}

void check_credentials(const agent_card& card, std::string_view text) {
  a2a::target to;
  to.url = "https://" + std::string(home);
  to.authentication.bearer = "secret";
  for (const auto& each : card.interfaces) {
    const auto headers = a2a::authentication_headers(to, each.url, &card);
    const auto url = parse_http_url(each.url);
    if (headers && !headers->empty())
      fuzz::demand(url && url->host == home && url->port == 443 && url->tls,
                   "credentials for another host", text, each.url);
  }
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto text = fuzz::text_of(data, size);
  const auto tree = fuzz::tree_from(text);
  if (!tree)
    return 0;
  const auto card = read_agent_card(*tree);
  if (!fuzz::accepted(card, errc::invalid_agent_response))
    return 0;
  fuzz::demand(!card->name.empty() && !card->interfaces.empty(), "a card without need", text);
  for (const auto& each : card->interfaces)
    fuzz::demand(!each.url.empty(), "an interface without a URL", text);
  check_credentials(*card, text);
  if (const auto chosen = a2a::choose_endpoint(*card, {}))
    fuzz::demand(!chosen->url.empty(), "an endpoint without a URL", text);
  const auto once = card_to_json(*card, card_shape::pure_1_0);
  const auto back = read_agent_card(once);
  if (!back) // it has no interface of 1.0
    return 0;
  fuzz::demand(back->name == card->name && back->description == card->description
                   && back->skills.size() == card->skills.size(),
               "read otherwise than written", text, boost::json::serialize(once));
  check_interfaces(*card, *back, text);
  return 0;
}
