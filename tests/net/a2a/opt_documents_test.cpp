// The requests that the document of the Objective-Plan-Task extension and its design print, byte
// for byte and in their order, to a server whose default agent never ends by itself. An answer has
// at least what the documents print.
#include "tests/net/json_shape.hpp"
#include "tests/net/net_bed.hpp"
#include "tests/support/answer_in_time.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <future>
#include <memory>

using namespace troupe;
using namespace troupe::testing;
using Catch::Matchers::Contains;

namespace {

constexpr const char* extension_line =
    "A2A-Extensions: https://github.com/zeroasterisk/a2a-opt/v1\r\n";

constexpr const char* activation = R"({
  "jsonrpc": "2.0",
  "method": "message/send",
  "id": "1",
  "params": {
    "message": {
      "role": "user",
      "parts": [{"text": "Plan a birthday party for 20 people"}],
      "metadata": {
        "opt/v1/objective": {
          "id": "obj-123",
          "name": "Plan birthday party",
          "status": "submitted"
        }
      }
    }
  }
})";

struct document_bed : net_bed {
  explicit document_bed(const std::string& default_agent = "puppet") : net_bed({}, default_agent) {}

  /// The whole answer to a printed body, sent to a path with the header of the extension alone.
  [[nodiscard]] http_answer ask(const std::string& path, const std::string& body) const {
    return connect().request("POST", path, body, extension_line);
  }
  /// Checks that the answer has the shape, and returns it.
  boost::json::value expect(const std::string& body, const std::string& shape,
                            const std::string& path = "/") const {
    const auto answer = ask(path, body);
    INFO(body << "\n" << answer.body);
    CHECK(answer.status == 200);
    auto found = boost::json::parse(answer.body);
    CHECK(misfit(found, boost::json::parse(shape)) == "");
    return found;
  }
  [[nodiscard]] boost::json::value read(const std::string& id) const {
    return result_of("objectives/get", R"({"id":")" + id + "\"}").at("objective");
  }
  /// A message with these metadata, in 0.3 with the extension.
  [[nodiscard]] boost::json::value send_again(const std::string& metadata,
                                              const std::string& text = "hello",
                                              const std::string& more = "") const {
    return call(rpc("message/send",
                    R"({"message":{"messageId":"m","role":"user","parts":[{"kind":"text","text":")"
                        + text + R"("}],"metadata":{)" + metadata + "}" + more + "}}"),
                extension_line);
  }
};

/// An objective of somebody else.
void create_of_alice(const net_bed& bed, const char* id) {
  create_objective command;
  command.who.id = "alice";
  command.spec.id = objective_id{id};
  command.spec.name = "hers";
  const auto made = std::make_shared<std::promise<bool>>();
  bed.main_gateway->create(std::move(command), nullptr, [made](const result<objective_ptr>& how) {
    made->set_value(how.has_value());
  });
  REQUIRE(answer_in_time(made->get_future()));
}

} // namespace

