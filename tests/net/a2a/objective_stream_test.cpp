// objectives/subscribe: an objective and its changes as server-sent events, and the page about it.
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/source_dir.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <fstream>
#include <iterator>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::testing;
namespace json = boost::json;

namespace {

struct streamed {
  std::string id; ///< The event's; empty: it has none.
  json::value data;
};

/// The next event; nothing at the end.
std::optional<streamed> next_streamed(http_client& from) {
  auto piece = from.next_piece();
  while (piece && piece->starts_with(':'))
    piece = from.next_piece();
  if (!piece)
    return std::nullopt;
  streamed out;
  if (piece->starts_with("id: ")) {
    const auto end = piece->find('\n');
    out.id = piece->substr(4, end - 4);
    piece->erase(0, end + 1);
  }
  REQUIRE(piece->starts_with("data: "));
  out.data = json::parse(piece->substr(6));
  return out;
}

std::vector<streamed> rest_of(http_client& from) {
  std::vector<streamed> out;
  while (auto one = next_streamed(from))
    out.push_back(std::move(*one));
  return out;
}

double number_at(const json::value& value, const std::string& path) {
  return value.at_pointer(path).to_number<double>();
}

http_client subscribe_rest(const net_bed& bed, const std::string& query,
                           const std::string& headers = "A2A-Version: 1.0\r\n") {
  auto client = bed.connect();
  client.send(http_client::request_text("GET", "/objectives/o:subscribe" + query, "", headers));
  return client;
}

/// All events of its changes, as one array.
json::array events_of(const std::vector<streamed>& all) {
  json::array out;
  for (const auto& one : all)
    if (const auto* change = one.data.as_object().if_contains("change"))
      for (const auto& event : change->at("events").as_array())
        out.push_back(event);
  return out;
}

/// The events without what only a stream that was live has.
json::array lasting(const std::vector<streamed>& all) {
  json::array out;
  for (const auto& one : all) {
    auto copy = one.data;
    if (auto* change = copy.as_object().if_contains("change"))
      change->as_object().erase("progress");
    copy.as_object()["id"] = one.id;
    out.push_back(copy);
  }
  return out;
}

report_progress half_way() {
  progress_tracker all;
  all.id = "all";
  all.progress = 1;
  all.total = 2;
  return {progress_report{{all}, std::nullopt}};
}

constexpr std::string_view opt_uri = "https://github.com/zeroasterisk/a2a-opt/v1";

constexpr auto two_plans = R"({"id":"o","name":"O","start":true,"plans":[
  {"name":"a","tasks":[{"name":"one"},{"name":"two","agent":"echo","input":{"text":"2"},"dependencies":["one"]}]},
  {"name":"b","tasks":[{"name":"three","agent":"noop"}],"dependencies":["a"]}]})";

std::unique_ptr<store> durable(const temporary_directory& where) {
  return open_rocksdb_store({.directory = where.path().string(), .durability = durability::async})
      .value();
}

} // namespace

TEST_CASE("Q1_stream: a subscription shows the objective, then each change, until its last state",
          "[net][opt][sse]") {
  const bool over_rest = GENERATE(true, false);
  CAPTURE(over_rest);
  const net_bed bed({}, "puppet");
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  const auto port = bed.puppet->port(0);
  auto client = over_rest ? subscribe_rest(bed, "") : bed.connect();
  if (!over_rest)
    client.send(http_client::post_text(rpc("objectives/subscribe", R"({"id":"o"})")));
  CHECK(client.receive_head().header("content-type") == "text/event-stream");
  const std::string result = over_rest ? "" : "/result";
  auto first = next_streamed(client).value();
  CHECK(at(first.data, result + "/objective/status") == "working");
  CHECK(at(first.data, result + "/objective/plans/0/tasks/1/status") == "pending");
  CHECK(at(first.data, result + "/cursor") == first.id);
  port->report(report_completed{{text_artifact("a", "1")}, "done"});
  auto last = first;
  std::uint64_t before = std::stoull(first.id);
  double fraction = 0;
  while (auto one = next_streamed(client)) {
    CHECK(at(one->data, result + "/change/cursor") == one->id);
    CHECK(std::stoull(one->id) > before);
    before = std::stoull(one->id);
    const auto now = number_at(one->data, result + "/change/progress/fraction");
    CHECK(now >= fraction);
    fraction = now;
    last = std::move(*one);
  }
  CHECK(fraction == 1);
  CHECK(at(last.data, result + "/change/events/0/kind") == "objective");
  CHECK(at(last.data, result + "/change/events/0/status") == "completed");
}

