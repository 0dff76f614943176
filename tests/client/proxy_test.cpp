#include "client/proxy.hpp"
#include "tests/support/catch.hpp"

#include <map>
#include <string>

using namespace troupe;
using namespace troupe::net;

namespace {

proxy_rules rules(std::string_view setting, std::map<std::string, std::string> variables = {}) {
  const auto read = proxy_rules::read(setting, [&](const char* name) {
    const auto found = variables.find(name);
    return found == variables.end() ? nullptr : found->second.c_str();
  });
  REQUIRE(read.has_value());
  return *read;
}

std::string proxy_for(const proxy_rules& by, const std::string& url) {
  const auto* found = by.find(*parse_http_url(url));
  return found == nullptr ? "none" : found->host + ":" + std::to_string(found->port);
}

} // namespace

TEST_CASE("a URL is the proxy for all, with its user", "[client][proxy]") {
  const auto by = rules("http://us%40er:pass@proxy.example:3128");
  CHECK(proxy_for(by, "https://a.example/x") == "proxy.example:3128");
  CHECK(proxy_for(by, "http://a.example/x") == "proxy.example:3128");
  CHECK(by.find(*parse_http_url("https://a.example"))->authorization == "Basic dXNAZXI6cGFzcw==");
  CHECK(proxy_for(rules("proxy.example:3128"), "http://a.example") == "proxy.example:3128");
  CHECK(rules("").empty());
}

TEST_CASE("the environment names a proxy for each scheme, and hosts without one",
          "[client][proxy]") {
  const auto by = rules("env", {{"HTTPS_PROXY", "http://one.example"},
                                {"http_proxy", "http://two.example:81/"},
                                {"no_proxy", "in.example, .corp.example,127.0.0.1"}});
  CHECK(proxy_for(by, "https://a.example") == "one.example:80");
  CHECK(proxy_for(by, "http://a.example") == "two.example:81");
  CHECK(proxy_for(by, "https://in.example") == "none");
  CHECK(proxy_for(by, "https://x.in.example") == "none");
  CHECK(proxy_for(by, "https://corp.example") == "none");
  CHECK(proxy_for(by, "https://xcorp.example") == "one.example:80");
  CHECK(proxy_for(by, "http://127.0.0.1:9") == "none");
  CHECK(proxy_for(rules("env", {{"all_proxy", "p.example"}}), "http://a.example")
        == "p.example:80");
  CHECK(rules("env", {{"HTTP_PROXY", "http://evil.example"}}).empty()); // of a CGI program
  CHECK(
      proxy_for(rules("env", {{"all_proxy", "p.example"}, {"NO_PROXY", "*"}}), "https://a.example")
      == "none");
}

TEST_CASE("what is no proxy is refused without its password", "[client][proxy]") {
  const auto* text = GENERATE("https://user:secret@proxy.example", "socks5://proxy.example",
                              "http://user:secret%zz@proxy.example", "http://proxy.example/path",
                              "http://", "http://user:secret@proxy example");
  const auto read = proxy_rules::read(text, [](const char*) -> const char* { return nullptr; });
  CAPTURE(text);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == errc::invalid_params);
  CHECK(read.error().message.find("secret") == std::string::npos);
}
