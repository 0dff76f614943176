// The agent card over HTTP: who gets which shape, caching, and the extended card.
#include "net/card/card_documents.hpp"
#include "net/card/card_routes.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/net/test_keys.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/hand_time.hpp"
#include "tests/support/temporary_directory.hpp"
#include <troupe/net/card_signature.hpp>

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace troupe;
using namespace troupe::net;
using namespace troupe::testing;

namespace {

const std::string place = "/.well-known/agent-card.json";

server_options at_noon(card_shape unasked = card_shape::superset) {
  static const hand_time noon{
      timestamp{std::chrono::seconds{784111777}}}; // Sun, 06 Nov 1994 08:49:37 GMT
  server_options how;
  how.time = &noon;
  how.card.unasked = unasked;
  return how;
}

server_options with_tokens(std::vector<std::string> tokens) {
  auto how = at_noon();
  how.card.extended.tokens = std::move(tokens);
  how.card.extended.description = "For friends.";
  how.card.extended.skills = {
      {"secret", "Secret", "For friends only.", {"hidden"}, {}, {}, {}, {}}};
  return how;
}

bool is_superset(const http_answer& answer) {
  const auto json = boost::json::parse(answer.body).as_object();
  CHECK(json.contains("supportedInterfaces"));
  return json.contains("protocolVersion");
}

card_documents documents(const server_options& how) {
  agent_registry agents;
  return make_card_documents(how, "http://127.0.0.1:1/", agents).value();
}

http_request showing(std::string authorization) {
  http_request out;
  out.authorization = std::move(authorization);
  return out;
}

} // namespace

TEST_CASE("the card's shape follows the version that is asked for", "[net][card]") {
  const net_bed bed(at_noon());
  const net_bed pure(at_noon(card_shape::pure_1_0));
  auto client = bed.connect();
  auto other = pure.connect();
  struct row {
    const char* headers;
    bool superset;
    bool superset_if_pure_by_default;
  };
  const auto rows = std::to_array<row>({
      {"", true, false},
      {"A2A-Version: 1.0\r\n", false, false},
      {"A2A-Version: 1.0.1\r\n", false, false},
      {"A2A-Version: 0.3\r\n", true, true},
      {"A2A-Version: 0.3.0\r\n", true, true},
      {"A2A-Version: 99.0\r\n", true, false},
      {"A2A-Version: what\r\n", true, false},
      {"A2A-Version:\r\n", true, false},
  });
  for (const auto& one : rows) {
    CAPTURE(one.headers);
    CHECK(is_superset(client.get(place, one.headers)) == one.superset);
    CHECK(is_superset(other.get(place, one.headers)) == one.superset_if_pure_by_default);
  }
  CHECK_FALSE(is_superset(client.get(place + "?A2A-Version=1.0")));
  CHECK(is_superset(client.get(place + "?A2A-Version=1.0", "A2A-Version: 0.3\r\n")));
  CHECK(client.get("/.well-known/agent.json").body == client.get(place).body);
}

