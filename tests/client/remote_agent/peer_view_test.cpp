// How agents are listed, and what a failed send says about media types: sections G and H of the
// contract, as far as they are values.
#include "client/remote_agent/diagnostics.hpp"
#include "client/remote_agent/peer_fault.hpp"
#include "client/remote_agent/peer_view.hpp"
#include "protocol/a2a/codec_agent_card.hpp"
#include "tests/client/remote_agent/contract.hpp"

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr timestamp noon{std::chrono::hours{12}};

agent_card card_of(const std::string& text) {
  return read_agent_card(tree(text)).value();
}

const std::string skills =
    R"("skills":[{"id":"triage","name":"Triage","description":"d","tags":["t"],"examples":["e"],)"
    R"("inputModes":["application/json"],"outputModes":["application/pdf"]}])";

agent_card old_card() {
  return card_of(
      R"({"name":"Support Agent","description":"Summarize.","version":"1",)"
      R"("protocolVersion":"0.3.0","url":"https://s/rpc","preferredTransport":"JSONRPC",)"
      R"("additionalInterfaces":[{"transport":"JSONRPC","url":"https://s/rpc"},)"
      R"({"transport":"HTTP+JSON","url":"https://s/rest"}],)"
      R"("capabilities":{"streaming":true,"pushNotifications":true,)"
      R"("stateTransitionHistory":true,"extensions":[{"uri":"urn:x","required":true}]},)"
      R"("defaultInputModes":["text/plain"],"defaultOutputModes":["text/plain"],)"
      + skills + "}");
}

agent_card new_card() {
  return card_of(
      R"({"name":"Support Agent","description":"Summarize.","version":"1",)"
      R"("supportedInterfaces":[{"url":"https://s/rpc","protocolBinding":"JSONRPC",)"
      R"("protocolVersion":"1.0"},{"url":"https://s/rest","protocolBinding":"HTTP+JSON",)"
      R"("protocolVersion":"1.0"}],"capabilities":{"streaming":true,)"
      R"("pushNotifications":true},"defaultInputModes":["text/plain"],)"
      R"("defaultOutputModes":["text/plain"],)"
      + skills + "}");
}

remote_agent::peer support(const std::string& more = {}) {
  return settings_of(R"({"targets":[{"alias":"support","baseUrl":"https://support.example")" + more
                     + "}]}")
      .targets.at(0);
}

} // namespace

TEST_CASE("remote-agent line 92: a listed target has what the settings and the card say",
          "[client][remote-agent]") {
  const auto out = shown_peer(support(R"(,"tags":["x"],"examples":["e"],"default":true)"),
                              {old_card(), noon, {}});
  CHECK(found_at(out, "/target_alias") == "support");
  CHECK(found_at(out, "/target_url") == "https://support.example/");
  CHECK(found_at(out, "/default") == "true");
  CHECK(found_at(out, "/tags") == R"(["x"])");
  CHECK(found_at(out, "/examples") == R"(["e"])");
  CHECK(found_at(out, "/target_name") == "Support Agent");
  CHECK(found_at(out, "/streaming_supported") == "true");
  CHECK(found_at(out, "/last_refreshed_at") == "1970-01-01T12:00:00.000Z");
  CHECK(found_at(out, "/last_refresh_error") == "(none)");
}

TEST_CASE("remote-agent line 93: the settings' description goes before the card's",
          "[client][remote-agent]") {
  CHECK(found_at(shown_peer(support(), {old_card(), noon, {}}), "/description") == "Summarize.");
  CHECK(found_at(shown_peer(support(R"(,"description":"Own")"), {old_card(), noon, {}}),
                 "/description")
        == "Own");
}

TEST_CASE("remote-agent line 94: the card is shown in the spelling of the tool",
          "[client][remote-agent]") {
  const auto shown = shown_peer(support(), {old_card(), noon, {}});
  CHECK(boost::json::serialize(shown.at("peer_card"))
        == R"({"preferred_transport":"JSONRPC","additional_interfaces":[{"transport":"JSONRPC",)"
           R"("url":"https://s/rpc"},{"transport":"HTTP+JSON","url":"https://s/rest"}],)"
           R"("capabilities":{"streaming":true,"push_notifications":true,)"
           R"("state_transition_history":true,"extensions":[{"uri":"urn:x","required":true}]},)"
           R"("default_input_modes":["text/plain"],"default_output_modes":["text/plain"],)"
           R"("skills":[{"id":"triage","name":"Triage","description":"d","tags":["t"],)"
           R"("examples":["e"],"input_modes":["application/json"],)"
           R"("output_modes":["application/pdf"]}]})");
}

