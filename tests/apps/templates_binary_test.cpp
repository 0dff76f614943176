// `troupe templates`, `troupe replan` and SIGHUP as a person meets them.
#include "tests/apps/desk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/comes_true.hpp"
#include "tests/support/temporary_directory.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

using namespace troupe::testing;

namespace {

constexpr const char* trip = R"({
  "template": "trip",
  "match": ["Plan a trip to {to}"],
  "examples": ["Plan a trip to Oslo"],
  "params": {"to": {"description": "Where to"}, "by": {"description": "How to go", "enum": ["train", "boat"]}},
  "plans": [{"name": "Travel", "tasks": [{"name": "Book a ${params.by} to ${params.to}"}]}]
}
)";

outcome templates(std::vector<std::string> words) {
  words.insert(words.begin(), {troupe_binary(), "templates"});
  return run_program(words);
}

} // namespace

TEST_CASE("templates are listed, shown and checked, with the line of what is wrong",
          "[binary][templates]") {
  const temporary_directory place;
  const auto mine = place / "trip.json";
  std::ofstream{mine} << trip;
  const auto all = templates({"ls", "-o", "name"});
  CHECK(all.code == 0);
  CHECK(all.out
        == "blog-post\nbirthday-party\nconference-trip\ndatabase-migration\nresearch-and-write\n");
  const auto table = templates({"ls", "--dir", place.path().string()});
  CHECK(contains(table.out, "TEMPLATE"));
  CHECK(contains(table.out, "Plan a trip to Oslo"));
  const auto shown = templates({"show", "trip", "--dir", place.path().string()});
  CHECK(shown.out == trip);
  const auto party = templates({"show", "birthday-party"});
  CHECK(contains(party.out, "Research venues"));
  const auto none = templates({"show", "birthday-pary"});
  CHECK(none.code == 1);
  CHECK(contains(none.err, "did you mean \"birthday-party\"?"));
  const auto fine = templates({"check", mine});
  CHECK(fine.code == 0);
  CHECK(fine.out == mine + ": template trip\n");
  std::ofstream{place / "other.json"} << "{\n\"template\": \"other\",\n\"plans\": 3}";
  const auto wrong = templates({"check", place.path().string()});
  CHECK(wrong.code == 2);
  CHECK(contains(wrong.err, "other.json: line 3 (/plans): the template \"other\": "));
  std::ofstream{place / "other.json"} << trip;
  const auto twice = templates({"check", place.path().string()});
  CHECK(twice.code == 2);
  CHECK(contains(twice.err, "there is another template with the name \"trip\""));
  CHECK(templates({"check", "no-such.json"}).code == 2);
  CHECK(templates({}).code == 2);
}

TEST_CASE("SIGHUP reads the templates of a server again, and its card has them",
          "[binary][templates]") {
  const temporary_directory place;
  const auto mine = place / "trip.json";
  const auto config = place / "troupe.toml";
  std::filesystem::create_directory(place / "templates");
  std::ofstream{config} << "[planner]\ntemplates = \"" << place / "templates"
                        << "\"\n";
  served server({"--store", "memory", "--config", config});
  desk person(url_of(server));
  const auto listed = [&] {
    return run_program(
               {troupe_binary(), "templates", "ls", "-o", "name", "--server", url_of(server)})
        .out;
  };
  CHECK(contains(listed(), "birthday-party\n"));
  CHECK_FALSE(contains(listed(), "\ntrip\n"));
  std::ofstream{place / "templates/trip.json"} << trip;
  server.program().signal(SIGHUP);
  REQUIRE(comes_true([&] { return contains(listed(), "\ntrip\n"); }));
  // A file that is none changes nothing.
  std::ofstream{place / "templates/trip.json"} << "{";
  server.program().signal(SIGHUP);
  REQUIRE(server.program().read_until(
      [](const process& of) { return contains(of.err(), "the templates stay as they were"); },
      std::chrono::seconds{20}));
  CHECK(contains(listed(), "\ntrip\n"));
  std::filesystem::remove(place / "templates/trip.json");
  server.program().signal(SIGHUP);
  CHECK(comes_true([&] { return !contains(listed(), "\ntrip\n"); }));
  CHECK(server.stop() == 0);
}

TEST_CASE("a server does not begin with a file that is no template", "[binary][templates]") {
  const temporary_directory place;
  const auto config = place / "troupe.toml";
  std::ofstream{config} << "[planner]\ntemplates = \"" << place.path().string() << "\"\n";
  std::ofstream{place / "x.json"} << "[]";
  const auto refused = run_program({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--store",
                                    "memory", "--config", config});
  CHECK(refused.code == 2);
  CHECK(contains(refused.err, "x.json: a template: it is no JSON object"));
}

TEST_CASE("U2_replan: a person plans an objective anew, and answers the form of a template",
          "[binary][templates]") {
  const served server;
  desk person(url_of(server));
  server.ask(
      "objectives/create",
      R"({"id":"trip","name":"Trip","start":true,"plans":[{"name":"Book","tasks":[)"
      R"({"name":"Hotel","agent":"scripted","input":{"steps":[{"ask":"By the sea?"},{"complete":"done"}]}}]},)"
      R"({"name":"Pack","dependencies":["Book"],"tasks":[{"name":"Suitcase","agent":"noop"}]}]})");
  const auto dry =
      person.run({"replan", "trip", "First buy a tent, then pack the tent.", "--dry-run"});
  INFO(dry.out << dry.err);
  CHECK(dry.code == 0);
  CHECK(contains(dry.out, "objective trip would be at revision 1"));
  CHECK(contains(dry.out, "removePlan trip.p1"));
  CHECK(contains(dry.out, ": buy a tent, pack the tent"));
  CHECK(contains(dry.out, "planned by the grammar: "));
  const auto refused = person.run({"replan", "trip", "Make tea"});
  CHECK(refused.code == 1);
  CHECK(contains(refused.err, "nobody makes a change of the text"));
  CHECK(person.run({"replan", "trip"}).code == 2);
  const auto done = person.run({"replan", "trip", "--template", "blog-post"});
  INFO(done.out << done.err);
  CHECK(done.code == 0);
  CHECK(contains(done.out, "objective trip is at revision 1"));
  const auto history = person.run({"history", "trip"});
  CHECK(history.code == 0);
  REQUIRE(server.reaches("trip.p0.t0", "TASK_STATE_INPUT_REQUIRED"));
  // What comes after "Book" asks for the topic.
  CHECK(person.run({"answer", "trip.p0.t0", "yes"}).code == 0);
  REQUIRE(comes_true([&] {
    return contains(person.run({"inbox"}).out, "Needed: topic (What the post is about)");
  }));
  const auto answered = person.run({"answer", "trip.p2.t0", "--data", R"({"topic": "cats"})"});
  INFO(answered.err);
  CHECK(answered.code == 0);
  const auto watched = person.run({"watch", "trip"});
  CHECK(watched.code == 0);
  CHECK(contains(watched.out, "Request feedback"));
}
