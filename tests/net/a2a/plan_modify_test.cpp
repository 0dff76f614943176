// plans/modify over all bindings (docs/objectives.md, "Changing a plan").
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// A runs by hand; b waits for a, c for b.
constexpr const char* row =
    R"({"id":"o","name":"o","start":true,"plans":[{"name":"p","tasks":[{"id":"a","name":"a","agent":"puppet"},)"
    R"({"id":"b","name":"b","agent":"echo","dependencies":["a"]},)"
    R"({"id":"c","name":"c","agent":"echo","dependencies":["b"]}]}]})";

struct modify_bed : net_bed {
  modify_bed() { static_cast<void>(result_of("objectives/create", row)); }

  static std::string params(const std::string& operations, const std::string& more = "") {
    return R"({"id":"o.p0","operations":[)" + operations + "]" + more + "}";
  }
  [[nodiscard]] boost::json::value modify(const std::string& operations,
                                          const std::string& more = "") const {
    return result_of("plans/modify", params(operations, more));
  }
  /// REASON and field of what was refused.
  [[nodiscard]] std::string refused(const std::string& operations,
                                    const std::string& more = "") const {
    const auto why = error_of("plans/modify", params(operations, more));
    return at(why, "/data/0/reason") + " " + at(why, "/data/0/metadata/field");
  }
  [[nodiscard]] boost::json::array tasks() const {
    return result_of("plans/get", R"({"id":"o.p0"})").at("plan").at("tasks").as_array();
  }
};

constexpr const char* add_x = R"({"op":"addTask","name":"x","agent":"echo"})";

} // namespace

TEST_CASE("Q2_change: a plan that runs is changed, and the answer is as large as the change",
          "[net][opt][modify]") {
  const modify_bed bed;
  const auto done = bed.modify(
      R"({"op":"addTask","as":"n","name":"new","agent":"puppet","dependencies":["a"]},)"
      R"({"op":"addTask","id":"m","name":"m","agent":"puppet"},)"
      R"({"op":"addDependency","task":"c","on":"n"},)"
      R"({"op":"removeTask","task":"b","bridge":true},)"
      R"({"op":"replaceTask","task":"c","with":{"name":"c2","agent":"echo","input":{"text":"x"}}},)"
      R"({"op":"renameTask","task":"m","name":"M"},)"
      R"({"op":"setDeadline","task":"c","deadline":"2031-01-01T00:00:00Z"},)"
      R"({"op":"setPriority","task":"c","priority":-4})",
      R"(,"reason":"it rains","ifRevision":0)");
  CHECK(boost::json::serialize(done)
        == R"({"planId":"o.p0","revision":1,"added":["o.p0.t3","o.p0.t4"],"removed":["b"],)"
           R"("replaced":["c"],"released":["o.p0.t4"]})");
  const auto tasks = bed.tasks();
  REQUIRE(tasks.size() == 4);
  CHECK(at(tasks[1], "/name") == "c2");
  CHECK(at(tasks[1], "/dependencies") == R"(["o.p0.t3","a"])");
  CHECK(at(tasks[1], "/deadline") == "2031-01-01T00:00:00.000Z");
  CHECK(at(tasks[1], "/priority") == "-4");
  CHECK(at(tasks[3], "/name") == "M");
}

TEST_CASE("Q2_change: plans/modify has the same answer under each version and over REST",
          "[net][opt][modify]") {
  const modify_bed bed;
  auto client = bed.connect();
  const auto send = [&](const std::string& path, const std::string& headers,
                        const std::string& body) {
    return client.request("POST", path, body, headers);
  };
  const auto rpc = R"({"jsonrpc":"2.0","id":1,"method":"plans/modify","params":)"
                   + modify_bed::params(add_x) + "}";
  int revision = 0;
  for (const std::string version : {"A2A-Version: 1.0\r\n", "A2A-Version: 0.3\r\n", ""}) {
    const auto answer = boost::json::parse(send("/", version, rpc).body);
    INFO(boost::json::serialize(answer));
    CHECK(at(answer, "/result/revision") == std::to_string(++revision));
  }
  for (const auto& [path, version] : {std::pair{"/plans/o.p0:modify", "A2A-Version: 1.0\r\n"},
                                      std::pair{"/v1/plans/o.p0:modify", ""}}) {
    const auto body = R"({"operations":[)" + std::string{add_x} + "]}";
    const auto answer = send(
        path, std::string{version} + "If-Match: \"" + std::to_string(revision) + "\"\r\n", body);
    CHECK(answer.status == 200);
    CHECK(at(boost::json::parse(answer.body), "/revision") == std::to_string(++revision));
    CHECK(send(path, std::string{version} + "If-Match: \"0\"\r\n", body).status == 412);
    const auto stale = R"({"ifRevision":0,"operations":[)" + std::string{add_x} + "]}";
    CHECK(send(path, version, stale).status == 409);
    CHECK(send(path, version, R"({"operations":[{"op":"removeTask","task":"a"}]})").status == 409);
    CHECK(send(path, version, R"({"operations":[{"op":"removeTask"}]})").status == 400);
  }
  CHECK(bed.tasks().size() == 8);
}

