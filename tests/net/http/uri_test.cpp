#include "net/http/uri.hpp"
#include "tests/support/catch.hpp"

using namespace troupe::net;

TEST_CASE("a query is taken apart pair by pair", "[net][uri]") {
  std::string_view query = "&a=1&&b&c=&d=x=y&";
  std::vector<std::string> seen;
  while (const auto pair = take_pair(query))
    seen.push_back(std::string(pair->name) + "|" + std::string(pair->value));
  CHECK(seen == std::vector<std::string>{"a|1", "b|", "c|", "d|x=y"});
}

TEST_CASE("a target is taken apart at its marks", "[net][uri]") {
  struct row {
    std::string target;
    std::optional<std::string> authority;
    std::string path;
    std::string query;
  };
  const auto [target, authority, path, query] = GENERATE(values<row>({
      {"", std::nullopt, "/", ""},
      {"/", std::nullopt, "/", ""},
      {"/a/b?c=d?e", std::nullopt, "/a/b", "c=d?e"},
      {"/a?", std::nullopt, "/a", ""},
      {"?a", std::nullopt, "/", "a"},
      {"*", std::nullopt, "*", ""},
      {"/tasks?next=http://b/", std::nullopt, "/tasks", "next=http://b/"},
      {"*?next=http://b/", std::nullopt, "*", "next=http://b/"},
      {"//b/c", std::nullopt, "//b/c", ""},
      {"http://b", "b", "/", ""},
      {"http://b:80/c|{d}?e", "b:80", "/c|{d}", "e"},
      {"http://b?c=/d", "b", "/", "c=/d"},
      {"http:///c", "", "/c", ""},
      {"b:80", std::nullopt, "b:80", ""},
  }));
  CAPTURE(target);
  const auto parts = split_target(target);
  CHECK(parts.authority == authority);
  CHECK(parts.path == path);
  CHECK(parts.query == query);
}
