// What servers get wrong, and what a client makes of it: each test is a row of the table in
// docs/a2a-clients.md.
#include "tests/client/a2a/client_bed.hpp"

#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/write.hpp>

#include <optional>
#include <variant>

using namespace std::chrono_literals;
using namespace troupe;
using namespace troupe::a2a;
using namespace troupe::testing;

namespace {

constexpr wire::wire_format v1{wire::a2a_version::v1_0, wire::a2a_binding::json_rpc};
constexpr wire::wire_format v0_3{wire::a2a_version::v0_3, wire::a2a_binding::json_rpc};
constexpr wire::wire_format v0_3_rest{wire::a2a_version::v0_3, wire::a2a_binding::rest};

result<wire::answer> read(std::string_view text, wire::wire_format format = v1) {
  return wire::read_answer(boost::json::parse(text), format);
}

/// The text of a stream that ends with the connection.
std::string stream_text(const std::string& events, const std::string& type = "text/event-stream") {
  return answer_text(200, "Content-Type: " + type + "\r\n", events);
}

struct stream_bed : a2a_client_bed {
  /// The first event of a stream that is answered with `text`.
  result<std::optional<boost::json::value>> first_event(std::string text,
                                                        std::chrono::milliseconds each_turn = {}) {
    server.script({card_text(), std::move(text)});
    open = client->stream(operation::send_streaming, boost::json::object{}, {});
    return next(each_turn);
  }
  result<std::optional<boost::json::value>> next(std::chrono::milliseconds each_turn = {}) {
    return wait_for([this] { return open->next(); }, each_turn);
  }
  std::shared_ptr<event_stream> open;
};

const std::string one_event =
    R"(data: {"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":"t","status":{"state":"working"}}}})";

} // namespace

TEST_CASE("tolerance: `kind` may be absent or unknown", "[client][a2a][tolerance]") {
  CHECK(std::holds_alternative<task>(
      read(R"({"id":"t","status":{"state":"working"}})", v0_3).value()));
  CHECK(std::holds_alternative<task>(
      read(R"({"kind":"job","id":"t","status":{"state":"working"}})", v0_3).value()));
  CHECK(std::holds_alternative<message>(
      read(R"({"messageId":"m","role":"agent","parts":[{"text":"x"}]})", v0_3).value()));
  CHECK(std::holds_alternative<wire::status_update>(
      read(R"({"kind":"status","taskId":"t","status":{"state":"working"}})", v0_3).value()));
  CHECK(std::holds_alternative<wire::artifact_update>(
      read(R"({"taskId":"t","artifact":{"artifactId":"a","parts":[]}})", v0_3).value()));
}

TEST_CASE("tolerance: events of another task are dropped from the stream of one, but not for ever",
          "[client][a2a][tolerance]") {
  const auto event = [](const std::string& id) {
    return R"(data: {"jsonrpc":"2.0","id":1,"result":{"statusUpdate":{"taskId":")" + id
           + R"(","status":{"state":"TASK_STATE_COMPLETED"}}}})" + "\n\n";
  };
  stream_bed bed;
  const auto first = [&](const std::string& events) {
    bed.server.script({bed.card_text(), stream_text(events)});
    bed.open = bed.client->stream(operation::subscribe_to_task, {{"id", "t"}}, {});
    task_stream of_t(*bed.client, bed.open, false, "t");
    return bed.wait_for([&] { return of_t.next(); });
  };
  SECTION("a few") {
    const auto got = first(event("other") + event("t"));
    REQUIRE(got.has_value());
    REQUIRE(got->has_value());
    CHECK(std::get<wire::status_update>(**got).task.str() == "t");
  }
  SECTION("too many") {
    std::string many;
    for (unsigned i = 0; i <= foreign_events_max; ++i)
      many += event("other");
    const auto got = first(many);
    REQUIRE_FALSE(got.has_value());
    CHECK(got.error().code == errc::invalid_agent_response);
  }
}

TEST_CASE("tolerance: another task is no answer to a request about one",
          "[client][a2a][tolerance]") {
  const auto answer = boost::json::parse(R"({"id":"t","status":{"state":"TASK_STATE_WORKING"}})");
  CHECK(read_asked_task(answer, "t", v1).has_value());
  const auto other = read_asked_task(answer, "u", v1);
  REQUIRE_FALSE(other.has_value());
  CHECK(other.error().code == errc::invalid_agent_response);
}

TEST_CASE("tolerance: null counts as absent", "[client][a2a][tolerance]") {
  const auto got = read(
      R"({"task":{"id":"t","contextId":null,"status":{"state":"TASK_STATE_WORKING","message":null,)"
      R"("timestamp":null},"artifacts":null,"history":null,"metadata":null},"message":null})");
  REQUIRE(got.has_value());
  CHECK(std::get<task>(*got).artifacts.empty());
}

TEST_CASE("tolerance: 200 and 201 are answers, whatever type they say",
          "[client][a2a][tolerance]") {
  const auto status = GENERATE(200, 201);
  const auto* type = GENERATE("Content-Type: application/json\r\n",
                              "Content-Type: application/a2a+json; charset=utf-8\r\n", "");
  a2a_client_bed bed;
  bed.server.script({bed.card_text(),
                     answer_text(status, type, R"({"jsonrpc":"2.0","id":1,"result":{"id":"t"}})")});
  CHECK(bed.get_task().has_value());
}

