// Objectives and plans over REST (docs/objectives.md, "REST"), and the lists and changes that both
// bindings have.
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"

#include <boost/json/parse.hpp>

#include <string>
#include <vector>

using namespace troupe;
using namespace troupe::testing;

namespace {

constexpr const char* trip =
    R"({"id":"trip","name":"Trip","plans":[{"name":"Book","tasks":[{"name":"Flight","agent":"puppet"},)"
    R"({"name":"Hotel","agent":"puppet","dependencies":["Flight"]}]}]})";

/// One version's paths and headers.
struct rest_client {
  const net_bed& bed;
  std::string prefix;
  std::string headers;

  boost::json::value ask(std::string_view verb, const std::string& path, int status,
                         std::string_view body = {}, const std::string& more = {}) const {
    auto client = bed.connect();
    const auto answer = client.request(verb, prefix + path, body, headers + more);
    INFO(verb << " " << prefix << path << ": " << answer.status << " " << answer.body);
    CHECK(answer.status == status);
    return boost::json::parse(answer.body);
  }
};

std::vector<rest_client> both_versions(const net_bed& bed) {
  return {{bed, "", "A2A-Version: 1.0\r\n"}, {bed, "/v1", ""}};
}

/// REASON of an error, under the version's member.
std::string reason(const boost::json::value& answer) {
  return at(answer, "/error/details/0/reason");
}

std::string ids(const boost::json::value& page, const std::string& list = "objectives") {
  std::string out;
  for (const auto& one : page.at(list).as_array())
    out += (out.empty() ? "" : " ") + at(one, "/id");
  return out;
}

/// Objectives `a` to `d`, of which `b` works.
void make_four(const net_bed& bed) {
  for (const std::string made : {R"({"id":"a","name":"Zebra","description":"In AFRICA"})",
                                 R"({"id":"c","name":"Cat"})", R"({"id":"d","name":"Ape"})"})
    static_cast<void>(bed.result_of("objectives/create", made));
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"b","name":"Bear","start":true,"tasks":[{"name":"t","agent":"puppet"}]})"));
}

} // namespace

TEST_CASE("M20_rest: objectives are made, listed, read and changed under their paths",
          "[net][opt][rest]") {
  const net_bed bed;
  for (const auto& over : both_versions(bed)) {
    // The second one sorts before the first, also if both are of the same millisecond.
    const auto id = "o" + std::to_string(9 - over.prefix.size());
    const auto made =
        over.ask("POST", "/objectives", 200, R"({"id":")" + id + R"(","name":"One"})");
    CHECK(at(made, "/objective/id") == id);
    CHECK(at(made, "/objective/status") == "submitted");
    const auto changed =
        over.ask("PATCH", "/objectives/" + id, 200, R"({"id":"other","description":"D"})");
    CHECK(at(changed, "/objective/id") == id); // the path says which
    CHECK(at(changed, "/objective/description") == "D");
    CHECK(at(over.ask("GET", "/objectives/" + id, 200), "/objective/description") == "D");
    const auto page = over.ask("GET", "/objectives?pageSize=1&includePlans=false", 200);
    CHECK(ids(page) == id);
    CHECK(at(page, "/objectives/0/plans") == "(none)");
    CHECK(over.bed.connect()
              .request("HEAD", over.prefix + "/objectives/" + id, "", over.headers)
              .status
          == 200);
  }
}

TEST_CASE("M20_rest: plans are made, listed, read and changed under their paths",
          "[net][opt][rest]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", trip));
  for (const auto& over : both_versions(bed)) {
    const auto made = over.ask("POST", "/objectives/trip/plans", 200,
                               R"({"name":"More )" + std::to_string(over.prefix.size())
                                   + R"(","tasks":[{"name":"n","agent":"noop"}]})");
    const auto id = at(made, "/plan/id");
    CHECK(at(made, "/plan/objectiveId") == "trip");
    CHECK(at(over.ask("GET", "/plans/" + id, 200), "/plan/tasks/0/name") == "n");
    CHECK(at(over.ask("GET", "/plans/" + id + "?includeTasks=false", 200), "/plan/tasks")
          == "(none)");
    CHECK(at(over.ask("PATCH", "/plans/" + id, 200, R"({"description":"D"})"), "/plan/description")
          == "D");
    CHECK(ids(over.ask("GET", "/objectives/trip/plans?pageSize=1", 200), "plans") == "trip.p0");
    const auto added =
        over.ask("POST", "/plans/trip.p0:addTasks", 200, R"({"tasks":[{"name":"x"}]})");
    CHECK(at(added, "/plan/id") == "trip.p0");
  }
  CHECK(at(bed.result_of("plans/get", R"({"id":"trip.p0"})"), "/plan/tasks/3/name") == "x");
}

