// Questions over the wire (docs/questions.md): one answer wins, lists, and the same over REST.
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <array>
#include <chrono>
#include <string>
#include <string_view>

using namespace troupe;
using namespace troupe::testing;
using Catch::Matchers::Contains;

namespace {

/// An objective `trip` with two tasks of the puppet, of a message: so it has a root task, whose id
/// is returned.
std::string begin_trip(const net_bed& bed) {
  constexpr const char* plan =
      R"(,"contextId":"trip","metadata":{"opt/v1/objective":{"id":"trip","name":"Trip","plans":[)"
      R"({"name":"Book","tasks":[{"name":"a","agent":"puppet"},{"name":"b","agent":"puppet"}]}]}})";
  const auto begun = bed.call(rpc(
      "SendMessage", text_message("go", plan, R"(,"configuration":{"returnImmediately":true})")));
  return at(begun, "/result/task/id");
}

/// The task of that name of the trip asks.
void ask(const net_bed& bed, std::string_view name, report_question question) {
  for (std::size_t i = 0; i < 2; ++i)
    if (bed.puppet->asked(i)->name == name)
      bed.puppet->port(i)->report(std::move(question));
}

std::string open_inputs(const net_bed& bed, const std::string& params = "{}") {
  std::string out;
  const auto page = bed.result_of("inputs/list", params);
  for (const auto& one : page.at("inputs").as_array())
    out += (out.empty() ? "" : " ") + at(one, "/id");
  return out;
}

bool comes_open(const net_bed& bed, const std::string& ids) {
  return comes_true([&] { return open_inputs(bed) == ids; });
}

boost::json::value answer(const net_bed& bed, const std::string& id, const std::string& more) {
  return bed.call(rpc("inputs/answer", R"({"id":")" + id + "\"," + more + "}"));
}

std::string reason(const boost::json::value& answered) {
  return at(answered, "/error/data/0/reason");
}

constexpr std::string_view opt_uri = "https://github.com/zeroasterisk/a2a-opt/v1";
constexpr const char* on_friday = "trip.p0.t0.question-1";
constexpr const char* by_sea = "trip.p0.t1.question-1";
constexpr std::string_view at_once = R"(,"configuration":{"returnImmediately":true})";

/// A message to the root task, with these members.
boost::json::value to_root(const net_bed& bed, const std::string& root, const std::string& text,
                           const std::string& metadata) {
  return bed.call(rpc(
      "SendMessage",
      text_message(text, R"(,"taskId":")" + root + R"(","metadata":{)" + metadata + "}", at_once)));
}

} // namespace

TEST_CASE("Q4_one_answer: the first answer wins, however a later one comes",
          "[net][opt][question]") {
  const net_bed bed;
  const auto root = begin_trip(bed);
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  const auto taken = answer(bed, on_friday, R"("value":"yes","by":"anna")");
  CHECK(at(taken, "/result/input/state") == "answered");
  CHECK(at(taken, "/result/input/answer/by") == "anna");
  CHECK(at(taken, "/result/input/answer/value") == "yes");
  CHECK(at(taken, "/result/input/answer/action") == "accept");
  CHECK(bed.puppet->input(0) == "yes");
  const std::string named = R"("opt/v1/inputId":")" + std::string(on_friday) + "\"";
  const std::array late{
      answer(bed, on_friday, R"("value":"no")"),
      to_root(bed, root, "no", named),
      to_root(bed, "trip.p0.t0", "no", named),
      bed.call(rpc("SendMessage",
                   text_message("no",
                                R"(,"contextId":"trip","metadata":{"opt/v1/taskId":"trip.p0.t0",)"
                                    + named + "}",
                                at_once))),
      bed.call(
          rpc("SendMessage",
              text_message("no", R"(,"contextId":"trip","metadata":{)" + named + "}", at_once))),
      bed.call(rpc("SendMessage", text_message("no", R"(,"metadata":{)" + named + "}", at_once))),
  };
  for (const auto& refused : late) {
    CHECK(at(refused, "/error/code") == "-32602");
    CHECK(reason(refused) == "ALREADY_ANSWERED");
    CHECK_THAT(at(refused, "/error/message"), Contains("by \"anna\" at "));
  }
  CHECK(at(bed.result_of("inputs/get", R"({"id":")" + std::string(on_friday) + "\"}"),
           "/input/answer/by")
        == "anna");
}

TEST_CASE("Q4_one_answer: an answer that names its question only is no new order",
          "[net][opt][question]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  const auto send = [&](const std::string& question) {
    return bed.call(
        rpc("SendMessage",
            text_message("yes",
                         R"(,"contextId":"trip","metadata":{"opt/v1/inputId":")" + question + "\"}",
                         at_once)));
  };
  CHECK_THAT(at(send("question-1"), "/error/message"), Contains("the whole id of a question"));
  CHECK(at(send(on_friday), "/result/task/id") == "trip.p0.t0");
  CHECK(bed.puppet->input(0) == "yes");
  CHECK(bed.result_of("objectives/get", R"({"id":"trip"})")
            .at_pointer("/objective/plans")
            .as_array()
            .size()
        == 1);
}

