#include "client/a2a/reconnection.hpp"
#include "client/a2a/request.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::a2a;
using wire::a2a_binding;
using wire::a2a_version;

namespace {

namespace json = boost::json;

prepared_request made(operation which, a2a_version version, a2a_binding binding,
                      const std::string& params, const std::string& tenant = {}) {
  const endpoint to{"http://h/base", {version, binding}, tenant};
  return prepare(which, to, json::parse(params).as_object(), {});
}

std::string header_of(const prepared_request& of, const std::string& name) {
  for (const auto& [key, value] : of.request.headers)
    if (key == name)
      return value;
  return "(none)";
}

net::outbound_answer answered(unsigned status, std::string body) {
  net::outbound_answer out;
  out.status = status;
  out.body = std::move(body);
  return out;
}

constexpr wire::wire_format rpc{a2a_version::v1_0, a2a_binding::json_rpc};
constexpr wire::wire_format rest{a2a_version::v1_0, a2a_binding::rest};

result<json::value> read_result(const net::outbound_answer& answer, wire::wire_format format) {
  return a2a::read_result(answer, format, {});
}

} // namespace

TEST_CASE("a JSON-RPC request has the method of its version", "[client][a2a]") {
  const auto now =
      made(operation::get_task, a2a_version::v1_0, a2a_binding::json_rpc, R"({"id":"t"})", "acme");
  CHECK(now.url == "http://h/base");
  CHECK(now.request.method == "POST");
  CHECK(json::parse(now.request.body)
        == json::parse(R"({"jsonrpc":"2.0","id":1,"method":"GetTask",)"
                       R"("params":{"id":"t","tenant":"acme"}})"));
  CHECK(header_of(now, "A2A-Version") == "1.0");
  const auto old =
      made(operation::get_task, a2a_version::v0_3, a2a_binding::json_rpc, R"({"id":"t"})");
  CHECK(json::parse(old.request.body).at("method") == "tasks/get");
  CHECK(header_of(old, "A2A-Version") == "(none)");
}

TEST_CASE("a REST request has its params in path, query or body", "[client][a2a]") {
  const auto get = made(operation::get_task, a2a_version::v1_0, a2a_binding::rest,
                        R"({"id":"a/b:c","historyLength":2})", "acme");
  CHECK(get.url == "http://h/base/acme/tasks/a%2Fb%3Ac?historyLength=2");
  CHECK(get.request.method == "GET");
  CHECK(get.request.body.empty());
  const auto cancel = made(operation::cancel_task, a2a_version::v0_3, a2a_binding::rest,
                           R"({"id":"t","metadata":{"a":1}})");
  CHECK(cancel.url == "http://h/base/v1/tasks/t:cancel");
  CHECK(cancel.request.body == R"({"metadata":{"a":1}})");
  const auto list = made(operation::list_objectives, a2a_version::v1_0, a2a_binding::rest,
                         R"({"status":["failed","blocked"],"text":"a b"})");
  CHECK(list.url == "http://h/base/objectives?status=failed&status=blocked&text=a%20b");
}