TEST_CASE("M20_rest: errors have the status and the reason of the table, and paths their verbs",
          "[net][opt][rest]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", trip));
  for (const auto& over : both_versions(bed)) {
    CHECK(reason(over.ask("GET", "/objectives/nix", 404)) == "OBJECTIVE_NOT_FOUND");
    CHECK(reason(over.ask("PATCH", "/objectives/nix", 404, R"({"status":5})"))
          == "OBJECTIVE_NOT_FOUND");
    CHECK(reason(over.ask("GET", "/objectives/nix/plans", 404)) == "OBJECTIVE_NOT_FOUND");
    CHECK(reason(over.ask("GET", "/plans/nix", 404)) == "PLAN_NOT_FOUND");
    CHECK(reason(over.ask("POST", "/plans/nix:addTasks", 404, R"({"tasks":5})"))
          == "PLAN_NOT_FOUND");
    CHECK(reason(over.ask("PATCH", "/objectives/trip", 400, R"({"status":"failed"})"))
          == "INVALID_TRANSITION");
    CHECK(reason(over.ask("GET", "/objectives?pageSize=0", 400)) == "INVALID_PARAMS");
    CHECK(reason(over.ask("GET", "/objectives?includePlans=maybe", 400)) == "INVALID_PARAMS");
    CHECK(reason(over.ask("GET", "/plans/trip.p0:nothing", 404)) == "METHOD_NOT_FOUND");
    auto client = bed.connect();
    const auto refused =
        client.request("DELETE", over.prefix + "/objectives/trip", "", over.headers);
    CHECK(refused.status == 405);
    CHECK(refused.header("allow") == "GET, PATCH, OPTIONS");
  }
}

TEST_CASE("M21_revision: If-Match demands a revision over REST, and is answered with 412",
          "[net][opt][rest]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", trip));
  for (const auto& over : both_versions(bed)) {
    const auto revision = at(over.ask("GET", "/objectives/trip", 200), "/objective/revision");
    const auto next = std::to_string(std::stoi(revision) + 7);
    const auto refused = over.ask("PATCH", "/objectives/trip", 412, R"({"name":"N"})",
                                  "If-Match: \"" + next + "\"\r\n");
    CHECK(reason(refused) == "REVISION_MISMATCH");
    CHECK(at(refused, "/error/code") == "412");
    CHECK(at(refused, "/error/status") == "FAILED_PRECONDITION");
    CHECK(reason(over.ask("PATCH", "/objectives/trip", 409,
                          R"({"name":"N","ifRevision":)" + next + "}"))
          == "REVISION_MISMATCH");
    CHECK(reason(over.ask("POST", "/objectives/trip/plans", 412, R"({"name":"N"})",
                          "If-Match: " + next + "\r\n"))
          == "REVISION_MISMATCH");
    over.ask("PATCH", "/plans/trip.p0", 200, R"({"description":"D"})",
             "If-Match: \"" + revision + "\"\r\n");
    over.ask("PATCH", "/plans/trip.p0", 200, R"({"description":"D"})", "If-Match: *\r\n");
    over.ask("PATCH", "/plans/trip.p0", 400, R"({"description":"D"})", "If-Match: W/\"1\"\r\n");
    over.ask("PATCH", "/plans/trip.p0", 400, R"({"description":"D","ifRevision":)" + next + "}",
             "If-Match: \"" + revision + "\"\r\n");
  }
}