TEST_CASE("Q4_one_answer: a message without an id is further input once the question is answered",
          "[net][opt][question]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  const auto send = [&](const std::string& text) {
    return at(
        bed.call(rpc("SendMessage", text_message(text, R"(,"taskId":"trip.p0.t0")", at_once))),
        "/result/task/id");
  };
  CHECK(send("yes") == "trip.p0.t0");
  CHECK(send("and by train") == "trip.p0.t0");
  CHECK(bed.puppet->input(1) == "and by train");
}

TEST_CASE("an answer through the root task stands in its history behind the question, also after a "
          "restart",
          "[net][opt][question]") {
  const temporary_directory directory;
  const auto durable = [&] {
    return open_rocksdb_store({.directory = directory.path().string()}).value();
  };
  std::string root;
  const auto history = [&](const net_bed& bed) {
    std::string out;
    const auto shown = bed.result_of("GetTask", R"({"id":")" + root + "\"}");
    for (const auto& one : shown.at("history").as_array())
      out += at(one, "/role") == "ROLE_USER" ? at(one, "/parts/0/text") + " " : "- ";
    return out;
  };
  const auto several = GENERATE(false, true);
  CAPTURE(several);
  const std::string expected = several ? "go - to both " : "go - yes no ";
  {
    const net_bed bed({}, "echo", durable());
    root = begin_trip(bed);
    ask(bed, "a", report_question{"On Friday?"});
    ask(bed, "b", report_question{"By the sea?"});
    REQUIRE(comes_true([&] {
      const auto shown = bed.result_of("GetTask", R"({"id":")" + root + "\"}");
      return at(shown, "/status/state") == "TASK_STATE_INPUT_REQUIRED";
    }));
    const auto named = [](const char* id) {
      return R"("opt/v1/inputId":")" + std::string(id) + "\"";
    };
    const auto one = [](const char* id, const char* value) {
      return R"({"inputId":")" + std::string(id) + R"(","value":")" + value + "\"}";
    };
    if (several) {
      static_cast<void>(
          to_root(bed, root, "to both",
                  R"("opt/v1/answers":[)" + one(on_friday, "yes") + "," + one(by_sea, "no") + "]"));
    } else {
      static_cast<void>(to_root(bed, root, "yes", named(by_sea)));
      CHECK(history(bed) == "go - yes ");
      static_cast<void>(to_root(bed, root, "again", named(by_sea))); // refused
      static_cast<void>(to_root(bed, root, "no", R"("opt/v1/taskId":"trip.p0.t0")"));
    }
    CHECK(history(bed) == expected);
  }
  const net_bed again({}, "echo", durable());
  CHECK(history(again).starts_with(expected));
}

TEST_CASE("Q5_ambiguous: an answer to the root is never guessed", "[net][opt][question]") {
  const net_bed bed;
  const auto root = begin_trip(bed);
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  ask(bed, "b", report_question{"By the sea?"});
  REQUIRE(comes_open(bed, std::string(on_friday) + " " + by_sea));
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", R"({"id":")" + root + "\"}"), "/status/state")
           == "TASK_STATE_INPUT_REQUIRED";
  }));
  const auto refused = to_root(bed, root, "yes", "");
  CHECK(reason(refused) == "AMBIGUOUS_INPUT");
  CHECK_THAT(at(refused, "/error/message"), Contains(on_friday) && Contains(by_sea));
  CHECK(at(refused, "/error/data/2/value/inputIds")
        == R"([")" + std::string(on_friday) + R"(",")" + by_sea + R"("])");
  SECTION("the id of the question says which one is meant") {
    const auto taken =
        to_root(bed, root, "yes", R"("opt/v1/inputId":")" + std::string(by_sea) + "\"");
    CHECK(at(taken, "/result/task/id") == root);
    // Not as it was when it was answered.
    CHECK(at(taken, "/result/task/status/state") == "TASK_STATE_WORKING");
    CHECK(comes_open(bed, on_friday));
  }
  SECTION("and so does its task") {
    static_cast<void>(to_root(bed, root, "yes", R"("opt/v1/taskId":"trip.p0.t0")"));
    CHECK(comes_open(bed, by_sea));
    // Then there is one.
    const auto taken = to_root(bed, root, "no", "");
    CHECK(at(taken, "/result/task/status/state") == "TASK_STATE_WORKING");
    CHECK(comes_open(bed, ""));
  }
}

TEST_CASE("Q5_ambiguous: the root task names the question if there is only one",
          "[net][opt][question]") {
  const net_bed bed;
  const auto root = begin_trip(bed);
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  for (std::size_t i = 0; i < 2; ++i)
    if (bed.puppet->asked(i)->name == "b")
      bed.puppet->port(i)->report(report_completed{{}, ""});
  const auto status = [&] {
    return at(bed.result_of("GetTask", R"({"id":")" + root + "\"}"),
              "/status/message/metadata/opt~1v1~1inputId");
  };
  CHECK(comes_true([&] { return status() == on_friday; }));
}

