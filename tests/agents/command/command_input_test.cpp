#include "agents/command/command.hpp"
#include "agents/command/command_input.hpp"
#include "tests/agents/fake_port.hpp"
#include "tests/support/catch.hpp"

using namespace troupe;
using namespace troupe::test;
using namespace std::chrono_literals;

TEST_CASE("a command's input is read with its defaults", "[agents][command]") {
  const auto read = read_command_input(object(R"({"argv": ["ls", "-l"]})"), input_stage::resolved);
  REQUIRE(read.has_value());
  CHECK(read->argv == std::vector<std::string>{"ls", "-l"});
  CHECK(read->cwd.empty());
  CHECK_FALSE(read->json_lines);
  CHECK(read->json_on_stdin);
  CHECK(read->output_bytes_max == 8U << 20);
  CHECK(read->kill_after == 2s);
}

TEST_CASE("every member of a command's input is read", "[agents][command]") {
  const auto read = read_command_input(
      object(R"({"argv": ["x"], "cwd": "/tmp", "env": {"A": "1", "B": ""}, "envAllow": ["C"],
    "protocol": "jsonl", "stdin": "none", "outputLimit": 100, "killAfter": 0.25, "restart": "fail", "data": [1], "text": "t"})"),
      input_stage::resolved);
  REQUIRE(read.has_value());
  CHECK(read->cwd == "/tmp");
  CHECK(read->env == std::vector<std::pair<std::string, std::string>>{{"A", "1"}, {"B", ""}});
  CHECK(read->env_allow == std::vector<std::string>{"C"});
  CHECK(read->json_lines);
  CHECK_FALSE(read->json_on_stdin);
  CHECK(read->output_bytes_max == 100);
  CHECK(read->kill_after == 250ms);
}

TEST_CASE("a command is checked before anything runs", "[agents][command]") {
  const command_agent agent;
  const auto with = [&](const std::string& member) {
    return verdict(agent, R"({"argv": ["x"], )" + member + "}");
  };
  constexpr auto expected = R"(must be a list such as ["ls", "-l"]: the program and its arguments)";
  constexpr auto or_shell = ", or shell: a command line for /bin/sh";
  CHECK(verdict(agent, R"({"argv": ["true"]})") == "fine");
  CHECK(verdict(agent, "{}") == std::string("/argv: is missing; ") + expected + or_shell);
  CHECK(verdict(agent, R"({"argv": []})") == std::string("/argv: ") + expected);
  CHECK(verdict(agent, R"({"argv": "ls -l"})") == std::string("/argv: ") + expected);
  CHECK(verdict(agent, R"({"argv": [""]})") == "/argv/0: the program's name is empty");
  CHECK(verdict(agent, R"({"argv": ["x", [1]]})") == "/argv/1: must be a string");
  CHECK(verdict(agent, R"({"argv": ["x", null]})") == "/argv/1: must be a string");
  CHECK(verdict(agent, "{\"argv\": [\"x\", \"a\\u0000b\"]}")
        == "/argv/1: must not contain a zero character");
  CHECK(with(R"("cwd": 1)") == "/cwd: must be a string");
  CHECK(with(R"("cwd": "")") == "/cwd: must not be empty");
  CHECK(with(R"("env": ["A=1"])") == "/env: must be an object of names and strings");
  CHECK(with(R"("env": {"A": null})") == "/env/A: must be a string");
  CHECK(with(R"("env": {"A=B": "1"})")
        == "/env/A=B: must be a variable's name: not empty, without `=`");
  CHECK(with(R"("env": {"": "1"})") == "/env/: must be a variable's name: not empty, without `=`");
  CHECK(with(R"("envAllow": "A")") == "/envAllow: must be a list of strings");
  CHECK(with(R"("envAllow": ["A", ""])")
        == "/envAllow/1: must be a variable's name: not empty, without `=`");
  CHECK(with(R"("protocol": "json")") == R"(/protocol: must be "jsonl" or "plain")");
  CHECK(with(R"("protocol": 1)") == R"(/protocol: must be "jsonl" or "plain")");
  CHECK(with(R"("stdin": true)") == R"(/stdin: must be "json" or "none")");
  CHECK(with(R"("restart": "always")") == R"(/restart: must be "nextAttempt" or "fail")");
  CHECK(with(R"("outputLimit": 0)") == "/outputLimit: must be a whole number of bytes, at least 1");
  CHECK(with(R"("outputLimit": 1.5)")
        == "/outputLimit: must be a whole number of bytes, at least 1");
  CHECK(with(R"("outputLimit": -1)") == "/outputLimit: must be a number >= 0");
  CHECK(with(R"("outputLimit": 1e12)") == "/outputLimit: must not exceed 1073741824");
  CHECK(with(R"("killAfter": "1s")") == "/killAfter: must be a number >= 0");
  CHECK(with(R"("killAfter": 3601)") == "/killAfter: must not exceed 3600");
  CHECK(with(R"("arg": [])") == R"(/arg: unknown member "arg"; did you mean "argv"?)");
  CHECK(with(R"("env_allow": [])")
        == R"(/env_allow: unknown member "env_allow"; did you mean "envAllow"?)");
}