TEST_CASE("M30_list_filters: objectives are narrowed by several states, a text and a time",
          "[net][opt]") {
  const net_bed bed;
  make_four(bed);
  const auto listed = [&](const std::string& params) {
    return ids(bed.result_of("objectives/list", "{" + params + R"(,"orderBy":"name"})"));
  };
  CHECK(listed(R"("status":["submitted"])") == "d c a");
  CHECK(listed(R"("status":["working","submitted","working"])") == "d b c a");
  CHECK(listed(R"("status":"working")") == "b");
  CHECK(listed(R"("status":[])") == "d b c a");
  CHECK(listed(R"("text":"zEB")") == "a");
  CHECK(listed(R"("text":"africa")") == "a"); // in the description
  CHECK(listed(R"("text":"nowhere")").empty());
  CHECK(listed(R"("updatedAfter":"2999-01-01T00:00:00Z")").empty());
  CHECK(listed(R"("updatedAfter":"1999-01-01T00:00:00Z")") == "d b c a");
  for (const auto& over : both_versions(bed)) {
    CHECK(ids(over.ask("GET", "/objectives?status=working&status=completed", 200)) == "b");
    CHECK(ids(over.ask("GET", "/objectives?text=zeb&includeTasks=true", 200)) == "a");
  }
}

TEST_CASE("M30_list_filters: a wrong value is refused by name", "[net][opt]") {
  const net_bed bed;
  const auto refused = [&](const std::string& params) {
    const auto why = bed.error_of("objectives/list", params);
    CHECK(at(why, "/code") == "-32602");
    return at(why, "/data/1/fieldViolations/0/field");
  };
  CHECK(refused(R"({"status":["working","bogus"]})") == "/status");
  CHECK(refused(R"({"status":{}})") == "/status");
  CHECK(refused(R"({"text":5})") == "/text");
  CHECK(refused(R"({"updatedAfter":"bogus"})") == "/updatedAfter");
  CHECK(refused(R"({"orderBy":"bogus"})") == "/orderBy");
  CHECK(refused(R"({"includeTasks":"bogus"})") == "/includeTasks");
  CHECK_THAT(at(bed.error_of("objectives/list", R"({"updatedAfter":"bogus"})"), "/message"),
             ContainsSubstring("updatedAfter"));
}

TEST_CASE("M30_list_filters: a list is in the order that is asked for, page after page",
          "[net][opt]") {
  const net_bed bed;
  make_four(bed);
  const auto pages = [&](const std::string& order) {
    std::string out;
    std::string token;
    do {
      const auto page =
          bed.result_of("objectives/list", R"({"pageSize":1,"orderBy":")" + order
                                               + R"(","pageToken":")" + token + "\"}");
      CHECK(at(page, "/totalSize") == "4");
      out += ids(page);
      token = at(page, "/nextPageToken");
    } while (token != "(none)");
    return out;
  };
  CHECK(pages("name") == "dbca");
  const auto created = pages("createdAt");
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"c","description":"later"})"));
  CHECK(pages("createdAt") == created);
  const auto first =
      bed.result_of("objectives/list", R"({"pageSize":1,"orderBy":"name"})").at("nextPageToken");
  CHECK(at(bed.error_of("objectives/list",
                        R"({"pageSize":1,"pageToken":")" + std::string(first.as_string()) + "\"}"),
           "/code")
        == "-32602"); // of another order
}