TEST_CASE("Q6_paused: a paused objective says so, whatever becomes of its questions",
          "[net][opt][question]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  const auto objective = [&] { return bed.result_of("objectives/get", R"({"id":"trip"})"); };
  ask(bed, "b", report_question{"By the sea?"});
  REQUIRE(comes_true([&] { return at(objective(), "/objective/reason") == "waits for input"; }));
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"trip","status":"blocked"})"));
  CHECK(at(objective(), "/objective/reason") == "paused by request");
  CHECK(at(answer(bed, on_friday, R"("value":"yes")"), "/result/input/state") == "answered");
  CHECK(at(answer(bed, by_sea, R"("value":"yes")"), "/result/input/state") == "answered");
  CHECK(at(objective(), "/objective/status") == "blocked");
  CHECK(at(objective(), "/objective/reason") == "paused by request");
  CHECK(at(objective(), "/objective/plans/0/reason") == "paused by request");
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"trip","status":"working"})"));
  CHECK(comes_true([&] { return at(objective(), "/objective/status") == "working"; }));
}

TEST_CASE("U1_answer_by_context: an answer names its task in the metadata",
          "[net][opt][question]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  const auto in_params = GENERATE(false, true);
  const std::string metadata = R"(,"metadata":{"opt/v1/taskId":"trip.p0.t0"})";
  const auto taken = bed.call(
      rpc("SendMessage",
          text_message("yes", R"(,"contextId":"trip")" + (in_params ? std::string{} : metadata),
                       std::string(at_once) + (in_params ? metadata : std::string{}))));
  CHECK(at(taken, "/result/task/id") == "trip.p0.t0");
  CHECK(bed.puppet->input(0) == "yes");
  CHECK(comes_open(bed, ""));
  const auto elsewhere = bed.call(
      rpc("SendMessage", text_message("yes", R"(,"contextId":"other")" + metadata, at_once)));
  CHECK(at(elsewhere, "/error/code") == "-32602");
}

TEST_CASE("Q9_several: one message answers several questions, in both versions",
          "[net][opt][question]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  ask(bed, "b", report_question{"By the sea?"});
  REQUIRE(comes_open(bed, std::string(on_friday) + " " + by_sea));
  // The second has no value: the text of the message is the answer.
  const std::string answers = R"(,"contextId":"trip","metadata":{"opt/v1/answers":[)"
                              R"({"inputId":")"
                              + std::string(by_sea) + R"(","value":{"side":"sea"}},{"inputId":")"
                              + on_friday + R"("}]})";
  const bool is_old = GENERATE(false, true);
  const auto taken =
      is_old ? bed.call(
          rpc("message/send", R"({"message":{"kind":"message","messageId":"m1","role":"user",)"
                              R"("parts":[{"kind":"text","text":"yes"}])"
                                  + answers + R"(},"configuration":{"blocking":false}})"),
          "")
             : bed.call(rpc("SendMessage", text_message("yes", answers, at_once)));
  CHECK(at(taken, "/error/message") == "(none)");
  CHECK(open_inputs(bed).empty());
  const auto shown = [&](const char* id) {
    return bed.result_of("inputs/get", R"({"id":")" + std::string(id) + "\"}");
  };
  CHECK(at(shown(on_friday), "/input/answer/value") == "yes");
  CHECK(at(shown(by_sea), "/input/answer/value/side") == "sea");
}

TEST_CASE("Q9_several: of several answers all are taken, or none", "[net][opt][question]") {
  const net_bed bed;
  const auto root = begin_trip(bed);
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  ask(bed, "b", report_question{"How many?", false, {}, {{"type", "integer"}}});
  REQUIRE(comes_open(bed, std::string(on_friday) + " " + by_sea));
  const auto one = [](const std::string& id, const std::string& value) {
    return R"({"inputId":")" + id + R"(","value":)" + value + "}";
  };
  const auto send = [&](const std::string& answers) {
    return to_root(bed, root, "to both", R"("opt/v1/answers":[)" + answers + "]");
  };
  const auto misfit = send(one(on_friday, R"("yes")") + "," + one(by_sea, R"("many")"));
  CHECK(reason(misfit) == "INVALID_ANSWER");
  CHECK_THAT(at(misfit, "/error/message"), Contains(by_sea));
  CHECK(reason(send(one(on_friday, "1") + "," + one("trip.p0.t1.question-7", "1")))
        == "NO_QUESTION");
  CHECK(reason(send(one(on_friday, "1") + "," + one("other.question-1", "1"))) == "NO_QUESTION");
  for (const std::string& wrong :
       {std::string{}, std::string("7"), one(on_friday, "1") + "," + one(on_friday, "2"),
        std::string(R"({"inputId":"x"})"),
        R"({"inputId":")" + std::string(on_friday) + R"(","action":"perhaps"})"})
    CHECK(at(send(wrong), "/error/code") == "-32602");
  CHECK(open_inputs(bed) == std::string(on_friday) + " " + by_sea);

  CHECK(at(send(one(on_friday, R"("yes")") + "," + one(by_sea, "2")), "/result/task/id") == root);
  CHECK(open_inputs(bed).empty());
  CHECK(reason(send(one(on_friday, R"("no")") + "," + one(by_sea, "3"))) == "ALREADY_ANSWERED");
}

