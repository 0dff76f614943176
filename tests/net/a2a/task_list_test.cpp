// ListTasks over the wire (A2A 1.0 section 3.1.4; docs/a2a.md, "Lists").
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <set>

using namespace troupe;
using namespace troupe::testing;

namespace {

std::string in_context(const char* name) {
  return std::string(R"(,"contextId":")") + name + "\"";
}

struct row {
  std::string at;
  std::string id;
};

std::vector<row> rows_of(const boost::json::value& page) {
  std::vector<row> out;
  for (const auto& task : page.at("tasks").as_array())
    out.push_back({at(task, "/status/timestamp"), at(task, "/id")});
  return out;
}

} // namespace

TEST_CASE("a list goes from the newest to the oldest status, ties by id, with every page size",
          "[net][list]") {
  const net_bed bed;
  for (int i = 0; i < 23; ++i)
    static_cast<void>(bed.result_of("SendMessage", text_message("x")));
  std::vector<row> whole;
  for (const auto* size : {"1", "4", "23", "100"}) {
    CAPTURE(size);
    std::vector<row> all;
    std::string token;
    do {
      const auto page = bed.result_of("ListTasks", std::string(R"({"pageSize":)") + size
                                                       + R"(,"pageToken":")" + token + "\"}");
      CHECK(at(page, "/totalSize") == "23");
      CHECK(at(page, "/pageSize") == size);
      for (auto& one : rows_of(page))
        all.push_back(std::move(one));
      token = at(page, "/nextPageToken");
    } while (!token.empty());
    REQUIRE(all.size() == 23);
    CHECK(std::is_sorted(all.begin(), all.end(), [](const row& a, const row& b) {
      return a.at != b.at ? a.at > b.at : a.id < b.id;
    }));
    if (whole.empty())
      whole = all;
    CHECK(std::equal(all.begin(), all.end(), whole.begin(),
                     [](const row& a, const row& b) { return a.id == b.id; }));
  }
}

TEST_CASE("a page of large tasks ends early, and the next goes on behind it", "[net][list]") {
  const net_bed bed;
  const std::string large(5 << 20, 'x');
  std::set<std::string> all;
  for (int i = 0; i < 3; ++i)
    all.insert(at(bed.result_of("SendMessage", text_message(large)), "/task/id"));
  std::set<std::string> seen;
  std::string token;
  int pages = 0;
  do {
    const auto page = bed.result_of(
        "ListTasks", R"({"pageSize":100,"includeArtifacts":true,"pageToken":")" + token + "\"}");
    const auto rows = rows_of(page);
    CHECK(rows.size() == 1); // Message and artifact are more than a page shows.
    for (const auto& one : rows)
      seen.insert(one.id);
    token = at(page, "/nextPageToken");
    ++pages;
  } while (!token.empty());
  CHECK(pages == 3);
  CHECK(seen == all);
  CHECK(rows_of(bed.result_of("ListTasks", R"({"historyLength":0})")).size() == 3);
}

TEST_CASE("a page token is good for its own filters only", "[net][list]") {
  const net_bed bed;
  for (int i = 0; i < 3; ++i)
    static_cast<void>(bed.result_of("SendMessage", text_message("x", in_context("c"))));
  const auto token =
      at(bed.result_of("ListTasks", R"({"contextId":"c","pageSize":1})"), "/nextPageToken");
  REQUIRE_FALSE(token.empty());
  const auto with = [&](const std::string& filters) {
    return "{" + filters + R"("pageSize":2,"pageToken":")" + token + "\"}";
  };
  CHECK(bed.result_of("ListTasks", with(R"("contextId":"c",)")).at("tasks").as_array().size() == 2);
  for (const auto* other :
       {"", R"("contextId":"d",)", R"("contextId":"c","status":"TASK_STATE_COMPLETED",)",
        R"("contextId":"c","statusTimestampAfter":"2020-01-01T00:00:00Z",)"}) {
    CAPTURE(other);
    const auto refused = bed.error_of("ListTasks", with(other));
    CHECK(at(refused, "/code") == "-32602");
    CHECK_THAT(at(refused, "/message"), ContainsSubstring("token"));
  }
  for (const auto* bad : {"x", "0123", "zz", "00000000000000000000000000000000"})
    CHECK(at(bed.error_of("ListTasks", std::string(R"({"pageToken":")") + bad + "\"}"), "/code")
          == "-32602");
}

TEST_CASE("a page that was begun goes on when newer tasks come", "[net][list]") {
  const net_bed bed;
  std::set<std::string> before;
  for (int i = 0; i < 4; ++i)
    before.insert(at(bed.result_of("SendMessage", text_message("x")), "/task/id"));
  const auto first = bed.result_of("ListTasks", R"({"pageSize":2})");
  for (int i = 0; i < 3; ++i)
    static_cast<void>(bed.result_of("SendMessage", text_message("new")));
  const auto second = bed.result_of("ListTasks", R"({"pageSize":2,"pageToken":")"
                                                     + at(first, "/nextPageToken") + "\"}");
  std::set<std::string> seen;
  for (const auto* page : {&first, &second})
    for (const auto& one : rows_of(*page))
      seen.insert(one.id);
  // A task made in the same millisecond may stand among them, but none of the old ones is shown
  // twice.
  CHECK(seen.size() == 4);
}