TEST_CASE("O1_activation, O2_create, O3_get, O4_list, O5_plan_create, O6_plan_update: the requests "
          "that the extension's document prints, in its order",
          "[net][opt][documents]") {
  const document_bed bed;

  // O1_activation. Its path is any, its message has no id, its parts no kind.
  const auto activated = bed.ask("/agents/planner", activation);
  INFO(activated.body);
  CHECK(activated.header("a2a-extensions") == "https://github.com/zeroasterisk/a2a-opt/v1");
  const auto begun = boost::json::parse(activated.body);
  CHECK(misfit(begun, boost::json::parse(R"({"jsonrpc": "2.0", "id": "1", "result": {
    "id": "<string>", "contextId": "obj-123", "status": {"state": "working", "timestamp": "<time>"},
    "metadata": {"opt/v1/objectiveId": "obj-123", "opt/v1/planId": "<string>", "opt/v1/taskIndex": 0},
    "objective": {"id": "obj-123", "name": "Plan birthday party", "status": "working",
      "plans": [{"objectiveId": "obj-123"}],
      "createdAt": "<time>", "updatedAt": "<time>"}}})"))
        == "");
  // The answer does not wait for the plan and its two tasks, which begin by themselves.
  REQUIRE(comes_true([&] {
    const auto now = bed.read("obj-123");
    return at(now, "/plans/0/tasks/0/status") == "working"
           && at(now, "/plans/0/tasks/1/status") == "working";
  }));

  // O2_create
  bed.expect(R"({
  "jsonrpc": "2.0",
  "method": "objectives/create",
  "id": "1",
  "params": {
    "name": "Plan birthday party",
    "description": "Organize a party for 20 guests"
  }
})",
             R"({"jsonrpc": "2.0", "id": "1", "result": {"objective": {"id": "<string>",
    "name": "Plan birthday party", "description": "Organize a party for 20 guests",
    "status": "submitted", "plans": [], "createdAt": "<time>", "updatedAt": "<time>"}}})");

  // O3_get
  constexpr const char* get = R"({
  "jsonrpc": "2.0",
  "method": "objectives/get",
  "id": "2",
  "params": {
    "id": "obj-123",
    "includePlans": true,
    "includeTasks": true
  }
})";
  bed.expect(get, R"({"jsonrpc": "2.0", "id": "2", "result": {"objective": {"id": "obj-123",
    "name": "Plan birthday party", "status": "working", "plans": [{"id": "<string>", "status": "working",
    "name": "Venue and catering", "tasks": [
      {"id": "<string>", "name": "Research venues", "status": "working"},
      {"id": "<string>", "name": "Get catering quotes", "status": "working"}]}]}}})");
  const auto usual = bed.read("obj-123");
  CHECK(at(usual, "/plans/0/tasks/0/status") == "working"); // both flags are true if absent

  // O4_list
  const auto page = bed.expect(R"({
  "jsonrpc": "2.0",
  "method": "objectives/list",
  "id": "3",
  "params": {
    "status": "working",
    "pageSize": 10
  }
})",
                               R"({"jsonrpc": "2.0", "id": "3", "result": {
    "objectives": [{"id": "obj-123", "status": "working"}], "nextPageToken": "<none>"}})");
  CHECK(at(page, "/result/totalSize") == "1");

  // O5_plan_create
  bed.expect(R"({
  "jsonrpc": "2.0",
  "method": "plans/create",
  "id": "4",
  "params": {
    "objectiveId": "obj-123",
    "name": "Venue and catering",
    "tasks": [
      {"name": "Research venues", "description": "Find 3 options"},
      {"name": "Get catering quotes", "description": "Budget: $500"}
    ]
  }
})",
             R"({"jsonrpc": "2.0", "id": "4", "result": {"plan": {"id": "<string>",
    "objectiveId": "obj-123", "name": "Venue and catering", "status": "<pending|working>",
    "tasks": [{"id": "<string>", "name": "Research venues", "description": "Find 3 options"},
      {"id": "<string>", "name": "Get catering quotes", "description": "Budget: $500"}],
    "createdAt": "<time>", "updatedAt": "<time>"}}})");

  // O6_plan_update: of a plan that works. What is not done is canceled.
  static_cast<void>(bed.result_of("plans/create", R"({"objectiveId":"obj-123","id":"plan-456",)"
                                                  R"("name":"Guests","tasks":[{"name":"List"}]})"));
  constexpr const char* update = R"({
  "jsonrpc": "2.0",
  "method": "plans/update",
  "id": "5",
  "params": {
    "id": "plan-456",
    "status": "completed"
  }
})";
  REQUIRE(comes_true([&] { return at(bed.read("obj-123"), "/plans/2/status") == "working"; }));
  constexpr const char* completed = R"({"jsonrpc": "2.0", "id": "5", "result": {"plan": {
    "id": "plan-456", "status": "completed", "tasks": [{"name": "List", "status": "canceled"}]}}})";
  bed.expect(update, completed);
  // Once more changes nothing.
  bed.expect(update, completed);
}