TEST_CASE("Q11_claims: who has claimed a question answers it, and others say that they override",
          "[net][opt][question]") {
  const net_bed bed;
  const auto root = begin_trip(bed);
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  const auto call = [&](const char* method, const std::string& more) {
    return bed.call(rpc(method, R"({"id":")" + std::string(on_friday) + "\"" + more + "}"));
  };
  const auto claimed = call("inputs/claim", R"(,"by":"anna")");
  CHECK(at(claimed, "/result/input/claim/by") == "anna");
  const auto until = at(claimed, "/result/input/claim/until");
  CHECK(until.ends_with('Z'));
  CHECK(at(bed.result_of("inputs/list", "{}"), "/inputs/0/claim/by") == "anna");
  CHECK(at(call("inputs/get", ""), "/result/input/claim/until") == until);

  const std::string named = R"("opt/v1/inputId":")" + std::string(on_friday) + "\"";
  const std::array refused{
      call("inputs/claim", R"(,"by":"bob")"),
      call("inputs/release", R"(,"by":"bob")"),
      call("inputs/answer", R"(,"by":"bob","value":"no")"),
      to_root(bed, root, "no", named),
      to_root(bed, root, "no", ""),
      to_root(bed, "trip.p0.t0", "no", ""),
      to_root(bed, root, "no",
              R"("opt/v1/answers":[{"inputId":")" + std::string(on_friday) + "\"}]"),
  };
  for (const auto& each : refused) {
    CHECK(at(each, "/error/code") == "-32602");
    CHECK(reason(each) == "INPUT_CLAIMED");
    CHECK_THAT(at(each, "/error/message"), Contains("anna") && Contains(until));
  }
  CHECK(open_inputs(bed) == on_friday);
  SECTION("who has claimed it answers") {
    CHECK(at(call("inputs/answer", R"(,"by":"anna","value":"yes")"), "/result/input/claim")
          == "(none)");
  }
  SECTION("others override") {
    CHECK(at(call("inputs/answer", R"(,"by":"bob","value":"yes","override":true)"),
             "/result/input/state")
          == "answered");
  }
  SECTION("others override in a message") {
    CHECK(at(to_root(bed, root, "yes", named + R"(,"opt/v1/override":true)"), "/result/task/id")
          == root);
  }
  SECTION("it is released") {
    CHECK(at(call("inputs/release", R"(,"by":"anna")"), "/result/input/claim") == "(none)");
    CHECK(at(call("inputs/answer", R"(,"by":"bob","value":"yes")"), "/result/input/state")
          == "answered");
  }
  CHECK(open_inputs(bed).empty());
  CHECK(reason(call("inputs/claim", R"(,"by":"bob")")) == "ALREADY_ANSWERED");
  CHECK(reason(call("inputs/answer", R"(,"by":"eve","value":"no")")) == "ALREADY_ANSWERED");
  CHECK(reason(to_root(bed, root, "no", named)) == "ALREADY_ANSWERED");
}

TEST_CASE("Q11_claims: an unknown question cannot be claimed", "[net][opt][question]") {
  const net_bed bed;
  for (const char* method : {"inputs/claim", "inputs/release"})
    CHECK(at(bed.error_of(method, R"({"id":"none.question-1"})"), "/data/0/reason")
          == "INPUT_NOT_FOUND");
}

TEST_CASE("Q6_closed: an answer to a withdrawn question says that it was withdrawn",
          "[net][opt][question]") {
  const net_bed bed;
  const auto root = begin_trip(bed);
  ask(bed, "a", report_question{"On Friday?", false, "key"});
  REQUIRE(comes_open(bed, on_friday));
  for (std::size_t i = 0; i < 2; ++i)
    if (bed.puppet->asked(i)->name == "a")
      bed.puppet->port(i)->report(report_withdrawal{"key", "found out"});
  REQUIRE(comes_open(bed, ""));
  CHECK(reason(answer(bed, on_friday, R"("value":"yes")")) == "INPUT_WITHDRAWN");
  CHECK(reason(to_root(bed, root, "yes", R"("opt/v1/inputId":")" + std::string(on_friday) + "\""))
        == "INPUT_WITHDRAWN");
  const auto shown = bed.result_of("inputs/get", R"({"id":")" + std::string(on_friday) + "\"}");
  CHECK(at(shown, "/input/state") == "withdrawn");
  CHECK(at(shown, "/input/reason") == "found out");
}