TEST_CASE(
    "Q1_stream: a subscription goes on behind every event that it showed, after a restart, too",
    "[net][opt][sse][resume]") {
  const temporary_directory directory;
  std::vector<streamed> all;
  const auto check_all = [&](const net_bed& bed) {
    for (std::size_t shown = 0; shown < all.size(); ++shown) {
      CAPTURE(shown, all[shown].id);
      auto client = subscribe_rest(bed, "?cursor=" + all[shown].id);
      CHECK(client.receive_head().status == 200);
      const auto resumed = rest_of(client);
      const std::vector<streamed> expected(all.begin() + static_cast<std::ptrdiff_t>(shown) + 1,
                                           all.end());
      if (!expected.empty())
        CHECK(lasting(resumed) == lasting(expected));
      else // Nothing was missed: the objective as it ended.
        CHECK(at(resumed.at(0).data, "/objective/status") == "completed");
    }
  };
  {
    const net_bed bed({}, "puppet", durable(directory));
    static_cast<void>(bed.result_of("objectives/create", two_plans));
    const auto port = bed.puppet->port(0);
    auto client = subscribe_rest(bed, "");
    CHECK(client.receive_head().status == 200);
    all.push_back(next_streamed(client).value());
    static_cast<void>(bed.result_of(
        "plans/modify",
        R"({"id":"o.p0","operations":[{"op":"addTask","name":"more","agent":"noop"}]})"));
    static_cast<void>(bed.result_of("objectives/update", R"({"id":"o","name":"renamed"})"));
    port->report(report_completed{{}, ""});
    for (auto& each : rest_of(client))
      all.push_back(std::move(each));
    REQUIRE(all.size() > 8);
    CHECK(at(all.back().data, "/change/revision") == "2");
    check_all(bed);
  }
  const net_bed again({}, "puppet", durable(directory));
  check_all(again);
}

TEST_CASE("Q1_stream: each of 103 tasks of an objective is shown as it begins and ends",
          "[net][opt][sse]") {
  const net_bed bed({}, "puppet");
  std::string tasks = R"({"name":"first"})";
  for (int i = 1; i < 103; ++i)
    tasks += R"(,{"name":"t)" + std::to_string(i) + R"(","agent":"noop","dependencies":["first"]})";
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"o","name":"O","start":true,"plans":[{"name":"p","tasks":[)" + tasks + "]}]}"));
  auto client = subscribe_rest(bed, "");
  static_cast<void>(client.receive_head());
  static_cast<void>(next_streamed(client));
  bed.puppet->port(0)->report(report_completed{{}, ""});
  std::map<std::string, std::vector<std::string>> states;
  for (const auto& event : events_of(rest_of(client)))
    if (at(event, "/kind") == "task")
      states[at(event, "/taskId")].push_back(at(event, "/status"));
  REQUIRE(states.size() == 103);
  for (const auto& [id, seen] : states) {
    CAPTURE(id, seen);
    CHECK(seen.back() == "completed");
    CHECK((id == "o.p0.t0" || std::ranges::find(seen, "working") != seen.end()));
  }
}

TEST_CASE("Q1_stream: a subscriber chooses how much is shown", "[net][opt][sse]") {
  const net_bed bed({}, "puppet");
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  const auto port = bed.puppet->port(0);
  // Then nothing happens between the subscriptions.
  REQUIRE(comes_true([&] {
    const auto shown = bed.result_of("objectives/get", R"({"id":"o"})");
    return at(shown, "/objective/plans/0/tasks/0/status") == "working";
  }));
  auto states = subscribe_rest(bed, "?detail=states");
  auto tasks = subscribe_rest(bed, "?detail=tasks");
  auto full = subscribe_rest(bed, "?detail=full");
  for (auto* each : {&states, &tasks, &full}) {
    CHECK(each->receive_head().status == 200);
    const auto first = next_streamed(*each).value();
    CHECK((at(first.data, "/objective/plans/0/tasks") == "(none)") == (each == &states));
  }
  port->report(half_way());
  port->report(report_artifact{text_artifact("a", "1"), false, true});
  port->report(report_completed{{}, ""});
  const auto shown_at = [](http_client& client) {
    std::map<std::string, int> count;
    for (const auto& each : events_of(rest_of(client))) {
      ++count[std::string(each.at("kind").as_string())];
      count["fraction"] += each.as_object().contains("fraction") ? 1 : 0;
      count["update"] += each.as_object().contains("update") ? 1 : 0;
      if (each.as_object().contains("update"))
        count["artifact"] += at(each, "/update/artifactUpdate") != "(none)" ? 1 : 0;
    }
    return count;
  };
  auto at_states = shown_at(states);
  CHECK(at_states["objective"] == 1);
  CHECK(at_states["plan"] == 3);
  CHECK(at_states["task"] == 0);
  auto at_tasks = shown_at(tasks);
  CHECK(at_tasks["plan"] == 3);
  CHECK(at_tasks["fraction"] == 1);
  CHECK(at_tasks["task"] > 4);
  CHECK(at_tasks["update"] == 0);
  auto at_full = shown_at(full);
  CHECK(at_full["artifact"] == 2);
  CHECK(at_full["task"] > at_tasks["task"]);
}

