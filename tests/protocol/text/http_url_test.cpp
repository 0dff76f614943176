// What a URL to post to looks like, and what is refused.
#include "protocol/text/http_url.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace troupe;

TEST_CASE("a URL is taken apart", "[protocol][http_url]") {
  struct row {
    std::string text;
    http_url parts;
    std::string authority;
  };
  const auto [text, parts, authority] = GENERATE(values<row>({
      {"https://example.com", {true, "example.com", 443, "/"}, "example.com"},
      {"http://example.com/", {false, "example.com", 80, "/"}, "example.com"},
      {"HTTPS://Example.COM:443/A/b?c=%20#d",
       {true, "example.com", 443, "/A/b?c=%20"},
       "example.com"},
      {"hTTp://example.com:443/", {false, "example.com", 443, "/"}, "example.com:443"},
      {"http://example.com:8080?x", {false, "example.com", 8080, "/?x"}, "example.com:8080"},
      {"http://example.com:/", {false, "example.com", 80, "/"}, "example.com"},
      {"https://example.com:1/", {true, "example.com", 1, "/"}, "example.com:1"},
      {"https://example.com:65535/", {true, "example.com", 65535, "/"}, "example.com:65535"},
      {"https://example.com./x", {true, "example.com", 443, "/x"}, "example.com"},
      {"https://example.com#part", {true, "example.com", 443, "/"}, "example.com"},
      {"https://example.com#/@[:0", {true, "example.com", 443, "/"}, "example.com"},
      {"https://a-b_c.example:/x", {true, "a-b_c.example", 443, "/x"}, "a-b_c.example"},
      {"https://xn--bcher-kva.example/%20",
       {true, "xn--bcher-kva.example", 443, "/%20"},
       "xn--bcher-kva.example"},
      {"https://a.b/x@y:z", {true, "a.b", 443, "/x@y:z"}, "a.b"},
      {"https://a.b?u@v:0", {true, "a.b", 443, "/?u@v:0"}, "a.b"},
      {"https://10.0.0.1.example.com/",
       {true, "10.0.0.1.example.com", 443, "/"},
       "10.0.0.1.example.com"},
      {"https://10.0.0.1.example.com:8080?x",
       {true, "10.0.0.1.example.com", 8080, "/?x"},
       "10.0.0.1.example.com:8080"},
      {"https://3.example:000080", {true, "3.example", 80, "/"}, "3.example:80"},
      {"https://a.b/{id}?a[0]=x|y", {true, "a.b", 443, "/{id}?a[0]=x|y"}, "a.b"},
      {"http://localhost:9/h", {false, "localhost", 9, "/h"}, "localhost:9"},
      {"https://8.8.8.8/x", {true, "8.8.8.8", 443, "/x"}, "8.8.8.8"},
      {"http://[::1]/x", {false, "::1", 80, "/x"}, "[::1]"},
      {"https://[0:0:0:0:0:0:0:1]", {true, "0:0:0:0:0:0:0:1", 443, "/"}, "[0:0:0:0:0:0:0:1]"},
      {"https://[::]/", {true, "::", 443, "/"}, "[::]"},
      {"https://[2606:4700::1111]:8443/",
       {true, "2606:4700::1111", 8443, "/"},
       "[2606:4700::1111]:8443"},
      {"https://[2001:DB8::A]:443?x", {true, "2001:db8::a", 443, "/?x"}, "[2001:db8::a]"},
      {"https://[::ffff:127.0.0.1]/", {true, "::ffff:127.0.0.1", 443, "/"}, "[::ffff:127.0.0.1]"},
  }));
  CAPTURE(text);
  const auto read = parse_http_url(text);
  REQUIRE(read.has_value());
  CHECK(read->host == parts.host);
  CHECK(*read == parts);
  CHECK(read->authority() == authority);
}

