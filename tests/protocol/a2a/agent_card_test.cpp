#include "protocol/a2a/card_projection.hpp"
#include "protocol/a2a/codec_agent_card.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <set>
#include <string>

namespace json = boost::json;
using namespace troupe;

namespace {

/// Something in every field.
agent_card full_card() {
  agent_card card;
  card.name = "Baker";
  card.description = "Bakes.";
  card.version = "2.1.0";
  card.interfaces = {{"https://bake.example/", "JSONRPC", "1.0", "shop"},
                     {"https://bake.example", "HTTP+JSON", "1.0", {}},
                     {"https://bake.example/", "JSONRPC", "0.3", {}},
                     {"https://bake.example", "HTTP+JSON", "0.3", {}}};
  card.provider = agent_provider{"Bakery", "https://bakery.example"};
  card.documentation_url = "https://bake.example/docs";
  card.icon_url = "https://bake.example/icon.png";
  card.capabilities = {
      true,
      false,
      true,
      false,
      {{"urn:example:x", "More.", true, {{"most", 20}}}, {"urn:example:y", {}, false, {}}}};
  oauth2_scheme code{oauth_flow_kind::authorization_code,
                     "https://id.example/authorize",
                     "https://id.example/token",
                     {},
                     {{"bake", "May bake."}},
                     true,
                     "https://id.example/metadata"};
  oauth2_scheme device{oauth_flow_kind::device_code,
                       "https://id.example/device",
                       "https://id.example/token",
                       {},
                       {},
                       false,
                       {}};
  card.security_schemes = {
      {"bearer", "A token.", http_auth_scheme{"Bearer", "JWT"}},
      {"cookie", {}, api_key_scheme{"cookie", "session"}},
      {"code", {}, code},
      {"device", {}, device},
      {"oidc", {}, open_id_connect_scheme{"https://id.example/.well-known/openid-configuration"}},
      {"mtls", {}, mutual_tls_scheme{}}};
  card.security = {{{"bearer", {}}}, {{"code", {"bake"}}, {"cookie", {}}}};
  card.input_modes = {"text/plain"};
  card.output_modes = {"text/plain", "image/png"};
  card.skills = {{"bread",
                  "Bread",
                  "Bakes bread.",
                  {"bread"},
                  {"a loaf"},
                  {"text/plain"},
                  {"image/png"},
                  {{{"code", {"bake"}}}}},
                 {"rolls", "Rolls", "", {}, {}, {}, {}, {}}};
  card.signatures = {{"aGVhZGVy", "c2lnbmF0dXJl"}};
  return card;
}

json::value written(const agent_card& card, card_shape shape) {
  return card_to_json(card, shape);
}

std::string at(const json::value& tree, std::string_view path) {
  json::error_code ec;
  const auto* found = tree.find_pointer({path.data(), path.size()}, ec);
  return found == nullptr ? "(none)" : json::serialize(*found);
}

std::set<std::string> keys_of(const json::value& tree) {
  std::set<std::string> out;
  for (const auto& member : tree.as_object())
    out.emplace(member.key());
  return out;
}

json::object parsed(const char* text) {
  return json::parse(text).as_object();
}

} // namespace

