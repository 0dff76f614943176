// Events of streams, as each version and binding writes them, are read alike.
#include "tests/support/catch.hpp"

#include "sim/views.hpp"

using namespace troupe::sim;

namespace {

std::string in_rpc(const std::string& result) {
  return R"({"jsonrpc":"2.0","id":1,"result":)" + result + "}";
}

const std::string metadata = R"("metadata":{"troupe/v1/cursor":"17.0"})";

} // namespace

TEST_CASE("a status is read alike in each version and binding", "[sim][views]") {
  const auto members = [](const std::string& state) {
    return R"("taskId":"t","contextId":"c","status":{"state":")" + state + R"("},)" + metadata;
  };
  const auto in_1_0 = R"({"statusUpdate":{)" + members("TASK_STATE_CANCELED") + "}}";
  const auto of_rest_0_3 = R"({"statusUpdate":{)" + members("TASK_STATE_CANCELLED") + "}}";
  const auto of_0_3 = R"({"kind":"status-update",)" + members("canceled") + "}";
  for (const auto& data : {in_rpc(in_1_0), in_1_0, of_rest_0_3, in_rpc(of_0_3)}) {
    INFO(data);
    const auto read = read_stream_event(data);
    REQUIRE(read);
    CHECK(read->task == "t");
    CHECK(read->event.kind == event_kind::status);
    CHECK(read->event.task.state == "TASK_STATE_CANCELED");
    CHECK(read->event.cursor == "17.0");
  }
}

TEST_CASE("an output is read alike in each version and binding", "[sim][views]") {
  const auto members = [](const std::string& parts) {
    return R"("taskId":"t","append":true,"artifact":{"artifactId":"out",)" + parts + "},"
           + metadata;
  };
  const auto in_1_0 = R"({"artifactUpdate":{)" + members(R"("parts":[{"text":"a;"}])") + "}}";
  const auto of_0_3 =
      R"({"kind":"artifact-update",)" + members(R"("parts":[{"kind":"text","text":"a;"}])") + "}";
  for (const auto& data : {in_rpc(in_1_0), in_1_0, in_rpc(of_0_3)}) {
    INFO(data);
    const auto read = read_stream_event(data);
    REQUIRE(read);
    CHECK(read->event.kind == event_kind::artifact);
    CHECK(read->event.artifact == "out");
    CHECK(read->event.text == "a;");
    CHECK(read->event.append);
  }
}

TEST_CASE("a snapshot and an error are read alike", "[sim][views]") {
  const std::string task = R"("id":"t","status":{"state":"input-required"},)" + metadata;
  const auto of_0_3 = read_stream_event(in_rpc(R"({"kind":"task",)" + task + "}"));
  REQUIRE(of_0_3);
  CHECK(of_0_3->event.kind == event_kind::snapshot);
  CHECK(of_0_3->event.task.state == "TASK_STATE_INPUT_REQUIRED");
  CHECK(read_stream_event(R"({"error":{"code":503,"message":"m"}})")->error == 503);
  CHECK(read_stream_event(R"({"jsonrpc":"2.0","id":1,"error":{"code":-32001}})")->error == -32001);
}

TEST_CASE("an event of an objective is read alike in each binding", "[sim][views]") {
  const std::string change =
      R"({"change":{"cursor":"9-2","revision":2,"progress":{"fraction":0.5},"events":[)"
      R"({"kind":"plan","planId":"o.p1","name":"p","status":"pending"},)"
      R"({"kind":"task","planId":"o.p0","taskIndex":3,"status":"submitted"},)"
      R"({"kind":"task","planId":"o.p0","taskIndex":3,"status":"working","attempt":1},)"
      R"({"kind":"task","planId":"o.p0","taskIndex":3,"fraction":0.5},)"
      R"({"kind":"tasks","planId":"o.p0","taskIndexes":[4,5],"status":"skipped"},)"
      R"({"kind":"objective","status":"working"}]}})";
  for (const auto& data : {in_rpc(change), change}) {
    INFO(data);
    const auto read = read_objective_event(data);
    REQUIRE(read);
    CHECK(read->event.cursor == "9-2");
    CHECK(read->event.revision == 2);
    CHECK(read->event.fraction == 0.5);
    REQUIRE(read->event.moves.size() == 4);
    CHECK(read->event.moves[0].task == 3);
    CHECK(read->event.moves[0].state == "working");
    CHECK(read->event.moves[2].task == 5);
    CHECK(read->event.moves[3].plan.empty());
  }
  const auto first = read_objective_event(
      R"({"objective":{"id":"o","status":"working","revision":1},"gap":true,"cursor":"7-1"})");
  REQUIRE(first);
  REQUIRE(first->event.whole);
  CHECK(first->event.has_gap);
  CHECK(first->event.revision == 1);
  CHECK(read_objective_event(R"({"error":{"code":503,"message":"m"}})")->error == 503);
  CHECK_FALSE(read_objective_event(R"({"task":{"id":"t"}})"));
}
