#include "net/http/content_type.hpp"
#include "tests/support/catch.hpp"

using namespace troupe::net;

TEST_CASE("JSON is known by its type, not by parameters or case", "[net][content_type]") {
  CHECK(is_json("application/json"));
  CHECK(is_json(" Application/JSON ; charset=utf-8"));
  CHECK_FALSE(is_json("application/a2a+json"));
  CHECK_FALSE(is_json("application/jsonp"));
  CHECK_FALSE(is_json("text/plain; a=application/json"));
  CHECK_FALSE(is_json(""));
}

TEST_CASE("REST takes every type that ends in +json, too", "[net][content_type]") {
  CHECK(is_json_like("application/json"));
  CHECK(is_json_like("application/a2a+JSON;v=1"));
  CHECK_FALSE(is_json_like("+json"));
  CHECK_FALSE(is_json_like("application/xml"));
  CHECK_FALSE(is_json_like(""));
}

TEST_CASE("the A2A media type is named by itself, not by a pattern", "[net][content_type]") {
  CHECK(names_a2a_type("application/a2a+json"));
  CHECK(names_a2a_type("text/html, application/json;q=0.5 ,\tApplication/A2A+json;q=0.1"));
  CHECK_FALSE(names_a2a_type("application/*, */*, application/json"));
  CHECK_FALSE(names_a2a_type("application/a2a+jsonx"));
  CHECK_FALSE(names_a2a_type("application/json, application/a2a+json; Q=0.00"));
  CHECK(names_a2a_type("application/a2a+json; v=0; q=0.01"));
  CHECK_FALSE(names_a2a_type(""));
}
