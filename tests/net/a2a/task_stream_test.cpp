// Event streams: order, ends, slow readers, readers that go (A2A 1.0 section 3.5.2,
// docs/streams.md).
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/reads.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

using namespace troupe;
using namespace troupe::testing;

namespace {

http_client open_stream(const net_bed& bed, std::string_view method, std::string_view params,
                        std::string_view headers = "A2A-Version: 1.0\r\n", int receive_bytes = 0) {
  auto client = bed.connect(receive_bytes);
  client.send(http_client::post_text(rpc(method, params, "42"), headers));
  const auto head = client.receive_head();
  if (head.status != 200 || head.header("content-type") != "text/event-stream")
    throw std::runtime_error("no stream");
  return client;
}

boost::json::value next(http_client& from) {
  const auto event = from.next_event();
  if (!event)
    throw std::runtime_error("the stream is over");
  auto parsed = boost::json::parse(*event);
  if (at(parsed, "/id") != "42" || at(parsed, "/jsonrpc") != "2.0")
    throw std::runtime_error("no answer to 42: " + *event);
  return parsed;
}

std::string next_state(http_client& from) {
  return at(next(from), "/result/statusUpdate/status/state");
}

std::string id_param(const std::string& id) {
  return R"({"id":")" + id + "\"}";
}

report_progress progress(double value) {
  progress_report report;
  report.trackers.push_back({.id = "t",
                             .progress = value,
                             .total = 1000,
                             .message = {},
                             .status = {},
                             .started_at = {},
                             .updated_at = {}});
  return {std::move(report)};
}