TEST_CASE("Q7_inputs: a question is listed, read and declined", "[net][opt][question]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  ask(bed, "a",
      report_question{
          "On Friday?", false, "k", {{"type", "string"}}, {{"n", 1}}, std::chrono::hours{1}});
  REQUIRE(comes_open(bed, on_friday));
  ask(bed, "b", report_question{"Sign in", true});
  REQUIRE(comes_open(bed, std::string(on_friday) + " " + by_sea));
  const auto page = bed.result_of("inputs/list", R"({"pageSize":1})");
  CHECK(at(page, "/totalSize") == "2");
  CHECK(at(page, "/inputs/0/id") == on_friday);
  CHECK(at(page, "/inputs/0/taskId") == "trip.p0.t0");
  CHECK(at(page, "/inputs/0/planId") == "trip.p0");
  CHECK(at(page, "/inputs/0/objectiveId") == "trip");
  CHECK(at(page, "/inputs/0/kind") == "form");
  CHECK(at(page, "/inputs/0/schema/type") == "string");
  CHECK(at(page, "/inputs/0/data/n") == "1");
  CHECK(at(page, "/inputs/0/state") == "open");
  CHECK(at(page, "/inputs/0/deadline").ends_with('Z'));
  const auto token = at(page, "/nextPageToken");
  const auto second =
      bed.result_of("inputs/list", R"({"pageSize":1,"pageToken":")" + token + "\"}");
  CHECK(at(second, "/inputs/0/kind") == "auth");
  CHECK(at(second, "/nextPageToken") == "(none)");
  CHECK(open_inputs(bed, R"({"objectiveId":"trip","taskId":"trip.p0.t1"})") == by_sea);
  CHECK(open_inputs(bed, R"({"planId":"trip.p0"})") == std::string(on_friday) + " " + by_sea);
  CHECK(open_inputs(bed, R"({"objectiveId":"other"})").empty());
  CHECK(open_inputs(bed, R"({"contextId":"trip","taskId":"trip.p0.t1"})") == by_sea);
  CHECK(open_inputs(bed, R"({"contextId":"other"})").empty());
  for (const std::string none : {"state", "status", "kind"})
    CHECK_THAT(at(bed.error_of("inputs/list", "{\"" + none + R"(":"answered"})"), "/message"),
               ContainsSubstring("\"" + none + "\" does not narrow this list"));
  CHECK(at(bed.error_of("inputs/list", R"({"planId":"other"})"), "/data/0/reason")
        == "PLAN_NOT_FOUND");
  CHECK(at(bed.error_of("inputs/list", R"({"pageToken":"x"})"), "/code") == "-32602");

  const auto declined = answer(bed, by_sea, R"("action":"decline")");
  CHECK(at(declined, "/result/input/answer/action") == "decline");
  CHECK(at(declined, "/result/input/answer/value") == "(none)");
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", R"({"id":"trip.p0.t1"})"), "/status/state")
           == "TASK_STATE_FAILED";
  }));
}

TEST_CASE("Q7_inputs: an unknown question is not found, whatever else is wrong",
          "[net][opt][question]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  for (const std::string id : {"nothing", "trip.p0.t0.question-1", "other.question-1"}) {
    CHECK(at(bed.error_of("inputs/get", R"({"id":")" + id + "\"}"), "/data/0/reason")
          == "INPUT_NOT_FOUND");
    CHECK(reason(answer(bed, id, R"("value":"x")")) == "INPUT_NOT_FOUND");
    CHECK(reason(answer(bed, id, R"("action":"perhaps")")) == "INPUT_NOT_FOUND");
    CHECK(at(answer(bed, id, R"("value":"x")"), "/error/code") == "-32000");
  }
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  CHECK_THAT(at(answer(bed, on_friday, R"("action":"perhaps")"), "/error/message"),
             Contains("accept, decline, cancel"));
  CHECK_THAT(at(answer(bed, on_friday, R"("by":"x")"), "/error/message"), Contains("value"));
  CHECK(open_inputs(bed) == on_friday);
}

TEST_CASE("Q7_inputs: an answer that comes again with its requestId is answered like the first",
          "[net][opt][question]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  const auto first = answer(bed, on_friday, R"("value":{"n":1},"requestId":"r")");
  CHECK(at(first, "/result/input/answer/value/n") == "1");
  const auto again = answer(bed, on_friday, R"("value":{"n":1},"requestId":"r")");
  CHECK(at(again, "/result/input/answer/at") == at(first, "/result/input/answer/at"));
  CHECK(reason(answer(bed, on_friday, R"("value":{"n":2},"requestId":"r")"))
        == "DUPLICATE_REQUEST");
}

TEST_CASE("Q8_rest: questions have paths", "[net][opt][question][rest]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  ask(bed, "a", report_question{"On Friday?"});
  REQUIRE(comes_open(bed, on_friday));
  const auto [prefix, version] =
      GENERATE(table<std::string, std::string>({{"", "A2A-Version: 1.0\r\n"}, {"/v1", ""}}));
  const auto rest = [&, prefix = prefix, version = version](const char* verb,
                                                            const std::string& path, int status,
                                                            const std::string& body = {}) {
    auto client = bed.connect();
    const auto got = client.request(verb, prefix + path, body, version);
    INFO(path << ": " << got.body);
    CHECK(got.status == status);
    return boost::json::parse(got.body);
  };
  CHECK(at(rest("GET", "/inputs?objectiveId=trip&pageSize=5", 200), "/inputs/0/id") == on_friday);
  const auto path = "/inputs/" + std::string(on_friday);
  CHECK(at(rest("GET", path, 200), "/input/prompt") == "On Friday?");
  CHECK(at(rest("POST", path + ":claim", 200, R"({"by":"anna"})"), "/input/claim/by") == "anna");
  CHECK(at(rest("POST", path + ":answer", 409, R"({"value":"no"})"), "/error/details/0/reason")
        == "INPUT_CLAIMED");
  CHECK(at(rest("POST", path + ":release", 200, R"({"by":"anna"})"), "/input/claim") == "(none)");
  CHECK(at(rest("POST", path + ":answer", 200, R"({"value":"yes"})"), "/input/state")
        == "answered");
  CHECK(at(rest("POST", path + ":answer", 409, R"({"value":"no"})"), "/error/details/0/reason")
        == "ALREADY_ANSWERED");
  CHECK(at(rest("GET", "/inputs/none", 404), "/error/details/0/reason") == "INPUT_NOT_FOUND");
}

