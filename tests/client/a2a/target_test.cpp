#include "client/a2a/target.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::a2a;
using wire::a2a_binding;
using wire::a2a_version;

namespace {

agent_card card_with(std::vector<agent_interface> interfaces) {
  agent_card out;
  out.name = "Helper";
  out.interfaces = std::move(interfaces);
  return out;
}

target at(std::string url) {
  target out;
  out.url = std::move(url);
  return out;
}

} // namespace

TEST_CASE("a card is looked for below the path of the URL, or where the target says it is",
          "[client][a2a]") {
  using urls = std::vector<std::string>;
  CHECK(card_urls(at("https://a.example")).value()
        == urls{"https://a.example/.well-known/agent-card.json",
                "https://a.example/.well-known/agent.json"});
  CHECK(card_urls(at("http://a.example:81/x/")).value().front()
        == "http://a.example:81/x/.well-known/agent-card.json");
  CHECK(card_urls(at("https://a.example/my/card.json")).value()
        == urls{"https://a.example/my/card.json"});
  auto placed = at("https://a.example/x");
  placed.card_path = "cards/7";
  CHECK(card_urls(placed).value() == urls{"https://a.example/cards/7"});
  CHECK(card_urls(at("a.example")).error().message.find("\"a.example\" is no URL")
        != std::string::npos);
}

TEST_CASE("1.0 goes before 0.3, then the order of the card, unless the target chooses",
          "[client][a2a]") {
  const auto card = card_with({{"http://h/g", "GRPC", "1.0", ""},
                               {"http://h/old", "JSONRPC", "0.3.0", ""},
                               {"http://h/rest/", "HTTP+JSON", "1.0", "t1"},
                               {"http://h/rpc", "JSONRPC", "1.0", ""}});
  const auto best = choose_endpoint(card, at("http://h")).value();
  CHECK(best.url == "http://h/rest");
  CHECK(best.tenant == "t1");
  CHECK(best.format == wire::wire_format{a2a_version::v1_0, a2a_binding::rest});
  auto wanted = at("http://h");
  wanted.binding = a2a_binding::json_rpc;
  CHECK(choose_endpoint(card, wanted)->url == "http://h/rpc");
  wanted.version = a2a_version::v0_3;
  CHECK(choose_endpoint(card, wanted)->url == "http://h/old");
  wanted.binding = a2a_binding::rest;
  const auto none = choose_endpoint(card, wanted);
  CHECK(none.error().code == errc::version_not_supported);
  CHECK(none.error().message
        == "the agent speaks A2A 1.0 over GRPC, 0.3.0 over JSONRPC, 1.0 over HTTP+JSON, 1.0 over "
           "JSONRPC; 0.3 over HTTP+JSON was asked for");
  const auto future = card_with({{"http://h/", "JSONRPC", "2.0", ""}});
  CHECK(choose_endpoint(future, at("http://h")).error().message
        == "the agent speaks A2A 2.0 over JSONRPC; this client speaks 1.0 and 0.3 over JSONRPC and "
           "HTTP+JSON");
}

TEST_CASE("of the interfaces of the best version, the preferred one is spoken", "[client][a2a]") {
  const auto card = card_with({{"http://h/old", "HTTP+JSON", "0.3.0", ""},
                               {"http://h/rpc", "JSONRPC", "1.0", ""},
                               {"http://h/rest", "HTTP+JSON", "1.0", ""}});
  auto wanted = at("http://h");
  wanted.preferred = {a2a_binding::rest, a2a_binding::json_rpc};
  CHECK(choose_endpoint(card, wanted)->url == "http://h/rest");
  wanted.preferred = {a2a_binding::json_rpc, a2a_binding::rest};
  CHECK(choose_endpoint(card, wanted)->url == "http://h/rpc");
  wanted.preferred = {a2a_binding::rest};
  CHECK(choose_endpoint(card_with({{"http://h/rpc", "JSONRPC", "1.0", ""}}), wanted)->url
        == "http://h/rpc"); // what there is
}

TEST_CASE("credentials go to the host that is meant only, and not without TLS", "[client][a2a]") {
  auto to = at("https://a.example");
  CHECK(authentication_headers(to, "http://elsewhere.example/", nullptr)->empty());
  to.authentication.bearer = "secret";
  const auto headers = authentication_headers(to, "https://a.example/rpc", nullptr).value();
  REQUIRE(headers.size() == 1);
  CHECK(headers[0].first == "Authorization");
  CHECK(headers[0].second == "Bearer secret");
  CHECK(authentication_headers(to, "https://b.example/rpc", nullptr).error().code
        == errc::forbidden);
  to.hosts = {"b.example", "a.example"};
  CHECK(authentication_headers(to, "https://b.example/rpc", nullptr).has_value());
  CHECK(authentication_headers(to, "http://a.example/rpc", nullptr)
            .error()
            .message.find("without TLS")
        != std::string::npos);
  to.allow_http = true;
  CHECK(authentication_headers(to, "http://a.example/rpc", nullptr).has_value());
  auto near = at("http://127.0.0.1:80");
  near.authentication.bearer = "secret";
  CHECK(authentication_headers(near, "http://127.0.0.1:80/rpc", nullptr).has_value());
  CHECK_FALSE(authentication_headers(near, "http://127.0.0.1:81/", nullptr).has_value());
  near.hosts = {"127.0.0.1:81"};
  CHECK(authentication_headers(near, "http://127.0.0.1:81/", nullptr).has_value());
  auto far = at("http://127.evil.example");
  far.authentication.bearer = "secret";
  CHECK_FALSE(authentication_headers(far, "http://127.evil.example/", nullptr).has_value());
}

TEST_CASE("an API key goes into the header that the target or else the card names",
          "[client][a2a]") {
  auto to = at("https://a.example");
  to.authentication.api_key = "k";
  auto card = card_with({{"https://a.example", "JSONRPC", "1.0", ""}});
  const auto name = [&] {
    return authentication_headers(to, "https://a.example", &card)->front().first;
  };
  CHECK(name() == "X-API-Key");
  card.security_schemes.push_back({"a", "", api_key_scheme{"query", "q"}});
  card.security_schemes.push_back({"b", "", api_key_scheme{"header", "Host: x\r\nX"}});
  CHECK(name() == "X-API-Key");
  card.security_schemes.push_back({"c", "", api_key_scheme{"header", "X-Key"}});
  CHECK(name() == "X-Key");
  to.authentication.api_key_header = "My-Key";
  CHECK(name() == "My-Key");
}