TEST_CASE("E_errors: what cannot be changed is refused as a whole, and the place is named",
          "[net][opt][modify]") {
  const modify_bed bed;
  const auto after = [&](const std::string& operation) {
    return bed.refused(std::string{add_x} + "," + operation);
  };
  CHECK(bed.refused("") == "INVALID_PARAMS /operations");
  CHECK(bed.refused("5") == "INVALID_PARAMS /operations/0");
  CHECK(after(R"({"op":"fly","task":"a"})") == "INVALID_PARAMS /operations/1/op");
  CHECK(after(R"({"task":"a"})") == "INVALID_PARAMS /operations/1/op");
  CHECK(after(R"({"op":"addDependency","task":"c"})") == "INVALID_PARAMS /operations/1/on");
  CHECK(after(R"({"op":"addDependency","task":"c","on":"nix"})")
        == "UNKNOWN_DEPENDENCY /operations/1/on");
  CHECK(after(R"({"op":"addDependency","task":"nix","on":"c"})")
        == "UNKNOWN_DEPENDENCY /operations/1/task");
  CHECK(after(R"({"op":"removeDependency","task":"c","on":"a"})")
        == "UNKNOWN_DEPENDENCY /operations/1/on");
  CHECK(after(R"({"op":"removeTask","task":"a"})") == "ALREADY_STARTED /operations/1/task");
  CHECK(after(R"({"op":"removeTask","task":"b"})") == "STILL_NEEDED /operations/1/task");
  CHECK(after(R"({"op":"addTask","agent":"echo"})") == "INVALID_PARAMS /operations/1");
  CHECK(after(R"({"op":"addTask","id":"b","name":"b"})") == "DUPLICATE_ID /operations/1/id");
  CHECK(after(R"({"op":"addTask","name":"y","dependencies":["nix"]})")
        == "UNKNOWN_DEPENDENCY /operations/1/dependencies");
  CHECK(after(R"({"op":"addTask","name":"y","input":{"text":"${tasks.nix.id}"}})")
            .starts_with("INVALID_REFERENCE /operations/1/input"));
  CHECK(after(R"({"op":"replaceTask","task":"c"})") == "INVALID_PARAMS /operations/1/with");
  CHECK(after(R"({"op":"replaceTask","task":"c","with":{"name":"c","retry":5}})")
        == "INVALID_PARAMS /operations/1/with/retry");
  CHECK(after(R"({"op":"replaceTask","task":"c","with":{"name":"c","dependencies":["nix"]}})")
        == "UNKNOWN_DEPENDENCY /operations/1/with/dependencies");
  CHECK(after(R"({"op":"replaceTask","task":"a","with":{"name":"a"}})")
        == "ALREADY_STARTED /operations/1/task");
  for (const auto* priority : {"\"high\"", "-2147483648", "2147483648", "0.5", "null"}) {
    CAPTURE(priority);
    CHECK(after(R"({"op":"setPriority","task":"c","priority":)" + std::string(priority) + "}")
          == "INVALID_PARAMS /operations/1/priority");
  }
  const auto cycle = bed.error_of(
      "plans/modify", modify_bed::params(R"({"op":"addDependency","task":"b","on":"c"})"));
  CHECK(at(cycle, "/data/0/reason") == "DEPENDENCY_CYCLE");
  CHECK_THAT(at(cycle, "/message"), ContainsSubstring(R"("b" -> "c" -> "b")"));
  CHECK(bed.refused(add_x, R"(,"ifRevision":7)").starts_with("REVISION_MISMATCH"));
  const auto unknown = bed.error_of("plans/modify", R"({"id":"nix","operations":[{"op":"fly"}]})");
  CHECK(at(unknown, "/data/0/reason") == "PLAN_NOT_FOUND");
  CHECK(bed.tasks().size() == 3);
}