TEST_CASE("O6_plan_update: a plan that has not begun is completed as well",
          "[net][opt][documents]") {
  const document_bed bed;
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"obj-123","name":"o","plans":[{"id":"plan-456","name":"p","tasks":[{"name":"t"}]}]})"));
  bed.expect(
      R"({"jsonrpc":"2.0","method":"plans/update","id":"5","params":{"id":"plan-456","status":"completed"}})",
      R"({"id": "5", "result": {"plan": {"id": "plan-456", "status": "completed",
        "tasks": [{"status": "canceled"}]}}})");
  CHECK(at(bed.read("obj-123"), "/status") == "submitted");
}

TEST_CASE(
    "O1_again: the activation that comes again joins its objective, and changes nothing of it",
    "[net][opt][documents]") {
  const document_bed bed;
  const auto root =
      at(boost::json::parse(bed.ask("/agents/planner", activation).body), "/result/id");
  REQUIRE(comes_true([&] { // Both tasks of the template.
    return at(bed.read("obj-123"), "/plans/0/tasks/0/status") == "working"
           && at(bed.read("obj-123"), "/plans/0/tasks/1/status") == "working";
  }));
  const auto before = bed.read("obj-123");
  SECTION("as it was sent") {
    const auto again = boost::json::parse(bed.ask("/agents/planner", activation).body);
    INFO(again);
    CHECK(at(again, "/result/id") == root);
    CHECK(at(again, "/result/status/state") == "working");
    CHECK(at(again, "/result/objective/id") == "obj-123");
    CHECK(bed.read("obj-123").at("plans") == before.at("plans"));
  }
  SECTION("over REST and as a stream, under 1.0") {
    const auto message = text_message(
        "more", R"(,"metadata":{"opt/v1/objective":{"id":"obj-123","name":"another name"}})",
        R"(,"configuration":{"returnImmediately":true})");
    const auto rest =
        bed.connect().request("POST", "/message:send", message, "A2A-Version: 1.0\r\n");
    CHECK(at(boost::json::parse(rest.body), "/task/id") == root);
    auto client = bed.connect();
    client.send(
        http_client::request_text("POST", "/message:stream", message, "A2A-Version: 1.0\r\n"));
    REQUIRE(client.receive_head().header("content-type") == "text/event-stream");
    CHECK(at(boost::json::parse(client.next_event().value()), "/task/id") == root);
    CHECK(at(bed.read("obj-123"), "/name") == "Plan birthday party");
    CHECK(at(bed.read("obj-123"), "/plans/1") == "(none)");
  }
  SECTION("with plans, of which it has one, and one beside the objective") {
    const std::string plans = R"("opt/v1/objective":{"id":"obj-123","name":"n","plans":[)"
                              R"({"name":"Venue and catering","tasks":[{"name":"x"}]},)"
                              R"({"id":"cake","name":"Cake","tasks":[{"name":"Bake"}]}]},)"
                              R"("opt/v1/plan":{"name":"Music","tasks":[{"name":"Choose"}]})";
    for (int turn = 0; turn < 2; ++turn) {
      const auto again = bed.send_again(plans);
      INFO(again);
      CHECK(at(again, "/result/id") == root);
      const auto now = bed.read("obj-123");
      CHECK(at(now, "/plans/0") == at(before, "/plans/0"));
      CHECK(at(now, "/plans/1/id") == "cake");
      CHECK(at(now, "/plans/2/name") == "Music");
      CHECK(at(now, "/plans/3") == "(none)");
    }
    CHECK(bed.puppet->asked(2)->name != "x");
  }
  SECTION("in a context that is another one") {
    const auto refused = bed.send_again(R"("opt/v1/objective":{"id":"obj-123","name":"n"})", "x",
                                        R"(,"contextId":"c")");
    CHECK(at(refused, "/error/code") == "-32602");
  }
  SECTION("with a plan that cannot be added") {
    const auto refused = bed.send_again(
        R"("opt/v1/objective":{"id":"obj-123","name":"n","plans":[{"name":"late","dependencies":["nix"],)"
        R"("tasks":[{"name":"x"}]}]})");
    CHECK(at(refused, "/error/code") == "-32602");
    CHECK_THAT(at(refused, "/error/message"), Contains("UNKNOWN_DEPENDENCY"));
    CHECK(at(bed.read("obj-123"), "/plans/1") == "(none)");
  }
  SECTION("after it has ended") {
    static_cast<void>(
        bed.result_of("objectives/update", R"({"id":"obj-123","status":"canceled"})"));
    const auto refused = boost::json::parse(bed.ask("/agents/planner", activation).body);
    CHECK(at(refused, "/error/code") == "-32004");
    CHECK_THAT(at(refused, "/error/message"), Contains("the objective is canceled"));
    const auto with_plan = bed.send_again(R"("opt/v1/plan":{"name":"late","tasks":[{"name":"x"}]})",
                                          "x", R"(,"contextId":"obj-123")");
    CHECK(at(with_plan, "/error/code") == "-32004");
    CHECK_THAT(at(with_plan, "/error/message"), Contains("the objective is canceled"));
    CHECK(at(bed.read("obj-123"), "/plans/1") == "(none)");
  }
}

