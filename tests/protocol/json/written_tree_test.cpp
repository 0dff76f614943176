#include "protocol/json/json_parser.hpp"
#include "protocol/json/written_tree.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/array.hpp>
#include <boost/json/error.hpp>
#include <boost/json/object.hpp>

using namespace troupe;
namespace json = boost::json;

TEST_CASE("what a writer writes is a tree", "[protocol][written_tree]") {
  const auto tree = written_tree(
      [](json_writer& out) {
        out.begin_object().member("name", "a \"trip\"").key("tasks").begin_array();
        out.number(std::int64_t{1}).end_array().end_object();
      },
      2);
  REQUIRE(tree.has_value());
  CHECK(*tree == json::value{{"name", "a \"trip\""}, {"tasks", json::array{1}}});
}

TEST_CASE("a tree that is too deep, and a text that is none, are errors",
          "[protocol][written_tree]") {
  const auto nested = [](json_writer& out) {
    out.begin_array().begin_array().begin_array().end_array().end_array().end_array();
  };
  CHECK(written_tree(nested, 3).has_value());
  const auto deep = written_tree(nested, 2);
  REQUIRE_FALSE(deep.has_value());
  CHECK(deep.error().code == errc::invalid_document);
  CHECK(deep.error().message == json_fault(json::error::too_deep));
  CHECK(written_tree([](json_writer&) {}, 3).error().code == errc::invalid_document);
}