TEST_CASE("tolerance: an error may be a page", "[client][a2a][tolerance]") {
  a2a_client_bed bed;
  bed.server.script({bed.card_text(),
                     answer_text(502, "Content-Type: text/html\r\n", "<html>Bad Gateway</html>")});
  const auto failed = bed.get_task();
  REQUIRE(failed.has_error());
  CHECK(failed.error().code == errc::unavailable);
  CHECK(failed.error().message == "the server answered with HTTP status 502");
}

TEST_CASE("tolerance: an error of JSON-RPC may be an event", "[client][a2a][tolerance]") {
  stream_bed bed;
  const auto got = bed.first_event(stream_text(
      "data: {\"jsonrpc\":\"2.0\",\"id\":1,\"error\":{\"code\":-32001,\"message\":\"gone\"}}\n\n"));
  REQUIRE(got.has_error());
  CHECK(got.error().code == errc::task_not_found);
  stream_bed named;
  const auto other = named.first_event(
      stream_text("event: error\ndata: {\"code\":-32001,\"message\":\"gone\"}\n\n"));
  CHECK(other.error().code == errc::task_not_found);
}

TEST_CASE("tolerance: a call that streams may be answered with JSON", "[client][a2a][tolerance]") {
  stream_bed bed;
  CHECK(bed.first_event(rpc_error(-32602)).error().code == errc::invalid_params);
  stream_bed whole;
  const auto got = whole.first_event(rpc_task());
  REQUIRE(got.has_value());
  CHECK((*got)->at("id") == "t");
}

TEST_CASE("tolerance: a message may have `content` in place of `parts`",
          "[client][a2a][tolerance]") {
  const auto got = read(
      R"({"message":{"messageId":"m","role":"ROLE_AGENT","content":[{"text":"x"}]}})", v0_3_rest);
  REQUIRE(got.has_value());
  CHECK(text_of(std::get<message>(*got).parts) == "x");
  CHECK(read(R"({"messageId":"m","role":"agent","content":[{"text":"x"}]})", v1).has_value());
}

TEST_CASE("tolerance: names of states and roles may be those of the other version",
          "[client][a2a][tolerance]") {
  for (const auto format : {v1, v0_3, v0_3_rest})
    for (const auto* state : {"input-required", "TASK_STATE_INPUT_REQUIRED"}) {
      const auto got =
          read(R"({"id":"t","status":{"state":")" + std::string(state) + R"("}})", format);
      REQUIRE(got.has_value());
      CHECK(std::get<task>(*got).status.state == task_state::input_required);
    }
  for (const auto* role_name : {"user", "ROLE_USER"}) {
    const auto got = read(R"({"messageId":"m","role":")" + std::string(role_name)
                          + R"(","parts":[{"text":"x"}]})");
    CHECK(std::get<message>(got.value()).from == role::user);
  }
}

TEST_CASE("tolerance: a status may have no message, and a message no parts",
          "[client][a2a][tolerance]") {
  CHECK(read(R"({"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING"}}})")
            .has_value());
  CHECK(read(R"({"statusUpdate":{"taskId":"t","status":{"state":"TASK_STATE_WORKING",)"
             R"("message":{"messageId":"m","role":"ROLE_AGENT"}}}})")
            .has_value());
}

TEST_CASE("tolerance: the last event of a stream may lack its empty line, if it is whole",
          "[client][a2a][tolerance]") {
  stream_bed bed;
  const auto got = bed.first_event(stream_text(one_event));
  REQUIRE(got.has_value());
  CHECK((*got)->as_object().contains("statusUpdate"));
  stream_bed cut;
  CHECK(cut.first_event(stream_text(one_event.substr(0, one_event.size() - 3))).has_error());
}

TEST_CASE("a stream whose event comes in drops is broken", "[client][a2a][hostile]") {
  using boost::asio::ip::tcp;
  a2a_client_bed bed;
  tcp::acceptor drops(bed.context, {boost::asio::ip::address_v4::loopback(), 0});
  bed.server.script(
      {answer_text(200, {},
                   R"({"name": "Slow", "supportedInterfaces": [{"url": "http://127.0.0.1:)"
                       + std::to_string(drops.local_endpoint().port())
                       + R"(/", "protocolBinding": "JSONRPC", "protocolVersion": "1.0"}]})")});
  std::optional<tcp::socket> peer;
  drops.async_accept([&](boost::system::error_code failed, tcp::socket socket) {
    if (!failed)
      peer.emplace(std::move(socket));
  });
  const auto open = bed.client->stream(operation::send_streaming, boost::json::object{}, {});
  std::optional<result<std::optional<boost::json::value>>> out;
  net::asio::co_spawn(
      bed.context,
      [&]() -> net::awaitable<void> {
        auto got = co_await open->next();
        out.emplace(std::move(got));
      },
      net::asio::detached);
  REQUIRE(comes_true([&] {
    bed.turn();
    return peer.has_value();
  }));
  std::string text = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n\r\ndata: ";
  int seconds = 0;
  REQUIRE(comes_true([&] { // a byte a second, which is no silence
    boost::system::error_code ignored;
    boost::asio::write(*peer, boost::asio::buffer(text), ignored);
    text = "x";
    const auto end = std::chrono::steady_clock::now() + 2ms; // It may take a while to arrive.
    while (!out.has_value() && std::chrono::steady_clock::now() < end)
      bed.turn();
    bed.time.pass(1s);
    ++seconds;
    return out.has_value();
  }));
  REQUIRE(out->has_error());
  CHECK(out->error().message.find("too slowly") != std::string::npos);
  CHECK(seconds > 30);
}