TEST_CASE("a list is narrowed by context, state and time, in any combination", "[net][list]") {
  const net_bed bed({}, "puppet");
  const auto begin = [&](const char* context, std::size_t index) {
    const auto sent = bed.result_of(
        "SendMessage",
        text_message("x", in_context(context), R"(,"configuration":{"returnImmediately":true})"));
    static_cast<void>(bed.puppet->port(index));
    return at(sent, "/task/id");
  };
  const auto done = begin("a", 0);
  const auto open = begin("a", 1);
  const auto elsewhere = begin("b", 2);
  bed.puppet->port(0)->report(report_completed{});
  const auto total = [&](const std::string& filters) {
    return at(bed.result_of("ListTasks", "{" + filters + "}"), "/totalSize");
  };
  REQUIRE(comes_true([&] { return total(R"("status":"TASK_STATE_COMPLETED")") == "1"; }));
  CHECK(total("") == "3");
  CHECK(total(R"("contextId":"a")") == "2");
  CHECK(total(R"("contextId":"nobody's")") == "0");
  CHECK(total(R"("contextId":"a","status":"TASK_STATE_WORKING")") == "1");
  CHECK(total(R"("contextId":"b","status":"TASK_STATE_COMPLETED")") == "0");
  CHECK(total(R"("status":2)") == "2"); // the proto's number
  const auto last = at(bed.result_of("GetTask", R"({"id":")" + done + "\"}"), "/status/timestamp");
  CHECK(total(R"("status":"TASK_STATE_COMPLETED","statusTimestampAfter":")" + last + "\"")
        == "1"); // inclusive
  CHECK(total(R"("statusTimestampAfter":"2999-01-01T00:00:00Z")") == "0");
  for (const auto* bad : {R"("status":"DONE")", R"("status":99)",
                          R"("statusTimestampAfter":"yesterday")", R"("pageSize":"many")"})
    CHECK(at(bed.error_of("ListTasks", std::string("{") + bad + "}"), "/code") == "-32602");
}

TEST_CASE("in an objective's context the tasks that have not begun are listed, too",
          "[net][list][opt]") {
  const net_bed bed({}, "puppet");
  const auto made =
      bed.result_of("objectives/create",
                    R"({"id":"trip","name":"trip","start":true,"plans":[{"name":"p","tasks":[)"
                    R"({"name":"a"},{"name":"b","dependencies":["a"]}]}]})");
  CHECK(at(made, "/objective/id") == "trip");
  static_cast<void>(bed.puppet->port(0));
  const auto state = [&](const char* id) {
    return at(bed.result_of("GetTask", R"({"id":")" + std::string(id) + "\"}"), "/status/state");
  };
  REQUIRE(comes_true([&] { return state("trip.p0.t0") == "TASK_STATE_WORKING"; }));
  const auto page = bed.result_of("ListTasks", R"({"contextId":"trip"})");
  CHECK(at(page, "/totalSize") == "2");
  CHECK(at(page, "/tasks/0/id") == "trip.p0.t0");
  CHECK(page.at("tasks").at(1) == bed.result_of("GetTask", R"({"id":"trip.p0.t1"})"));
  CHECK(at(bed.result_of("ListTasks", R"({"contextId":"trip","status":"TASK_STATE_SUBMITTED"})"),
           "/tasks/0/id")
        == "trip.p0.t1");
  CHECK(at(bed.result_of("ListTasks", R"({"contextId":"trip","status":"TASK_STATE_WORKING"})"),
           "/totalSize")
        == "1");
  CHECK(at(bed.result_of("ListTasks", "{}"), "/totalSize") == "1");

  static_cast<void>(bed.result_of("objectives/update", R"({"id":"trip","status":"canceled"})"));
  const auto ended =
      bed.result_of("ListTasks", R"({"contextId":"trip","status":"TASK_STATE_CANCELED"})");
  CHECK(at(ended, "/totalSize") == "2");
}

TEST_CASE("a list shows artifacts and history as asked", "[net][list]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("SendMessage", text_message("x")));
  const auto shown = [&](const char* how) {
    return bed.result_of("ListTasks", how).at("tasks").at(0).as_object();
  };
  CHECK_FALSE(shown("{}").contains("artifacts"));
  CHECK_FALSE(shown(R"({"includeArtifacts":false})").contains("artifacts"));
  CHECK(shown(R"({"includeArtifacts":true})").at("artifacts").as_array().size() == 1);
  CHECK(shown("{}").at("history").as_array().size() == 1);
  CHECK_FALSE(shown(R"({"historyLength":0})").contains("history"));
  CHECK(shown(R"({"historyLength":1})").at("history").as_array().size() == 1);

  const net_bed working({}, "noop");
  static_cast<void>(working.result_of("SendMessage", text_message("x")));
  const auto none = working.result_of("ListTasks", R"({"includeArtifacts":true})");
  CHECK(at(none, "/tasks/0/artifacts") == "[]");
}