TEST_CASE("M31_pending_inputs: an objective shows its first 20 questions and how many there are",
          "[net][opt][question]") {
  const net_bed bed;
  std::string tasks;
  constexpr int count = 23;
  for (int i = 0; i < count; ++i)
    tasks +=
        (i == 0 ? "" : ",")
        + std::string(R"({"name":"t","agent":"scripted","input":{"steps":[{"ask":"which?"}]}})");
  static_cast<void>(bed.result_of("objectives/create", R"({"id":"many","name":"m","start":true,)"
                                                       R"("plans":[{"name":"p","tasks":[)"
                                                           + tasks + "]}]}"));
  REQUIRE(comes_true([&] {
    return at(bed.result_of("inputs/list", "{}"), "/totalSize") == std::to_string(count);
  }));
  const auto shown = bed.result_of("objectives/get", R"({"id":"many"})").at("objective");
  CHECK(at(shown, "/pendingInputCount") == std::to_string(count));
  CHECK(at(shown, "/plans/0/pendingInputCount") == std::to_string(count));
  CHECK(shown.at("pendingInputs").as_array().size() == 20);
  const auto id = at(shown, "/pendingInputs/0/inputId");
  CHECK(at(bed.result_of("inputs/get", R"({"id":")" + id + "\"}"), "/input/prompt") == "which?");
}

TEST_CASE("Q13_kagent: a question is answered in kagent's words", "[net][opt][question][hitl]") {
  const net_bed bed;
  const auto root = begin_trip(bed);
  const auto in_words = [](const std::string& response) {
    return R"("https://kagent.dev/extensions/hitl/v1":)" + response;
  };
  const std::string answers =
      R"({"type":"ask_user_response","id":"trip.p0.t0.question-1","answers":)";
  SECTION("of a form, by the position of its properties") {
    ask(bed, "a",
        report_question{
            "Trip",
            false,
            {},
            boost::json::parse(R"({"type":"object","required":["adults"],"properties":{)"
                               R"("adults":{"type":"integer"},"cabin":{"type":"boolean"}}})")
                .as_object()});
    REQUIRE(comes_open(bed, on_friday));
    const auto to = GENERATE(std::string("trip.p0.t0"), std::string("root"));
    const auto send = [&](const std::string& response) {
      return to_root(bed, to == "root" ? root : to, "as printed", in_words(response));
    };
    const auto misfit = send(answers + R"([{"answer":["many"]},{"answer":[]}]})");
    CHECK(reason(misfit) == "INVALID_ANSWER");
    CHECK(reason(send(answers + R"([{"answer":["2"]}]})")) == "INVALID_ANSWER");
    CHECK(reason(send(R"({"type":"ask_user_response","id":"trip.p0.t0.question-9","answers":[]})"))
          == "NO_QUESTION");
    CHECK(open_inputs(bed) == on_friday);
    CHECK(at(send(answers + R"([{"answer":["2"]},{"answer":["yes"]}]})"), "/error") == "(none)");
    CHECK(open_inputs(bed).empty());
    const auto shown = bed.result_of("inputs/get", R"({"id":"trip.p0.t0.question-1"})");
    CHECK(at(shown, "/input/answer/value") == R"({"adults":2,"cabin":true})");
    CHECK(reason(send(answers + R"([{"answer":["3"]},{"answer":[]}]})")) == "ALREADY_ANSWERED");
  }
  SECTION("about calls of tools") {
    ask(bed, "a",
        report_question{
            "Allow it?",
            false,
            {},
            {{"type", "boolean"}},
            boost::json::parse(R"({"tools":[{"id":"t","call_id":"c","name":"deploy"}]})")
                .as_object()});
    REQUIRE(comes_open(bed, on_friday));
    const auto [metadata, text, value] = GENERATE(table<std::string, std::string, std::string>(
        {{R"({"type":"tool_approval_response","approvals":[{"id":"t","approved":true}]})", "x",
          "true"},
         {R"({"type":"tool_approval_response","approvals":[{"id":"t","approved":false}]})", "x",
          "false"},
         {"", "approve", "true"},
         {"", "Denied", "false"}}));
    CHECK(reason(to_root(bed, "trip.p0.t0", "perhaps", "")) == "INVALID_ANSWER");
    CHECK(at(to_root(bed, "trip.p0.t0", text, metadata.empty() ? "" : in_words(metadata)), "/error")
          == "(none)");
    CHECK(
        at(bed.result_of("inputs/get", R"({"id":"trip.p0.t0.question-1"})"), "/input/answer/value")
        == value);
  }
}

