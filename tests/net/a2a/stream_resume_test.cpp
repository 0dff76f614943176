// Streams that go on where they broke (protocol/a2a/stream_mark.hpp): cursors, replay from the
// journal, gaps.
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/passing_store.hpp"
#include "tests/support/temporary_directory.hpp"
#include <troupe/protocol/progress.hpp>

#include <boost/json/parse.hpp>

#include <atomic>
#include <future>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr const char* with_cursors =
    "A2A-Version: 1.0\r\nA2A-Extensions: urn:troupe:stream-cursor:v1\r\n";

http_client subscribe(const net_bed& bed, const std::string& id, const std::string& cursor) {
  auto client = bed.connect();
  client.send(http_client::request_text("GET", "/tasks/" + id + ":subscribe", "",
                                        "A2A-Version: 1.0\r\nTroupe-Cursor: " + cursor + "\r\n"));
  return client;
}

boost::json::value next(http_client& from) {
  return boost::json::parse(from.next_event().value());
}

std::string cursor_of(const boost::json::value& event) {
  for (const auto* kind : {"/task", "/statusUpdate", "/artifactUpdate"})
    if (const auto found = at(event, std::string(kind) + "/metadata/troupe~1v1~1cursor");
        found != "(none)")
      return found;
  return "(none)";
}

std::unique_ptr<store> durable(const temporary_directory& where) {
  return open_rocksdb_store({.directory = where.path().string(), .durability = durability::async})
      .value();
}

/// Begins a task of the puppet, has it make three artifacts and end, and returns all its events.
std::vector<boost::json::value> whole_life(const net_bed& bed) {
  auto client = bed.connect();
  client.send(
      http_client::request_text("POST", "/message:stream", text_message("go"), with_cursors));
  CHECK(client.receive_head().header("a2a-extensions") == "urn:troupe:stream-cursor:v1");
  const auto port = bed.puppet->port(0);
  for (const auto* text : {"1", "2", "3"})
    port->report(report_artifact{text_artifact(text, text), false, true});
  report_message on_its_way;
  on_its_way.message.parts.push_back(text_part("half way"));
  port->report(on_its_way);
  port->report(report_completed{{text_artifact("last", "4")}, "done"});
  std::vector<boost::json::value> events;
  while (const auto one = client.next_event())
    events.push_back(boost::json::parse(*one));
  return events;
}

/// A past of many pages that show nothing, so that no socket slows its reader down. The first is
/// given once `begin` is called.
class long_journal final : public passing_store {
public:
  static constexpr int pages_max = 10'000;

  using passing_store::read_changes;
  using passing_store::read_placement;
  void read_changes(const task_id&, const history_range& range, read_done<history_page> done,
                    const std::string&) const override {
    if (pages == 0)
      begun_.wait_for(std::chrono::seconds{20});
    history_page out;
    out.next_after = range.after;
    out.more = ++pages < pages_max;
    done(std::move(out));
  }
  void read_placement(const task_id& id, read_done<placement> done,
                      const std::string& client) const override {
    if (id == task_id{"meanwhile"})
      asked_at = pages.load();
    passing_store::read_placement(id, std::move(done), client);
  }
  void begin() { begin_.set_value(); }

  mutable std::atomic<int> pages{0};
  mutable std::atomic<int> asked_at{
      pages_max}; ///< How many had been read when a client asked for the task "meanwhile".

private:
  std::promise<void> begin_;
  const std::shared_future<void> begun_{begin_.get_future()};
};

} // namespace

