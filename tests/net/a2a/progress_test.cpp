// The Task Progress extension over the wire: a client that asked finds it in every place, others do
// not find it (task-progress v1 sections 3, 4).
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

using namespace troupe;
using namespace troupe::testing;

namespace {

const std::string uri(progress_uri);

std::string activating(const std::string& version, const std::string& header) {
  return (version.empty() ? "" : "A2A-Version: " + version + "\r\n") + header + ": " + uri + "\r\n";
}

report_progress half_way() {
  progress_tracker tracker;
  tracker.id = "pages";
  tracker.progress = 5;
  tracker.total = 10;
  tracker.message = "page 5";
  progress_report report;
  report.trackers.push_back(tracker);
  report.aggregate = progress_aggregate{5, 10, "half way"};
  return {report};
}

const char* expected = R"({"trackers":[{"id":"pages","progress":5,"total":10,"message":"page 5"}],)"
                       R"("aggregate":{"progress":5,"total":10,"message":"half way"}})";

/// The extension's object below `path`'s metadata; "(none)" if there is none.
std::string progress_in(const boost::json::value& from, const std::string& path) {
  boost::system::error_code ec;
  const auto* metadata = from.find_pointer(path + "/metadata", ec);
  const auto* found = metadata != nullptr && metadata->is_object()
                          ? metadata->as_object().if_contains(uri)
                          : nullptr;
  return found != nullptr ? boost::json::serialize(*found) : "(none)";
}

std::string normal(const char* json) {
  return boost::json::serialize(boost::json::parse(json));
}

/// A task of the puppet that has shown its progress.
std::string begin_task(const net_bed& bed) {
  const auto sent = bed.result_of(
      "SendMessage", text_message("work", "", R"(,"configuration":{"returnImmediately":true})"));
  const auto id = at(sent, "/task/id");
  bed.puppet->port(0)->report(half_way());
  if (!comes_true([&] { return find_task(*bed.records, task_id{id})->progress != nullptr; }))
    throw std::runtime_error("no progress");
  return id;
}

} // namespace

TEST_CASE("P1_places: progress is in the status message and in the event, in both versions",
          "[net][progress]") {
  struct row {
    const char* version;
    const char* header;
    const char* method;
    const char* event;
    const char* state;
  };
  for (const auto& one : std::vector<row>{
           {"1.0", "A2A-Extensions", "SubscribeToTask", "/result/statusUpdate",
            "TASK_STATE_WORKING"},
           {"1.0", "X-A2A-Extensions", "SubscribeToTask", "/result/statusUpdate",
            "TASK_STATE_WORKING"},
           {"", "X-A2A-Extensions", "tasks/resubscribe", "/result", "working"},
           {"0.3", "A2A-Extensions", "tasks/resubscribe", "/result", "working"},
       }) {
    CAPTURE(one.version, one.header);
    const net_bed bed({}, "puppet");
    const auto sent = bed.result_of(
        "SendMessage", text_message("work", "", R"(,"configuration":{"returnImmediately":true})"));
    const auto port = bed.puppet->port(0);
    auto client = bed.connect();
    client.send(http_client::post_text(rpc(one.method, R"({"id":")" + at(sent, "/task/id") + "\"}"),
                                       activating(one.version, one.header)));
    CHECK(client.receive_head().header("a2a-extensions") == uri);
    static_cast<void>(client.next_event());
    port->report(half_way());
    const auto event = boost::json::parse(client.next_event().value());
    const std::string path(one.event);
    CHECK(progress_in(event, path) == normal(expected));
    CHECK(progress_in(event, path + "/status/message") == normal(expected));
    CHECK(at(event, path + "/status/state") == one.state);
    CHECK(at(event, path + "/status/message/parts/0/text") == "half way");
    CHECK(at(event, path + "/status/message/extensions/0") == uri);
    CHECK(at(event, path + "/status/message/messageId") != "(none)");
  }
}