TEST_CASE("Q12_reminders: who follows a task is reminded of its question, in both versions",
          "[net][opt][question][sse]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  report_question asked{"On Friday?"};
  asked.remind_after = std::chrono::seconds{1};
  ask(bed, "a", asked);
  REQUIRE(comes_open(bed, on_friday));
  const bool is_1_0 = GENERATE(true, false);
  auto client = bed.connect();
  client.send(is_1_0
                  ? http_client::post_text(rpc("SubscribeToTask", R"({"id":"trip.p0.t0"})"))
                  : http_client::post_text(rpc("tasks/resubscribe", R"({"id":"trip.p0.t0"})"), ""));
  REQUIRE(client.receive_head().status == 200);
  REQUIRE(client.next_event()); // as it stands
  const auto text = client.next_event();
  REQUIRE(text);
  const auto event = boost::json::parse(*text);
  INFO(event);
  const std::string update = is_1_0 ? "/result/statusUpdate" : "/result";
  CHECK(at(event, update + "/taskId") == "trip.p0.t0");
  CHECK(at(event, update + "/status/state")
        == (is_1_0 ? "TASK_STATE_INPUT_REQUIRED" : "input-required"));
  CHECK(at(event, update + "/status/message/parts/0/text") == "On Friday?");
  CHECK(at(event, update + "/status/message/metadata/opt~1v1~1inputId") == on_friday);
  CHECK(at(event, update + "/status/message/metadata/opt~1v1~1reminder") != "(none)");
  const auto shown = bed.result_of("inputs/get", R"({"id":"trip.p0.t0.question-1"})");
  CHECK(at(shown, "/input/remindAfter") == "1");
  CHECK(at(shown, "/input/reminders") != "(none)");
}

TEST_CASE("Q7_input: the message that asks has the question with its form, for a client of OPT",
          "[net][opt][question]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  const std::string version = GENERATE("1.0", "0.3");
  CAPTURE(version);
  const auto headers = [&](bool active) {
    return "A2A-Version: " + version + "\r\n"
           + (active ? "A2A-Extensions: " + std::string(opt_uri) + "\r\n" : "");
  };
  const auto follow = [&](bool active) {
    auto client = bed.connect();
    client.send(http_client::post_text(
        rpc(version == "1.0" ? "SubscribeToTask" : "tasks/resubscribe", R"({"id":"trip.p0.t0"})"),
        headers(active)));
    REQUIRE(client.receive_head().status == 200);
    REQUIRE(client.next_event());
    return client;
  };
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", R"({"id":"trip.p0.t0"})"), "/status/state")
           == "TASK_STATE_WORKING";
  }));
  auto with = follow(true);
  auto without = follow(false);
  const auto form =
      boost::json::parse(R"({"type":"array","items":{"enum":["Fri","Sat"]},"default":["Sat"]})")
          .as_object();
  ask(bed, "a",
      report_question{.prompt = "Which days?",
                      .auth = false,
                      .key = {},
                      .form = form,
                      .data = {{"people", 2}},
                      .open_for = std::chrono::hours{1}});
  REQUIRE(comes_open(bed, on_friday));
  constexpr const char* of_message = "/status/message/metadata/opt~1v1~1input";
  const auto read = [&](bool active) {
    return bed.call(rpc(version == "1.0" ? "GetTask" : "tasks/get", R"({"id":"trip.p0.t0"})"),
                    headers(active));
  };
  const auto of_event = [&](http_client& from) {
    const auto text = from.next_event();
    REQUIRE(text);
    const auto event = boost::json::parse(*text);
    return at(event,
              (version == "1.0" ? "/result/statusUpdate" : "/result") + std::string(of_message));
  };
  CHECK(at(read(false), "/result" + std::string(of_message)) == "(none)");
  CHECK(of_event(without) == "(none)");
  const auto shown = at(read(true), "/result" + std::string(of_message));
  CHECK(of_event(with) == shown);
  const auto asked = boost::json::parse(shown);
  CHECK(at(asked, "/id") == on_friday);
  CHECK(at(asked, "/taskId") == "trip.p0.t0");
  CHECK(at(asked, "/attempt") == "1");
  CHECK(at(asked, "/kind") == "choice");
  CHECK(at(asked, "/prompt") == "Which days?");
  CHECK(at(asked, "/choices") == R"([{"value":"Fri"},{"value":"Sat"}])");
  CHECK(at(asked, "/multiple") == "true");
  CHECK(at(asked, "/schema") == boost::json::serialize(form));
  CHECK(at(asked, "/default") == R"(["Sat"])");
  CHECK(at(asked, "/data/people") == "2");
  CHECK(at(asked, "/onDeadline") == "default");
  const auto listed = bed.result_of("inputs/get", R"({"id":")" + std::string(on_friday) + "\"}");
  for (const auto* member : {"/since", "/deadline", "/choices", "/schema", "/onDeadline"})
    CHECK(at(asked, member) == at(listed, "/input" + std::string(member)));
}

