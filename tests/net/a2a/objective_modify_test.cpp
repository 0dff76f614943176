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
  objective_bed() { static_cast<void>(result_of("objectives/create", two_plans)); }

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
