// The trace that the headers of a request name, from the wire to the orders of a plan's tasks, in
// every version and binding (docs/a2a.md, "Traces").
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr const char* version_1_0 = "A2A-Version: 1.0\r\n";
constexpr const char* parent = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01";

/// Two plans, one after the other; the first has two tasks, one after the other.
constexpr const char* two_plans =
    R"({"name":"o","start":true,"plans":[{"name":"p","tasks":[{"name":"a","agent":"puppet"},)"
    R"({"name":"b","agent":"puppet","dependencies":["a"]}]},)"
    R"({"name":"q","dependencies":["p"],"tasks":[{"name":"c","agent":"puppet"}]}]})";
constexpr const char* plan_of_message =
    R"("metadata":{"opt/v1/plan":{"name":"p","tasks":[{"name":"a","agent":"puppet"},)"
    R"({"name":"b","agent":"puppet","dependencies":["a"]}]}})";

/// The first `tasks` tasks that begin are in the trace; each is completed, so that the next begins.
void check_orders(const net_bed& bed, std::size_t tasks) {
  for (std::size_t i = 0; i < tasks; ++i) {
    const auto order = bed.puppet->asked(i);
    CHECK(order->traceparent == parent);
    CHECK(order->tracestate == "vendor=1,other=2");
    bed.puppet->port(i)->report(report_completed{});
  }
}

} // namespace

TEST_CASE("every task of every plan is in the trace of the request that made its objective",
          "[net][trace]") {
  const net_bed bed{{}, "puppet"};
  const std::string trace =
      std::string{"traceparent: "} + parent + "\r\ntracestate: vendor=1\r\ntracestate: other=2\r\n";
  const auto post = [&](std::string_view path, const std::string& body,
                        const std::string& version) {
    const auto answer = bed.connect().request("POST", path, body, version + trace);
    INFO(answer.body);
    REQUIRE(answer.status == 200);
  };
  SECTION("objectives/create") {
    post("/", rpc("objectives/create", two_plans), version_1_0);
    check_orders(bed, 3);
  }
  SECTION("plans that are added later") {
    const auto add = [&](const std::string& method, const std::string& params) {
      const auto answer = bed.connect().request("POST", "/", rpc(method, params), version_1_0);
      INFO(answer.body);
      CHECK(answer.body.find("\"error\"") == std::string::npos);
    };
    post("/",
         rpc("objectives/create",
             R"({"id":"o","name":"o","start":true,"plans":[{"name":"p","tasks":)"
             R"([{"name":"a","agent":"puppet"}]}]})"),
         version_1_0);
    static_cast<void>(bed.puppet->asked(0)); // It goes on until the others have begun.
    add("plans/create", R"({"objectiveId":"o","name":"q","start":true,"tasks":)"
                        R"([{"name":"b","agent":"puppet"}]})");
    static_cast<void>(bed.puppet->asked(1));
    add("SendMessage",
        R"({"message":{"messageId":"m","role":"ROLE_USER","contextId":"o","parts":[{"text":"go"}]},)"
        R"("configuration":{"returnImmediately":true},"metadata":{"opt/v1/plan":)"
        R"({"name":"r","tasks":[{"name":"c","agent":"puppet"}]}}})");
    check_orders(bed, 3);
  }
  SECTION("a message in 1.0 over JSON-RPC") {
    post("/",
         rpc("SendMessage",
             text_message("go", "",
                          std::string{R"(,"configuration":{"returnImmediately":true},)"}
                              + plan_of_message)),
         version_1_0);
    check_orders(bed, 2);
  }
  SECTION("a message in 1.0 over REST") {
    post("/message:send",
         text_message("go", "",
                      std::string{R"(,"configuration":{"returnImmediately":true},)"}
                          + plan_of_message),
         version_1_0);
    check_orders(bed, 2);
  }
  SECTION("a message in 0.3 over JSON-RPC") {
    post("/",
         rpc("message/send",
             std::string{R"({"message":{"kind":"message","messageId":"m","role":"user",)"
                         R"("parts":[{"kind":"text","text":"go"}]},)"
                         R"("configuration":{"blocking":false},)"}
                 + plan_of_message + "}"),
         "");
    check_orders(bed, 2);
  }
  SECTION("a message in 0.3 over REST") {
    post("/v1/message:send",
         std::string{R"({"message":{"messageId":"m","role":"ROLE_USER","content":[{"text":"go"}]},)"
                     R"("configuration":{"blocking":false},)"}
             + plan_of_message + "}",
         "");
    check_orders(bed, 2);
  }
}
