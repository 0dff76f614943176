// Requests to the tool remote_agent, its settings, and what agents answer, in common words. A
// request that is accepted leads to a target of the settings or to a refusal, and becomes JSON in
// every format; what is in common words stays as it is.
#include "client/remote_agent/outgoing.hpp"
#include "client/remote_agent/route.hpp"
#include "client/remote_agent/words.hpp"
#include "tests/fuzz/fuzz_target.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <chrono>

using namespace troupe;
namespace json = boost::json;

namespace {

constexpr wire::wire_format formats[] = {
    {wire::a2a_version::v1_0, wire::a2a_binding::json_rpc},
    {wire::a2a_version::v1_0, wire::a2a_binding::rest},
    {wire::a2a_version::v0_3, wire::a2a_binding::json_rpc},
    {wire::a2a_version::v0_3, wire::a2a_binding::rest},
};

remote_agent::settings known_settings() {
  auto out = remote_agent::read_settings(
      json::parse(R"({"targets":[{"alias":"support","baseUrl":"https://support.example",)"
                  R"("default":true}]})")
          .as_object(),
      remote_agent::spelling::camel);
  fuzz::demand(out.has_value() && remote_agent::complete(*out).has_value(), "the settings");
  return *out;
}

} // namespace

int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const auto tree = fuzz::tree_from(fuzz::text_of(data, size));
  if (!tree)
    return 0;
  static const auto known = known_settings();
  if (const auto* object = tree->if_object())
    if (auto read = remote_agent::read_settings(*object, remote_agent::spelling::camel))
      static_cast<void>(remote_agent::complete(*read));
  for (const auto& format : formats) {
    if (!tree->is_object())
      break;
    const auto once = remote_agent::in_common_words(*tree, format);
    fuzz::demand(remote_agent::in_common_words(once, formats[2]) == once,
                 "common words are changed", json::serialize(once));
  }
  const auto asked = remote_agent::read_request(*tree, known);
  if (!asked) {
    const auto why = asked.error();
    fuzz::demand(why.code == "VALIDATION_ERROR" && !why.details.at("errors").as_array().empty(),
                 "a refusal without reasons", json::serialize(*tree));
    return 0;
  }
  const remote_agent::handles none(std::chrono::hours{1}, 10);
  const auto way = find_route(*asked, known, none, timestamp{});
  if (!way || asked->which == remote_agent::action::list_targets)
    return 0;
  fuzz::demand(way->to.known != nullptr, "another address than that of a target",
               way->to.target_url);
  if (asked->which == remote_agent::action::send)
    for (const auto& format : formats)
      fuzz::demand(!send_params(*asked, *way, known, "m", format).at("message").as_object().empty(),
                   "a message that is none");
  return 0;
}
