// Bad input, given to the real binary: every answer is an error that says what
// and where, the server lives on, and what was there before is there after it. What the codecs and
// the HTTP layer say to each is tested in their rooms.
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <csignal>
#include <functional>

using namespace troupe::testing;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

constexpr const char* good_plan =
    R"({"name":"x","plans":[{"name":"p","tasks":[{"name":"a","agent":"echo","input":{"text":"hi"},"dependencies":[]}]}]})";
constexpr const char* good_send =
    R"({"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m","role":"ROLE_USER",)"
    R"("parts":[{"text":"hi"},{"data":{"a":[1,{"b":2}]}}],"metadata":{"x":{"y":[1]}}}}})";
constexpr const char* good_create =
    R"({"jsonrpc":"2.0","id":1,"method":"objectives/create","params":{"name":"o","start":true,"plans":[{"name":"p","tasks":[)"
    R"({"name":"a","agent":"noop","input":{},"dependencies":[],"retry":{"maxAttempts":1},"timeout":1}]}]}})";
constexpr const char* good_list =
    R"({"jsonrpc":"2.0","id":1,"method":"ListTasks","params":{"contextId":"c","status":"TASK_STATE_WORKING","pageSize":2,)"
    R"("historyLength":1,"includeArtifacts":true}})";

/// A server with a task that must still be there in the end.
class served_with_task {
public:
  served_with_task() : kept_(at(result_of(server_.client().post(good_send)), "/task/id")) {}

  [[nodiscard]] http_client client() const { return server_.client(); }

  /// The task made first is as it was, and the server drains as if nothing had been.
  void check_alive() {
    CHECK(server_.state_of(kept_) == "TASK_STATE_COMPLETED");
    CHECK(server_.stop() == 0);
  }

private:
  temporary_directory place_;
  served server_{{"--data", place_ / "data"}};
  std::string kept_;
};

/// The code of the JSON-RPC error; 0 for a result.
std::int64_t code_of(const http_answer& answer) {
  INFO(answer.status << " " << answer.body);
  CHECK(answer.status == 200);
  const auto body = json::parse(answer.body);
  const auto* error = body.as_object().if_contains("error");
  if (error)
    CHECK_FALSE(error->at("message").as_string().empty());
  return error ? error->at("code").to_number<std::int64_t>() : 0;
}

using visit_fn = std::function<void(const json::value& whole)>;

/// Calls `visit` with `whole`, in which `here` (a place in it) and everything below it is replaced
/// by each wrong value in turn.
void each_mutant(const json::value& whole, json::value& here, const visit_fn& visit) {
  static const json::array wrong{nullptr,
                                 5,
                                 -1.5,
                                 1e300,
                                 "text",
                                 true,
                                 json::array{},
                                 json::object{},
                                 json::array{json::array{}},
                                 json::object{{"z", 1}}};
  const json::value was = here;
  for (const auto& value : wrong) {
    here = value;
    visit(whole);
  }
  here = was;
  if (auto* object = here.if_object())
    for (auto& member : *object)
      each_mutant(whole, member.value(), visit);
  if (auto* array = here.if_array())
    for (auto& element : *array)
      each_mutant(whole, element, visit);
}

std::string cycle_of(std::size_t tasks) {
  std::string out = R"({"name":"p","tasks":[)";
  for (std::size_t i = 0; i < tasks; ++i)
    out += (i ? "," : "") + (R"({"id":"t)" + std::to_string(i))
           + R"(","name":"t","agent":"noop","dependencies":["t)" + std::to_string((i + 1) % tasks)
           + "\"]}";
  return out + "]}";
}

std::string nested(std::size_t levels) {
  return std::string(levels, '[') + std::string(levels, ']');
}

} // namespace

TEST_CASE("a request that breaks off anywhere is invalid JSON and the server lives on",
          "[apps][bad_input]") {
  served_with_task server;
  auto client = server.client();
  const std::string whole{good_send};
  for (std::size_t length = 0; length < whole.size(); ++length)
    CHECK(code_of(client.post(whole.substr(0, length))) == -32700);
  server.check_alive();
}

TEST_CASE("a wrong value anywhere in a request is answered, never with an internal error",
          "[apps][bad_input]") {
  served_with_task server;
  auto client = server.client();
  std::size_t refused = 0;
  for (const auto* text : {good_send, good_create, good_list}) {
    auto whole = json::parse(text);
    each_mutant(whole, whole, [&](const json::value& mutant) {
      const auto request = json::serialize(mutant);
      INFO(request);
      const auto code = code_of(client.post(request));
      CHECK(code != -32603);
      refused += code != 0;
    });
  }
  CHECK(refused > 100);
  server.check_alive();
}

