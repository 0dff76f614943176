// objectives/modify over all bindings (docs/objectives.md, "Changing an objective").
#include "tests/net/net_bed.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/serialize.hpp>

#include <string>

using namespace troupe;
using namespace troupe::testing;

namespace {

/// The first plan runs by hand, the second comes after it.
constexpr const char* two_plans =
    R"({"id":"o","name":"o","start":true,"plans":[)"
    R"({"id":"p","name":"first","tasks":[{"id":"a","name":"a","agent":"puppet"}]},)"
    R"({"id":"q","name":"second","dependencies":["p"],"tasks":[{"id":"b","name":"b","agent":"puppet"}]}]})";

struct objective_bed : net_bed {
  /// The first task has begun: the agent is asked for those of later changes after it.
  objective_bed() {
    static_cast<void>(result_of("objectives/create", two_plans));
    static_cast<void>(puppet->asked(0));
  }

  static std::string params(const std::string& operations, const std::string& more = "") {
    return R"({"id":"o","operations":[)" + operations + "]" + more + "}";
  }
  [[nodiscard]] std::string modify(const std::string& operations,
                                   const std::string& more = "") const {
    return boost::json::serialize(result_of("objectives/modify", params(operations, more)));
  }
  /// REASON and field of what was refused.
  [[nodiscard]] std::string refused(const std::string& operations,
                                    const std::string& more = "") const {
    const auto why = error_of("objectives/modify", params(operations, more));
    return at(why, "/data/0/reason") + " " + at(why, "/data/0/metadata/field");
  }
  [[nodiscard]] boost::json::value objective() const {
    return result_of("objectives/get", R"({"id":"o"})").at("objective");
  }
};

constexpr const char* rename_it = R"({"op":"setObjective","name":"N"})";

} // namespace

TEST_CASE("Q2_change: an objective that runs is changed, and the answer is as large as the change",
          "[net][opt][modify]") {
  const objective_bed bed;
  CHECK(
      bed.modify(
          R"({"op":"setObjective","name":"N","description":"d","metadata":{"k":1},"deadline":"2031-01-01T00:00:00Z","priority":-100},)"
          R"({"op":"setPlan","plan":"first","name":"1st","deadline":"2030-01-01T00:00:00Z","priority":100},)"
          R"({"op":"setPlanDependencies","plan":"q","dependencies":[]})",
          R"(,"reason":"it rains","ifRevision":0)")
      == R"({"objectiveId":"o","revision":1,"released":["q"]})");
  const auto now = bed.objective();
  CHECK(at(now, "/name") == "N");
  CHECK(at(now, "/metadata/k") == "1");
  CHECK(at(now, "/deadline") == "2031-01-01T00:00:00.000Z");
  CHECK(at(now, "/priority") == "-100");
  CHECK(at(now, "/revision") == "1");
  CHECK(at(now, "/plans/0/name") == "1st");
  CHECK(at(now, "/plans/0/deadline") == "2030-01-01T00:00:00.000Z");
  CHECK(at(now, "/plans/0/priority") == "100");
  CHECK(at(now, "/plans/0/revision") == "1");
  CHECK(at(now, "/plans/1/status") == "working");
  CHECK(at(now, "/plans/1/dependencies") == "(none)");
  CHECK(bed.modify(R"({"op":"setObjective","deadline":null,"priority":0})")
        == R"({"objectiveId":"o","revision":2})");
  CHECK(at(bed.objective(), "/deadline") == "(none)");
  CHECK(bed.modify(R"({"op":"skipPlan","plan":"q","cancel":true},)"
                   R"({"op":"skipPlan","plan":"plan-0","cancel":true})")
        == R"({"objectiveId":"o","revision":3,"skipped":["q","p"],"canceled":["q","p"]})");
}