TEST_CASE(
    "P1_places, P2_inactive: get, list and subscribe show progress only if the client asked for it",
    "[net][progress]") {
  const net_bed bed({}, "puppet");
  const auto id = begin_task(bed);
  const auto param = R"({"id":")" + id + "\"}";
  const auto with = activating("1.0", "A2A-Extensions");
  const auto seen = [&](const boost::json::value& from, const std::string& path,
                        const std::string& expected_here) {
    CHECK(progress_in(from, path) == expected_here);
    CHECK(progress_in(from, path + "/status/message") == expected_here);
  };
  const auto all = normal(expected);
  seen(bed.call(rpc("GetTask", param), with), "/result", all);
  seen(bed.call(rpc("GetTask", param)), "/result", "(none)");
  seen(bed.call(rpc("tasks/get", param), activating("", "X-A2A-Extensions")), "/result", all);
  seen(bed.call(rpc("tasks/get", param), ""), "/result", "(none)");
  seen(bed.call(rpc("ListTasks", "{}"), with), "/result/tasks/0", all);
  seen(bed.call(rpc("ListTasks", "{}")), "/result/tasks/0", "(none)");
  const auto told = text_message("more", R"(,"taskId":")" + id + "\"",
                                 R"(,"configuration":{"returnImmediately":true})");
  seen(bed.call(rpc("SendMessage", told), with), "/result/task", all);
  seen(bed.call(rpc("SendMessage", told)), "/result/task", "(none)");
  for (const bool active : {true, false}) {
    auto client = bed.connect();
    client.send(http_client::post_text(rpc("SubscribeToTask", param),
                                       active ? with : "A2A-Version: 1.0\r\n"));
    static_cast<void>(client.receive_head());
    seen(boost::json::parse(client.next_event().value()), "/result/task", active ? all : "(none)");
  }
}

TEST_CASE("the last progress comes before the end, and a task that ended shows none",
          "[net][progress]") {
  const net_bed bed({}, "puppet");
  const auto id = begin_task(bed);
  auto client = bed.connect();
  client.send(http_client::post_text(rpc("SubscribeToTask", R"({"id":")" + id + "\"}"),
                                     activating("1.0", "A2A-Extensions")));
  static_cast<void>(client.receive_head());
  static_cast<void>(client.next_event());
  auto all = half_way();
  all.report.trackers[0].progress = 10;
  all.report.trackers[0].status = tracker_status::completed;
  bed.puppet->port(0)->report(all);
  bed.puppet->port(0)->report(report_completed{});
  const auto last = boost::json::parse(client.next_event().value());
  CHECK_THAT(progress_in(last, "/result/statusUpdate"),
             ContainsSubstring(R"("status":"completed")"));
  const auto end = boost::json::parse(client.next_event().value());
  CHECK(at(end, "/result/statusUpdate/status/state") == "TASK_STATE_COMPLETED");
  CHECK(progress_in(end, "/result/statusUpdate") == "(none)");
  const auto task =
      bed.call(rpc("GetTask", R"({"id":")" + id + "\"}"), activating("1.0", "A2A-Extensions"));
  CHECK(progress_in(task, "/result") == "(none)");
  CHECK(at(task, "/result/status/message") == "(none)");
  CHECK(task.at("result").at("history").as_array().size()
        == 1); // progress is no turn of the conversation
}

TEST_CASE("the card's numbers are the limits", "[net][progress]") {
  const net_bed bed;
  const auto card = boost::json::parse(bed.connect().get("/.well-known/agent-card.json").body);
  const boost::json::value* params = nullptr;
  for (const auto& one : card.at("capabilities").at("extensions").as_array())
    if (at(one, "/uri") == uri)
      params = &one.at("params");
  REQUIRE(params != nullptr);
  CHECK(at(*params, "/maxTrackers") == std::to_string(progress_trackers_max));
  CHECK(at(*params, "/maxMessageChars") == std::to_string(progress_message_chars_max));
  CHECK(at(*params, "/maxIdChars") == std::to_string(progress_id_chars_max));
  CHECK(at(*params, "/recommendedMaxUpdatesPerSecond")
        == std::to_string(progress_updates_per_second_max));
}
