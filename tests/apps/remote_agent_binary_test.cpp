// `troupe remote-agent`: the real binary against the real server.
#include "tests/apps/desk.hpp"
#include "tests/support/catch.hpp"

#include <boost/json/parse.hpp>

#include <string>

using namespace troupe::testing;

namespace {

std::string config_of(const served& server, const std::string& table = "[remote-agent]\n") {
  return table + "[[targets]]\nalias = \"here\"\nurl = \"" + url_of(server)
         + "\"\ndefault = true\n";
}

const std::string a_send = R"({"action":"send","parts":[{"kind":"text","text":"Hello"}]})";

} // namespace

TEST_CASE("remote-agent line 1: the command is not there unless it is enabled",
          "[binary][remote-agent]") {
  const served server;
  desk person;
  const auto none = person.run({"remote-agent", a_send});
  CHECK(none.code == 2);
  CHECK(contains(none.err, "remote_agent is not enabled; write [remote-agent]"));
  person.configure(config_of(server, "[remote-agent]\nenabled = false\n"));
  CHECK(person.run({"remote-agent", a_send}).code == 2);
  person.configure(config_of(server));
  CHECK(person.run({"remote-agent", a_send}).code == 0);
}

TEST_CASE("remote-agent line 126: the exit code says how it went, and a request may come on "
          "standard input",
          "[binary][remote-agent]") {
  const served server;
  desk person;
  person.configure(config_of(server));
  const auto given = person.run({"remote-agent", a_send});
  CHECK(given.code == 0);
  CHECK(lines_of(given.out).size() == 1);
  CHECK(at(boost::json::parse(given.out), "/summary/continuation/task/status") == "completed");
  for (const auto& words : {std::vector<std::string>{"remote-agent"}, {"remote-agent", "-"}}) {
    const auto read = person.run(words, a_send);
    CHECK(read.code == 0);
    CHECK(at(boost::json::parse(read.out), "/ok") == "true");
  }
  const auto refused = person.run({"remote-agent", R"({"action":"send"})"});
  CHECK(refused.code == 1);
  CHECK(at(boost::json::parse(refused.out), "/error/code") == "VALIDATION_ERROR");
  const auto no_json = person.run({"remote-agent", "hello"});
  CHECK(no_json.code == 2);
  CHECK(contains(no_json.err, "the request is no JSON"));
}

TEST_CASE("remote-agent line 91: with --updates what happens on the way is printed first",
          "[binary][remote-agent]") {
  const served server;
  desk person;
  person.configure(config_of(server));
  const auto shown = person.run(
      {"remote-agent", "--updates",
       R"({"action":"send","follow_updates":true,"parts":[{"kind":"text","text":"Hello"}]})"});
  CHECK(shown.code == 0);
  const auto lines = lines_of(shown.out);
  REQUIRE(lines.size() > 2);
  CHECK(at(boost::json::parse(lines.front()), "/phase") == "update");
  CHECK(at(boost::json::parse(lines.back()), "/phase") == "(none)");
  CHECK(at(boost::json::parse(lines.back()), "/summary/continuation/task/status") == "completed");
}

TEST_CASE("remote-agent line 121: the next command knows the handle of the last one",
          "[binary][remote-agent]") {
  const served server;
  desk person;
  person.configure(config_of(server));
  const auto first = boost::json::parse(person.run({"remote-agent", a_send}).out);
  const auto handle = at(first, "/summary/continuation/task/task_handle");
  REQUIRE(handle.starts_with("rah_"));
  const auto second =
      person.run({"remote-agent", R"({"action":"status","task_handle":")" + handle + R"("})"});
  CHECK(second.code == 0);
  const auto answer = boost::json::parse(second.out);
  CHECK(at(answer, "/summary/continuation/task/task_handle") == handle);
  CHECK(at(answer, "/summary/continuation/task/task_id")
        == at(first, "/summary/continuation/task/task_id"));
}