TEST_CASE("Q13_kagent: a client that activated kagent's extension is asked in its words",
          "[net][opt][question][hitl]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  ask(bed, "a",
      report_question{"Which day?", false, {}, {{"type", "string"}, {"enum", {"Fri", "Sat"}}}});
  REQUIRE(comes_open(bed, on_friday));
  const std::string uri = "https://kagent.dev/extensions/hitl/v1";
  const std::string of_message =
      "/status/message/metadata/https:~1~1kagent.dev~1extensions~1hitl~1v1";
  auto client = bed.connect();
  const bool is_1_0 = GENERATE(true, false);
  const std::string headers = is_1_0 ? "A2A-Version: 1.0\r\n" : "";
  const std::string method = is_1_0 ? "GetTask" : "tasks/get";
  const auto read = [&](const std::string& more) {
    return client.post(rpc(method, R"({"id":"trip.p0.t0"})"), headers + more);
  };
  const auto plain = boost::json::parse(read("").body);
  CHECK(at(plain, "/result" + of_message) == "(none)");
  CHECK(at(plain, "/result/status/message/extensions") == "(none)");
  const auto answer = read("A2A-Extensions: " + uri + "\r\n");
  CHECK(answer.header("a2a-extensions") == uri);
  const auto task = boost::json::parse(answer.body);
  CHECK(at(task, "/result/status/message/extensions/0") == uri);
  CHECK(at(task, "/result" + of_message)
        == R"({"type":"ask_user_request","id":"trip.p0.t0.question-1","questions":)"
           R"([{"question":"Which day?","choices":["Fri","Sat"],"multiple":false}]})");
  CHECK(at(task, "/result/status/message/parts/0/text") == "Which day?");
}

TEST_CASE("Q13_kagent: an event that asks has the request of the extension, for those who want it",
          "[net][opt][question][hitl][sse]") {
  const net_bed bed;
  static_cast<void>(begin_trip(bed));
  const std::string uri = "https://kagent.dev/extensions/hitl/v1";
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", R"({"id":"trip.p0.t0"})"), "/status/state")
           == "TASK_STATE_WORKING";
  }));
  const auto follow = [&](const std::string& more) {
    auto client = bed.connect();
    client.send(http_client::post_text(rpc("SubscribeToTask", R"({"id":"trip.p0.t0"})"),
                                       "A2A-Version: 1.0\r\n" + more));
    REQUIRE(client.receive_head().status == 200);
    REQUIRE(client.next_event());
    return client;
  };
  auto with = follow("A2A-Extensions: " + uri + "\r\n");
  auto without = follow("");
  ask(bed, "a", report_question{"On Friday?"});
  const auto of_message = [](http_client& from) {
    const auto text = from.next_event();
    REQUIRE(text);
    return at(boost::json::parse(*text), "/result/statusUpdate/status/message/metadata/"
                                         "https:~1~1kagent.dev~1extensions~1hitl~1v1/type");
  };
  CHECK(of_message(with) == "ask_user_request");
  CHECK(of_message(without) == "(none)");
}

TEST_CASE("Q_kinds: the kind of a question says how it is answered", "[net][opt][inputs]") {
  const net_bed bed({}, "puppet");
  static_cast<void>(bed.result_of(
      "SendMessage", text_message("go", "", R"(,"configuration":{"returnImmediately":true})")));
  report_question asked{"May I?"};
  std::string kind = "question";
  SECTION("a form") {
    asked.form = {{"type", "integer"}};
    kind = "form";
  }
  SECTION("a choice") {
    asked.form = {{"type", "string"}, {"enum", {"a", "b"}}};
    kind = "choice";
  }
  SECTION("choices with titles") {
    asked.form =
        boost::json::parse(R"({"oneOf":[{"const":"a","title":"One"},{"const":"b"}]})").as_object();
    kind = "choice";
  }
  SECTION("several choices") {
    asked.form = boost::json::parse(R"({"type":"array","items":{"enum":["a","b"]}})").as_object();
    kind = "choice";
  }
  SECTION("several choices with titles") {
    asked.form =
        boost::json::parse(
            R"({"type":"array","items":{"anyOf":[{"const":"a","title":"One"},{"const":"b"}]}})")
            .as_object();
    kind = "choice";
  }
  SECTION("a list of what is typed") {
    asked.form = boost::json::parse(R"({"type":"array","items":{"type":"string"}})").as_object();
    kind = "form";
  }
  SECTION("an approval") {
    asked.form = {{"type", "boolean"}};
    asked.data = {{"kind", "approval"}};
    kind = "approval";
  }
  bed.puppet->port(0)->report(asked);
  REQUIRE(comes_true([&] { return at(bed.result_of("inputs/list", "{}"), "/totalSize") == "1"; }));
  CHECK(at(bed.result_of("inputs/list", "{}"), "/inputs/0/kind") == kind);
}