TEST_CASE("O1_again: an objective without plans begins with what the message says",
          "[net][opt][documents]") {
  const document_bed bed;
  static_cast<void>(bed.result_of("objectives/create", R"({"id":"obj-123","name":"Party"})"));
  const auto sent = boost::json::parse(bed.ask("/agents/planner", activation).body);
  INFO(sent);
  CHECK(at(sent, "/result/metadata/opt~1v1~1objectiveId") == "obj-123");
  const auto now = bed.read("obj-123");
  CHECK(at(now, "/status") == "working");
  CHECK(at(now, "/name") == "Party");
  CHECK(at(now, "/plans/0/tasks/0/id") == at(sent, "/result/id"));
  CHECK(bed.puppet->asked(0)->description == "Plan a birthday party for 20 people");
}

TEST_CASE("O1_again: an objective with plans begins with them", "[net][opt][documents]") {
  const document_bed bed;
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"obj-123","name":"Party","plans":[{"name":"empty","tasks":[]},{"name":"p","tasks":[{"name":"w"}]}]})"));
  const auto sent = boost::json::parse(bed.ask("/agents/planner", activation).body);
  INFO(sent);
  CHECK(at(sent, "/result/id") == at(bed.read("obj-123"), "/plans/1/tasks/0/id"));
  CHECK(bed.puppet->asked(0)->name == "w");
  CHECK(at(bed.read("obj-123"), "/plans/2") == "(none)");
}

TEST_CASE("O1_again: the objective of somebody else is not joined", "[net][opt][documents]") {
  const document_bed bed;
  create_of_alice(bed, "obj-123");
  const auto refused = boost::json::parse(bed.ask("/agents/planner", activation).body);
  CHECK(at(refused, "/error/code") == "-32602");
  CHECK_THAT(at(refused, "/error/message"), Contains("DUPLICATE_ID"));
}