TEST_CASE("M12_card: the card says where and what this server is", "[net][card]") {
  auto how = at_noon();
  how.push.enabled = false;
  how.card.provider = {"Bakery", "https://bakery.example"};
  how.card.documentation_url = "https://bakery.example/docs";
  how.card.icon_url = "https://bakery.example/icon.png";
  const net_bed bed(how);
  const auto card = boost::json::parse(bed.connect().get(place).body);
  const auto base = "http://127.0.0.1:" + std::to_string(bed.port);
  CHECK(boost::json::serialize(card.at("supportedInterfaces"))
        == R"([{"url":")" + base + R"(/","protocolBinding":"JSONRPC","protocolVersion":"1.0"},)"
               + R"({"url":")" + base
               + R"(","protocolBinding":"HTTP+JSON","protocolVersion":"1.0"},)" + R"({"url":")"
               + base + R"(/","protocolBinding":"JSONRPC","protocolVersion":"0.3"},)"
               + R"({"url":")" + base
               + R"(","protocolBinding":"HTTP+JSON","protocolVersion":"0.3"}])");
  CHECK(at(card, "/url") == base + "/");
  CHECK(at(card, "/preferredTransport") == "JSONRPC");
  CHECK(at(card, "/additionalInterfaces/0/url") == base + "/");
  CHECK(at(card, "/additionalInterfaces/1/transport") == "HTTP+JSON");
  CHECK(at(card, "/capabilities/streaming") == "true");
  CHECK(at(card, "/capabilities/pushNotifications") == "false");
  CHECK(at(card, "/capabilities/extendedAgentCard") == "false");
  CHECK(at(card, "/supportsAuthenticatedExtendedCard") == "false");
  CHECK(at(card, "/capabilities/stateTransitionHistory") == "false");
  CHECK(at(card, "/capabilities/extensions/0/params/maxPlansPerObjective") == "10000");
  CHECK(at(card, "/capabilities/extensions/1/params/recommendedMaxUpdatesPerSecond") == "2");
  CHECK(at(card, "/capabilities/extensions/4/uri") == "https://kagent.dev/extensions/hitl/v1");
  CHECK(at(card, "/provider/organization") == "Bakery");
  CHECK(at(card, "/documentationUrl") == "https://bakery.example/docs");
  CHECK(at(card, "/iconUrl") == "https://bakery.example/icon.png");
  CHECK(at(card, "/securitySchemes") == "(none)");
  CHECK(at(card, "/skills/0/id") == bed.agents.names().front());
}

TEST_CASE("skills of one's own replace those of the agents", "[net][card]") {
  auto how = at_noon();
  how.card.url = "https://bake.example/a2a/";
  how.card.skills = {
      {"bread", "Bread", "Bakes bread.", {"bread"}, {"a loaf"}, {}, {"image/png"}, {}}};
  const net_bed bed(how);
  const auto card = boost::json::parse(bed.connect().get(place).body);
  CHECK(
      boost::json::serialize(card.at("skills"))
      == R"([{"id":"bread","name":"Bread","description":"Bakes bread.","tags":["bread"],"examples":["a loaf"],"outputModes":["image/png"]}])");
  CHECK(at(card, "/supportedInterfaces/0/url") == "https://bake.example/a2a/");
  CHECK(at(card, "/supportedInterfaces/1/url") == "https://bake.example/a2a");
}

TEST_CASE("every answer with the card may be cached, and says what it depends on", "[net][card]") {
  auto how = at_noon();
  how.card.max_age = std::chrono::seconds{60};
  const net_bed bed(how);
  auto client = bed.connect();
  const auto superset = client.get(place);
  const auto pure = client.get(place, "A2A-Version: 1.0\r\n");
  for (const auto* answer : {&superset, &pure}) {
    CHECK(answer->status == 200);
    CHECK(answer->header("content-type") == "application/json");
    CHECK(answer->header("cache-control") == "public, max-age=60");
    CHECK(answer->header("vary") == "A2A-Version");
    CHECK(answer->header("access-control-allow-origin") == "*");
    CHECK(answer->header("last-modified") == "Sun, 06 Nov 1994 08:49:37 GMT");
    CHECK(answer->header("etag").size() == 34);
  }
  CHECK(superset.header("etag") != pure.header("etag"));
  CHECK(client.get(place).header("etag") == superset.header("etag"));
  client.send("HEAD " + place + " HTTP/1.1\r\nHost: localhost\r\n\r\n");
  const auto head = client.receive(false);
  CHECK(head.status == 200);
  CHECK(head.header("etag") == superset.header("etag"));
  CHECK(head.header("content-length") == std::to_string(superset.body.size()));
  CHECK(client.get("/healthz").status == 200); // nothing was left on the connection
}