TEST_CASE("plans/list: the plans of an objective in its order, narrowed by states, in pages",
          "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"o","name":"o","start":true,"plans":[{"name":"a","tasks":[{"name":"t","agent":"puppet"}]},)"
      R"({"name":"b","tasks":[{"name":"t","agent":"echo"}],"dependencies":["a"]},)"
      R"({"name":"c","tasks":[{"name":"t","agent":"puppet"}]}]})"));
  const auto listed = [&](const std::string& more) {
    return bed.result_of("plans/list", R"({"objectiveId":"o")" + more + "}");
  };
  REQUIRE(
      comes_true([&] { return ids(listed(R"(,"status":"working")"), "plans") == "o.p0 o.p2"; }));
  const auto all = listed("");
  CHECK(ids(all, "plans") == "o.p0 o.p1 o.p2");
  CHECK(at(all, "/totalSize") == "3");
  CHECK(at(all, "/nextPageToken") == "(none)");
  CHECK(at(all, "/plans/0/tasks") == "(none)");
  CHECK(at(listed(R"(,"includeTasks":true)"), "/plans/2/tasks/0/id") == "o.p2.t0");
  CHECK(ids(listed(R"(,"status":["pending","completed"])"), "plans") == "o.p1");
  const auto first = listed(R"(,"pageSize":1,"status":"working")");
  CHECK(ids(first, "plans") == "o.p0");
  CHECK(at(first, "/totalSize") == "2");
  const auto token = R"(,"pageToken":")" + at(first, "/nextPageToken") + "\"";
  const auto second = listed(token + R"(,"pageSize":1,"status":"working")");
  CHECK(ids(second, "plans") == "o.p2");
  CHECK(at(second, "/nextPageToken") == "(none)");
  const auto code = [&](const std::string& params) {
    return at(bed.error_of("plans/list", params), "/code");
  };
  CHECK(code(R"({"objectiveId":"o")" + token + "}") == "-32602"); // of another list
  CHECK(code(R"({"objectiveId":"o","status":"submitted"})") == "-32602");
  CHECK(code(R"({"objectiveId":"o","pageSize":101})") == "-32602");
  CHECK(code("{}") == "-32602");
  CHECK(code(R"({"objectiveId":"nix"})") == "-32000");
  for (const auto* version : {"", "A2A-Version: 0.3\r\n"})
    CHECK(ids(bed.call(rpc("plans/list", R"({"objectiveId":"o"})"), version).at("result"), "plans")
          == "o.p0 o.p1 o.p2");
}

TEST_CASE("M30_list_filters: plans are listed by text and by time, in the order that was asked for",
          "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"o","name":"o","plans":[{"name":"b","description":"By the SEA","tasks":[{"name":"t"}]},)"
      R"({"id":"sea-plan","name":"c","tasks":[{"name":"t"}]},{"name":"a","tasks":[{"name":"t"}]}]})"));
  const auto listed = [&](const std::string& more) {
    return bed.result_of("plans/list", R"({"objectiveId":"o")" + more + "}");
  };
  CHECK(ids(listed(R"(,"text":"sea")"), "plans") == "o.p0 sea-plan");
  CHECK(ids(listed(R"(,"text":"nothing")"), "plans").empty());
  CHECK(ids(listed(R"(,"orderBy":"name")"), "plans") == "o.p2 o.p0 sea-plan");
  CHECK(ids(listed(R"(,"orderBy":"createdAt")"), "plans") == "o.p0 sea-plan o.p2");
  const auto first = listed(R"(,"orderBy":"name","pageSize":2)");
  CHECK(ids(first, "plans") == "o.p2 o.p0");
  CHECK(at(first, "/totalSize") == "3");
  const auto token = R"(,"pageToken":")" + at(first, "/nextPageToken") + "\"";
  CHECK(ids(listed(R"(,"orderBy":"name","pageSize":2)" + token), "plans") == "sea-plan");
  CHECK(at(bed.error_of("plans/list", R"({"objectiveId":"o")" + token + "}"), "/code") == "-32602");
  // The last one updated is the first.
  const auto before = at(bed.result_of("plans/get", R"({"id":"o.p2"})"), "/plan/updatedAt");
  REQUIRE(comes_true([&] {
    static_cast<void>(bed.result_of("plans/update", R"({"id":"o.p2","metadata":{"a":1}})"));
    return at(bed.result_of("plans/get", R"({"id":"o.p2"})"), "/plan/updatedAt") != before;
  }));
  CHECK(ids(listed(R"(,"orderBy":"updatedAt")"), "plans") == "o.p2 o.p0 sea-plan");
  const auto now = at(bed.result_of("plans/get", R"({"id":"o.p2"})"), "/plan/updatedAt");
  CHECK(ids(listed(R"(,"updatedAfter":")" + now + "\""), "plans") == "o.p2");
  const auto field = [&](const std::string& more) {
    return at(bed.error_of("plans/list", R"({"objectiveId":"o")" + more + "}"),
              "/data/0/metadata/field");
  };
  CHECK(field(R"(,"orderBy":"size")") == "/orderBy");
  CHECK(field(R"(,"updatedAfter":"today")") == "/updatedAfter");
  CHECK(field(R"(,"text":7)") == "/text");
  // Over REST the same.
  CHECK(ids(boost::json::parse(
                bed.connect().request("GET", "/objectives/o/plans?orderBy=name&text=sea").body),
            "plans")
        == "o.p0 sea-plan");
}