TEST_CASE("Q2_change: objectives/modify has the same answer under each version and over REST",
          "[net][opt][modify]") {
  const objective_bed bed;
  auto client = bed.connect();
  const auto send = [&](const std::string& path, const std::string& headers,
                        const std::string& body) {
    return client.request("POST", path, body, headers);
  };
  const auto rpc = R"({"jsonrpc":"2.0","id":1,"method":"objectives/modify","params":)"
                   + objective_bed::params(rename_it) + "}";
  int revision = 0;
  for (const std::string version : {"A2A-Version: 1.0\r\n", "A2A-Version: 0.3\r\n", ""}) {
    const auto answer = boost::json::parse(send("/", version, rpc).body);
    INFO(boost::json::serialize(answer));
    CHECK(at(answer, "/result/revision") == std::to_string(++revision));
  }
  for (const auto& [path, version] : {std::pair{"/objectives/o:modify", "A2A-Version: 1.0\r\n"},
                                      std::pair{"/v1/objectives/o:modify", ""}}) {
    const auto body = R"({"operations":[)" + std::string{rename_it} + "]}";
    const auto answer = send(
        path, std::string{version} + "If-Match: \"" + std::to_string(revision) + "\"\r\n", body);
    CHECK(answer.status == 200);
    CHECK(at(boost::json::parse(answer.body), "/revision") == std::to_string(++revision));
    CHECK(send(path, std::string{version} + "If-Match: \"0\"\r\n", body).status == 412);
    const auto stale = R"({"ifRevision":0,"operations":[)" + std::string{rename_it} + "]}";
    CHECK(send(path, version, stale).status == 409);
    CHECK(send(path, version, R"({"operations":[{"op":"skipPlan","plan":"p"}]})").status == 409);
    CHECK(send(path, version, R"({"operations":[{"op":"skipPlan"}]})").status == 400);
  }
  CHECK(at(bed.objective(), "/revision") == std::to_string(revision));
}

TEST_CASE("E_errors: what cannot be changed of an objective is refused, and the place is named",
          "[net][opt][modify]") {
  const objective_bed bed;
  const auto after = [&](const std::string& operation) {
    return bed.refused(std::string{rename_it} + "," + operation);
  };
  CHECK(bed.refused("") == "INVALID_PARAMS /operations");
  CHECK(bed.refused("5") == "INVALID_PARAMS /operations/0");
  CHECK(after(R"({"op":"fly"})") == "INVALID_PARAMS /operations/1/op");
  CHECK(after(R"({"op":"setObjective"})") == "INVALID_PARAMS /operations/1");
  CHECK(after(R"({"op":"setPlan","plan":"p"})") == "INVALID_PARAMS /operations/1");
  CHECK(after(R"({"op":"setPlan","plan":"p","description":""})")
        == "INVALID_PARAMS /operations/1/description");
  CHECK(after(R"({"op":"setPlan","name":"x"})") == "INVALID_PARAMS /operations/1/plan");
  CHECK(after(R"({"op":"setPlan","plan":"nix","name":"x"})")
        == "UNKNOWN_DEPENDENCY /operations/1/plan");
  CHECK(after(R"({"op":"skipPlan","plan":"p"})") == "ALREADY_STARTED /operations/1/plan");
  CHECK(after(R"({"op":"setPlanDependencies","plan":"q"})")
        == "INVALID_PARAMS /operations/1/dependencies");
  CHECK(after(R"({"op":"setPlanDependencies","plan":"q","dependencies":["q"]})")
        == "DEPENDENCY_CYCLE /operations/1/dependencies");
  CHECK(after(R"({"op":"setObjective","deadline":"2001-01-01T00:00:00Z"})")
        == "INVALID_PARAMS /operations/1/deadline");
  CHECK(after(R"({"op":"setObjective","deadline":5})") == "INVALID_PARAMS /operations/1/deadline");
  for (const auto* priority : {"\"high\"", "-101", "101", "0.5"}) {
    CAPTURE(priority);
    CHECK(after(R"({"op":"setObjective","priority":)" + std::string(priority) + "}")
          == "INVALID_PARAMS /operations/1/priority");
  }
  CHECK(bed.refused(rename_it, R"(,"ifRevision":7)").starts_with("REVISION_MISMATCH"));
  const auto unknown =
      bed.error_of("objectives/modify", R"({"id":"nix","operations":[{"op":"fly"}]})");
  CHECK(at(unknown, "/data/0/reason") == "OBJECTIVE_NOT_FOUND");
  CHECK(at(bed.objective(), "/revision") == "0");
  CHECK(at(bed.objective(), "/name") == "o");
}

