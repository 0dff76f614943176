// `troupe store` as an operator meets it: on whole and damaged directories, with a server on them,
// and on what is no directory.
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>
#include <boost/json/value.hpp>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>

using namespace troupe::testing;
namespace json = boost::json;
namespace fs = std::filesystem;

namespace {

outcome store_tool(const std::string& tool, const std::string& directory,
                   const std::vector<std::string>& flags = {}) {
  std::vector<std::string> words{troupe_binary(), "store", tool, "--data", directory};
  words.insert(words.end(), flags.begin(), flags.end());
  return run_program(words);
}

std::string send(const std::string& id) {
  return R"({"message":{"messageId":")" + id
         + R"(","role":"ROLE_USER","parts":[{"text":"hello"}]}})";
}

/// A directory whose server was killed after `tasks` tasks; their ids.
std::vector<std::string> kill_server(const std::string& directory, int tasks) {
  std::vector<std::string> out;
  served server{{"--data", directory}};
  for (int i = 0; i < tasks; ++i)
    out.push_back(at(server.ask("SendMessage", send("m" + std::to_string(i))), "/task/id"));
  server.program().signal(SIGKILL);
  server.program().wait();
  return out;
}

/// The bytes of all files but the lock, by their paths.
std::map<std::string, std::string> files_of(const std::string& directory) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator{directory})
    if (entry.is_regular_file() && entry.path().filename() != "troupe.lock") {
      std::ifstream in{entry.path(), std::ios::binary};
      out[entry.path().string()] = std::string{std::istreambuf_iterator<char>{in}, {}};
    }
  return out;
}

/// Flips a bit in the first group of the first segment.
void damage_first_group(const std::string& directory) {
  const auto path = directory + "/journal/segment-00000001";
  std::ifstream in{path, std::ios::binary};
  std::string bytes{std::istreambuf_iterator<char>{in}, {}};
  in.close();
  bytes.at(4096 + 40 + 8) ^= 1; // Behind the headers of the segment and of the frame.
  std::ofstream{path, std::ios::binary} << bytes;
}

json::value last_line(const outcome& of) {
  return json::parse(lines_of(of.out).back());
}

} // namespace

TEST_CASE("the directory of a killed server fits together, and its changes are lines of JSON",
          "[apps][binary][store]") {
  const temporary_directory place;
  const auto tasks = kill_server(place / "data", 3);
  const auto check = store_tool("check", place / "data");
  INFO(check.out + check.err);
  CHECK(check.code == 0);
  CHECK_THAT(check.out, Catch::Matchers::Contains("everything fits together"));
  const auto lines = store_tool("check", place / "data", {"--verbose", "--json"});
  CHECK(lines.code == 0);
  for (const auto& line : lines_of(lines.out))
    CHECK_NOTHROW(json::parse(line));
  for (const auto& task : tasks)
    CHECK_THAT(lines.out, Catch::Matchers::Contains("{\"task\":\"" + task + "\",\"sequence\":1,"));
  CHECK(at(last_line(lines), "/findings") == "0");

  const auto stat = store_tool("stat", place / "data");
  CHECK(stat.code == 0);
  CHECK_THAT(stat.out, Catch::Matchers::Contains("to be added"));
  CHECK(at(last_line(store_tool("stat", place / "data", {"--json"})), "/format") == "2");
  const auto repair = store_tool("repair", place / "data", {"--lose-after"});
  CHECK(repair.code == 0);
  CHECK_THAT(repair.out, Catch::Matchers::Contains("nothing to repair"));
  const auto migrate = store_tool("migrate", place / "data");
  CHECK(migrate.code == 0);
  CHECK_THAT(migrate.out, Catch::Matchers::Contains("nothing to do"));
}