TEST_CASE("a file that is too deep, too long, not UTF-8 or has a cycle is refused by name",
          "[apps][bad_input]") {
  served_with_task server;
  const auto answer = [&](const std::string& request) { return server.client().post(request); };
  const auto says = [](const http_answer& http_answer, const std::string& text) {
    return http_answer.body.find(text) != std::string::npos;
  };

  const auto deep = answer(request_of("SendMessage", nested(10'000)));
  CHECK(code_of(deep) == -32700);
  CHECK(says(deep, "limits.json-depth"));
  const auto bytes = answer(request_of("SendMessage", "{\"message\":{\"messageId\":\"\xff\"}}"));
  CHECK(code_of(bytes) == -32700);
  CHECK(says(bytes, "UTF-8"));
  const auto id = answer(request_of("GetTask", R"({"id":")" + std::string(1'000'000, 'i') + "\"}"));
  CHECK(code_of(id) == -32602);
  CHECK(says(id, "longer than 256 bytes"));
  CHECK(id.body.size() < 10'000);
  const auto circle =
      answer(request_of("objectives/create", R"({"name":"o","plans":[)" + cycle_of(10'000) + "]}"));
  CHECK(code_of(circle) == -32602);
  CHECK(says(circle, "form a cycle"));
  CHECK(circle.body.size() < 10'000);

  auto large = server.client();
  large.try_send("POST / HTTP/1.1\r\nHost: localhost\r\nContent-Type: "
                 "application/json\r\nContent-Length: 100000000\r\n\r\n");
  const auto refused = large.receive();
  CHECK(refused.status == 413);
  CHECK(says(refused, "limits.body-bytes"));
  server.check_alive();
}

TEST_CASE("a plan added to an objective is refused whole for its cycle, and the objective stays as "
          "it was",
          "[apps][bad_input]") {
  served_with_task server;
  const auto made = server.client().post(request_of("objectives/create", R"({"name":"o"})"));
  REQUIRE(code_of(made) == 0);
  const std::string id =
      json::parse(made.body).at("result").at("objective").at("id").as_string().c_str();
  auto plan = cycle_of(10'000);
  plan.insert(1, R"("objectiveId":")" + id + "\",");
  const auto circle = server.client().post(request_of("plans/create", plan));
  CHECK(code_of(circle) == -32602);
  CHECK(circle.body.find("form a cycle") != std::string::npos);
  const auto after = json::parse(
      server.client().post(request_of("objectives/get", R"({"id":")" + id + "\"}")).body);
  const auto& objective = after.at("result").at("objective").as_object();
  const auto* plans = objective.if_contains("plans");
  CHECK((!plans || plans->as_array().empty()));
  server.check_alive();
}

TEST_CASE("a file that is no plan is refused with 2 and the place of any mistake",
          "[apps][bad_input]") {
  const temporary_directory place;
  const auto refusal = [&](const std::string& text) {
    const auto path = place.file("plan.json", text);
    const auto outcome = run_program({troupe_binary(), "run", path, "--store", "memory"});
    INFO(text.substr(0, 200));
    CHECK(outcome.code == 2);
    CHECK(outcome.out.empty());
    CHECK(outcome.err.starts_with("troupe: " + path + ": "));
    CHECK(outcome.err.size() < 1000);
    return outcome.err;
  };
  const auto says = [&](const std::string& text, const std::string& subject) {
    const auto why = refusal(text);
    INFO(why);
    CHECK(why.find(subject) != std::string::npos);
  };

  const std::string whole{good_plan};
  for (std::size_t length = 1; length < whole.size(); length += 7)
    refusal(whole.substr(0, length));
  says("", "empty");
  says(std::string(3, '\0'), "line 1, column 1");
  says(R"({"name":"x","tasks":[{"name":"a","agent":"echo","input":)" + nested(10'000) + "}]}",
       "nested deeper than");
  says("{\"name\":\"\xff\"}", "not valid UTF-8");
  says(R"({"name":"x","tasks":[{"name":"a","agnet":"echo"}]})", "did you mean \"agent\"?");
  says(R"({"name":"x","tasks":[{"name":"a","agent":["echo"]}]})", "/tasks/0/agent");
  says(R"({"name":"x","tasks":[{"name":"a","id":")" + std::string(1'000'000, 'i') + "\"}]}",
       "1 to 256 bytes");
  says(cycle_of(10'000), "form a cycle");
}