TEST_CASE("a stream goes on behind every event it showed", "[net][sse][resume]") {
  const temporary_directory directory;
  const net_bed bed({}, "puppet", durable(directory));
  const auto events = whole_life(bed);
  REQUIRE(events.size() == 8); // submitted, working, four artifacts, a message, completed
  CHECK(at(events[5], "/statusUpdate/status/message/parts/0/text") == "half way");
  const auto id = at(events[0], "/task/id");
  for (std::size_t shown = 0; shown < events.size(); ++shown) {
    CAPTURE(shown, cursor_of(events[shown]));
    auto client = subscribe(bed, id, cursor_of(events[shown]));
    CHECK(client.receive_head().status == 200);
    for (std::size_t i = shown + 1; i < events.size(); ++i)
      CHECK(next(client) == events[i]);
    if (shown + 1 == events.size()) // nothing was missed: the task as it is
      CHECK(at(next(client), "/task/status/state") == "TASK_STATE_COMPLETED");
    CHECK_FALSE(client.next_event());
  }
}

TEST_CASE("a stream that goes on then follows what happens", "[net][sse][resume]") {
  const temporary_directory directory;
  const net_bed bed({}, "puppet", durable(directory));
  auto first = bed.connect();
  first.send(
      http_client::request_text("POST", "/message:stream", text_message("go"), with_cursors));
  static_cast<void>(first.receive_head());
  const auto begun = next(first);
  const auto working = next(first);
  const auto port = bed.puppet->port(0);
  port->report(report_artifact{text_artifact("a", "missed"), false, true});
  const auto missed = next(first);
  first.close();

  auto second = subscribe(bed, at(begun, "/task/id"), cursor_of(working));
  static_cast<void>(second.receive_head());
  CHECK(next(second) == missed);
  port->report(report_artifact{text_artifact("b", "live"), false, true});
  CHECK(at(next(second), "/artifactUpdate/artifact/parts/0/text") == "live");
  port->report(report_completed{{}, ""});
  CHECK(at(next(second), "/statusUpdate/status/state") == "TASK_STATE_COMPLETED");
  CHECK_FALSE(second.next_event());
}

TEST_CASE("a root task that goes on shows its state with the progress of its plans",
          "[net][sse][resume][progress]") {
  const temporary_directory directory;
  const net_bed bed({}, "puppet", durable(directory));
  const auto headers = "A2A-Version: 1.0\r\nA2A-Extensions: urn:troupe:stream-cursor:v1, "
                       + std::string(progress_uri) + "\r\n";
  auto first = bed.connect();
  first.send(http_client::request_text(
      "POST", "/message:stream",
      text_message(
          "go",
          R"(,"metadata":{"opt/v1/plan":{"name":"p","tasks":[{"name":"a","agent":"puppet"}]}})"),
      headers));
  static_cast<void>(first.receive_head());
  const auto id = at(next(first), "/task/id");
  report_question asked;
  asked.prompt = "Go on?";
  bed.puppet->port(0)->report(std::move(asked));
  std::string cursor;
  while (const auto one = first.next_event())
    if (const auto found = cursor_of(boost::json::parse(*one)); found != "(none)")
      cursor = found;
  auto second = bed.connect();
  second.send(http_client::request_text("GET", "/tasks/" + id + ":subscribe", "",
                                        headers + "Troupe-Cursor: " + cursor + "\r\n"));
  static_cast<void>(second.receive_head());
  CHECK(at(next(second), "/statusUpdate/status/state") == "TASK_STATE_INPUT_REQUIRED");
}

TEST_CASE("a long past lets other requests of its loop through", "[net][sse][resume]") {
  auto owned = std::make_unique<long_journal>();
  auto& records = *owned;
  server_options options;
  options.threads = 1;
  const net_bed bed(options, "puppet", std::move(owned));
  const auto id =
      at(bed.result_of("SendMessage",
                       text_message("go", "", R"(,"configuration":{"returnImmediately":true})")),
         "/task/id");
  auto other = bed.connect();
  CHECK(other.get("/healthz").status == 200); // It is the loop's.
  auto stream = subscribe(bed, id, "0");
  CHECK(stream.receive_head().status == 200); // Its loop is at the first page, or will be next.
  other.send(http_client::request_text("GET", "/tasks/meanwhile"));
  records.begin();
  CHECK(other.receive().status == 404);
  CHECK(records.asked_at.load() < long_journal::pages_max);
  bed.puppet->port(0)->report(report_completed{{}, ""});
  CHECK(at(next(stream), "/statusUpdate/status/state") == "TASK_STATE_COMPLETED");
}