TEST_CASE("C14: a dry run says the same of an objective; a request that comes again, too",
          "[net][opt][modify]") {
  const objective_bed bed;
  const std::string operations = R"({"op":"setPlanDependencies","plan":"q","dependencies":[]})";
  CHECK(bed.modify(operations, R"(,"dryRun":true,"requestId":"r")")
        == R"({"objectiveId":"o","revision":1,"dryRun":true,"released":["q"]})");
  CHECK(at(bed.objective(), "/revision") == "0");
  const auto first = bed.modify(operations, R"(,"requestId":"r")");
  CHECK(first == R"({"objectiveId":"o","revision":1,"released":["q"]})");
  CHECK(bed.modify(operations, R"(,"requestId":"r")") == first);
  CHECK(bed.refused(rename_it, R"(,"requestId":"r")") == "DUPLICATE_REQUEST requestId");
}

TEST_CASE("M27_deadline: deadlines and priorities of a document are kept and shown",
          "[net][opt][modify]") {
  const net_bed bed;
  const auto made = bed.result_of(
      "objectives/create",
      R"({"name":"o","deadline":"2031-01-01T00:00:00Z","priority":3,"plans":[)"
      R"({"name":"p","deadline":"2030-01-01T00:00:00Z","priority":-3,"tasks":[{"name":"t"}]}]})");
  CHECK(at(made, "/objective/deadline") == "2031-01-01T00:00:00.000Z");
  CHECK(at(made, "/objective/priority") == "3");
  CHECK(at(made, "/objective/plans/0/deadline") == "2030-01-01T00:00:00.000Z");
  CHECK(at(made, "/objective/plans/0/priority") == "-3");
  const auto refused = bed.error_of("objectives/create", R"({"name":"o","priority":101})");
  CHECK(at(refused, "/data/0/metadata/field") == "/priority");
}

TEST_CASE("Q2_change: a plan is shown as it was at a revision, and its history has all changes",
          "[net][opt][modify]") {
  const temporary_directory directory;
  const net_bed bed(
      {}, "echo",
      open_rocksdb_store({.directory = directory.path().string(), .durability = durability::async})
          .value());
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  static_cast<void>(bed.result_of(
      "plans/modify", R"({"id":"q","operations":[{"op":"addTask","name":"x","agent":"echo"}]})"));
  static_cast<void>(bed.result_of(
      "objectives/modify",
      objective_bed::params(R"({"op":"setPlan","plan":"q","name":"Q","priority":4},)"
                            R"({"op":"setPlanDependencies","plan":"q","dependencies":[]})",
                            R"(,"reason":"late")")));
  const auto past = [&](const std::string& revision) {
    return bed.result_of("plans/history", R"({"id":"q","atRevision":)" + revision + "}");
  };
  CHECK(at(past("0"), "/revision") == "0");
  CHECK(past("0").at("plan").at("tasks").as_array().size() == 1);
  CHECK(at(past("1"), "/revision") == "1");
  CHECK(past("1").at("plan").at("tasks").as_array().size() == 2);
  CHECK(at(past("1"), "/plan/name") == "second");
  CHECK(at(past("1"), "/plan/dependencies/0") == "p");
  CHECK(at(past("2"), "/plan/name") == "Q");
  CHECK(at(past("2"), "/plan/priority") == "4");
  CHECK(at(past("2"), "/plan/dependencies") == "(none)");
  const auto ahead = bed.error_of("plans/history", R"({"id":"q","atRevision":3})");
  CHECK(at(ahead, "/data/0/reason") == "REVISION_NOT_FOUND");
  const auto both = bed.error_of("plans/history", R"({"id":"q","atRevision":1,"pageSize":5})");
  CHECK(at(both, "/data/0/metadata/field") == "/pageSize");
  const auto history = bed.result_of("plans/history", R"({"id":"q"})");
  CHECK(at(history, "/changes/0/reason") == "late");
  CHECK(boost::json::serialize(history.at("changes").at(0).at("operations"))
        == R"([{"op":"setPlan","plan":"q","name":"Q","priority":4},)"
           R"({"op":"setPlanDependencies","plan":"q","dependencies":[]}])");
  CHECK(history.at("changes").as_array().size() == 2);
}

TEST_CASE("Q2_change: a store in memory cannot show a plan as it was, and says so",
          "[net][opt][modify]") {
  const objective_bed bed;
  const auto refused = bed.error_of("plans/history", R"({"id":"q","atRevision":0})");
  CHECK(at(refused, "/data/0/reason") == "REVISION_NOT_FOUND");
  CHECK_THAT(at(refused, "/message"), ContainsSubstring("a store in memory keeps no history"));
}