TEST_CASE("Q1_stream: a task that asks is shown at every detail", "[net][opt][sse]") {
  const net_bed bed({}, "puppet");
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  const auto port = bed.puppet->port(0);
  auto client = subscribe_rest(bed, "?detail=states");
  CHECK(client.receive_head().status == 200);
  static_cast<void>(next_streamed(client));
  port->report(report_question{"By the sea?", false});
  const auto asked = next_streamed(client).value();
  CHECK(at(asked.data, "/change/events/0/status") == "input-required");
  CHECK(at(asked.data, "/change/events/0/reason") == "By the sea?");
  CHECK(at(asked.data, "/change/events/0/taskId") == "o.p0.t0");
}

TEST_CASE("Q1_stream: with a rate, an event has the latest of all that changed",
          "[net][opt][sse]") {
  const net_bed bed({}, "puppet");
  std::string many =
      R"({"id":"o","name":"O","start":true,"plans":[{"name":"a","tasks":[{"name":"one"})";
  for (int i = 0; i < 200; ++i)
    many += R"(,{"agent":"noop","dependencies":["one"],"name":")" + std::to_string(i) + "\"}";
  static_cast<void>(bed.result_of("objectives/create", many + "]}]}"));
  const auto port = bed.puppet->port(0);
  auto client = subscribe_rest(bed, "?maxPerSecond=4");
  CHECK(client.receive_head().status == 200);
  auto first = next_streamed(client).value();
  port->report(report_completed{{}, ""});
  const auto all = rest_of(client);
  const auto events = events_of(all);
  std::map<std::string, std::string> state;
  for (const auto& each : events)
    if (each.at("kind") == "task")
      state[at(each, "/taskId")] = at(each, "/status");
  CHECK(state.size() == 201);
  for (const auto& [task, status] : state)
    CHECK(status == "completed");
  CHECK(all.size() < 200); // Else it has folded nothing.
  CHECK(number_at(all.back().data, "/change/progress/fraction") == 1);
}

TEST_CASE("Q1_stream: an ended objective is shown as it ended", "[net][opt][sse]") {
  const net_bed bed({}, "noop");
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  REQUIRE(comes_true([&] {
    return at(bed.result_of("objectives/get", R"({"id":"o"})"), "/objective/status") == "completed";
  }));
  auto client = subscribe_rest(bed, "");
  CHECK(client.receive_head().status == 200);
  const auto all = rest_of(client);
  REQUIRE(all.size() == 1);
  CHECK(at(all[0].data, "/objective/status") == "completed");
}

TEST_CASE("Q1_stream: what is wrong with a subscription is said before it begins",
          "[net][opt][sse]") {
  const net_bed bed({}, "puppet");
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  const auto refusal = [&](const std::string& query, const std::string& headers = {}) {
    auto client = subscribe_rest(bed, query, "A2A-Version: 1.0\r\n" + headers);
    return client.receive();
  };
  for (const auto* query : {"?detail=all", "?maxPerSecond=0", "?maxPerSecond=101", "?cursor=17",
                            "?cursor=17-x", "?cursor=4000000-0", "?cursor=1-77"}) {
    CAPTURE(query);
    const auto answer = refusal(query);
    CHECK(answer.status == 400);
    const auto name = std::string_view(query).substr(1, std::string_view(query).find('=') - 1);
    CHECK(answer.body.find(name) != std::string::npos);
  }
  CHECK(refusal("", "Last-Event-ID: nothing\r\n").status == 400);
  CHECK(bed.connect().request("GET", "/objectives/nobody:subscribe").status == 404);
  auto client = bed.connect();
  client.send(http_client::post_text(rpc("objectives/subscribe", R"({"id":"nobody"})")));
  CHECK(client.receive_head().status == 200);
  CHECK(at(json::parse(client.next_event().value()), "/error/code") == "-32000");
}