/// A clock on which a second passes whenever it is looked at.
struct seconds_later final : time_source {
  timestamp now() const override {
    return timestamp{std::chrono::seconds(1'800'000'000 + ++looks)};
  }
  steady_point steady() const override { return system_time().steady(); }
  mutable std::atomic<int> looks{0};
};

} // namespace

TEST_CASE("a stream shows a task's whole life in order and ends with it", "[net][sse]") {
  const net_bed bed({}, "puppet");
  auto client = open_stream(bed, "SendStreamingMessage", text_message("go"));
  const auto first = next(client);
  CHECK(at(first, "/result/task/status/state") == "TASK_STATE_SUBMITTED");
  CHECK(next_state(client) == "TASK_STATE_WORKING");
  const auto port = bed.puppet->port(0);
  port->report(report_artifact{text_artifact("out", "1"), false, false});
  port->report(report_artifact{text_artifact("out", "2"), true, true});
  port->report(report_completed{{}, "done"});
  CHECK(at(next(client), "/result/artifactUpdate/artifact/parts/0/text") == "1");
  CHECK(at(next(client), "/result/artifactUpdate/append") == "true");
  const auto last = next(client);
  CHECK(at(last, "/result/statusUpdate/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(last, "/result/statusUpdate/final") == "(none)");
  CHECK(at(last, "/result/statusUpdate/taskId") == at(first, "/result/task/id"));
  CHECK_FALSE(client.next_event());
  // The connection goes on.
  CHECK(client.get("/healthz").status == 200);
  CHECK(comes_true([&] { return bed.web->load().streams == 0; }));
}

TEST_CASE("a sending stream ends at a question, a subscription does not", "[net][sse]") {
  const net_bed bed({}, "puppet");
  auto sender = open_stream(bed, "SendStreamingMessage", text_message("go"));
  const auto id = at(next(sender), "/result/task/id");
  CHECK(next_state(sender) == "TASK_STATE_WORKING");
  auto subscriber = open_stream(bed, "SubscribeToTask", id_param(id));
  CHECK(at(next(subscriber), "/result/task/status/state") == "TASK_STATE_WORKING");
  const auto port = bed.puppet->port(0);
  port->report(report_question{"Which?", false});
  CHECK(next_state(sender) == "TASK_STATE_INPUT_REQUIRED");
  CHECK_FALSE(sender.next_event());
  CHECK(next_state(subscriber) == "TASK_STATE_INPUT_REQUIRED");

  auto answer = open_stream(bed, "SendStreamingMessage",
                            text_message("this one", R"(,"taskId":")" + id + "\""));
  CHECK(at(next(answer), "/result/task/status/state") == "TASK_STATE_WORKING");
  CHECK(bed.puppet->input(0) == "this one");
  CHECK(next_state(subscriber) == "TASK_STATE_WORKING");
  port->report(report_completed{});
  CHECK(next_state(answer) == "TASK_STATE_COMPLETED");
  CHECK(next_state(subscriber) == "TASK_STATE_COMPLETED");
  CHECK_FALSE(answer.next_event());
  CHECK_FALSE(subscriber.next_event());
}

TEST_CASE("a stream begins with as much history as was asked for", "[net][sse]") {
  const net_bed bed({}, "puppet");
  auto sender = open_stream(bed, "SendStreamingMessage",
                            text_message("go", {}, R"(,"configuration":{"historyLength":0})"));
  const auto first = next(sender);
  CHECK(at(first, "/result/task/history") == "(none)");
  const auto id = at(first, "/result/task/id");
  bed.puppet->port(0)->report(report_question{"Which?", false});
  while (sender.next_event()) {
    // to the question
  }
  auto answer = open_stream(bed, "SendStreamingMessage",
                            text_message("this one", R"(,"taskId":")" + id + "\"",
                                         R"(,"configuration":{"historyLength":1})"));
  const auto again = next(answer);
  CHECK(at(again, "/result/task/history/0/parts/0/text") == "this one");
  CHECK(at(again, "/result/task/history/1") == "(none)");
}

TEST_CASE("a message as large as a body may be streams whole", "[net][sse]") {
  const net_bed bed;
  const std::string large(6 << 20, 'x');
  auto client = open_stream(bed, "SendStreamingMessage", text_message(large));
  CHECK(at(next(client), "/result/task/status/state") == "TASK_STATE_SUBMITTED");
  CHECK(next_state(client) == "TASK_STATE_WORKING");
  CHECK(at(next(client), "/result/artifactUpdate/artifact/parts/0/text").size() == large.size());
  CHECK(next_state(client) == "TASK_STATE_COMPLETED");
  CHECK_FALSE(client.next_event());
}

TEST_CASE("a sending stream stays open when credentials are asked for", "[net][sse]") {
  const net_bed bed({}, "puppet");
  auto client = open_stream(bed, "SendStreamingMessage", text_message("go"));
  static_cast<void>(next(client));
  CHECK(next_state(client) == "TASK_STATE_WORKING");
  const auto port = bed.puppet->port(0);
  port->report(report_question{"Log in", true});
  CHECK(next_state(client) == "TASK_STATE_AUTH_REQUIRED");
  port->report(report_failed{"not logged in", false});
  CHECK(next_state(client) == "TASK_STATE_FAILED");
  CHECK_FALSE(client.next_event());
}

TEST_CASE("every subscriber sees the same events; one that leaves disturbs no other",
          "[net][sse]") {
  const net_bed bed({}, "puppet");
  auto first = open_stream(bed, "SendStreamingMessage", text_message("go"));
  const auto id = at(next(first), "/result/task/id");
  CHECK(next_state(first) == "TASK_STATE_WORKING");
  auto second = open_stream(bed, "SubscribeToTask", id_param(id));
  auto third = open_stream(bed, "SubscribeToTask", id_param(id));
  static_cast<void>(next(second));
  static_cast<void>(next(third));
  second.close();
  const auto port = bed.puppet->port(0);
  for (int i = 0; i < 20; ++i)
    port->report(report_artifact{text_artifact("a" + std::to_string(i), "x"), false, true});
  port->report(report_completed{});
  for (int i = 0; i <= 20; ++i) {
    const auto event = first.next_event();
    REQUIRE(event);
    CHECK(event == third.next_event());
  }
  CHECK_FALSE(first.next_event());
  CHECK_FALSE(third.next_event());
}

TEST_CASE("subscribing to what has ended or is unknown is an error in its form", "[net][sse]") {
  const net_bed bed;
  const auto id = at(bed.result_of("SendMessage", text_message("x")), "/task/id");
  // Plain JSON (docs/a2a.md, D5).
  CHECK(at(bed.error_of("SubscribeToTask", id_param(id)), "/code") == "-32004");
  auto client = open_stream(bed, "SubscribeToTask", id_param("nope"));
  CHECK(at(next(client), "/error/code") == "-32001");
  CHECK_FALSE(client.next_event());
  CHECK(client.get("/healthz").status == 200);
}

TEST_CASE("a stream of a task that never begins gets its end", "[net][sse]") {
  const net_bed bed({}, "puppet");
  const auto made = bed.result_of(
      "objectives/create",
      R"({"name":"o","start":true,"plans":[{"name":"p","tasks":[{"name":"a","agent":"puppet"},)"
      R"({"name":"b","agent":"puppet","dependencies":["a"]}]}]})");
  const auto port = bed.puppet->port(0);
  const auto id = at(made, "/objective/plans/0/tasks/1/id");
  auto client = open_stream(bed, "SubscribeToTask", id_param(id));
  CHECK(at(next(client), "/result/task/status/state") == "TASK_STATE_SUBMITTED");
  port->report(report_failed{"no luck", false});
  const auto last = next(client);
  CHECK(at(last, "/result/statusUpdate/status/state") == "TASK_STATE_CANCELED");
  CHECK(at(last, "/result/statusUpdate/taskId") == id);
  CHECK_FALSE(client.next_event());
}

TEST_CASE("progress is shown to those who activated the extension only", "[net][sse]") {
  const net_bed bed({}, "puppet");
  const std::string uri(progress_uri);
  auto with = open_stream(bed, "SendStreamingMessage", text_message("go"),
                          "A2A-Version: 1.0\r\nA2A-Extensions: " + uri + "\r\n");
  const auto id = at(next(with), "/result/task/id");
  CHECK(next_state(with) == "TASK_STATE_WORKING");
  auto without = open_stream(bed, "SubscribeToTask", id_param(id));
  static_cast<void>(next(without));
  const auto port = bed.puppet->port(0);
  port->report(progress(7));
  const auto update = next(with);
  CHECK(at(update, "/result/statusUpdate/status/state") == "TASK_STATE_WORKING");
  const auto* report =
      update.at_pointer("/result/statusUpdate/metadata").as_object().if_contains(uri);
  REQUIRE(report != nullptr);
  CHECK(at(*report, "/trackers/0/progress") == "7");
  port->report(report_completed{});
  CHECK(next_state(with) == "TASK_STATE_COMPLETED");
  CHECK(next_state(without) == "TASK_STATE_COMPLETED");
}

TEST_CASE("a silent stream carries comments", "[net][sse]") {
  server_options options;
  options.keep_alive_interval = std::chrono::milliseconds(8);
  const net_bed bed(options, "puppet");
  auto client = open_stream(bed, "SendStreamingMessage", text_message("go"));
  static_cast<void>(next(client));
  CHECK(next_state(client) == "TASK_STATE_WORKING");
  CHECK(client.next_piece() == ": keep-alive");
  bed.puppet->port(0)->report(report_completed{});
  CHECK(next_state(client) == "TASK_STATE_COMPLETED");
}

TEST_CASE("a stream carries comments while only what it does not show happens", "[net][sse]") {
  server_options options;
  options.keep_alive_interval = std::chrono::milliseconds(100);
  const seconds_later time;
  executor_options how;
  how.time = &time; // so that every report becomes a fact at once
  const net_bed bed(options, "puppet", nullptr, how);
  auto client = open_stream(bed, "SendStreamingMessage", text_message("go"));
  const auto id = at(next(client), "/result/task/id");
  CHECK(next_state(client) == "TASK_STATE_WORKING");
  const auto port = bed.puppet->port(0);
  const auto shows = [&](double value) {
    const auto record = find_task(*bed.records, task_id(id));
    return record->progress && record->progress->trackers.at(0).progress == value;
  };
  std::jthread flow([&](const std::stop_token& enough) {
    for (double value = 0.001; !enough.stop_requested(); value += 0.001) {
      port->report(progress(value));
      static_cast<void>(comes_true([&] { return shows(value); }));
    }
  });
  for (int comments = 0; comments < 3; ++comments)
    CHECK(client.next_piece() == ": keep-alive");
  flow.request_stop();
  flow.join();
  port->report(report_completed{});
  CHECK(next_state(client) == "TASK_STATE_COMPLETED");
}

TEST_CASE("a reader that has gone is noticed, and its task goes on", "[net][sse]") {
  server_options options;
  options.keep_alive_interval = std::chrono::milliseconds(8);
  const net_bed bed(options, "puppet");
  auto client = open_stream(bed, "SendStreamingMessage", text_message("go"));
  const auto id = at(next(client), "/result/task/id");
  const auto port = bed.puppet->port(0);
  CHECK(bed.web->load().streams == 1);
  client.close();
  REQUIRE(comes_true([&] { return bed.web->load().streams == 0; }));
  port->report(report_completed{{text_artifact("out", "still done")}, ""});
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", id_param(id)), "/status/state") == "TASK_STATE_COMPLETED";
  }));
}