TEST_CASE("a client that has the card already gets no body", "[net][card]") {
  const net_bed bed(at_noon());
  auto client = bed.connect();
  const auto tag = client.get(place).header("etag");
  const auto pure_tag = client.get(place, "A2A-Version: 1.0\r\n").header("etag");
  struct row {
    std::string headers;
    int status;
  };
  const std::vector<row> rows{
      {"If-None-Match: " + tag + "\r\n", 304},
      {"If-None-Match: W/" + tag + "\r\n", 304},
      {"If-None-Match: \"x\", W/\"y\", " + tag + "\r\n", 304},
      {"If-None-Match: \"x\"\r\nIf-None-Match: " + tag + "\r\n", 304},
      {"If-None-Match: *\r\n", 304},
      {"If-None-Match: \"x\"\r\n", 200},
      {"If-None-Match: " + tag.substr(1, 32) + "\r\n", 200}, // without quotes it is no tag
      {"If-None-Match: " + pure_tag + "\r\n", 200},          // of the other representation
      {"If-None-Match: " + pure_tag + "\r\nA2A-Version: 1.0\r\n", 304},
      {"If-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n", 304},
      {"If-Modified-Since: Sun, 06 Nov 1994 08:49:38 GMT\r\n", 304},
      {"If-Modified-Since: Sun, 06 Nov 1994 08:49:36 GMT\r\n", 200},
      {"If-Modified-Since: Sunday, 06-Nov-94 08:49:37 GMT\r\n", 304},
      {"If-Modified-Since: yesterday\r\n", 200},
      {"If-None-Match: \"x\"\r\nIf-Modified-Since: Sun, 06 Nov 1994 08:49:37 GMT\r\n",
       200}, // RFC 9110 13.1.3
  };
  for (const auto& one : rows) {
    CAPTURE(one.headers);
    const auto answer = client.get(place, one.headers);
    CHECK(answer.status == one.status);
    CHECK(answer.body.empty() == (one.status == 304));
    CHECK_FALSE(answer.header("etag").empty());
    CHECK(answer.header("cache-control") == "public, max-age=300");
    CHECK(answer.header("vary") == "A2A-Version");
  }
}

TEST_CASE("a web page of any origin may read the card", "[net][card]") {
  const net_bed bed(at_noon());
  auto client = bed.connect();
  client.send("OPTIONS " + place
              + " HTTP/1.1\r\nHost: localhost\r\nOrigin: "
                "https://page.example\r\nAccess-Control-Request-Method: GET\r\n"
                "Access-Control-Request-Headers: a2a-version\r\n\r\n");
  const auto answer = client.receive();
  CHECK(answer.status == 204);
  CHECK(answer.header("allow") == "GET, HEAD, OPTIONS");
  CHECK(answer.header("access-control-allow-origin") == "*");
  CHECK_THAT(answer.header("access-control-allow-headers"), ContainsSubstring("A2A-Version"));
  CHECK_THAT(answer.header("access-control-allow-methods"), ContainsSubstring("GET"));
  client.send(
      "OPTIONS /healthz HTTP/1.1\r\nHost: localhost\r\nOrigin: https://page.example\r\n\r\n");
  CHECK(client.receive().header("access-control-allow-origin").empty());
}

// -- signatures -----------------------------------------------------------------------------------

TEST_CASE("a served card verifies in both shapes with the configured key", "[net][card]") {
  const auto keys = make_key_pair();
  const temporary_directory directory;
  auto how = with_tokens({"t"});
  how.card.signing = {directory.file("key.pem", keys.private_pem), "key-1", {}, true};
  const net_bed bed(how);
  auto client = bed.connect();
  const auto key = verifying_key::from_pem(keys.public_pem).value();
  const auto stranger = verifying_key::from_pem(make_key_pair().public_pem).value();
  for (const auto* headers : {"", "A2A-Version: 1.0\r\n"}) {
    const auto card = client.get(place, headers).body;
    CHECK(boost::json::parse(card).at("signatures").as_array().size() == 2);
    CHECK(verify_card(card, key, "key-1").has_value());
    CHECK(verify_card(card, stranger).has_error());
  }
  const auto cards = documents(how);
  CHECK(verify_card(cards.extended_1_0, key).has_value());
  CHECK(cards.extended_0_3.find("signatures") == std::string::npos);
}

