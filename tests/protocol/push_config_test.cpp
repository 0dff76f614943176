#include "protocol/limits.hpp"
#include "protocol/push_config.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace troupe;

TEST_CASE("an absolute http or https URL can be posted to", "[protocol][push_config]") {
  const auto* url = GENERATE("https://hook.example", "http://hook.example/", "HTTPS://Hook.Example:8443/a/b?c=d&e=/f@g",
                             "http://127.0.0.1:1/", "http://[::1]/x", "https://[2001:db8::1]:443/x",
                             "http://localhost:9/h", "https://a-b_c.example:/x", "https://hook.example?x",
                             "https://hook.example#part", "https://xn--bcher-kva.example/%20");
  CAPTURE(url);
  CHECK(push_url_problem(url) == "");
}

TEST_CASE("a URL that cannot be posted to is refused with words", "[protocol][push_config]") {
  const auto* url =
      GENERATE("", " ", "hook.example", "/path", "//hook.example/", "ftp://hook.example", "file:///etc/passwd",
               "https:", "https:/hook.example", "https://", "https:///path", "https://?x", "https://:80/",
               "https://me@hook.example/", "https://me:pw@hook.example", "https://hook.example:0/",
               "https://hook.example:65536/", "https://h:x/", "https://h:80:80/", "https://ho ok.example",
               "https://hook.example/a b", "https://hook.example\r\nX: y",
               "https://b\xc3\xbc"
               "cher.example/",
               "https://h\\@evil.example/", "https://[]/", "https://[::1/", "https://[zz]/", "https://%31/",
               "javascript://x/", "httpX://h/", "https://h,g/");
  CAPTURE(url);
  CHECK(push_url_problem(url) != "");
}

TEST_CASE("the length of a URL is limited", "[protocol][push_config]") {
  std::string url = "https://hook.example/";
  url.append(push_url_bytes_max - url.size(), 'a');
  CHECK(push_url_problem(url) == "");
  url.push_back('a');
  CHECK(push_url_problem(url) == "longer than 2048 bytes");
}

TEST_CASE("the name of a scheme is a token", "[protocol][push_config]") {
  CHECK(is_header_token("Bearer"));
  CHECK(is_header_token("x-my.scheme~1"));
  for (const auto* text : {"", "two words", "a\r\nb", "a:b", "\"q\"", "b\xc3\xa4r"})
    CHECK_FALSE(is_header_token(text));
}