TEST_CASE("a reader that stops reading is cut off with a last event", "[net][sse]") {
  server_options options;
  options.stream_events_max = 4;
  const net_bed bed(options, "puppet");
  auto slow =
      open_stream(bed, "SendStreamingMessage", text_message("go"), "A2A-Version: 1.0\r\n", 4096);
  const auto id = at(next(slow), "/result/task/id");
  CHECK(next_state(slow) == "TASK_STATE_WORKING");
  const auto port = bed.puppet->port(0);
  // More than the buffers between here and there hold, in pieces that each fit the queue.
  const std::string block(512 * 1024, 'x');
  int sent = 0;
  const auto artifacts = [&] { return find_task(*bed.records, task_id(id))->artifacts.size(); };
  for (; sent < 24; ++sent) {
    port->report(report_artifact{text_artifact("a" + std::to_string(sent), block), false, true});
    REQUIRE(comes_true([&] { return artifacts() == static_cast<std::size_t>(sent) + 1; }));
  }
  int seen = 0;
  std::string last;
  while (const auto event = slow.next_event()) {
    const auto parsed = boost::json::parse(*event);
    last = at(parsed, "/error/message");
    if (last != "(none)")
      break;
    CHECK(at(parsed, "/result/artifactUpdate/artifact/name")
          == "a" + std::to_string(seen)); // none missing before
    ++seen;
  }
  CHECK(seen < sent);
  CHECK_THAT(last, ContainsSubstring("too slow"));
  CHECK_FALSE(slow.next_event());
  // The task has not noticed.
  port->report(report_completed{});
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", id_param(id)), "/status/state") == "TASK_STATE_COMPLETED";
  }));
}