TEST_CASE("a server whose card cannot be made does not start", "[net][card]") {
  const temporary_directory directory;
  const auto no_key = directory.file("key.pem", "not a key");
  const auto broken = [](auto change) {
    server_options how;
    change(how.card);
    agent_registry agents;
    CHECK(check_card(how.card).has_error());
    return make_card_documents(how, "http://127.0.0.1:1/", agents).error().message;
  };
  CHECK_THAT(broken([&](card_options& card) {
               card.signing = {no_key, "k", {}, false};
             }),
             ContainsSubstring("P-256"));
  CHECK_THAT(broken([&](card_options& card) {
               card.signing = {no_key + ".gone", "k", {}, false};
             }),
             ContainsSubstring("cannot be read"));
  CHECK_THAT(broken([&](card_options& card) {
               card.signing = {no_key, {}, {}, false};
             }),
             ContainsSubstring("kid"));
  CHECK_THAT(broken([](card_options& card) { card.provider.url = "https://x.example"; }),
             ContainsSubstring("organization"));
  CHECK_THAT(broken([](card_options& card) { card.extended.description = "More."; }),
             ContainsSubstring("tokens"));
  CHECK_THAT(broken([](card_options& card) {
               card.extended.tokens = {"a", ""};
             }),
             ContainsSubstring("empty"));

  server_options how;
  how.card.signing = {no_key, "k", {}, false};
  CHECK_THROWS_AS(net_bed(how), error_exception);
}

// -- the extended card ----------------------------------------------------------------------------

TEST_CASE("the extended card has what is public and more, pure in either version", "[net][card]") {
  const auto cards = documents(with_tokens({"first", "second"}));
  std::string headers;
  const auto v1 = extended_card(cards, showing("Bearer second"), card_shape::pure_1_0, headers);
  REQUIRE(v1.has_value());
  CHECK(headers == "Vary: Authorization\r\nCache-Control: private\r\n");
  const auto card = boost::json::parse(*v1);
  CHECK(at(card, "/description") == "For friends.");
  CHECK(at(card, "/skills/0/id") == "secret");
  CHECK(at(card, "/capabilities/extendedAgentCard") == "true");
  CHECK(at(card, "/protocolVersion") == "(none)");
  const auto v03 = extended_card(cards, showing("bearer  first "), card_shape::pure_0_3, headers);
  REQUIRE(v03.has_value());
  const auto old = boost::json::parse(*v03);
  CHECK(at(old, "/protocolVersion") == "0.3.0");
  CHECK(at(old, "/supportsAuthenticatedExtendedCard") == "true");
  CHECK(at(old, "/supportedInterfaces") == "(none)");
  CHECK(at(old, "/securitySchemes/extendedCard/type") == "http");
  const auto rest = extended_card(cards, showing("Bearer first"), card_shape::rest_0_3, headers);
  REQUIRE(rest.has_value());
  const auto rested = boost::json::parse(*rest);
  CHECK(at(rested, "/securitySchemes/extendedCard/type") == "http");
  CHECK(at(rested, "/securitySchemes/extendedCard/httpAuthSecurityScheme/scheme") == "Bearer");
  CHECK(at(rested, "/supportedInterfaces") == "(none)");
  // The public card names the scheme and keeps the rest to itself.
  const auto open = boost::json::parse(cards.superset.body);
  CHECK(at(open, "/securitySchemes/extendedCard/httpAuthSecurityScheme/scheme") == "Bearer");
  CHECK(at(open, "/securityRequirements") == "(none)");
  CHECK(at(open, "/security") == "(none)");
  CHECK(cards.superset.body.find("friends") == std::string::npos);
  CHECK(cards.superset.body.find("second") == std::string::npos);
}

TEST_CASE("without a known token the extended card is a challenge", "[net][card]") {
  const auto cards = documents(with_tokens({"first", "second"}));
  const auto* authorization =
      GENERATE("", "Bearer", "Bearer ", "Bearer third", "Bearer firs", "Bearer firstt",
               "Bearer First", "first", "Basic first", "Bearer first second", "Bearerfirst",
               "Token first", "Bearer \"first\"");
  CAPTURE(authorization);
  std::string headers;
  const auto answer = extended_card(cards, showing(authorization), card_shape::pure_1_0, headers);
  REQUIRE(answer.has_error());
  CHECK(answer.error().code == errc::unauthenticated);
  CHECK_THAT(headers, ContainsSubstring("WWW-Authenticate: Bearer realm="));
  CHECK_THAT(headers, ContainsSubstring("Vary: Authorization\r\n"));
  CHECK_THAT(headers, ContainsSubstring("Cache-Control: no-store\r\n"));
  CHECK(answer.error().message.find("first") == std::string::npos);
}