TEST_CASE("D4_hierarchy: an objective is read as the design prints it", "[net][opt][documents]") {
  const document_bed bed;
  static_cast<void>(bed.send_again(
      R"("opt/v1/objective":{"id":"obj-abc","name":"Research AI safety papers and write a summary",)"
      R"("plans":[{"id":"plan-001","name":"Research","tasks":[{"id":"task-001","name":"Search papers"},)"
      R"({"id":"task-002","name":"Summarize findings","dependencies":["task-001"]}]},)"
      R"({"id":"plan-002","name":"Writing","dependencies":["plan-001"],"tasks":[)"
      R"({"id":"task-003","name":"Write summary"}]}]})"));
  static_cast<void>(bed.puppet->port(0));
  REQUIRE(
      comes_true([&] { return at(bed.read("obj-abc"), "/plans/0/tasks/0/status") == "working"; }));
  const auto answer = bed.expect(R"({
  "jsonrpc": "2.0",
  "method": "objectives/get",
  "id": 2,
  "params": {
    "id": "obj-abc",
    "includePlans": true,
    "includeTasks": true
  }
})",
                                 R"({
  "jsonrpc": "2.0",
  "id": 2,
  "result": {
    "objective": {
      "id": "obj-abc",
      "name": "Research AI safety papers and write a summary",
      "status": "working",
      "plans": [
        {
          "id": "plan-001",
          "name": "Research",
          "status": "working",
          "tasks": [
            {"id": "task-001", "name": "Search papers", "status": "working"},
            {"id": "task-002", "name": "Summarize findings", "status": "pending"}
          ]
        },
        {
          "id": "plan-002",
          "name": "Writing",
          "status": "pending",
          "tasks": [
            {"id": "task-003", "name": "Write summary", "status": "pending"}
          ]
        }
      ]
    }
  }
})");
  // What a summary always has.
  CHECK(misfit(answer.at("result").at("objective").at("plans").at(1).at("tasks").at(0),
               boost::json::parse(R"({"objectiveId": "obj-abc", "planId": "plan-002",
                 "taskIndex": 0, "dependencies": []})"))
        == "");
}

TEST_CASE("O1_again: if one of several plans cannot be added, none is", "[net][opt][documents]") {
  const document_bed bed;
  static_cast<void>(bed.ask("/agents/planner", activation));
  const auto refused =
      bed.send_again(R"("opt/v1/objective":{"id":"obj-123","name":"n","plans":[)"
                     R"({"id":"cake","name":"Cake","tasks":[{"name":"Bake"}]},)"
                     R"({"name":"late","dependencies":["nix"],"tasks":[{"name":"x"}]}]})");
  CHECK_THAT(at(refused, "/error/message"), Contains("UNKNOWN_DEPENDENCY"));
  CHECK(at(bed.read("obj-123"), "/plans/1") == "(none)");
  CHECK(at(bed.read("obj-123"), "/revision") == "0");
  const auto taken =
      bed.send_again(R"("opt/v1/objective":{"id":"obj-123","name":"n","plans":[)"
                     R"({"id":"cake","name":"Cake","tasks":[{"name":"Bake"}]},)"
                     R"({"name":"late","dependencies":["cake"],"tasks":[{"name":"x"}]}]})");
  CHECK(at(taken, "/error") == "(none)");
  CHECK(at(bed.read("obj-123"), "/plans/2/dependencies/0") == "cake");
  CHECK(at(bed.read("obj-123"), "/revision") == "1");
}

TEST_CASE("O1_again: of two first activations at once, one makes the objective and the other "
          "joins it",
          "[net][opt][documents]") {
  const document_bed bed;
  constexpr int rounds = 20;
  for (int round = 0; round < rounds; ++round) {
    const auto id = "twice-" + std::to_string(round);
    const auto sent = [&](const std::string& plan) {
      return rpc("SendMessage",
                 text_message("go",
                              R"(,"metadata":{"opt/v1/objective":{"id":")" + id
                                  + R"(","name":"n","plans":[{"id":")" + id + plan + R"(","name":")"
                                  + plan + R"(","tasks":[{"name":"t","agent":"puppet"}]}]}})",
                              R"(,"configuration":{"returnImmediately":true})"));
    };
    auto one = bed.connect();
    auto two = bed.connect();
    one.send(http_client::post_text(sent("a")));
    two.send(http_client::post_text(sent("b")));
    const auto first = boost::json::parse(one.receive().body);
    const auto second = boost::json::parse(two.receive().body);
    INFO(first << "\n" << second);
    CHECK(at(first, "/error") == "(none)");
    CHECK(at(second, "/error") == "(none)");
    CHECK(at(first, "/result/task/id") == at(second, "/result/task/id"));
    const auto now = bed.read(id);
    CHECK(now.at("plans").as_array().size() == 2);
  }
}
