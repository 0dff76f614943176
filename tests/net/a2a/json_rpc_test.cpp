// The envelope and the version, over real sockets (A2A 1.0 sections 3.6, 9.3 and 9.5).
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

struct envelope_row {
  std::string body;
  std::string code;
  std::string id;
};

} // namespace

TEST_CASE("envelopes are checked in order and ids are echoed as they came", "[net][json-rpc]") {
  const net_bed bed;
  for (const auto& row : std::vector<envelope_row>{
           {"", "-32700", "null"},
           {"{", "-32700", "null"},
           {"[1,2", "-32700", "null"},
           {"nonsense", "-32700", "null"},
           {R"({"jsonrpc":"2.0","id":1,"method":"GetTask"} x)", "-32700", "null"},
           {"[]", "-32600", "null"},
           {R"([{"jsonrpc":"2.0","id":1,"method":"GetTask"}])", "-32600", "null"},
           {"7", "-32600", "null"},
           {"\"text\"", "-32600", "null"},
           {"null", "-32600", "null"},
           {"{}", "-32600", "null"},
           {R"({"jsonrpc":"1.0","id":5,"method":"GetTask"})", "-32600", "5"},
           {R"({"jsonrpc":2.0,"id":5,"method":"GetTask"})", "-32600", "5"},
           {R"({"id":5,"method":"GetTask"})", "-32600", "5"},
           {R"({"jsonrpc":"2.0","id":5})", "-32600", "5"},
           {R"({"jsonrpc":"2.0","id":5,"method":7})", "-32600", "5"},
           {R"({"jsonrpc":"2.0","id":{},"method":"GetTask"})", "-32600", "null"},
           {R"({"jsonrpc":"2.0","id":[1],"method":"GetTask"})", "-32600", "null"},
           {R"({"jsonrpc":"2.0","id":true,"method":"GetTask"})", "-32600", "null"},
           {R"({"jsonrpc":"2.0","method":"Nope"})", "-32601", "null"},
           {R"({"jsonrpc":"2.0","id":null,"method":"Nope"})", "-32601", "null"},
           {R"({"jsonrpc":"2.0","id":"a b","method":"Nope"})", "-32601", "a b"},
           {R"({"jsonrpc":"2.0","id":-7,"method":"message/send"})", "-32601", "-7"},
           {R"({"jsonrpc":"2.0","id":18446744073709551615,"method":"Nope"})", "-32601",
            "18446744073709551615"},
           {R"({"jsonrpc":"2.0","id":1,"method":"GetTask"})", "-32602", "1"},
           {R"({"jsonrpc":"2.0","id":1,"method":"GetTask","params":[]})", "-32602", "1"},
           {R"({"jsonrpc":"2.0","id":1,"method":"GetTask","params":"x"})", "-32602", "1"},
           {R"({"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":7}})", "-32602", "1"},
           {R"({"jsonrpc":"2.0","id":1,"method":"GetTask","params":null})", "-32602", "1"},
           {R"({"jsonrpc":"2.0","id":1,"method":"GetTask","params":{"id":"x"},"unknown":1})",
            "-32001", "1"},
           {R"({"jsonrpc":"2.0","id":1,"id":2,"method":"GetTask","params":{"id":"x"}})", "-32001",
            "2"},
       }) {
    CAPTURE(row.body);
    const auto answer = bed.call(row.body);
    CHECK(at(answer, "/error/code") == row.code);
    CHECK(at(answer, "/id") == row.id);
    CHECK(at(answer, "/jsonrpc") == "2.0");
    CHECK_FALSE(answer.as_object().contains("result"));
    CHECK(at(answer, "/error/data/0/@type") == "type.googleapis.com/google.rpc.ErrorInfo");
  }
}