TEST_CASE("a burst of 60,000 chunks reaches a reader that reads, and all of its text",
          "[net][sse][burst]") {
  const temporary_directory directory;
  auto records = GENERATE(false, true) ? open_rocksdb_store({.directory = directory.path().string(),
                                                             .durability = durability::async})
                                             .value()
                                       : make_memory_store();
  const net_bed bed({}, "puppet", std::move(records));
  auto client = open_stream(bed, "SendStreamingMessage", text_message("go"));
  const auto id = at(next(client), "/result/task/id");
  CHECK(next_state(client) == "TASK_STATE_WORKING");
  const auto port = bed.puppet->port(0);
  constexpr int chunks = 60'000;
  std::jthread agent([&] {
    for (int i = 0; i < chunks; ++i) {
      auto chunk = text_artifact("out", std::to_string(i) + "\n");
      chunk.artifact_id = "out";
      port->report(report_artifact{std::move(chunk), i > 0, i + 1 == chunks});
    }
    port->report(report_completed{});
  });
  std::string text;
  std::string state;
  while (const auto event = client.next_event()) {
    const auto parsed = boost::json::parse(*event);
    REQUIRE(at(parsed, "/error/message") == "(none)");
    state = at(parsed, "/result/statusUpdate/status/state");
    if (state == "(none)")
      for (const auto& part : parsed.at_pointer("/result/artifactUpdate/artifact/parts").as_array())
        text += part.at("text").as_string();
  }
  CHECK(state == "TASK_STATE_COMPLETED");
  std::string expected;
  for (int i = 0; i < chunks; ++i)
    expected += std::to_string(i) + "\n";
  CHECK(text.size() == expected.size());
  CHECK(text == expected);
  // The ended task has one text, not 60,000.
  const auto record = find_task(*bed.records, task_id(id));
  const auto& made = record->artifacts.at(0)->parts;
  REQUIRE(made.size() == 1);
  CHECK(text_of(made) == expected);
}