TEST_CASE("a command line is run by the shell, and has no references", "[agents][command]") {
  const command_agent agent;
  const auto read =
      read_command_input(object(R"({"shell": "cd src && make -j4"})"), input_stage::resolved);
  REQUIRE(read.has_value());
  CHECK(read->argv == std::vector<std::string>{"/bin/sh", "-c", "cd src && make -j4"});
  CHECK(verdict(agent, R"({"shell": "echo $HOME $${HOME}"})") == "fine");
  CHECK_THAT(verdict(agent, R"({"shell": "echo ${tasks.a.artifacts[0].text}"})"),
             StartsWith("/shell: must not refer to other tasks"));
  CHECK(verdict(agent, R"({"shell": " "})") == "/shell: must not be empty");
  CHECK(verdict(agent, R"({"shell": 1})") == "/shell: must be a string");
  CHECK(verdict(agent, R"({"shell": "a", "argv": ["a"]})")
        == "/shell: stands beside argv; give one of them");
}

TEST_CASE("a reference in an input is checked when its value is known", "[agents][command]") {
  const command_agent agent;
  for (
      const auto* input :
      {R"({"argv": "${tasks.a.artifacts[0].data}"})",
       R"({"argv": ["${tasks.a.artifacts[0].text}"]})",
       R"({"argv": ["x"], "env": "${tasks.a.artifacts[0].data}"})",
       R"({"argv": ["x"], "outputLimit": "${tasks.a.artifacts[0].data.n}", "killAfter": "${tasks.a.artifacts[0].data.k}"})"})
    CHECK(verdict(agent, input) == "fine");
  CHECK(read_command_input(object(R"({"argv": "${"})"), input_stage::resolved).has_error());
  const auto numbers = read_command_input(object(R"({"argv": ["x", 5, true], "env": {"N": 1.5}})"),
                                          GENERATE(input_stage::written, input_stage::resolved));
  REQUIRE(numbers.has_value());
  CHECK(numbers->argv == std::vector<std::string>{"x", "5", "true"});
  CHECK(numbers->env[0].second == "1.5");
}

TEST_CASE("a task may choose what a restart does to it", "[agents][command]") {
  const command_agent twice;
  CHECK(twice.on_restart() == restart_rule::next_attempt);
  CHECK(twice.on_restart_of(object(R"({"argv": ["x"]})")) == restart_rule::next_attempt);
  CHECK(twice.on_restart_of(object(R"({"argv": ["x"], "restart": "fail"})")) == restart_rule::fail);
  command_options careful;
  careful.on_restart = restart_rule::fail;
  const command_agent once(careful);
  CHECK(once.on_restart_of(object(R"({"argv": ["x"]})")) == restart_rule::fail);
  CHECK(once.on_restart_of(object(R"({"argv": ["x"], "restart": "nextAttempt"})"))
        == restart_rule::next_attempt);
}

TEST_CASE("a restart that is forbidden stays forbidden with every other input",
          "[agents][command]") {
  const command_agent agent;
  for (
      const auto* input :
      {R"({"argv": ["x", "${tasks.a.artifacts[0].text}"], "env": {"COUNT": 5}, "restart": "fail"})",
       R"({"restart": "fail", "killAfter": "soon"})",
       R"({"argv": ["x"], "restart": "${tasks.a.artifacts[0].text}"})",
       R"({"argv": ["x"], "restart": "fial"})", R"({"argv": ["x"], "restart": false})"})
    CHECK(agent.on_restart_of(object(input)) == restart_rule::fail);
}

TEST_CASE("a program gets the harmless part of the environment", "[agents][command]") {
  const std::vector<std::string> ours{"PATH=/bin", "HOME=/h",   "SECRET=s",  "TZ=UTC", "LANG=",
                                      "broken",    "GIVEN=a=b", "LC_TIME=C", "USER=u", "LCX=no"};
  auto input =
      read_command_input(
          object(
              R"({"argv": ["x"], "envAllow": ["GIVEN", "ABSENT", "broken"], "env": {"HOME": "/mine", "NEW": "1"}})"),
          input_stage::resolved)
          .value();
  CHECK(command_environment(input, ours)
        == std::vector<std::string>{"GIVEN=a=b", "HOME=/mine", "LANG=", "LC_TIME=C", "NEW=1",
                                    "PATH=/bin", "TZ=UTC", "USER=u"});
}