TEST_CASE("a server that refuses a damaged journal names the command, after which it starts",
          "[apps][binary][store]") {
  const temporary_directory place;
  const auto directory = place / "data";
  kill_server(directory, 5);
  damage_first_group(directory);
  const auto before = files_of(directory);
  const auto refused =
      run_program({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data", directory});
  CHECK(refused.code == 1);
  CHECK(files_of(directory) == before);
  CHECK_THAT(refused.err, Catch::Matchers::Contains("segment-00000001")
                              && Catch::Matchers::Contains(", byte 4096: ")
                              && Catch::Matchers::Contains("Behind the damage ")
                              && Catch::Matchers::Contains(
                                  "`troupe store repair --lose-after --data " + directory + "`"));
  const auto check = store_tool("check", directory);
  CHECK(check.code == 1);
  CHECK_THAT(check.out, Catch::Matchers::Contains("journal/segment-00000001, byte 4096: "));
  CHECK(store_tool("stat", directory).code == 1);

  const auto plan = store_tool("repair", directory);
  INFO(plan.out + plan.err);
  CHECK(plan.code == 1);
  CHECK_THAT(plan.out, Catch::Matchers::Contains("Would be lost: ")
                           && Catch::Matchers::Contains("Nothing was changed. To do this: "
                                                        "`troupe store repair --lose-after"));
  CHECK_FALSE(fs::exists(directory + ".before-repair-1"));

  const auto repair = store_tool("repair", directory, {"--lose-after", "--json", "--verbose"});
  CHECK(repair.code == 0);
  const auto report = last_line(repair);
  CHECK(at(report, "/copy") == directory + ".before-repair-1");
  CHECK(at(report, "/unreadableGroups") == "1");
  // Here each lost change is a task of its own.
  CHECK(lines_of(repair.out).size() - 1 == report.at("lost").as_array().size());
  served again{{"--data", directory}};
  CHECK(at(again.ask("SendMessage", send("later")), "/task/status/state")
        == "TASK_STATE_COMPLETED");
  CHECK(again.stop() == 0);
  CHECK(store_tool("check", directory).code == 0);
}

TEST_CASE("a tool is refused while a server runs on the directory", "[apps][binary][store]") {
  const temporary_directory place;
  served server{{"--data", place / "data"}};
  for (const auto* tool : {"check", "stat", "repair", "migrate"}) {
    CAPTURE(tool);
    const auto done = store_tool(tool, place / "data");
    CHECK(done.code == 2);
    CHECK(done.err
          == "troupe: " + (place / "data") + " is in use by another process; stop it first\n");
  }
  CHECK(server.stop() == 0);
  CHECK(store_tool("check", place / "data").code == 0);
}

TEST_CASE("a tool says what is wrong with a path that is no data directory",
          "[apps][binary][store]") {
  const temporary_directory place;
  fs::create_directory(place / "empty");
  place.file("file", "x");
  fs::create_directory(place / "other");
  place.file("other/thesis.txt", "years of work");
  for (const auto* tool : {"check", "stat", "repair", "migrate"})
    for (const auto* name : {"empty", "file", "nowhere", "other", "file/below"}) {
      CAPTURE(tool, name);
      const auto done = store_tool(tool, place / name, {"--json"});
      CHECK(done.code == 2);
      CHECK_THAT(done.err, Catch::Matchers::Contains(place / name));
      CHECK_FALSE(at(last_line(done), "/error/message").empty());
    }
  CHECK(fs::is_empty(place / "empty"));
  CHECK_FALSE(fs::exists(place / "nowhere"));
}

TEST_CASE("the help of each tool teaches, and a wrong usage names it", "[apps][binary][store]") {
  const auto tools = run_program({troupe_binary(), "store", "--help"});
  CHECK(tools.code == 0);
  for (const auto* tool : {"check", "stat", "repair", "migrate"}) {
    CAPTURE(tool);
    CHECK_THAT(tools.out, Catch::Matchers::Contains(tool));
    const auto help = run_program({troupe_binary(), "store", tool, "--help"});
    CHECK(help.code == 0);
    CHECK_THAT(help.out, Catch::Matchers::Contains("troupe store " + std::string{tool} + " --data")
                             && Catch::Matchers::Contains("Exit codes: 0"));
    const auto wrong = run_program({troupe_binary(), "store", tool});
    CHECK(wrong.code == 2);
    CHECK_THAT(wrong.err, Catch::Matchers::Contains("--data")
                              && Catch::Matchers::Contains("try `troupe store " + std::string{tool}
                                                           + " --help"));
  }
  CHECK(run_program({troupe_binary(), "store"}).code == 2);
  CHECK(run_program({troupe_binary(), "store", "mend"}).code == 2);
}

TEST_CASE("output that is lost is not taken for a success", "[apps][binary][store]") {
  const temporary_directory place;
  kill_server(place / "data", 1);
  for (const auto* tool : {"check", "stat", "repair", "migrate"}) {
    CAPTURE(tool);
    const auto done = run_program(
        {"/bin/sh", "-c",
         troupe_binary() + " store " + tool + " --data " + (place / "data") + " > /dev/full"});
    CHECK(done.code == 1);
  }
}