TEST_CASE("an extended card that is not offered is an unsupported operation", "[net][card]") {
  const auto cards = documents(at_noon());
  std::string headers;
  const auto answer = extended_card(cards, showing("Bearer x"), card_shape::pure_1_0, headers);
  CHECK(answer.error().code == errc::unsupported_operation);
  CHECK(headers.empty());
  CHECK(
      boost::json::parse(cards.pure_1_0.body).at("capabilities").as_object().at("extendedAgentCard")
      == false);
}

namespace {

/// One way to ask for the extended card.
struct way {
  const char* name;
  const char* path; ///< Of GET; empty: JSON-RPC.
  const char* method;
  const char* version;
  bool is_1_0;
};

constexpr auto ways = std::to_array<way>({
    {"JSON-RPC 1.0", "", "GetExtendedAgentCard", "A2A-Version: 1.0\r\n", true},
    {"JSON-RPC 0.3", "", "agent/getAuthenticatedExtendedCard", "A2A-Version: 0.3\r\n", false},
    {"REST 1.0", "/extendedAgentCard", "", "A2A-Version: 1.0\r\n", true},
    {"REST 0.3", "/v1/card", "", "", false},
});

http_answer ask(troupe::testing::http_client& client, const way& how,
                const std::string& authorization) {
  const auto headers =
      how.version
      + (authorization.empty() ? std::string{} : "Authorization: " + authorization + "\r\n");
  if (*how.path != 0)
    return client.get(how.path, headers);
  return client.post(std::string(R"({"jsonrpc":"2.0","id":1,"method":")") + how.method + "\"}",
                     headers);
}

} // namespace

TEST_CASE("the extended card is there for its readers in every binding and version",
          "[net][card]") {
  const net_bed bed(with_tokens({"first", "second"}));
  auto client = bed.connect();
  for (const auto& how : ways) {
    CAPTURE(how.name);
    const auto answer = ask(client, how, "Bearer second");
    REQUIRE(answer.status == 200);
    CHECK(answer.header("cache-control") == "private");
    CHECK_THAT(answer.header("vary"), ContainsSubstring("Authorization"));
    const auto body = boost::json::parse(answer.body);
    const auto& card = *how.path == 0 ? body.at("result") : body;
    CHECK(at(card, "/description") == "For friends.");
    CHECK(card.as_object().contains("supportedInterfaces") == how.is_1_0);
    CHECK(card.as_object().contains("protocolVersion") != how.is_1_0);

    for (const auto* wrong : {"", "Bearer third", "Basic second"}) {
      CAPTURE(wrong);
      const auto refused = ask(client, how, wrong);
      CHECK(refused.status == 401);
      CHECK_THAT(refused.header("www-authenticate"), ContainsSubstring("Bearer realm="));
      CHECK(refused.body.find("friends") == std::string::npos);
      CHECK(at(boost::json::parse(refused.body), *how.path == 0 ? "/error/code"
                                                 : how.is_1_0   ? "/error/status"
                                                                : "/code")
            == (*how.path != 0 && how.is_1_0 ? "UNAUTHENTICATED" : "-31401"));
    }
  }
  CHECK(client.get("/healthz").status == 200);
}

TEST_CASE("every binding says that there is no extended card", "[net][card]") {
  const net_bed bed(at_noon());
  auto client = bed.connect();
  for (const auto& how : ways) {
    CAPTURE(how.name);
    const auto answer = ask(client, how, "Bearer second");
    CHECK(answer.status == (*how.path == 0 ? 200 : 400));
    CHECK(answer.body.find(*how.path != 0 && how.is_1_0 ? "UNSUPPORTED_OPERATION" : "-32004")
          != std::string::npos);
  }
}