namespace {

constexpr const char* third_plan =
    R"({"op":"addPlan","as":"new","id":"r","name":"third","dependencies":["q"],"tasks":[{"name":"c","agent":"puppet"}]})";

} // namespace

TEST_CASE("M_cells: addPlan adds plans, which later operations may name, in one revision",
          "[net][opt][modify]") {
  const objective_bed bed;
  CHECK(bed.modify(
            std::string{third_plan}
            + R"(,{"op":"addPlan","name":"fourth","dependencies":["new"],"tasks":[{"name":"d"}]},)"
              R"({"op":"setPlan","plan":"new","priority":5},)"
              R"({"op":"setPlanDependencies","plan":"new","dependencies":[]})")
        == R"({"objectiveId":"o","revision":1,"added":["r","o.p3"],"released":["r"]})");
  const auto now = bed.objective();
  CHECK(at(now, "/plans/2/id") == "r");
  CHECK(at(now, "/plans/2/status") == "working");
  CHECK(at(now, "/plans/2/priority") == "5");
  CHECK(at(now, "/plans/2/revision") == "1");
  CHECK(at(now, "/plans/3/dependencies/0") == "r");
  CHECK(at(now, "/plans/3/status") == "pending");
  CHECK(bed.puppet->asked(1)->name == "c");
  CHECK(at(bed.result_of("plans/get", R"({"id":"r"})"), "/plan/name") == "third");
}

TEST_CASE("M_cells: what is wrong with a plan that is added is said with its operation, and "
          "nothing is added",
          "[net][opt][modify]") {
  const objective_bed bed;
  const auto after_third = [&](const std::string& operation) {
    return bed.refused(std::string{third_plan} + "," + operation);
  };
  CHECK(after_third(R"({"op":"addPlan"})") == "INVALID_PARAMS /operations/1/name");
  CHECK(after_third(R"({"op":"addPlan","name":"x","tasks":[{"name":"y","agent":"nobody"}]})")
        == "AGENT_NOT_FOUND /operations/1/tasks/0/agent");
  CHECK(after_third(R"({"op":"addPlan","name":"x","dependencies":["nix"],"tasks":[]})")
        == "UNKNOWN_DEPENDENCY /operations/1/dependencies/0");
  CHECK(
      after_third(
          R"({"op":"addPlan","name":"x","tasks":[{"name":"y","dependencies":["z"]},{"name":"z","dependencies":["y"]}]})")
          .starts_with("DEPENDENCY_CYCLE /operations/1/tasks/"));
  CHECK(after_third(third_plan).starts_with("DUPLICATE_ID"));
  CHECK(after_third(R"({"op":"skipPlan","plan":"p"})") == "ALREADY_STARTED /operations/1/plan");
  const auto now = bed.objective();
  CHECK(at(now, "/plans/2") == "(none)");
  CHECK(at(now, "/revision") == "0");
  // The ids of what was refused are free.
  CHECK(bed.modify(third_plan) == R"({"objectiveId":"o","revision":1,"added":["r"]})");
}

TEST_CASE("M_cells: a plan that is added depends on none that an operation before removes or "
          "renames",
          "[net][opt][modify]") {
  const objective_bed bed;
  CHECK(bed.modify(third_plan) == R"({"objectiveId":"o","revision":1,"added":["r"]})");
  const auto after = [&](const std::string& first, const std::string& plan) {
    return bed.refused(first + R"(,{"op":"addPlan","name":"x",)" + plan + "}");
  };
  const std::string removed = R"({"op":"removePlan","plan":"r"})";
  for (const auto* name : {"r", "third", "plan-2"})
    CHECK(after(removed, R"("tasks":[],"dependencies":["q",")" + std::string{name} + R"("])")
          == "UNKNOWN_DEPENDENCY /operations/1/dependencies/1");
  CHECK(after(removed, R"("tasks":[],"alternatives":["r"])")
        == "UNKNOWN_DEPENDENCY /operations/1/alternatives/0");
  const auto id = at(bed.result_of("plans/get", R"({"id":"r"})"), "/plan/tasks/0/id");
  CHECK(after(removed, R"("tasks":[{"name":"y","dependencies":[")" + id + R"("]}])")
        == "UNKNOWN_DEPENDENCY /operations/1/tasks/0/dependencies");
  const std::string renamed = R"({"op":"setPlan","plan":"r","name":"4th"})";
  CHECK(after(renamed, R"("tasks":[],"dependencies":["third"])")
        == "UNKNOWN_DEPENDENCY /operations/1/dependencies/0");
  CHECK(after(renamed + R"(,{"op":"setPlan","plan":"first","name":"third"})",
              R"("tasks":[],"dependencies":["third"])")
        == "INVALID_PARAMS /operations/2/dependencies/0");
  CHECK(at(bed.objective(), "/revision") == "1");
  CHECK(bed.modify(renamed
                   + R"(,{"op":"addPlan","id":"x","name":"x","tasks":[],"dependencies":["r"]})")
        == R"({"objectiveId":"o","revision":2,"added":["x"]})");
}

