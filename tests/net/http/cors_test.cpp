#include "net/http/cors.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

TEST_CASE("an origin is allowed if it is named, or everybody is", "[net][cors]") {
  using net::allows_origin;
  CHECK(allows_origin("*", "https://a.example"));
  CHECK(allows_origin("https://b.example, https://A.example", "https://a.example"));
  CHECK_FALSE(allows_origin("https://a.example", "https://a.example.evil"));
  CHECK_FALSE(allows_origin("https://a.example", "null"));
  CHECK_FALSE(allows_origin(" , ", "https://a.example"));
  CHECK_FALSE(allows_origin("", "https://a.example"));
}

TEST_CASE("pages of named origins may call, others and everybody by default may not",
          "[net][cors]") {
  const std::string from_page = "A2A-Version: 1.0\r\nOrigin: https://app.example\r\n";
  const std::string preflight =
      "Origin: https://app.example\r\nAccess-Control-Request-Method: POST\r\n"
      "Access-Control-Request-Headers: content-type,a2a-version\r\n";
  const net_bed closed;
  auto stranger = closed.connect();
  CHECK(stranger.request("GET", "/tasks", "", from_page)
            .header("access-control-allow-origin")
            .empty());
  CHECK(stranger.request("OPTIONS", "/", "", preflight)
            .header("access-control-allow-methods")
            .empty());

  server_options options;
  options.cors_origins = "https://app.example";
  const net_bed open(options);
  auto page = open.connect();
  for (const std::string path : {"/", "/message:send", "/v1/tasks/x:subscribe"}) {
    CAPTURE(path);
    const auto allowed = page.request("OPTIONS", path, "", preflight);
    CHECK(allowed.status == 204);
    CHECK(allowed.header("access-control-allow-origin") == "https://app.example");
    CHECK_THAT(allowed.header("access-control-allow-headers"), ContainsSubstring("A2A-Version"));
  }
  const auto answer = page.request("GET", "/tasks", "", from_page);
  CHECK(answer.status == 200);
  CHECK(answer.header("access-control-allow-origin") == "https://app.example");
  CHECK(answer.header("vary") == "Origin");
  CHECK(page.request("GET", "/tasks", "", "A2A-Version: 1.0\r\nOrigin: https://other.example\r\n")
            .header("access-control-allow-origin")
            .empty());
}
