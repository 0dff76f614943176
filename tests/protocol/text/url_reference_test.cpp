#include "protocol/text/url_reference.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;

// RFC 3986 section 5.4.1, with an http URL as its base.
TEST_CASE("an address is seen from another one", "[protocol][url]") {
  const auto from = [](std::string_view reference) {
    return resolve_reference("http://a:81/b/c/d?q", reference).value_or("none");
  };
  CHECK(from("g") == "http://a:81/b/c/g");
  CHECK(from("/g") == "http://a:81/g");
  CHECK(from("?y") == "http://a:81/b/c/d?y");
  CHECK(from("../g") == "http://a:81/b/g");
  CHECK(from("//g/x") == "http://g/x");
  CHECK(from("https://g/x/") == "https://g/x/");
  CHECK(from("") == "http://a:81/b/c/d?q");
  CHECK(from("a b") == "none");
  CHECK(from("http://[") == "none");
  CHECK_FALSE(resolve_reference("a/b", "c"));
}

TEST_CASE("slashes at the end of a URL are taken away", "[text][url]") {
  CHECK(without_end_slashes("http://a/b") == "http://a/b");
  CHECK(without_end_slashes("http://a/b//") == "http://a/b");
  CHECK(without_end_slashes("/").empty());
}