TEST_CASE("the ids of a push configuration are in the path of REST, and DELETE has no body",
          "[client][a2a]") {
  for (const auto version : {a2a_version::v1_0, a2a_version::v0_3}) {
    const std::string root = version == a2a_version::v1_0 ? "http://h/base" : "http://h/base/v1";
    const auto create = made(operation::create_push, version, a2a_binding::rest,
                             R"({"taskId":"a/b","url":"https://x"})");
    CHECK(create.url == root + "/tasks/a%2Fb/pushNotificationConfigs");
    CHECK(create.request.body == R"({"url":"https://x"})");
    const auto one =
        made(operation::get_push, version, a2a_binding::rest, R"({"taskId":"t","id":"p"})");
    CHECK(one.url == root + "/tasks/t/pushNotificationConfigs/p");
    CHECK(one.request.method == "GET");
    const auto gone =
        made(operation::delete_push, version, a2a_binding::rest, R"({"taskId":"t","id":"p"})");
    CHECK(gone.url == root + "/tasks/t/pushNotificationConfigs/p");
    CHECK(gone.request.method == "DELETE");
    CHECK(gone.request.body.empty());
  }
}

TEST_CASE("the extended card is asked for as each version names it", "[client][a2a]") {
  const auto url = [](a2a_version version) {
    return made(operation::get_extended_card, version, a2a_binding::rest, "{}").url;
  };
  CHECK(url(a2a_version::v1_0) == "http://h/base/extendedAgentCard");
  CHECK(url(a2a_version::v0_3) == "http://h/base/v1/card");
  const auto method = [](a2a_version version) {
    return json::parse(made(operation::get_extended_card, version, a2a_binding::json_rpc, "{}")
                           .request.body)
        .at("method");
  };
  CHECK(method(a2a_version::v1_0) == "GetExtendedAgentCard");
  CHECK(method(a2a_version::v0_3) == "agent/getAuthenticatedExtendedCard");
}

TEST_CASE("REST answers a deletion with nothing, and a list with an array", "[client][a2a]") {
  CHECK(read_result(answered(204, ""), rest).value().is_null());
  CHECK(read_result(answered(200, "[1]"), rest).value().is_array());
  CHECK_FALSE(read_result(answered(200, ""), rpc).has_value());
  CHECK_FALSE(read_result(answered(200, "[1]"), rpc).has_value());
}

TEST_CASE("an answer is a result, or the server's error with its kind", "[client][a2a]") {
  CHECK(read_result(answered(200, R"({"jsonrpc":"2.0","id":1,"result":{"a":1}})"), rpc).value()
        == json::parse(R"({"a":1})"));
  CHECK(read_result(answered(200, R"({"a":1})"), rest).value() == json::parse(R"({"a":1})"));
  const auto refused = read_result(
      answered(200, R"({"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"late","data":)"
                    R"([{"@type":"x","reason":"ALREADY_ANSWERED"}]}})"),
      rpc);
  CHECK(refused.error().code == errc::already_answered);
  CHECK(refused.error().message == "late");
  CHECK(
      read_result(answered(200, R"({"jsonrpc":"2.0","error":{"code":-32001,"message":"no"}})"), rpc)
          .error()
          .code
      == errc::task_not_found);
  CHECK(read_result(answered(404, R"({"error":{"code":404,"message":"gone","details":)"
                                  R"([{"reason":"TASK_NOT_FOUND"}]}})"),
                    rest)
            .error()
            .code
        == errc::task_not_found);
  CHECK(read_result(answered(401, "who?"), rpc).error().code == errc::unauthenticated);
  CHECK(read_result(answered(503, ""), rest).error().code == errc::unavailable);
}

TEST_CASE("an answer to another request is refused", "[client][a2a]") {
  for (const auto* id : {"2", "\"1\"", "null", "1.5"}) {
    CAPTURE(id);
    const auto other = read_result(
        answered(200, std::string(R"({"jsonrpc":"2.0","id":)") + id + R"(,"result":{}})"), rpc);
    REQUIRE_FALSE(other.has_value());
    CHECK(other.error().code == errc::invalid_agent_response);
    CHECK_THAT(other.error().message, ContainsSubstring("to another request"));
  }
  CHECK(read_result(answered(200, R"({"jsonrpc":"2.0","id":1.0,"result":{}})"), rpc).has_value());
  // A server that could not read the request answers an error with the id null.
  CHECK(read_result(
            answered(200, R"({"jsonrpc":"2.0","id":null,"error":{"code":-32700,"message":"no"}})"),
            rpc)
            .error()
            .message
        == "no");
}

TEST_CASE("an answer that is none says so", "[client][a2a]") {
  CHECK(read_result(answered(200, "<html>"), rpc).error().code == errc::invalid_agent_response);
  CHECK(read_result(answered(200, R"({"hello":1})"), rpc).error().message
        == "the answer is no JSON-RPC: it has neither result nor error");
  auto cut = answered(200, R"({"jsonrpc":)");
  cut.is_whole = false;
  CHECK(read_result(cut, rpc).error().code == errc::too_large);
}

TEST_CASE("an answer says when the server may be asked again", "[client][a2a]") {
  auto busy = answered(503, "");
  CHECK_FALSE(pause_in(read_result(busy, rpc).error()));
  busy.headers = {{"retry-after", "2"}};
  CHECK(pause_in(read_result(busy, rest).error()) == 2s);
  busy.headers = {{"Retry-After", "Thu, 01 Jan 1970 00:00:12 GMT"}};
  CHECK(pause_in(read_result(busy, rpc).error()) == 12s);
  CHECK_FALSE(pause_in(make_error(errc::unavailable, "no words")));
}

TEST_CASE("an event that the server calls an error is one, in any spelling", "[client][a2a]") {
  const auto read = [](std::string data, wire::wire_format format) {
    return read_event({{}, std::move(data), true}, format);
  };
  const auto with_code =
      read(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32001,"message":"gone"}})", rpc);
  CHECK(with_code.error().code == errc::task_not_found);
  CHECK(read(R"({"code":-32001,"message":"gone"})", rpc).error().code == errc::task_not_found);
  CHECK(read(R"({"error":{"message":"gone"}})", rest).error().message == "gone");
  CHECK(read("it broke", rest).error().message == "it broke");
  CHECK(read(R"({"jsonrpc":"2.0","id":1,"result":{}})", rpc).error().code == errc::internal);
}

TEST_CASE("a broken stream is tried again at growing intervals, and not for ever",
          "[client][a2a]") {
  CHECK(wait_before_reconnection(1, {}, 0.5) == 250ms);
  CHECK(wait_before_reconnection(3, {}, 0.5) == 1000ms);
  CHECK(wait_before_reconnection(10, {}, 0.5) == 5000ms);
  CHECK(wait_before_reconnection(1, 3000ms, 0.5) == 3000ms);
  CHECK(wait_before_reconnection(1, 3'600'000ms, 0.5) == 60'000ms);
  CHECK_FALSE(wait_before_reconnection(11, {}, 0.5).has_value());
}
