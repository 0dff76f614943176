// inputs/subscribe: questions as server-sent events.
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"

#include <boost/json/parse.hpp>

#include <memory>
#include <string>

using namespace troupe;
using namespace troupe::testing;
namespace json = boost::json;

namespace {

/// Two tasks of the puppet in one plan, and one in another.
constexpr const char* tour = R"({"id":"tour","name":"Tour","start":true,"plans":[
  {"name":"p","tasks":[{"name":"a","agent":"puppet"},{"name":"b","agent":"puppet"}]},
  {"name":"q","tasks":[{"name":"c","agent":"puppet"}]}]})";

constexpr const char* of_a = "tour.p0.t0.question-1";
constexpr const char* of_b = "tour.p0.t1.question-1";
constexpr const char* of_c = "tour.p1.t0.question-1";

/// The task of that name asks, and its question is open.
void ask_as(const net_bed& bed, std::string_view name, const std::string& id) {
  for (std::size_t i = 0; i < 3; ++i)
    if (bed.puppet->asked(i)->name == name)
      bed.puppet->port(i)->report(report_question{"?", false, "key"});
  REQUIRE(comes_true([&] {
    const auto shown = bed.call(rpc("inputs/get", R"({"id":")" + id + "\"}"));
    return at(shown, "/result/input/state") == "open";
  }));
}

void answer_yes(const net_bed& bed, const std::string& id) {
  static_cast<void>(bed.result_of("inputs/answer", R"({"id":")" + id + R"(","value":"yes"})"));
}

json::value next_event(http_client& from) {
  auto piece = from.next_piece();
  while (piece && piece->starts_with(':'))
    piece = from.next_piece();
  REQUIRE(piece);
  REQUIRE(piece->starts_with("data: "));
  return json::parse(piece->substr(6));
}

http_client watch_inputs(const net_bed& bed, const std::string& query) {
  auto client = bed.connect();
  client.send(
      http_client::request_text("GET", "/inputs:subscribe" + query, "", "A2A-Version: 1.0\r\n"));
  REQUIRE(client.receive_head().status == 200);
  return client;
}

} // namespace

TEST_CASE("Q10_subscribe: the open questions are shown, then each that changes",
          "[net][opt][question][sse]") {
  const std::string way = GENERATE("rpc", "rest", "rest 0.3");
  CAPTURE(way);
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", tour));
  ask_as(bed, "a", of_a);
  auto client = bed.connect();
  if (way == "rpc")
    client.send(http_client::post_text(rpc("inputs/subscribe", "{}")));
  else if (way == "rest")
    client.send(http_client::request_text("POST", "/inputs:subscribe", "", "A2A-Version: 1.0\r\n"));
  else
    client.send(http_client::request_text("GET", "/v1/inputs:subscribe", "", ""));
  CHECK(client.receive_head().header("content-type") == "text/event-stream");
  const std::string result = way == "rpc" ? "/result" : "";
  const auto next = [&] {
    const auto shown = next_event(client);
    return at(shown, result + "/input/id") + " " + at(shown, result + "/input/state");
  };
  CHECK(at(next_event(client), result + "/inputs/totalSize") == "1");
  CHECK(next() == std::string(of_a) + " open");
  ask_as(bed, "b", of_b);
  CHECK(next() == std::string(of_b) + " open");
  answer_yes(bed, of_a);
  CHECK(next() == std::string(of_a) + " answered");
  for (std::size_t i = 0; i < 3; ++i)
    if (bed.puppet->asked(i)->name == "b")
      bed.puppet->port(i)->report(report_withdrawal{"key", "found out"});
  CHECK(next() == std::string(of_b) + " withdrawn");
}