TEST_CASE("P7_rollup: objectives and plans show how far they are, and the root task to who asks",
          "[net][opt][progress]") {
  const net_bed bed({}, "puppet");
  const auto sent = bed.result_of(
      "SendMessage",
      text_message("go", "",
                   R"(,"configuration":{"returnImmediately":true},"metadata":{"opt/v1/objective":{
      "id":"o","name":"O","plans":[{"name":"a","tasks":[{"name":"one","expectedSeconds":30},
      {"name":"two","expectedSeconds":10,"agent":"noop","dependencies":["one"]}]},
      {"name":"b","tasks":[{"name":"three","agent":"noop"}],"dependencies":["a"]}]}})"));
  const auto port = bed.puppet->port(0);
  port->report(half_way());
  const auto shown = [&](const std::string& path) {
    return number_at(bed.result_of("objectives/get", R"({"id":"o"})"), "/objective/" + path);
  };
  REQUIRE(comes_true([&] { return shown("progress/fraction") > 0; }));
  CHECK(shown("progress/fraction") == 0.25);
  CHECK(shown("progress/done") == 15);
  CHECK(shown("progress/total") == 60); // 30, 10, and their median
  CHECK(shown("plans/0/progress/fraction") == 0.375);
  CHECK(shown("plans/0/tasks/0/expectedSeconds") == 30);
  CHECK(number_at(bed.result_of("plans/get", R"({"id":"o.p1"})"), "/plan/progress/fraction") == 0);

  const auto get_root = [&](const std::string& headers) {
    return bed.call(rpc("GetTask", R"({"id":")" + at(sent, "/task/id") + "\"}"),
                    "A2A-Version: 1.0\r\n" + headers);
  };
  const std::string key =
      "/result/metadata/https:~1~1a2a-protocol.org~1extensions~1task-progress~1v1";
  const auto active = get_root("A2A-Extensions: " + std::string(progress_uri) + "\r\n");
  CHECK(number_at(active, key + "/aggregate/progress") == 25);
  CHECK(at(active, key + "/trackers/0/id") == "o.p0");
  CHECK(number_at(active, key + "/trackers/0/progress") == 37.5);
  CHECK(at(active, key + "/trackers/1/id") == "(none)"); // it does not run
  CHECK(at(get_root(""), key) == "(none)");
}

TEST_CASE("Q1_stream: the stream of a root task has the changes of its objective, for who asks",
          "[net][opt][sse]") {
  const bool active = GENERATE(true, false);
  CAPTURE(active);
  const net_bed bed({}, "puppet");
  const auto message =
      text_message("go", "", R"(,"metadata":{"opt/v1/objective":)" + std::string(two_plans) + "}");
  const std::string uris = std::string(opt_uri) + ", " + std::string(progress_uri);
  auto client = bed.connect();
  client.send(http_client::post_text(rpc("SendStreamingMessage", message),
                                     "A2A-Version: 1.0\r\n"
                                         + (active ? "A2A-Extensions: " + uris + "\r\n" : "")));
  CHECK(client.receive_head().status == 200);
  const auto first = next_streamed(client).value();
  CHECK(at(first.data, "/result/task/id") != "(none)");
  const std::string key = "/result/statusUpdate/metadata/";
  const std::string progress = key + "https:~1~1a2a-protocol.org~1extensions~1task-progress~1v1";
  std::vector<streamed> all;
  if (active) {
    do {
      all.push_back(next_streamed(client).value());
    } while (at(all.back().data, key + "opt~1v1~1objective/id") == "(none)");
    CHECK(number_at(all.back().data, progress + "/aggregate/total") == 100);
  }
  bed.puppet->port(0)->report(report_completed{{}, ""});
  for (auto& each : rest_of(client))
    all.push_back(std::move(each));
  std::vector<std::string> plans;
  for (const auto& each : all) {
    const auto* changes = &each.data;
    if (at(*changes, key + "opt~1v1~1change") == "(none)")
      continue;
    CHECK(at(each.data, "/result/statusUpdate/taskId") == at(first.data, "/result/task/id"));
    for (const auto& event : each.data.at_pointer(key + "opt~1v1~1change/events").as_array())
      if (event.at("kind") == "plan")
        plans.push_back(at(event, "/planId") + " " + at(event, "/status"));
  }
  CAPTURE(plans);
  if (!plans.empty() && plans.front() == "o.p0 working")
    plans.erase(plans.begin()); // The stream may begin before the first plan does.
  const std::vector<std::string> expected{"o.p0 completed", "o.p1 working", "o.p1 completed"};
  CHECK(plans == (active ? expected : std::vector<std::string>{}));
  CHECK(at(all.back().data, "/result/statusUpdate/status/state") == "TASK_STATE_COMPLETED");
}