TEST_CASE("a burst of more than may wait reaches a reader that reads, event by event",
          "[net][sse][burst]") {
  const temporary_directory directory;
  server_options options;
  options.stream_events_max = 8;
  const bool is_durable = GENERATE(false, true);
  auto records = is_durable ? open_rocksdb_store({.directory = directory.path().string(),
                                                  .durability = durability::async})
                                  .value()
                            : make_memory_store();
  const net_bed bed(options, "puppet", std::move(records));
  auto client = open_stream(bed, "SendStreamingMessage", text_message("go"));
  static_cast<void>(next(client));
  CHECK(next_state(client) == "TASK_STATE_WORKING");
  const auto port = bed.puppet->port(0);
  const int files = 2'000;
  for (int i = 0; i < files; ++i)
    port->report(report_artifact{text_artifact("a" + std::to_string(i), "x"), false, true});
  port->report(report_completed{});
  for (int i = 0; i < files; ++i)
    REQUIRE(at(next(client), "/result/artifactUpdate/artifact/name") == "a" + std::to_string(i));
  CHECK(next_state(client) == "TASK_STATE_COMPLETED");
  CHECK_FALSE(client.next_event());
}

TEST_CASE("a message of a working agent is a status update in the task's present state",
          "[net][sse]") {
  const net_bed bed({}, "puppet");
  auto client = open_stream(bed, "SendStreamingMessage", text_message("go"));
  const auto id = at(next(client), "/result/task/id");
  CHECK(next_state(client) == "TASK_STATE_WORKING");
  auto older = open_stream(bed, "tasks/resubscribe", id_param(id), "");
  CHECK(at(next(older), "/result/status/state") == "working");
  const auto port = bed.puppet->port(0);
  const auto say = [&](const char* text) {
    report_message said;
    said.message.from = role::agent;
    said.message.parts.push_back(text_part(text));
    port->report(std::move(said));
  };
  say("half way");
  const auto update = next(client);
  CHECK(at(update, "/result/statusUpdate/status/state") == "TASK_STATE_WORKING");
  CHECK(at(update, "/result/statusUpdate/status/message/parts/0/text") == "half way");
  CHECK(at(update, "/result/statusUpdate/status/message/role") == "ROLE_AGENT");
  const auto old = next(older);
  CHECK(at(old, "/result/kind") == "status-update");
  CHECK(at(old, "/result/status/state") == "working");
  CHECK(at(old, "/result/status/message/parts/0/text") == "half way");
  CHECK(at(old, "/result/final") == "false");
  port->report(report_question{"Log in", true});
  CHECK(next_state(client) == "TASK_STATE_AUTH_REQUIRED");
  say("still here");
  const auto waiting = next(client);
  CHECK(at(waiting, "/result/statusUpdate/status/state") == "TASK_STATE_AUTH_REQUIRED");
  CHECK(at(waiting, "/result/statusUpdate/status/message/parts/0/text") == "still here");
  // What the task is told is no status update.
  CHECK(at(bed.result_of("SendMessage",
                         text_message("secret", R"(,"taskId":")" + id + "\"",
                                      R"(,"configuration":{"returnImmediately":true})")),
           "/task/id")
        == id);
  port->report(report_completed{});
  CHECK(next_state(client) == "TASK_STATE_WORKING");
  CHECK(next_state(client) == "TASK_STATE_COMPLETED");
}