TEST_CASE("C14: a dry run adds no plan, and the same plan may be added then",
          "[net][opt][modify]") {
  const objective_bed bed;
  CHECK(bed.modify(third_plan, R"(,"dryRun":true)")
        == R"({"objectiveId":"o","revision":1,"dryRun":true,"added":["r"]})");
  CHECK(at(bed.objective(), "/plans/2") == "(none)");
  const auto first = bed.modify(third_plan, R"(,"requestId":"r")");
  CHECK(first == R"({"objectiveId":"o","revision":1,"added":["r"]})");
  CHECK(bed.modify(third_plan, R"(,"requestId":"r")") == first);
  CHECK(at(bed.objective(), "/plans/3") == "(none)");
}

TEST_CASE("M_cells: a plan that was removed is shown nowhere, and does not come back",
          "[net][opt][modify]") {
  const temporary_directory directory;
  const auto open = [&] {
    return open_rocksdb_store(
               {.directory = directory.path().string(), .durability = durability::async})
        .value();
  };
  {
    const net_bed bed({}, "echo", open());
    static_cast<void>(bed.result_of("objectives/create", two_plans));
    CHECK(at(bed.error_of("objectives/modify",
                          objective_bed::params(R"({"op":"removePlan","plan":"p"})")),
             "/data/0/reason")
          == "ALREADY_STARTED");
    static_cast<void>(bed.result_of("objectives/modify", objective_bed::params(third_plan)));
    CHECK(at(bed.error_of("objectives/modify",
                          objective_bed::params(R"({"op":"removePlan","plan":"q"})")),
             "/data/0/reason")
          == "STILL_NEEDED");
    CHECK(boost::json::serialize(bed.result_of(
              "objectives/modify", objective_bed::params(R"({"op":"removePlan","plan":"r"})")))
          == R"({"objectiveId":"o","revision":2,"removed":["r"]})");
    CHECK(at(bed.error_of("plans/get", R"({"id":"r"})"), "/data/0/reason") == "PLAN_NOT_FOUND");
    CHECK(at(bed.error_of("plans/update", R"({"id":"r","status":"working"})"), "/data/0/reason")
          == "PLAN_NOT_FOUND");
    CHECK(at(bed.result_of("plans/list", R"({"objectiveId":"o"})"), "/totalSize") == "2");
    CHECK(at(bed.error_of("plans/create",
                          R"({"objectiveId":"o","name":"n","dependencies":["third"],"tasks":[]})"),
             "/data/0/reason")
          == "UNKNOWN_DEPENDENCY");
  }
  const net_bed bed({}, "echo", open());
  const auto now = bed.result_of("objectives/get", R"({"id":"o"})").at("objective");
  CHECK(now.at("plans").as_array().size() == 2);
  CHECK(at(now, "/revision") == "2");
  bed.puppet->port(0)->report(report_completed{});
  bed.puppet->port(1)->report(report_completed{});
  CHECK(comes_true([&] {
    return at(bed.result_of("objectives/get", R"({"id":"o"})"), "/objective/status") == "completed";
  }));
}