TEST_CASE("a text that is no JSON is refused with the reason and the place", "[net][json-rpc]") {
  const net_bed bed;
  CHECK_THAT(at(bed.call(R"({"a" 1})"), "/error/message"), ContainsSubstring("byte 5"));
  CHECK_THAT(at(bed.call(R"({"a":)"), "/error/message"),
             ContainsSubstring("ends too early, at byte 5"));
  CHECK_THAT(at(bed.call("{\"a\":\"\xff\"}"), "/error/message"),
             ContainsSubstring("invalid UTF-8 at byte 6"));
  CHECK_THAT(at(bed.call("{\"a\":\"\xed\xa0\x80\"}"), "/error/message"),
             ContainsSubstring("invalid UTF-8 at byte 6"));
  const std::string deep = std::string(10'000, '[') + std::string(10'000, ']');
  CHECK_THAT(at(bed.call(deep), "/error/message"), ContainsSubstring("limits.json-depth"));
  std::string objects;
  for (int i = 0; i < 10'000; ++i)
    objects += "{\"a\":";
  CHECK_THAT(at(bed.call(objects), "/error/message"), ContainsSubstring("limits.json-depth"));
}

TEST_CASE("an id of a megabyte is refused, a task id of a megabyte names nothing",
          "[net][json-rpc]") {
  const net_bed bed;
  const std::string long_text(1024 * 1024, 'i');
  const auto refused = bed.call(rpc("GetTask", R"({"id":"x"})", "\"" + long_text + "\""));
  CHECK(at(refused, "/error/code") == "-32600");
  CHECK(at(refused, "/id") == "null");
  const auto answer = bed.connect().post(rpc("GetTask", R"({"id":")" + long_text + "\"}"));
  CHECK(answer.status == 200);
  CHECK(answer.body.size() < 2000);
  CHECK_THAT(answer.body, ContainsSubstring("\"error\""));
}

TEST_CASE("M19_versions: the version decides which methods there are", "[net][json-rpc]") {
  struct row {
    std::string headers;
    std::string method;
    std::string code; ///< "-32001": the method ran and did not find the task.
  };
  const net_bed bed;
  for (const auto& one : std::vector<row>{
           {"A2A-Version: 1.0\r\n", "GetTask", "-32001"},
           {"A2A-Version: 1.0.9\r\n", "GetTask", "-32001"},
           {"", "GetTask", "-32009"},
           {"A2A-Version:\r\n", "GetTask", "-32009"},
           {"A2A-Version: 0.3\r\n", "GetTask", "-32009"},
           {"A2A-Version: 99.0\r\n", "GetTask", "-32009"},
           {"A2A-Version: 99.0\r\n", "objectives/get", "-32009"},
           {"A2A-Version: 99.0\r\n", "Nope", "-32009"},
           {"A2A-Version: 1.0\r\n", "tasks/get", "-32601"},
           {"", "Nope", "-32601"},
           {"", "objectives/get", "-32000"},
           {"A2A-Version: 0.3\r\n", "objectives/get", "-32000"},
           {"A2A-Version: 1.0\r\n", "objectives/get", "-32000"},
       }) {
    CAPTURE(one.headers, one.method);
    const auto answer = bed.call(rpc(one.method, R"({"id":"x"})"), one.headers);
    CHECK(at(answer, "/error/code") == one.code);
    if (one.code == "-32009")
      CHECK_THAT(at(answer, "/error/message"), ContainsSubstring("A2A-Version: 1.0"));
  }
}

TEST_CASE("the version may be in the query, and a lenient server does not need it",
          "[net][json-rpc]") {
  const net_bed strict;
  auto client = strict.connect();
  const std::string body = rpc("GetTask", R"({"id":"x"})");
  client.send(
      "POST /?A2A-Version=1.0 HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json; "
      "charset=utf-8\r\nContent-Length: "
      + std::to_string(body.size()) + "\r\n\r\n" + body);
  CHECK_THAT(client.receive().body, ContainsSubstring("-32001"));

  server_options options;
  options.lenient_version = true;
  const net_bed lenient(options);
  CHECK(at(lenient.call(body, ""), "/error/code") == "-32001");
  CHECK(at(lenient.call(body, "A2A-Version: 0.3\r\n"), "/error/code") == "-32009");
}

TEST_CASE("a body that is not declared as JSON is refused before it is parsed", "[net][json-rpc]") {
  const net_bed bed;
  auto client = bed.connect();
  for (const std::string type : {"text/plain", "application/jsonx", ""}) {
    CAPTURE(type);
    client.send("POST / HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: " + type
                + "\r\nContent-Length: 1\r\n\r\n{");
    const auto answer = client.receive();
    CHECK(answer.status == 400);
    CHECK_THAT(answer.body, ContainsSubstring("-32005"));
    CHECK_THAT(answer.body, ContainsSubstring("\"id\":null"));
  }
  client.send(
      "POST / HTTP/1.1\r\nHost: localhost\r\nA2A-Version: 1.0\r\nContent-Type: APPLICATION/json ; "
      "a=b\r\nContent-Length: 1\r\n\r\n{");
  CHECK_THAT(client.receive().body, ContainsSubstring("-32700"));
}

TEST_CASE("M10_activation, M11_other_uri: extensions are echoed if they are known, and left out if "
          "none is",
          "[net][json-rpc]") {
  const net_bed bed;
  const std::string uri = "https://github.com/zeroasterisk/a2a-opt/v1";
  auto client = bed.connect();
  const auto with = [&](const std::string& headers) {
    return client.post(rpc("GetTask", R"({"id":"x"})"), "A2A-Version: 1.0\r\n" + headers)
        .header("a2a-extensions");
  };
  CHECK(with("").empty());
  CHECK(with("A2A-Extensions: urn:unknown\r\n").empty());
  CHECK(with("A2A-Extensions: https://a2a-protocol.org/extensions/objective-plan-task/v1\r\n")
            .empty());
  CHECK(with("A2A-Extensions: urn:unknown, " + uri + "\r\n") == uri);
  CHECK(with("X-A2A-Extensions: " + uri + "\r\n") == uri);
  CHECK(with("a2a-extensions: urn:a\r\nA2A-Extensions: " + uri + "\r\n") == uri);
}

TEST_CASE("bytes that are no UTF-8 in headers and paths do not break the answer",
          "[net][json-rpc]") {
  const net_bed bed;
  auto client = bed.connect();
  const auto answer = client.post(rpc("GetTask", R"({"id":"x"})"),
                                  "A2A-Version: \xff\xfe\r\ntraceparent: \xff\r\n");
  CHECK_THAT(answer.body, ContainsSubstring("-32009"));
  CHECK_THAT(answer.body, ContainsSubstring("??"));
  CHECK_THAT(client.get("/\xff\xfe").body, ContainsSubstring("/??"));
}
