// An agent that answers a message with a message (A2A 1.0 section 3.1.1): no task, in every version
// and binding.
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr const char* version_1_0 = "A2A-Version: 1.0\r\n";
constexpr const char* message_0_3 =
    R"({"message":{"kind":"message","messageId":"tck-message-response","role":"user","parts":[{"kind":"text","text":"hi"}]}})";
constexpr const char* message_1_0 =
    R"({"message":{"messageId":"tck-message-response","role":"ROLE_USER","parts":[{"text":"hi"}]}})";
constexpr const char* message_0_3_rest =
    R"({"message":{"messageId":"tck-message-response","role":"ROLE_USER","content":[{"text":"hi"}]}})";

struct way {
  const char* name;
  const char* path;
  std::string send;
  std::string stream;
  const char* headers;
  const char* message; ///< Where the message is in the answer.
  const char* text;    ///< And its text, below that.
  const char* stream_path;
};

const std::vector<way>& ways() {
  static const std::vector<way> all{
      {"1.0 JSON-RPC", "/", rpc("SendMessage", message_1_0),
       rpc("SendStreamingMessage", message_1_0), version_1_0, "/result/message", "/parts/0/text",
       "/"},
      {"1.0 REST", "/message:send", message_1_0, message_1_0, version_1_0, "/message",
       "/parts/0/text", "/message:stream"},
      {"0.3 JSON-RPC", "/", rpc("message/send", message_0_3), rpc("message/stream", message_0_3),
       "", "/result", "/parts/0/text", "/"},
      {"0.3 REST", "/v1/message:send", message_0_3_rest, message_0_3_rest, "", "/message",
       "/content/0/text", "/v1/message:stream"},
  };
  return all;
}

void check_message(const way& how, const boost::json::value& answer) {
  const std::string where = how.message;
  CHECK(at(answer, where + how.text) == "Direct message response");
  CHECK(at(answer, where + "/messageId") != "(none)");
  CHECK(at(answer, where + "/contextId") != "(none)");
  CHECK(at(answer, where + "/taskId") == "(none)");
}

} // namespace

TEST_CASE("a send may be answered with a message, and no task is left", "[net][answer]") {
  const net_bed bed({}, "conformance");
  for (const auto& how : ways()) {
    CAPTURE(how.name);
    auto client = bed.connect();
    const auto answer = client.request("POST", how.path, how.send, how.headers);
    REQUIRE(answer.status == 200);
    check_message(how, boost::json::parse(answer.body));
  }
  CHECK(at(bed.result_of("ListTasks", "{}"), "/totalSize") == "0");
}

TEST_CASE("a push configuration gets nothing of a message, and disturbs no other",
          "[net][answer][push]") {
  const net_bed bed({}, "conformance");
  const auto answer = bed.result_of(
      "SendMessage",
      R"({"message":{"messageId":"tck-message-response","role":"ROLE_USER","parts":[{"text":"hi"}]},)"
      R"("configuration":{"taskPushNotificationConfig":{"url":"https://example.com/"}}})");
  CHECK(at(answer, "/message/parts/0/text") == "Direct message response");
}

TEST_CASE("a stream of a direct answer is one event", "[net][answer]") {
  const net_bed bed({}, "conformance");
  for (const auto& how : ways()) {
    CAPTURE(how.name);
    auto client = bed.connect();
    client.send(http_client::request_text("POST", how.stream_path, how.stream, how.headers));
    REQUIRE(client.receive_head().header("content-type") == "text/event-stream");
    check_message(how, boost::json::parse(client.next_event().value()));
    CHECK_FALSE(client.next_event());
    CHECK(client.get("/healthz").status == 200); // the connection goes on
  }
}

TEST_CASE("a send that does not wait gets the message all the same", "[net][answer]") {
  const net_bed bed({}, "conformance");
  const auto answer = bed.result_of(
      "SendMessage", R"({"message":{"messageId":"tck-message-response","role":"ROLE_USER",)"
                     R"("parts":[{"text":"hi"}],"contextId":"ours"},)"
                     R"("configuration":{"returnImmediately":true,"historyLength":0}})");
  CHECK(at(answer, "/message/contextId") == "ours");
  CHECK(at(answer, "/message/role") == "ROLE_AGENT");
}