TEST_CASE("no more streams than allowed are open at once", "[net][sse]") {
  server_options options;
  options.streams_max = 1;
  const net_bed bed(options, "puppet");
  auto first = open_stream(bed, "SendStreamingMessage", text_message("go"));
  static_cast<void>(next(first));
  const auto refused = bed.connect().post(rpc("SendStreamingMessage", text_message("go")));
  CHECK(refused.status == 429);
  CHECK(refused.header("retry-after") == "1");
  CHECK_THAT(refused.body, ContainsSubstring("limits.streams"));
  bed.puppet->port(0)->report(report_completed{});
  while (first.next_event())
    ;
  REQUIRE(comes_true([&] { return bed.web->load().streams == 0; }));
  auto again = open_stream(bed, "SendStreamingMessage", text_message("go"));
  static_cast<void>(next(again));
}

TEST_CASE("an HTTP/1.0 client gets a stream without chunks that ends with the connection",
          "[net][sse]") {
  const net_bed bed;
  auto client = bed.connect();
  auto text = http_client::post_text(rpc("SendStreamingMessage", text_message("go"), "42"));
  text.replace(text.find("HTTP/1.1"), 8, "HTTP/1.0");
  client.send(text);
  const auto head = client.receive_head();
  CHECK(head.header("transfer-encoding").empty());
  CHECK(head.header("connection") == "close");
  CHECK(at(next(client), "/result/task/status/state") == "TASK_STATE_SUBMITTED");
  std::string state;
  while (const auto event = client.next_event())
    state = *event;
  CHECK_THAT(state, ContainsSubstring("TASK_STATE_COMPLETED"));
}

namespace {

/// A task with a message of `bytes`, which runs until it is told otherwise.
std::string task_with(const net_bed& bed, std::size_t bytes) {
  return at(
      bed.result_of("SendMessage", text_message(std::string(bytes, 'x'), "",
                                                R"(,"configuration":{"returnImmediately":true})")),
      "/task/id");
}

/// A stream of a task that is not read: its snapshot is more than the buffers between here and
/// there hold.
http_client stalled_stream(const net_bed& bed, const std::string& id) {
  auto client = bed.connect(4096);
  client.send(http_client::post_text(rpc("SubscribeToTask", id_param(id), "42")));
  return client;
}

} // namespace

TEST_CASE("readers that stop share the snapshot, and hold a piece of its text each",
          "[net][sse][stalled]") {
  server_options options;
  options.write_timeout = std::chrono::minutes(5);
  const net_bed bed(options, "puppet");
  constexpr std::size_t snapshot_bytes = 5 << 20;
  const auto id = task_with(bed, snapshot_bytes);
  std::vector<http_client> readers;
  for (std::size_t i = 0; i < 20; ++i)
    readers.push_back(stalled_stream(bed, id));
  const auto each_max = 2 * net::stream_piece_bytes;
  REQUIRE(comes_true([&] {
    return bed.web->load().stream_bytes > snapshot_bytes + 20 * net::stream_piece_bytes;
  }));
  CHECK(bed.web->load().stream_bytes < snapshot_bytes + 20 * each_max);
  CHECK(bed.web->load().answer_bytes == 0);
  // Who reads it later sees the whole of it.
  CHECK(readers.front().receive_head().status == 200);
  CHECK(at(next(readers.front()), "/result/task/history/0/parts/0/text").size() == snapshot_bytes);
  bed.puppet->port(0)->report(report_completed{});
  std::string last;
  while (const auto event = readers.front().next_event())
    last = *event;
  CHECK_THAT(last, ContainsSubstring("TASK_STATE_COMPLETED"));
  for (auto& each : readers)
    each.close();
  REQUIRE(comes_true([&] { return bed.web->load().stream_bytes == 0; }));
}