TEST_CASE("C15: a change has at most 10,000 operations and 1 MiB", "[net][opt][modify]") {
  const modify_bed bed;
  std::string many = R"({"op":"renameTask","task":"c","name":"c"})";
  const std::string one = many;
  many.reserve(10'001 * (one.size() + 1));
  for (std::size_t i = 1; i < plan_operations_max; ++i)
    many += "," + one;
  CHECK(at(bed.modify(many), "/revision") == "1");
  CHECK(bed.refused(many + "," + one) == "LIMIT_EXCEEDED /operations");
  std::string long_one = R"({"op":"addTask","name":"x","description":")";
  const auto text = std::string(100'000, 'x');
  std::string large;
  for (int i = 0; i < 11; ++i)
    large += (i == 0 ? "" : ",") + long_one + text + "\"}";
  const auto refused = bed.error_of("plans/modify", modify_bed::params(large));
  CHECK(at(refused, "/data/0/reason") == "LIMIT_EXCEEDED");
  CHECK_THAT(at(refused, "/message"), ContainsSubstring("plan_operations_bytes_max"));
}

TEST_CASE("C14: a dry run answers the same and changes nothing", "[net][opt][modify]") {
  const modify_bed bed;
  const std::string operations =
      std::string{add_x} + R"(,{"op":"removeDependency","task":"b","on":"a"})";
  const auto dry = bed.modify(operations, R"(,"dryRun":true,"requestId":"r")");
  CHECK(boost::json::serialize(dry)
        == R"({"planId":"o.p0","revision":1,"dryRun":true,"added":["o.p0.t3"],)"
           R"("released":["b","o.p0.t3"]})");
  CHECK(bed.refused(R"({"op":"removeTask","task":"a"})", R"(,"dryRun":true)")
        == "ALREADY_STARTED /operations/0/task");
  CHECK(bed.tasks().size() == 3);
  // The request that was tried is done, and another change goes on from the same revision.
  CHECK(at(bed.modify(operations, R"(,"requestId":"r","ifRevision":0)"), "/revision") == "1");
  CHECK(bed.tasks().size() == 4);
}

TEST_CASE("C14: a plan that has not begun is changed, and a dry run of that changes nothing",
          "[net][opt][modify]") {
  const net_bed bed;
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"o","name":"o","plans":[{"name":"p","tasks":[{"name":"a","agent":"echo"}]}]})"));
  const auto params = [](const std::string& more) {
    return modify_bed::params(R"({"op":"addTask","name":"b"},{"op":"removeTask","task":"a"})",
                              more);
  };
  CHECK(
      boost::json::serialize(bed.result_of("plans/modify", params(R"(,"dryRun":true)")))
      == R"({"planId":"o.p0","revision":1,"dryRun":true,"added":["o.p0.t1"],"removed":["o.p0.t0"]})");
  CHECK(boost::json::serialize(bed.result_of("plans/modify", params("")))
        == R"({"planId":"o.p0","revision":1,"added":["o.p0.t1"],"removed":["o.p0.t0"]})");
}

TEST_CASE("M26_request_id: a request that comes again is answered as the first, another refused",
          "[net][opt][modify]") {
  const modify_bed bed;
  const auto first = bed.modify(add_x, R"(,"requestId":"r")");
  CHECK(bed.modify(add_x, R"(,"requestId":"r")") == first);
  CHECK(bed.tasks().size() == 4);
  CHECK(bed.refused(R"({"op":"removeTask","task":"c"})", R"(,"requestId":"r")")
        == "DUPLICATE_REQUEST requestId");
  // The other methods that change something take it, too.
  const auto same = [&](const std::string& method, const std::string& params,
                        const std::string& id) {
    CAPTURE(method);
    const auto once = at(bed.result_of(method, params), id);
    CHECK(at(bed.result_of(method, params), id) == once);
  };
  same("objectives/create", R"({"name":"n","requestId":"q"})", "/objective/id");
  same("plans/create", R"({"objectiveId":"o","name":"n","requestId":"q","tasks":[{"name":"t"}]})",
       "/plan/id");
  same("plans/addTasks", R"({"id":"o.p0","requestId":"s","tasks":[{"name":"t"}]})",
       "/plan/revision");
  same("objectives/update", R"({"id":"o","name":"N","requestId":"u"})", "/objective/revision");
  same("plans/update", R"({"id":"o.p0","name":"N","requestId":"t"})", "/plan/revision");
}