TEST_CASE("a 1.0 card has the members of the 1.0 schema and no others", "[protocol][agent_card]") {
  const auto card = written(full_card(), card_shape::pure_1_0);
  CHECK(keys_of(card)
        == std::set<std::string>{"name", "description", "supportedInterfaces", "provider",
                                 "version", "documentationUrl", "capabilities", "securitySchemes",
                                 "securityRequirements", "defaultInputModes", "defaultOutputModes",
                                 "skills", "signatures", "iconUrl"});
  CHECK(
      at(card, "/supportedInterfaces/0")
      == R"({"url":"https://bake.example/","protocolBinding":"JSONRPC","tenant":"shop","protocolVersion":"1.0"})");
  CHECK(
      at(card, "/capabilities")
      == R"({"streaming":true,"pushNotifications":false,"extensions":[{"uri":"urn:example:x","description":"More.","required":true,)"
         R"("params":{"most":20}},{"uri":"urn:example:y"}],"extendedAgentCard":true})");
  CHECK(
      at(card, "/securitySchemes/bearer")
      == R"({"httpAuthSecurityScheme":{"scheme":"Bearer","bearerFormat":"JWT","description":"A token."}})");
  CHECK(at(card, "/securitySchemes/cookie")
        == R"({"apiKeySecurityScheme":{"location":"cookie","name":"session"}})");
  CHECK(
      at(card, "/securitySchemes/code")
      == R"({"oauth2SecurityScheme":{"flows":{"authorizationCode":{"authorizationUrl":"https://id.example/authorize",)"
         R"("tokenUrl":"https://id.example/token","scopes":{"bake":"May bake."},"pkceRequired":true}},)"
         R"("oauth2MetadataUrl":"https://id.example/metadata"}})");
  CHECK(
      at(card, "/securitySchemes/device")
      == R"({"oauth2SecurityScheme":{"flows":{"deviceCode":{"deviceAuthorizationUrl":"https://id.example/device",)"
         R"("tokenUrl":"https://id.example/token","scopes":{}}}}})");
  CHECK(at(card, "/securitySchemes/mtls") == R"({"mtlsSecurityScheme":{}})");
  CHECK(at(card, "/securityRequirements")
        == R"([{"schemes":{"bearer":{}}},{"schemes":{"code":{"list":["bake"]},"cookie":{}}}])");
  CHECK(at(card, "/skills/0/securityRequirements")
        == R"([{"schemes":{"code":{"list":["bake"]}}}])");
  CHECK(at(card, "/skills/1") == R"({"id":"rolls","name":"Rolls","description":"","tags":[]})");
  CHECK(at(card, "/signatures") == R"([{"protected":"aGVhZGVy","signature":"c2lnbmF0dXJl"}])");
}

TEST_CASE("a 0.3 card has the members of the 0.3 schema and no others", "[protocol][agent_card]") {
  const auto card = written(full_card(), card_shape::pure_0_3);
  CHECK(keys_of(card)
        == std::set<std::string>{
            "protocolVersion", "name", "description", "url", "preferredTransport",
            "additionalInterfaces", "iconUrl", "provider", "version", "documentationUrl",
            "capabilities", "securitySchemes", "security", "defaultInputModes",
            "defaultOutputModes", "skills", "supportsAuthenticatedExtendedCard"});
  CHECK(at(card, "/protocolVersion") == "\"0.3.0\"");
  CHECK(at(card, "/url") == "\"https://bake.example/\"");
  CHECK(at(card, "/preferredTransport") == "\"JSONRPC\"");
  CHECK(
      at(card, "/additionalInterfaces")
      == R"([{"url":"https://bake.example/","transport":"JSONRPC"},{"url":"https://bake.example","transport":"HTTP+JSON"}])");
  CHECK(at(card, "/capabilities/stateTransitionHistory") == "false");
  CHECK(at(card, "/capabilities/extendedAgentCard") == "(none)");
  CHECK(at(card, "/securitySchemes/bearer")
        == R"({"type":"http","scheme":"Bearer","bearerFormat":"JWT","description":"A token."})");
  CHECK(at(card, "/securitySchemes/cookie")
        == R"({"type":"apiKey","in":"cookie","name":"session"})");
  CHECK(at(card, "/securitySchemes/code/flows/authorizationCode/tokenUrl")
        == "\"https://id.example/token\"");
  CHECK(at(card, "/securitySchemes/device") == R"({"type":"oauth2","flows":{}})");
  CHECK(at(card, "/securitySchemes/mtls") == R"({"type":"mutualTLS"})");
  CHECK(at(card, "/security") == R"([{"bearer":[]},{"code":["bake"],"cookie":[]}])");
  CHECK(at(card, "/skills/0/security") == R"([{"code":["bake"]}])");
  CHECK(at(card, "/skills/0/securityRequirements") == "(none)");
}

TEST_CASE("the superset has every member of both shapes with the same value",
          "[protocol][agent_card]") {
  const auto both = written(full_card(), card_shape::superset);
  const auto check_within = [&](const auto& self, const json::value& part, const json::value& whole,
                                const std::string& path) -> void {
    CAPTURE(path);
    if (part.is_object()) {
      REQUIRE(whole.is_object());
      for (const auto& member : part.get_object()) {
        REQUIRE(whole.get_object().contains(member.key()));
        self(self, member.value(), whole.at(member.key()), path + "/" + std::string(member.key()));
      }
    } else if (part.is_array() && !part.get_array().empty()) {
      REQUIRE(whole.get_array().size() == part.get_array().size());
      for (std::size_t i = 0; i < part.get_array().size(); ++i)
        self(self, part.get_array()[i], whole.get_array()[i], path + "/" + std::to_string(i));
    } else {
      CHECK(part == whole);
    }
  };
  for (const auto shape : {card_shape::pure_1_0, card_shape::pure_0_3})
    check_within(check_within, written(full_card(), shape), both, "");
  // Both forms of a scheme in one entry, 1.0 interfaces before those of 0.3, as some clients take
  // the first.
  CHECK(at(both, "/securitySchemes/bearer/type") == "\"http\"");
  CHECK(at(both, "/securitySchemes/bearer/httpAuthSecurityScheme/scheme") == "\"Bearer\"");
  CHECK(at(both, "/supportedInterfaces/1/protocolVersion") == "\"1.0\"");
  CHECK(at(both, "/supportedInterfaces/2/protocolVersion") == "\"0.3\"");
}

TEST_CASE("an empty card has what is required, in every shape", "[protocol][agent_card]") {
  CHECK(
      json::serialize(written({}, card_shape::pure_1_0))
      == R"({"name":"","description":"","version":"","supportedInterfaces":[],"capabilities":{},"defaultInputModes":[],)"
         R"("defaultOutputModes":[],"skills":[]})");
  CHECK(at(written({}, card_shape::pure_0_3), "/security") == "(none)");
}

TEST_CASE("the projection of pure and superset card is the pure card", "[protocol][agent_card]") {
  auto card = full_card();
  card.signatures.clear();
  const auto pure = card_to_json(card, card_shape::pure_1_0);
  CHECK(json::value(project_card(pure)) == json::value(pure));
  CHECK(json::value(project_card(card_to_json(full_card(), card_shape::superset)))
        == json::value(pure));
}

TEST_CASE("the example of A2A 1.0 section 8.4.1 becomes what it says", "[protocol][agent_card]") {
  // The same rules on our own content: required fields stay when empty, optional ones when set,
  // repeated ones go.
  const auto card = parsed(
      R"({"name":"A","description":"","capabilities":{"streaming":false,"pushNotifications":false,"extensions":[]},
                               "skills":[],"signatures":[{"protected":"x","signature":"y"}]})");
  CHECK(
      signed_form(card, card_form::standard).value()
      == R"({"capabilities":{"pushNotifications":false,"streaming":false},"description":"","name":"A","skills":[]})");
}

TEST_CASE("presence is decided field by field", "[protocol][agent_card]") {
  const auto projected = [](const char* text) {
    return json::serialize(project_card(parsed(text)));
  };
  CHECK(
      projected(
          R"({"documentationUrl":"","iconUrl":"","provider":null,"securitySchemes":{},"securityRequirements":[]})")
      == R"({"documentationUrl":"","iconUrl":""})");
  CHECK(
      projected(
          R"({"capabilities":{"extensions":[{"uri":"u","description":"","required":false,"params":{},"more":1}],"x":{}}})")
      == R"({"capabilities":{"extensions":[{"uri":"u"}]}})");
  CHECK(
      projected(
          R"({"capabilities":{"extensions":[{"uri":"u","params":{"a":"","b":[],"c":null,"d":{}}}]}})")
      == R"({"capabilities":{"extensions":[{"uri":"u","params":{"a":"","b":[],"c":null,"d":{}}}]}})");
  CHECK(
      projected(
          R"({"skills":[{"id":"","name":"","description":"","tags":[],"examples":[],"inputModes":[]}]})")
      == R"({"skills":[{"id":"","name":"","description":"","tags":[]}]})");
  CHECK(
      projected(
          R"({"securitySchemes":{"m":{"mtlsSecurityScheme":{"description":""},"type":"mutualTLS"}}})")
      == R"({"securitySchemes":{"m":{"mtlsSecurityScheme":{}}}})");
  CHECK(projected(R"({"securityRequirements":[{"schemes":{"m":{"list":[]}}}]})")
        == R"({"securityRequirements":[{"schemes":{"m":{}}}]})");
  CHECK(
      projected(
          R"({"supportedInterfaces":[{"url":"u","protocolBinding":"JSONRPC","protocolVersion":"1.0","tenant":""}]})")
      == R"({"supportedInterfaces":[{"url":"u","protocolBinding":"JSONRPC","protocolVersion":"1.0"}]})");
  // A member of the wrong type is not repaired; it stays, and so does the difference that it
  // makes.
  CHECK(projected(R"({"skills":"none","capabilities":[],"securitySchemes":7,"name":{"a":[1]}})")
        == R"({"name":{"a":[1]},"capabilities":[],"securitySchemes":7,"skills":"none"})");
}

TEST_CASE("the SDKs' forms have nothing that is empty", "[protocol][agent_card]") {
  const auto card = parsed(
      R"({"name":"\u00e9","description":"","skills":[],"securityRequirements":[{"schemes":{"m":{}}}],
                               "capabilities":{"streaming":false,"extensions":[{"uri":"u","params":{"n":20,"e":{"f":[""]}}}]}})");
  CHECK(signed_form(card, card_form::stripped).value()
        == "{\"capabilities\":{\"extensions\":[{\"params\":{\"n\":20},\"uri\":\"u\"}],"
           "\"streaming\":false},\"name\":"
           "\"\xC3\xA9\"}");
  CHECK(
      signed_form(card, card_form::python).value()
      == R"({"capabilities":{"extensions":[{"params":{"n":20.0},"uri":"u"}],"streaming":false},"name":"\u00e9"})");
}