TEST_CASE("changes that are no longer kept are reported with a snapshot of the task",
          "[net][sse][resume]") {
  const net_bed bed({}, "puppet"); // a memory store keeps no past
  const auto events = whole_life(bed);
  auto client = subscribe(bed, at(events[0], "/task/id"), cursor_of(events[1]));
  CHECK(client.receive_head().status == 200);
  const auto snapshot = next(client);
  CHECK(at(snapshot, "/task/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(snapshot, "/task/metadata/troupe~1v1~1gap") == "true");
  CHECK_FALSE(client.next_event());
}

TEST_CASE("a client that has seen all of a question has missed nothing, although no past is kept",
          "[net][sse][resume]") {
  const net_bed bed({}, "puppet"); // a memory store keeps no past
  auto first = bed.connect();
  first.send(
      http_client::request_text("POST", "/message:stream", text_message("go"), with_cursors));
  static_cast<void>(first.receive_head());
  const auto begun = next(first);
  static_cast<void>(next(first)); // works
  const auto port = bed.puppet->port(0);
  port->report(report_question{"Which one?"});
  const auto asked = next(first);
  CHECK(at(asked, "/statusUpdate/status/state") == "TASK_STATE_INPUT_REQUIRED");
  CHECK_FALSE(first.next_event());

  auto second = subscribe(bed, at(begun, "/task/id"), cursor_of(asked));
  static_cast<void>(second.receive_head());
  port->report(report_artifact{text_artifact("a", "live"), false, true});
  CHECK(at(next(second), "/artifactUpdate/artifact/parts/0/text") == "live");
}

TEST_CASE("a cursor that is none, or of another task, is refused", "[net][sse][resume]") {
  const temporary_directory directory;
  const net_bed bed({}, "puppet", durable(directory));
  const auto id =
      at(bed.result_of("SendMessage",
                       text_message("go", "", R"(,"configuration":{"returnImmediately":true})")),
         "/task/id");
  for (const std::string cursor :
       {"x", "1.", ".1", "-1", "1.2.3", "1.4294967295", "99999999999999999999", "1000"}) {
    CAPTURE(cursor);
    const auto answer = subscribe(bed, id, cursor).receive();
    CHECK(answer.status == 400);
    CHECK_THAT(answer.body, ContainsSubstring("cursor"));
  }
}

TEST_CASE("a cursor that is no text is refused", "[net][sse][resume]") {
  const net_bed bed({}, "puppet");
  const auto id =
      at(bed.result_of("SendMessage",
                       text_message("go", "", R"(,"configuration":{"returnImmediately":true})")),
         "/task/id");
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"trip","name":"Trip","plans":[{"name":"p","tasks":[{"name":"a","agent":"puppet"}]}]})"));
  const auto [method, of] = GENERATE_REF(
      table<std::string, std::string>({{"SubscribeToTask", id}, {"objectives/subscribe", "trip"}}));
  const auto* cursor = GENERATE("5", "true", "{}", R"(["1.1"])");
  CAPTURE(method, cursor);
  auto client = bed.connect();
  client.send(
      http_client::post_text(rpc(method, R"({"id":")" + of + R"(","cursor":)" + cursor + "}")));
  REQUIRE(client.receive_head().status == 200);
  const auto event = client.next_event();
  REQUIRE(event);
  CHECK_THAT(*event, ContainsSubstring("cursor: must be a string") && ContainsSubstring("-32602"));
}

TEST_CASE("a client that does not ask for cursors gets none", "[net][sse][resume]") {
  const net_bed bed;
  auto client = bed.connect();
  client.send(http_client::request_text("POST", "/message:stream", text_message("go")));
  static_cast<void>(client.receive_head());
  while (const auto one = client.next_event())
    CHECK_THAT(*one, !ContainsSubstring("cursor"));
}