TEST_CASE("remote-agent line 95: raw has target and card in the spelling of A2A",
          "[client][remote-agent]") {
  const auto out = raw_peer(support(R"(,"description":"Own")"), {old_card(), noon, {}});
  CHECK(found_at(out, "/target/baseUrl") == "https://support.example/");
  CHECK(found_at(out, "/target/cardPath") == "/.well-known/agent-card.json");
  CHECK(found_at(out, "/target/preferredTransports") == R"(["JSONRPC","HTTP+JSON"])");
  CHECK(found_at(out, "/target/displayName") == "Support Agent");
  CHECK(found_at(out, "/target/description") == "Own");
  CHECK(found_at(out, "/target/streamingSupported") == "true");
  CHECK(found_at(out, "/configuredDescription") == "Own");
  CHECK(found_at(out, "/card/description") == "Summarize.");
  CHECK(found_at(out, "/card/capabilities/stateTransitionHistory") == "true");
  CHECK(found_at(out, "/card/skills/0/inputModes") == R"(["application/json"])");
  CHECK(found_at(out, "/card/lastRefreshedAt") == "1970-01-01T12:00:00.000Z");
}

TEST_CASE("remote-agent line 97: cards of 1.0 are shown in the same shape",
          "[client][remote-agent]") {
  const auto shown = shown_peer(support(), {new_card(), noon, {}});
  CHECK(found_at(shown, "/peer_card/preferred_transport") == "JSONRPC");
  CHECK(found_at(shown, "/peer_card/additional_interfaces/1/transport") == "HTTP+JSON");
  CHECK(found_at(shown, "/peer_card/additional_interfaces/1/url") == "https://s/rest");
  CHECK(found_at(shown, "/peer_card/skills/0/output_modes") == R"(["application/pdf"])");
}

TEST_CASE("remote-agent line 108: what the agent or the network said is told in words and numbers",
          "[client][remote-agent]") {
  error why = make_error(errc::task_not_found, "no such task");
  why.details = R"({"httpStatus":404,"rpcCode":-32001,"rpcData":[1]})";
  const auto refused = remote_agent::peer_fault(why);
  CHECK(refused.code == "A2A_SDK_ERROR");
  CHECK(refused.message == "no such task");
  CHECK(boost::json::serialize(refused.details)
        == R"({"httpStatus":404,"rpcCode":-32001,"rpcData":[1]})");
  why.details = R"({"cause":"refused"})";
  CHECK(found_at(remote_agent::peer_fault(why).details, "/cause") == "refused");
  CHECK(found_at(
            remote_agent::peer_fault(make_error(errc::invalid_agent_response, "no JSON")).details,
            "/cause")
        == "decode");
}

TEST_CASE("remote-agent line 115: media types are those of the parts, or of names and URIs",
          "[client][remote-agent]") {
  const auto asked = valid(
      R"({"action":"send","parts":[{"kind":"text","text":"a"},{"kind":"data","data":{}},)"
      R"({"kind":"file","uri":"https://f/a.PDF?x=1"},{"kind":"file","bytes":"","name":"b.png"},)"
      R"({"kind":"file","uri":"https://f/c"},{"kind":"file","uri":"https://f/d","mime_type":"x/y"}]})");
  const auto out =
      remote_agent::capability_diagnostics(asked.parts, {"image/png", "text/plain"}, old_card());
  CHECK(found_at(out, "/requested_input_modes")
        == R"(["text/plain","application/json","application/pdf","image/png","unknown","x/y"])");
  CHECK(found_at(out, "/advertised_input_modes") == R"(["text/plain","application/json"])");
  CHECK(found_at(out, "/unsupported_input_modes") == R"(["application/pdf","image/png","x/y"])");
  CHECK(found_at(out, "/requested_output_modes") == R"(["image/png","text/plain"])");
  CHECK(found_at(out, "/advertised_output_modes") == R"(["text/plain","application/pdf"])");
  CHECK(found_at(out, "/unsupported_output_modes") == R"(["image/png"])");
  CHECK(found_at(out, "/unknown_file_attachments") == "[4]");
}
