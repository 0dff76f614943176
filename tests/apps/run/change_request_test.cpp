#include "apps/run/change_request.hpp"
#include "apps/run/question_table.hpp"
#include "apps/run/service_error.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

using namespace troupe;
using troupe::testing::temporary_directory;
namespace json = boost::json;

TEST_CASE("a change is a file of operations, or one task", "[apps][change]") {
  CHECK(modification_of({}).error().code == errc::invalid_params);
  modify_options one;
  one.adds = "Map";
  one.after = {"Hotel"};
  one.input = R"({"text": "a map"})";
  one.is_dry = true;
  const auto added = modification_of(one).value();
  CHECK(added.at("operations") == json::parse(R"([{"op": "addTask", "name": "Map",
      "input": {"text": "a map"}, "dependencies": ["Hotel"]}])"));
  CHECK(added.at("dryRun") == true);
  CHECK_FALSE(added.contains("requestId"));
  one.input = "[]";
  CHECK_THAT(modification_of(one).error().message, ContainsSubstring("--input"));

  const temporary_directory home;
  modify_options file;
  file.file = home.file("operations.json", R"([{"op": "setObjective", "priority": 7}])");
  file.if_revision = 3;
  file.reason = "it may rain";
  const auto read = modification_of(file).value();
  CHECK(read.at("ifRevision") == 3);
  CHECK(read.at("reason") == "it may rain");
  CHECK(read.contains("requestId"));
  file.file = home.file("none.json", "{}");
  CHECK(modification_of(file).error().code == errc::invalid_document);
}

TEST_CASE("operations of a plan are told from those of an objective", "[apps][change]") {
  const auto is_of_plan = [](const char* operations) {
    return is_change_of_plan({{"operations", json::parse(operations)}});
  };
  CHECK(is_of_plan(R"([{"op": "addTask", "name": "Map"}, {"op": "setPlan", "name": "Book"}])"));
  CHECK_FALSE(is_of_plan(R"([{"op": "setPlan", "plan": "trip.p0", "name": "Book"}])"));
  CHECK_FALSE(is_of_plan(R"([{"op": "addTask", "name": "Map"}, {"op": "addPlan"}])"));
  CHECK_FALSE(is_of_plan("[]"));
  CHECK(the_only_plan("trip", {"trip.p0"}).value() == "trip.p0");
  CHECK_THAT(the_only_plan("trip", {"trip.p0", "trip.p1"}).error().message,
             ContainsSubstring("It has 2: trip.p0, trip.p1"));
}

TEST_CASE("the report of a change is lines, and says that it was none", "[apps][change]") {
  const auto report = json::parse(R"({"planId": "trip.p0", "revision": 2, "added": ["a", "b"]})");
  CHECK(draw_report(report.as_object(), {"trip.p0", true})
        == "plan trip.p0 is at revision 2\n  added a, b\n");
  const auto dry = json::parse(R"({"objectiveId": "trip", "revision": 2, "dryRun": true})");
  CHECK(draw_report(dry.as_object(), {"trip", false}) == "objective trip would be at revision 2\n");
}

TEST_CASE("what the service refuses is told in the words of the command", "[apps][change]") {
  CHECK(with_options("send it with \"override\": true") == "send it with --override");
  CHECK(explained_here(make_error(errc::input_claimed, "claimed by anna"))
        == "claimed by anna; leave it to them, or send it with --override");
  CHECK(explained_here(make_error(errc::input_claimed, "claimed; wait")) == "claimed; wait");
}

TEST_CASE("a claim is told with who and until when", "[apps][change]") {
  CHECK(claim_line(json::parse(R"({"id": "q"})"), true) == "question q released");
  CHECK(claim_line(json::parse(R"({"id": "q"})"), false) == "question q not claimed");
  CHECK_THAT(
      claim_line(
          json::parse(R"({"id": "q", "claim": {"by": "anna", "until": "2026-01-01T00:00:00Z"}})"),
          false),
      StartsWith("question q claimed by anna until "));
}