TEST_CASE("Q1_stream: the end of a root task is said once, behind everything else",
          "[net][opt][sse]") {
  const bool completes = GENERATE(true, false);
  CAPTURE(completes);
  const net_bed bed({}, "puppet");
  auto client = bed.connect();
  client.send(http_client::post_text(
      rpc("SendStreamingMessage",
          text_message("go", "",
                       R"(,"metadata":{"opt/v1/objective":{"id":"o","name":"O","plans":[)"
                       R"({"name":"a","tasks":[{"name":"one"}]}]}})")),
      "A2A-Version: 1.0\r\nA2A-Extensions: " + std::string(opt_uri) + "\r\n"));
  CHECK(client.receive_head().status == 200);
  const auto port = bed.puppet->port(0);
  artifact made;
  made.parts = {text_part("made")};
  port->report(report_artifact{made});
  if (completes)
    port->report(report_completed{{}, ""});
  else
    port->report(report_failed{"it broke"});
  const auto all = rest_of(client);
  const std::string last = completes ? "TASK_STATE_COMPLETED" : "TASK_STATE_FAILED";
  std::size_t said = 0;
  for (const auto& each : all)
    said += at(each.data, "/result/statusUpdate/status/state") == last ? 1 : 0;
  CHECK(said == 1);
  CHECK(at(all.back().data, "/result/statusUpdate/status/state") == last);
}

TEST_CASE("P7_rollup: what was shown is shown after a restart", "[net][opt][progress]") {
  const temporary_directory directory;
  std::string before;
  const auto shown = [](const net_bed& bed) {
    return at(bed.result_of("objectives/get", R"({"id":"o"})"), "/objective/progress");
  };
  {
    const net_bed bed({}, "puppet", durable(directory));
    static_cast<void>(bed.result_of(
        "objectives/create",
        R"({"id":"o","name":"O","start":true,"plans":[{"name":"a","onFailure":"continue","tasks":[
          {"name":"one","agent":"noop"},{"name":"two"},{"name":"three"}]}]})"));
    bed.puppet->port(0)->report(half_way());
    bed.puppet->port(0)->report(report_failed{"it broke"});
    static_cast<void>(bed.puppet->port(1));
    REQUIRE(comes_true([&] { // one has completed, and one stood at a half
      return number_at(json::parse(shown(bed)), "/fraction") >= 0.5;
    }));
    before = shown(bed);
  }
  const net_bed again({}, "puppet", durable(directory));
  CHECK(shown(again) == before);
  again.puppet->port(0)->report(report_failed{"it broke again"});
  REQUIRE(comes_true([&] {
    return at(again.result_of("objectives/get", R"({"id":"o"})"), "/objective/status") == "failed";
  }));
  CHECK(shown(again) == before);
}

TEST_CASE("every request that the page on watching prints is answered as it says",
          "[net][opt][docs]") {
  const temporary_directory directory;
  const net_bed bed({}, "echo", durable(directory));
  std::ifstream file(source_dir() + "/docs/watching.md");
  const std::string page{std::istreambuf_iterator<char>(file), {}};
  constexpr std::string_view opening = "\n```json\n{";
  int sent = 0;
  for (auto at_block = page.find(opening); at_block != std::string::npos;
       at_block = page.find(opening, at_block + 1)) {
    const auto begin = at_block + opening.size() - 1;
    const auto request =
        json::parse(page.substr(begin, page.find("\n```", begin) - begin)).as_object();
    const auto text = json::serialize(request);
    CAPTURE(text);
    ++sent;
    if (request.at("method") == "objectives/create") {
      REQUIRE(at(bed.call(text, ""), "/error") == "(none)");
      continue;
    }
    auto client = bed.connect();
    client.send(http_client::post_text(text, ""));
    CHECK(client.receive_head().status == 200);
    const auto all = rest_of(client);
    REQUIRE_FALSE(all.empty());
    const bool resumes = at(request, "/params/cursor") != "(none)";
    CHECK((at(all[0].data, "/result/objective") == "(none)") == resumes);
    const auto last = at(all.back().data, "/result/change/events/0/status");
    CHECK((last == "completed" || at(all.back().data, "/result/objective/status") == "completed"));
  }
  CHECK(sent == 4);
}