TEST_CASE("Q2_change: the history of an objective has the changes of all its plans",
          "[net][opt][modify]") {
  const temporary_directory directory;
  const net_bed bed(
      {}, "echo",
      open_rocksdb_store({.directory = directory.path().string(), .durability = durability::async})
          .value());
  static_cast<void>(bed.result_of("objectives/create", two_plans));
  static_cast<void>(bed.result_of(
      "plans/modify",
      R"({"id":"q","reason":"more","operations":[{"op":"addTask","name":"x","agent":"echo"}]})"));
  static_cast<void>(bed.result_of("objectives/update", R"({"id":"o","name":"O"})"));
  static_cast<void>(bed.result_of(
      "objectives/modify",
      objective_bed::params(std::string{third_plan} + R"(,{"op":"setPlan","plan":"q","name":"Q"})",
                            R"(,"reason":"late")")));
  const auto of_plan = bed.result_of("plans/history", R"({"id":"r"})");
  CHECK(at(of_plan, "/changes/0/reason") == "late");
  CHECK(at(of_plan, "/changes/0/operations/0/op") == "addPlan");
  static_cast<void>(bed.result_of("objectives/modify",
                                  objective_bed::params(R"({"op":"removePlan","plan":"r"})")));
  const auto history = bed.result_of("objectives/history", R"({"id":"o"})");
  CHECK(at(history, "/objectiveId") == "o");
  CHECK(at(history, "/revision") == "4");
  const auto& changes = history.at("changes").as_array();
  REQUIRE(changes.size() == 4);
  const auto shown = [&](std::size_t i) {
    return at(changes[i], "/revision") + boost::json::serialize(changes[i].at("operations"));
  };
  CHECK(shown(0) == R"(4[{"op":"removePlan","plan":"r"}])");
  CHECK(
      shown(1)
      == R"(3[{"op":"addPlan","plan":"r","name":"third"},{"op":"setPlan","plan":"q","name":"Q"}])");
  CHECK(at(changes[1], "/reason") == "late");
  CHECK(shown(2) == R"(2[{"op":"setObjective","name":"O"}])");
  CHECK(at(changes[3], "/reason") == "more");
  CHECK(at(changes[3], "/operations/0/op") == "addTask");
  CHECK(at(changes[3], "/operations/0/plan") == "q");

  const auto page = bed.result_of("objectives/history", R"({"id":"o","pageSize":3})");
  CHECK(page.at("changes").as_array().size() == 3);
  const auto rest = bed.result_of("objectives/history", R"({"id":"o","pageSize":3,"pageToken":")"
                                                            + at(page, "/nextPageToken") + "\"}");
  CHECK(rest.at("changes").as_array().size() == 1);
  CHECK(at(rest, "/nextPageToken") == "(none)");
  CHECK(bed.result_of("objectives/history", R"({"id":"o","afterRevision":3})")
            .at("changes")
            .as_array()
            .size()
        == 1);

  auto client = bed.connect();
  for (const auto& [path, headers] :
       {std::pair{"/objectives/o:history?atRevision=3", "A2A-Version: 1.0\r\n"},
        std::pair{"/v1/objectives/o:history?atRevision=3", ""}}) {
    const auto past = boost::json::parse(client.request("GET", path, "", headers).body);
    INFO(past);
    CHECK(at(past, "/revision") == "3");
    CHECK(at(past, "/objective/name") == "O");
    CHECK(at(past, "/objective/plans/1/name") == "Q");
    CHECK(at(past, "/objective/plans/2/name") == "third");
  }
  const auto at_0 = bed.result_of("objectives/history", R"({"id":"o","atRevision":0})");
  CHECK(at(at_0, "/objective/name") == "o");
  CHECK(at(at_0, "/objective/plans/2") == "(none)");
  const auto at_4 = bed.result_of("objectives/history", R"({"id":"o","atRevision":4})");
  CHECK(at(at_4, "/objective/plans/2") == "(none)");
  CHECK(at(bed.error_of("objectives/history", R"({"id":"o","atRevision":5})"), "/data/0/reason")
        == "REVISION_NOT_FOUND");
  CHECK(at(bed.error_of("objectives/history", R"({"id":"nix"})"), "/data/0/reason")
        == "OBJECTIVE_NOT_FOUND");
  // Who has read another revision is told what came after it.
  const auto stale =
      bed.error_of("objectives/modify", objective_bed::params(rename_it, R"(,"ifRevision":3)"));
  CHECK(at(stale, "/data/0/reason") == "REVISION_MISMATCH");
  CHECK_THAT(boost::json::serialize(stale.at("data")), ContainsSubstring("removePlan"));
}