TEST_CASE("M_cells: tasks are skipped, completed and tried again over the wire",
          "[net][opt][modify]") {
  const net_bed bed;
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"o","name":"o","start":true,"plans":[{"name":"p","onFailure":"continue","tasks":[)"
      R"({"name":"f","agent":"scripted","input":{"steps":[{"fail":"no route"}]}},)"
      R"({"name":"b","agent":"echo","dependencies":["w"]},)"
      R"({"name":"c","agent":"echo","input":{"text":"${tasks.b.artifacts[0].text}!"},"dependencies":["b"]},)"
      R"({"name":"w","agent":"puppet"}]}]})"));
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", R"({"id":"o.p0.t0"})"), "/status/state")
           == "TASK_STATE_FAILED";
  }));
  const auto modify = [&](const std::string& operations) {
    return boost::json::serialize(bed.result_of("plans/modify", modify_bed::params(operations)));
  };
  const auto refused = [&](const std::string& operation) {
    const auto why = bed.error_of("plans/modify", modify_bed::params(operation));
    return at(why, "/data/0/reason") + " " + at(why, "/data/0/metadata/field");
  };
  CHECK(refused(R"({"op":"skipTask","task":"b"})") == "STILL_READ /operations/0/task");
  CHECK(refused(R"({"op":"skipTask","task":"w"})") == "ALREADY_STARTED /operations/0/task");
  CHECK(refused(R"({"op":"retryTask","task":"w"})") == "NOTHING_TO_RETRY /operations/0/task");
  CHECK(refused(R"({"op":"addDependency","task":"b","on":"f"})")
        == "DEPENDENCY_FAILED /operations/0/on");
  CHECK(refused(R"({"op":"completeTask","task":"b","artifacts":[{"parts":5}]})")
        == "INVALID_PARAMS /operations/0/artifacts/0");
  CHECK(refused(R"({"op":"skipTask","task":"b","then":"fly"})")
        == "INVALID_PARAMS /operations/0/then");
  CHECK(refused(R"({"op":"retryTask","task":"f","with":{"agent":5}})")
        == "INVALID_PARAMS /operations/0/with/agent");
  CHECK(refused(R"({"op":"retryTask","task":"f","with":{"agent":"nobody"}})")
            .starts_with("AGENT_NOT_FOUND"));
  CHECK(
      modify(R"({"op":"completeTask","task":"b","artifacts":[{"parts":[{"text":"by hand"}]}]},)"
             R"({"op":"retryTask","task":"f","with":{"agent":"echo"}})")
      == R"({"planId":"o.p0","revision":1,"replaced":["o.p0.t0.r1"],"completed":["o.p0.t1"],"retried":["o.p0.t0.r1"],)"
         R"("released":["o.p0.t0.r1","o.p0.t2"]})");
  const auto made = bed.result_of("GetTask", R"({"id":"o.p0.t1"})");
  CHECK(at(made, "/status/state") == "TASK_STATE_COMPLETED");
  CHECK(at(made, "/artifacts/0/parts/0/text") == "by hand");
  REQUIRE(comes_true([&] {
    return at(bed.result_of("GetTask", R"({"id":"o.p0.t2"})"), "/status/state")
           == "TASK_STATE_COMPLETED";
  }));
  CHECK(modify(R"({"op":"skipTask","task":"w","cancel":true},{"op":"setPlan","name":"N"})")
        == R"({"planId":"o.p0","revision":2,"skipped":["o.p0.t3"],"canceled":["o.p0.t3"]})");
  REQUIRE(comes_true([&] {
    return at(bed.result_of("objectives/get", R"({"id":"o"})"), "/objective/status") == "completed";
  }));
  const auto plan = bed.result_of("plans/get", R"({"id":"o.p0"})").at("plan");
  CHECK(at(plan, "/name") == "N");
  CHECK(at(plan, "/tasks/3/status") == "skipped");
  const auto skipped = bed.result_of("GetTask", R"({"id":"o.p0.t3"})");
  CHECK(at(skipped, "/status/state") == "TASK_STATE_CANCELED");
  CHECK(skipped.at("status").at("message").at("metadata").at("opt/v1/skipped") == true);
}

TEST_CASE("M21_revision: a plan shows the revision of its last change, and is held to it",
          "[net][opt][modify]") {
  const net_bed bed;
  static_cast<void>(bed.result_of(
      "objectives/create",
      R"({"id":"o","name":"o","plans":[{"name":"a","tasks":[{"name":"t"}]},{"name":"b","tasks":[{"name":"t"}]}]})"));
  static_cast<void>(bed.result_of("plans/update", R"({"id":"o.p0","name":"A"})"));
  const auto objective = bed.result_of("objectives/get", R"({"id":"o"})").at("objective");
  CHECK(at(objective, "/revision") == "1");
  CHECK(at(objective, "/plans/0/revision") == "1");
  CHECK(at(objective, "/plans/1/revision") == "0");
  // The editor of the other plan is not disturbed.
  static_cast<void>(bed.result_of("plans/update", R"({"id":"o.p1","name":"B","ifRevision":0})"));
  CHECK(at(bed.result_of("plans/get", R"({"id":"o.p1"})"), "/plan/revision") == "2");
  const auto stale = bed.error_of("plans/update", R"({"id":"o.p0","name":"C","ifRevision":0})");
  CHECK(at(stale, "/data/0/reason") == "REVISION_MISMATCH");
  CHECK(at(stale, "/data/2/value/current") == "1");
}