TEST_CASE("a reader that has stalled is cut when another stream needs room",
          "[net][sse][stalled]") {
  server_options options;
  options.write_timeout = std::chrono::minutes(5);
  options.stream_bytes_total_max = 10 << 20;
  const net_bed bed(options, "puppet");
  constexpr std::size_t bytes = 4 << 20;
  const auto first_id = task_with(bed, bytes);
  const auto second_id = task_with(bed, bytes + 1);
  const auto third_id = task_with(bed, bytes + 2);
  auto first = stalled_stream(bed, first_id);
  REQUIRE(comes_true([&] { return bed.web->load().stream_bytes > bytes; }));
  auto second = stalled_stream(bed, second_id);
  REQUIRE(comes_true([&] { return bed.web->load().stream_bytes > 2 * bytes; }));
  // The two may not have stalled yet: then nothing can be cut, and the third one has no room.
  REQUIRE(comes_true([&] {
    auto third = stalled_stream(bed, third_id);
    try {
      const auto shown = third.receive_head().status == 200 ? third.next_event() : std::nullopt;
      return shown && shown->size() >= bytes;
    } catch (const std::exception&) {
      return false;
    }
  }));
  // Which of the two took something last depends on the buffers of the kernel.
  std::size_t whole = 0;
  for (auto* const reader : {&first, &second}) {
    try {
      whole += reader->receive_head().status == 200 && reader->next_event() ? 1 : 0;
    } catch (const std::exception&) { // The one that was cut.
    }
  }
  CHECK(whole < 2);
}

TEST_CASE("no stream begins while too much waits for readers, and the slowest of them is cut",
          "[net][sse][stalled]") {
  server_options options;
  options.write_timeout = std::chrono::minutes(5);
  options.stream_bytes_total_max = 1 << 20;
  const net_bed bed(options, "puppet");
  constexpr std::size_t bytes = 4 << 20;
  const auto id = task_with(bed, bytes);
  auto slow = stalled_stream(bed, id); // It is alone, so there is room for it.
  REQUIRE(comes_true([&] { return bed.web->load().stream_bytes > bytes; }));
  const auto refused = bed.connect().post(rpc("SubscribeToTask", id_param(id)));
  CHECK(refused.status == 429);
  CHECK(refused.header("retry-after") == "1");
  CHECK_THAT(refused.body, ContainsSubstring("limits.stream-bytes-total (1048576 bytes)"));
  // The next one cuts the slow one as soon as that waits for its reader.
  REQUIRE(comes_true([&] {
    auto next = bed.connect();
    next.send(http_client::post_text(rpc("SubscribeToTask", id_param(id))));
    return next.receive_head().status == 200;
  }));
  CHECK_THROWS(static_cast<void>(slow.receive_head().status == 200 && slow.next_event()));
  REQUIRE(comes_true([&] { return bed.web->load().stream_bytes == 0; }));
  // The server may learn only now that the client of the next one has gone: until then that one
  // may be counted again.
  std::string shown;
  REQUIRE(comes_true([&] {
    auto again = bed.connect();
    again.send(http_client::post_text(rpc("SubscribeToTask", id_param(id), "42")));
    if (again.receive_head().status != 200)
      return false;
    shown = at(next(again), "/result/task/history/0/parts/0/text");
    return true;
  }));
  CHECK(shown.size() == bytes);
}

TEST_CASE("a reader that stops does not hold the record with which its stream began",
          "[net][sse][stalled][memory]") {
  server_options options;
  options.write_timeout = std::chrono::minutes(5);
  const net_bed bed(options, "puppet", make_memory_store({.tasks = 0})); // None that has ended.
  const auto id = task_with(bed, 10);
  static_cast<void>(
      bed.result_of("SendMessage", text_message("more", R"(,"taskId":")" + id + "\"",
                                                R"(,"configuration":{"returnImmediately":true})")));
  CHECK(bed.puppet->input(0) == "more");
  const std::weak_ptr<const message> said = find_task(*bed.records, task_id{id})->history.back();
  auto reader = open_stream(bed, "SubscribeToTask", id_param(id), "A2A-Version: 1.0\r\n", 4096);
  CHECK(at(next(reader), "/result/task/history/1/parts/0/text") == "more");
  // More than the buffers between here and there hold.
  bed.puppet->port(0)->report(
      report_artifact{text_artifact("out", std::string(std::size_t{9} << 20, 'x')), false, true});
  REQUIRE(comes_true([&] { return bed.web->load().stream_bytes > 0; }));
  bed.puppet->port(0)->report(report_completed{});
  CHECK(comes_true([&] { return said.expired(); }));
  CHECK(bed.web->load().streams == 1);
}
