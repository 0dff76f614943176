// The bindings' columns of the table of operations: none has a hole.
#include "client/a2a/operation.hpp"
#include "net/a2a/json_rpc.hpp"
#include "net/a2a/operation.hpp"
#include "net/a2a/operation_table.hpp"
#include "net/a2a/rest.hpp"
#include "net/a2a/rest_path.hpp"
#include "net/http/http_response.hpp"
#include "protocol/a2a/errc_wire.hpp"
#include "tests/support/catch.hpp"

#include <set>
#include <string>

using namespace troupe;
using namespace troupe::net;

TEST_CASE("every operation has a row in every binding, or says why not", "[net][operations]") {
  const auto bindings = operation_bindings();
  REQUIRE(bindings.size() == operation_rows.size());
  std::set<std::string_view> names;
  for (std::size_t i = 0; i < bindings.size(); ++i) {
    const auto& row = bindings[i];
    CAPTURE(operation_rows[i].name);
    CHECK(row.which == operation_rows[i].which);
    CHECK((row.serve != nullptr) == (row.no_rpc.empty() || row.no_rest.empty()));
    // JSON-RPC: under both versions, or as an extension's, or a reason.
    CHECK(row.rpc_1_0.empty() == row.rpc_0_3.empty());
    const int ways = !row.rpc_1_0.empty() + !row.rpc_extension.empty() + !row.no_rpc.empty();
    CHECK(ways == 1);
    // REST: some path, or a reason.
    CHECK(row.rest.empty() != row.no_rest.empty());
    for (const auto name : {row.rpc_1_0, row.rpc_0_3, row.rpc_extension})
      CHECK((name.empty() || names.insert(name).second));
  }
}

TEST_CASE("a method is found by each of its names, in the version that has it",
          "[net][operations]") {
  for (const auto& row : operation_bindings()) {
    const auto check = [&](std::string_view name, method_family in) {
      if (name.empty())
        return;
      CAPTURE(name);
      const auto found = find_method(name);
      REQUIRE(found);
      CHECK(found->row == &row);
      CHECK(found->in == in);
    };
    check(row.rpc_1_0, method_family::v1_0);
    check(row.rpc_0_3, method_family::v0_3);
    check(row.rpc_extension, method_family::extension);
  }
  CHECK_FALSE(find_method("sendMessage"));
  CHECK_FALSE(find_method(""));
}

TEST_CASE("a path is found by each of its verbs, and says which there are", "[net][operations]") {
  for (const auto& row : operation_bindings())
    for (const auto& place : row.rest) {
      rest_path path;
      path.resource = place.resource;
      path.action = place.action;
      std::string allowed;
      CHECK(find_place(path, place.method, allowed) == &row);
    }
  std::string allowed;
  rest_path path;
  path.resource = rest_resource::push_config;
  CHECK(find_place(path, boost::beast::http::verb::put, allowed) == nullptr);
  CHECK(allowed == "GET, DELETE");
  path.action = "nothing";
  allowed.clear();
  CHECK(find_place(path, boost::beast::http::verb::get, allowed) == nullptr);
  CHECK(allowed.empty());
}

TEST_CASE("those who do not say who they are share what they make, but not their turns to read",
          "[net][operations]") {
  connection_facts here;
  here.peer = "192.0.2.1";
  connection_facts there;
  there.peer = "192.0.2.2";
  CHECK(owner_of(principal_of(here)) == owner_of(principal_of(there)));
  CHECK(client_of(principal_of(here)) != client_of(principal_of(there)));
  CHECK(client_of(principal_of(here)) == client_of(principal_of(here)));
}

TEST_CASE("every status that an error has over REST has a phrase of its own", "[net][operations]") {
  for (std::uint8_t i = 0; i < errc_end; ++i) {
    const auto status = wire_of(static_cast<errc>(i)).http;
    CAPTURE(status);
    CHECK((reason_phrase(status) == "Internal Server Error") == (status == 500));
  }
}

TEST_CASE("an operation without its scope is refused: 403 over REST, an error over JSON-RPC",
          "[net][operations]") {
  principal reader;
  reader.scopes = scope::read;
  const auto refused = admit(reader, operation::send_message);
  REQUIRE_FALSE(refused.has_value());
  CHECK(rest_binding().status_of(refused.error()) == 403);
  CHECK(json_rpc_binding().status_of(refused.error()) == 200);
  CHECK(wire_of(refused.error().code).jsonrpc == -31403);
}

TEST_CASE("no operation that changes something is found by GET", "[net][operations]") {
  // A page of another site may make a browser send a GET (docs/a2a.md, "Who may ask").
  std::size_t seen = 0;
  const auto bindings = operation_bindings();
  for (std::size_t i = 0; i < bindings.size(); ++i)
    for (const auto& place : bindings[i].rest) {
      if (place.method != boost::beast::http::verb::get)
        continue;
      CAPTURE(operation_rows[i].name);
      CHECK(operation_rows[i].needs == scope::read);
      ++seen;
    }
  CHECK(seen > 5);
}

namespace {

/// The path of the client's table with ids in it.
std::string with_ids(std::string path) {
  for (auto at = path.find('{'); at != std::string::npos; at = path.find('{'))
    path.replace(at, path.find('}') - at + 1, "x");
  return path;
}

} // namespace

TEST_CASE("the client calls each operation as the server does, in all versions and bindings",
          "[net][operations]") {
  for (auto each = 0; each <= static_cast<int>(a2a::operation::plan_history); ++each) {
    const auto& asked = a2a::row_of(static_cast<a2a::operation>(each));
    CAPTURE(asked.rpc_1_0, asked.path);
    const auto new_name = find_method(asked.rpc_1_0);
    const auto old_name = find_method(asked.rpc_0_3);
    REQUIRE(new_name);
    REQUIRE(old_name);
    CHECK(new_name->row == old_name->row);
    for (const auto of_0_3 : {false, true}) {
      const auto own = of_0_3 && !asked.path_0_3.empty() ? asked.path_0_3 : asked.path;
      const auto path = parse_rest_path(with_ids((of_0_3 ? "/v1" : "") + std::string{own}));
      REQUIRE(path);
      std::string allowed;
      CHECK(find_place(*path, boost::beast::http::string_to_verb(asked.verb), allowed)
            == new_name->row);
    }
  }
}