TEST_CASE("plans/list: a plan behind a blocked plan is listed as blocked, as it is shown",
          "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"o","name":"o","start":true,"plans":[{"name":"a","tasks":[{"name":"t","agent":"scripted",)"
      R"("input":{"steps":[{"ask":"Where?"}]}}]},)"
      R"({"name":"b","tasks":[{"name":"t","agent":"echo"}],"dependencies":["a"]}]})"));
  REQUIRE(comes_true([&] {
    return ids(bed.result_of("plans/list", R"({"objectiveId":"o","status":"blocked"})"), "plans")
           == "o.p0 o.p1";
  }));
}

TEST_CASE("U3_add_tasks: tasks are added to a plan that runs, and run", "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", trip));
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"trip","status":"working"})"));
  const auto added = bed.result_of(
      "plans/addTasks",
      R"({"id":"trip.p0","reason":"more","tasks":[{"id":"taxi","name":"Taxi","agent":"echo","dependencies":["Hotel"]},)"
      R"({"name":"Tip","agent":"echo","dependencies":["taxi",0]}]})");
  CHECK(at(added, "/plan/id") == "trip.p0");
  CHECK(at(added, "/plan/tasks") == "(none)"); // as long as the change, not as the plan
  CHECK(at(added, "/plan/revision") == "1");
  const auto tasks =
      bed.result_of("plans/get", R"({"id":"trip.p0"})").at("plan").at("tasks").as_array();
  REQUIRE(tasks.size() == 4);
  CHECK(at(tasks[2], "/dependencies") == R"(["trip.p0.t1"])");
  CHECK(at(tasks[3], "/dependencies") == R"(["trip.p0.t2","trip.p0.t0"])");
  bed.puppet->port(0)->report(report_completed{});
  bed.puppet->port(1)->report(report_completed{});
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", R"({"id":"trip.p0.t3"})"), "/status/state")
           == "TASK_STATE_COMPLETED";
  }));
}

TEST_CASE("U3_add_tasks: tasks that cannot be added are refused as a whole, by place",
          "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", trip));
  const auto refused = [&](const std::string& params) {
    const auto why = bed.error_of("plans/addTasks", params);
    return at(why, "/data/0/reason") + " " + at(why, "/data/0/metadata/field");
  };
  const auto tasks = [&](const std::string& list) {
    return refused(R"({"id":"trip.p0","tasks":[)" + list + "]}");
  };
  CHECK(tasks("") == "INVALID_PARAMS /tasks");
  CHECK(refused(R"({"id":"trip.p0"})") == "INVALID_PARAMS /tasks");
  CHECK(tasks(R"({"name":"a"},{"agent":"echo"})") == "INVALID_PARAMS /tasks/1");
  CHECK(tasks(R"({"name":"a"},{"name":"b","dependencies":["nobody"]})")
        == "UNKNOWN_DEPENDENCY /tasks/1/dependencies");
  CHECK(tasks(R"({"name":"a","agent":"nobody"})") == "AGENT_NOT_FOUND /tasks/0/agent");
  CHECK(tasks(R"({"id":"a","name":"a"},{"id":"a","name":"b"})") == "DUPLICATE_ID /tasks/1/id");
  CHECK(refused(R"({"id":"trip.p0","ifRevision":9,"tasks":[{"name":"a"}]})")
            .starts_with("REVISION_MISMATCH"));
  CHECK(refused(R"({"id":"nix","tasks":5})").starts_with("PLAN_NOT_FOUND"));
  const auto twice = bed.error_of(
      "plans/addTasks",
      R"({"id":"trip.p0","tasks":[{"name":"Hotel"},{"name":"b","dependencies":["Hotel"]}]})");
  CHECK_THAT(at(twice, "/message"), ContainsSubstring("2 tasks"));
  CHECK(bed.result_of("plans/get", R"({"id":"trip.p0"})").at("plan").at("tasks").as_array().size()
        == 2);
}