TEST_CASE("Q10_subscribe: a subscription may be for one objective, plan or task",
          "[net][opt][question][sse]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", tour));
  ask_as(bed, "a", of_a);
  const std::string query =
      GENERATE("?planId=tour.p1", "?taskId=tour.p1.t0", "?objectiveId=tour&taskId=tour.p1.t0");
  CAPTURE(query);
  auto client = watch_inputs(bed, query);
  CHECK(at(next_event(client), "/inputs/totalSize") == "0");
  answer_yes(bed, of_a); // not shown
  ask_as(bed, "c", of_c);
  CHECK(at(next_event(client), "/input/id") == of_c);
  auto other = watch_inputs(bed, "?objectiveId=other");
  CHECK(at(next_event(other), "/inputs/totalSize") == "0");
  auto refused = bed.connect();
  CHECK(refused.request("GET", "/inputs:subscribe?planId=none", "", "A2A-Version: 1.0\r\n").status
        == 404);
}

TEST_CASE("Q10_subscribe: all open questions are listed, however many pages they are",
          "[net][opt][question][sse]") {
  const net_bed bed;
  constexpr int count = 120;
  std::string tasks;
  for (int i = 0; i < count; ++i)
    tasks +=
        (i == 0 ? "" : ",")
        + std::string(R"({"name":"t","agent":"scripted","input":{"steps":[{"ask":"which?"}]}})");
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"many","name":"m","start":true,"plans":[{"name":"p","tasks":[)" + tasks + "]}]}"));
  REQUIRE(comes_true([&] {
    return at(bed.result_of("inputs/list", "{}"), "/totalSize") == std::to_string(count);
  }));
  auto client = watch_inputs(bed, "?objectiveId=many&pageSize=7");
  CHECK(at(next_event(client), "/inputs/totalSize") == std::to_string(count));
  for (int i = 0; i < count; ++i)
    CHECK(at(next_event(client), "/input/state") == "open");
}

TEST_CASE("Q10_subscribe: who watches questions hears of claims", "[net][opt][question][sse]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", tour));
  ask_as(bed, "a", of_a);
  auto client = watch_inputs(bed, "");
  CHECK(at(next_event(client), "/inputs/totalSize") == "1");
  CHECK(at(next_event(client), "/input/id") == of_a);
  static_cast<void>(
      bed.result_of("inputs/claim", R"({"id":")" + std::string(of_a) + R"(","by":"anna"})"));
  CHECK(at(next_event(client), "/input/claim/by") == "anna");
  static_cast<void>(
      bed.result_of("inputs/release", R"({"id":")" + std::string(of_a) + R"(","by":"anna"})"));
  CHECK(at(next_event(client), "/input/claim") == "(none)");
}

TEST_CASE("Q10_subscribe: who watches questions does not hold the tasks that have asked",
          "[net][opt][question][sse][memory]") {
  const net_bed bed({}, "puppet", make_memory_store({.tasks = 0})); // None that has ended.
  static_cast<void>(bed.result_of("objectives/create", tour));
  constexpr const char* task = "tour.p0.t0";
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", R"({"id":"tour.p0.t0"})"), "/status/state")
           == "TASK_STATE_WORKING";
  }));
  static_cast<void>(
      bed.result_of("SendMessage", text_message("more", R"(,"taskId":"tour.p0.t0")",
                                                R"(,"configuration":{"returnImmediately":true})")));
  CHECK(bed.puppet->input(0) == "more");
  std::weak_ptr<const message> said;
  REQUIRE(comes_true([&] {
    const auto record = find_task(*bed.records, task_id{task});
    if (record && !record->history.empty())
      said = record->history.back();
    return !said.expired();
  }));
  ask_as(bed, "a", of_a);
  auto client = watch_inputs(bed, "");
  CHECK(at(next_event(client), "/inputs/totalSize") == "1");
  CHECK(at(next_event(client), "/input/id") == of_a);
  answer_yes(bed, of_a);
  for (std::size_t i = 0; i < 3; ++i)
    if (bed.puppet->asked(i)->name == "a")
      bed.puppet->port(i)->report(report_completed{});
  CHECK(comes_true([&] { return said.expired(); }));
}