TEST_CASE("Q2_change: the history of a plan, and what the loser of a race has missed",
          "[net][opt][modify]") {
  const temporary_directory directory;
  const net_bed bed(
      {}, "echo",
      open_rocksdb_store({.directory = directory.path().string(), .durability = durability::async})
          .value());
  static_cast<void>(bed.result_of("objectives/create", row));
  static_cast<void>(bed.result_of("plans/update", R"({"id":"o.p0","name":"N"})"));
  const auto modify = [&](const std::string& operations, const std::string& more = "") {
    return bed.call(R"({"jsonrpc":"2.0","id":1,"method":"plans/modify","params":)"
                        + modify_bed::params(operations, more) + "}",
                    "A2A-Version: 1.0\r\n");
  };
  CHECK(at(modify(R"({"op":"removeTask","task":"b","bridge":true})", R"(,"reason":"too dear")"),
           "/result/revision")
        == "2");
  const auto history = bed.result_of("plans/history", R"({"id":"o.p0"})");
  CHECK(at(history, "/revision") == "2");
  CHECK(at(history, "/isComplete") == "(none)");
  REQUIRE(history.at("changes").as_array().size() == 2);
  CHECK(at(history, "/changes/0/revision") == "2");
  CHECK(at(history, "/changes/0/reason") == "too dear");
  CHECK(boost::json::serialize(history.at("changes").at(0).at("operations"))
        == R"([{"op":"addDependency","task":"c","on":"a"},)"
           R"({"op":"removeDependency","task":"c","on":"b"},)"
           R"({"op":"removeDependency","task":"b","on":"a"},)"
           R"({"op":"removeTask","task":"b"}])");
  CHECK(boost::json::serialize(history.at("changes").at(1).at("operations"))
        == R"([{"op":"setPlan","name":"N"}])");
  const auto page = bed.result_of("plans/history", R"({"id":"o.p0","pageSize":1})");
  REQUIRE(page.at("changes").as_array().size() == 1);
  const auto rest = bed.result_of("plans/history", R"({"id":"o.p0","pageSize":1,"pageToken":")"
                                                       + at(page, "/nextPageToken") + "\"}");
  CHECK(at(rest, "/changes/0/revision") == "1");
  CHECK(at(rest, "/nextPageToken") == "(none)");
  const auto lost = modify(add_x, R"(,"ifRevision":1)");
  CHECK(at(lost, "/error/data/2/value/current") == "2");
  CHECK(at(lost, "/error/data/2/value/changes/0/revision") == "2");
  CHECK(at(lost, "/error/data/2/value/changes/1") == "(none)");
  // So is the loser by every other method.
  for (const auto& [method, params] :
       {std::pair{"plans/update", R"({"id":"o.p0","ifRevision":1,"tasks":[{"name":"x"}]})"},
        std::pair{"plans/update", R"({"id":"o.p0","ifRevision":1,"name":"x"})"},
        std::pair{"plans/addTasks", R"({"id":"o.p0","ifRevision":1,"tasks":[{"name":"x"}]})"},
        std::pair{"objectives/update", R"({"id":"o","ifRevision":1,"name":"x"})"},
        std::pair{"plans/create",
                  R"({"objectiveId":"o","ifRevision":1,"name":"x","tasks":[{"name":"t"}]})"}}) {
    CAPTURE(method, params);
    const auto why = bed.error_of(method, params);
    CHECK(at(why, "/data/2/value/current") == "2");
    CHECK(at(why, "/data/2/value/changes/0/operations/0/op") == "addDependency");
  }
  // 0.3 says it over REST. Its errors over JSON-RPC have no data.
  const auto older =
      bed.connect().request("PATCH", "/v1/plans/o.p0", R"({"name":"x","ifRevision":1})", "");
  CHECK(older.status == 409);
  CHECK(at(boost::json::parse(older.body), "/error/details/2/value/changes/0/revision") == "2");
}

TEST_CASE("Q2_change: a store in memory has no history, and says so", "[net][opt][modify]") {
  const modify_bed bed;
  CHECK(boost::json::serialize(bed.result_of("plans/history", R"({"id":"o.p0"})"))
        == R"({"planId":"o.p0","revision":0,"changes":[],"isComplete":false})");
}