TEST_CASE("a URL that cannot be posted to is refused with the reason", "[protocol][http_url]") {
  const auto [reason, text] = GENERATE(table<std::string, std::string>({
      {"empty", ""},
      {"characters", " "},
      {"characters", "https://exa mple.com/"},
      {"characters", "https://example.com/a b"},
      {"characters", "https://example.com/\r\nX: y"},
      {"characters", "https://example.com/\t"},
      {"characters", std::string("https://example.com/\0", 21)},
      {"characters", "https://example.com/\x7f"},
      {"characters", "https://ex\xc3\xa4mple.com/"},
      {"characters", "https://example.com\\@127.0.0.1/"},
      {"characters", "https://example.com/<x>"},
      {"characters", "https://example.com/\""},
      {"begin with", "example.com"},
      {"begin with", "/path"},
      {"begin with", "//example.com"},
      {"begin with", "ftp://example.com/"},
      {"begin with", "file:///etc/passwd"},
      {"begin with", "javascript://x/"},
      {"begin with", "httpX://h/"},
      {"begin with", "https:"},
      {"begin with", "https:/example.com"},
      {"no host", "https://"},
      {"no host", "https:///path"},
      {"no host", "https://?x"},
      {"no host", "https://#x"},
      {"no host", "https://:80/"},
      {"user information", "https://user@example.com/"},
      {"user information", "https://user:secret@example.com/"},
      {"user information", "https://example.com@127.0.0.1/"},
      {"user information", "https://@example.com/"},
      {"user information", "https://1.2.3.4@example.com/"},
      {"port", "https://example.com:0/"},
      {"port", "https://example.com:65536/"},
      {"port", "https://example.com:256256/"},
      {"port", "https://example.com:000065616/"},
      {"port", "https://example.com:99999999999999999999/"},
      {"port", "https://example.com:80x/"},
      {"port", "https://example.com:+80/"},
      {"port", "https://example.com:-1/"},
      {"port", "https://example.com:80:80/"},
      {"port", "https://[::1]:0/"},
      {"port", "https://[::1]:65536/"},
      {"bracket", "https://[::1"},
      {"bracket", "https://[]/"},
      {"bracket", "https://[zz]/"},
      {"bracket", "https://[1.2.3.4]/"},
      {"bracket", "https://[::1::]/"},
      {"bracket", "https://[1:2:3:4:5:6:7:8:9]/"},
      {"bracket", "https://[1:2:3:4:5:6:7]/"},
      {"bracket", "https://[::12345]/"},
      {"bracket", "https://[::1.2.3.256]/"},
      {"bracket", "https://[1:::2]/"},
      {"bracket", "https://[fe80::1%25eth0]/"},
      {"bracket", "https://[fe80::1%eth0]/"},
      {"bracket", "https://[v1.x]/"},
      {"behind the host", "https://[::1]x/"},
      {"behind the host", "https://[::1]@example.com/"},
      {"no name", "https://]/"},
      {"no name", "https://h,g/"},
      {"no name", "https://a%zz/"},
      {"no name", "https://%31.2.3.4/"},
      {"no name", "https://1.2.3.4%/"},
      {"no name", "https://ex%61mple.com/"},
      {"no name", "https://127.0.0.1%00.example.com/"},
      {"no name", "https://" + std::string(254, 'a') + "/"},
      {"empty label", "https://a..b/"},
      {"empty label", "https://.a/"},
      {"empty label", "https://./"},
      {"number", "https://127.1/"},
      {"number", "https://2130706433/"},
      {"number", "https://0x7f000001/"},
      {"number", "https://0x7f.0.0.1/"},
      {"number", "https://0X7f.0.0.0x1/"},
      {"number", "https://017700000001/"},
      {"number", "https://0177.0.0.1/"},
      {"number", "https://1.2.3.256/"},
      {"number", "https://1.2.3.04/"},
      {"number", "https://1.2.3.4.5/"},
  }));
  CAPTURE(text);
  const auto read = parse_http_url(text);
  REQUIRE_FALSE(read.has_value());
  CHECK(read.error().code == errc::invalid_params);
  CHECK(read.error().field == "url");
  CHECK_THAT(read.error().message, ContainsSubstring(reason));
  CHECK_THAT(read.error().message, !ContainsSubstring("secret"));
}

TEST_CASE("the length of a URL is limited", "[protocol][http_url]") {
  std::string url = "https://example.com/";
  url.append(http_url_bytes_max - url.size(), 'a');
  CHECK(parse_http_url(url).has_value());
  url.push_back('a');
  REQUIRE_FALSE(parse_http_url(url).has_value());
  CHECK(parse_http_url(url).error().message == "the URL is longer than 2048 bytes");
  CHECK(parse_http_url("https://" + std::string(253, 'a')).has_value());
}