TEST_CASE("O6_tasks: plans/update replaces known tasks, adds others and removes none",
          "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", trip));
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"trip","status":"working"})"));
  static_cast<void>(bed.puppet->port(0)); // Flight has begun
  const auto changed = bed.result_of(
      "plans/update",
      R"({"id":"trip.p0","ifRevision":0,"tasks":[{"name":"Hotel","agent":"echo","input":{"text":"x"},"dependencies":["Flight"]},)"
      R"({"id":"trip.p0.t1","name":"Hostel","agent":"echo","input":{"text":"y"},"dependencies":["trip.p0.t0"],"status":"pending"},)"
      R"({"id":"tip","name":"Tip","agent":"echo","dependencies":["Hostel"]},{"name":"Flowers","agent":"echo"}]})");
  const auto tasks = changed.at("plan").at("tasks").as_array();
  REQUIRE(tasks.size() == 4);
  CHECK(at(tasks[0], "/agent") == "puppet");
  CHECK(at(tasks[1], "/id") == "trip.p0.t1");
  CHECK(at(tasks[1], "/name") == "Hostel");
  CHECK(at(tasks[1], "/input/text") == "y");
  CHECK(at(tasks[2], "/dependencies") == R"(["trip.p0.t1"])");
  CHECK(at(changed, "/plan/revision") == "1");
  bed.puppet->port(0)->report(report_completed{});
  REQUIRE(comes_true([&] {
    return at(bed.result_of("objectives/get", R"({"id":"trip"})"), "/objective/status")
           == "completed";
  }));
}

TEST_CASE("O6_tasks: the status of a task completes or skips it", "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", trip));
  static_cast<void>(
      bed.result_of("plans/addTasks", R"({"id":"trip.p0","tasks":[{"id":"tip","name":"Tip"}]})"));
  const auto changed = bed.result_of(
      "plans/update",
      R"({"id":"trip.p0","tasks":[{"id":"tip","status":"skipped"},{"name":"Flight","status":"completed"},)"
      R"({"name":"Hotel","agent":"echo","input":{"text":"x"},"status":"pending"}]})");
  CHECK(at(changed, "/plan/tasks/0/status") == "completed");
  CHECK(at(changed, "/plan/tasks/1/status") == "pending");
  CHECK(at(changed, "/plan/tasks/1/agent") == "echo");
  CHECK(at(changed, "/plan/tasks/2/status") == "skipped");
  CHECK(changed.at("plan").at("tasks").as_array().size() == 3);
  // A task that is added has not been done.
  const auto added = bed.error_of(
      "plans/addTasks", R"({"id":"trip.p0","tasks":[{"name":"Taxi","status":"completed"}]})");
  CHECK(at(added, "/data/0/reason") == "INVALID_PARAMS");
  CHECK(at(added, "/data/0/metadata/field") == "/tasks/0/status");
}

TEST_CASE("O6_tasks: what cannot be changed is refused as a whole, and says which task",
          "[net][opt]") {
  const net_bed bed;
  static_cast<void>(bed.result_of("objectives/create", trip));
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"trip","status":"working"})"));
  static_cast<void>(bed.puppet->port(0)); // Flight has begun
  const auto refused = [&](const std::string& tasks, const std::string& more = "") {
    const auto why =
        bed.error_of("plans/update", R"({"id":"trip.p0","tasks":[)" + tasks + "]" + more + "}");
    return at(why, "/data/0/reason") + " " + at(why, "/data/0/metadata/field");
  };
  CHECK(refused(R"({"name":"Hotel"},{"name":"Flight"})") == "ALREADY_STARTED /tasks/1");
  CHECK(refused(R"({"name":"Hotel","dependencies":["Hotel"]})")
        == "DEPENDENCY_CYCLE /tasks/0/dependencies");
  CHECK(refused(R"({"name":"Hotel","agent":"echo"},{"name":"Flight","status":"skipped"})")
        == "ALREADY_STARTED /tasks/1");
  CHECK(refused(R"({"name":"Ferry","status":"completed"})") == "UNKNOWN_DEPENDENCY /tasks/0");
  CHECK(refused("") == "INVALID_PARAMS /tasks");
  CHECK(refused(R"({"name":"new"})", R"(,"status":"completed")") == "INVALID_PARAMS /status");
  CHECK(refused(R"({"name":"new"})", R"(,"ifRevision":9)").starts_with("REVISION_MISMATCH"));
  const auto plan = bed.result_of("plans/get", R"({"id":"trip.p0"})").at("plan");
  CHECK(at(plan, "/revision") == "0");
  CHECK(plan.at("tasks").as_array().size() == 2);
}
