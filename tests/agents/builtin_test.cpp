#include "agents/builtin/echo.hpp"
#include "agents/builtin/sleep.hpp"
#include "tests/agents/fake_port.hpp"
#include "tests/support/catch.hpp"
#include <troupe/agents/register_builtin.hpp>

#include <limits>

using namespace troupe;
using namespace troupe::test;
using namespace std::chrono_literals;

TEST_CASE("echo completes at once with the text it was given", "[agents][echo]") {
  const auto port = std::make_shared<fake_port>();
  order order;
  order.messages = {user_says("hello"), user_says("world")};
  auto result = echo_agent().start(shared(order), port);
  const auto& done = std::get<report_completed>(result);
  REQUIRE(done.artifacts.size() == 1);
  CHECK(done.artifacts[0].name == "echo");
  REQUIRE(done.artifacts[0].parts.size() == 1);
  CHECK(done.artifacts[0].parts[0] == text_part(order.text()));
  CHECK(done.artifacts[0].parts[0] == text_part("hello\nworld"));
  CHECK(port->reports().empty());
}

TEST_CASE("noop completes at once and makes nothing", "[agents][echo]") {
  const auto result = noop_agent().start(shared({}), std::make_shared<fake_port>());
  CHECK(std::get<report_completed>(result).artifacts.empty());
}

TEST_CASE("echo and noop refuse what their input has beside what they take", "[agents][echo]") {
  const echo_agent echo;
  CHECK(echo.check_input(object("{}")).has_value());
  CHECK(echo.check_input(object(R"({"text": "${tasks.a.artifacts[0].text}"})")).has_value());
  const auto wrong = echo.check_input(object(R"({"txet": "hello"})")).error();
  CHECK(wrong.code == errc::invalid_params);
  CHECK(wrong.field == "/txet");
  CHECK(wrong.message == "unknown member \"txet\"; did you mean \"text\"?");
  CHECK(echo.check_input(object(R"({"text": 7})")).error().field == "/text");
  const noop_agent noop;
  CHECK(noop.check_input(object("{}")).has_value());
  CHECK(noop.check_input(object(R"({"text": "hello"})")).error().field == "/text");
}

TEST_CASE("sleep waits for its seconds times the time scale", "[agents][sleep]") {
  const auto port = std::make_shared<fake_port>();
  auto order = order_with(R"({"seconds": 2.5})");
  order.time_scale = 0.001;
  auto result = sleep_agent().start(shared(order), port);
  auto& run = std::get<agent_run_ptr>(result);
  REQUIRE(port->wakes() == std::vector<std::chrono::nanoseconds>{2500us});
  CHECK(port->reports().empty());
  run->on_input(user_says("hurry up"));
  CHECK(port->reports().empty());
  run->on_wake();
  run->on_wake();
  REQUIRE(port->reports().size() == 1);
  CHECK(ending(port->reports()[0]) == "completed: ");
}

TEST_CASE("sleep of nothing completes at once", "[agents][sleep]") {
  const auto port = std::make_shared<fake_port>();
  CHECK(std::holds_alternative<report_completed>(
      sleep_agent().start(shared(order_with(R"({"seconds": 0})")), port)));
  auto scaled = order_with(R"({"seconds": 5})");
  scaled.time_scale = 0;
  CHECK(std::holds_alternative<report_completed>(sleep_agent().start(shared(scaled), port)));
  CHECK(port->wakes().empty());
}

TEST_CASE("a canceled sleep never completes", "[agents][sleep]") {
  const auto port = std::make_shared<fake_port>();
  auto result = sleep_agent().start(shared(order_with(R"({"seconds": 1})")), port);
  auto& run = std::get<agent_run_ptr>(result);
  CHECK(run->on_cancel());
  run->on_wake();
  CHECK(port->reports().empty());
}

TEST_CASE("a wait stays within what the timer can express", "[agents][sleep]") {
  CHECK(scaled_wait(1.5, 2) == 3s);
  CHECK(scaled_wait(1e9, 1e300) > 24h * 365 * 200);
  CHECK(scaled_wait(1, -1) == 0ns);
  CHECK(scaled_wait(1, std::numeric_limits<double>::quiet_NaN()) == 0ns);
  CHECK(scaled_wait(1, std::numeric_limits<double>::infinity()) > 0ns);
}

TEST_CASE("sleep refuses what is no time", "[agents][sleep]") {
  const sleep_agent agent;
  CHECK(verdict(agent, R"({"seconds": 0})") == "fine");
  CHECK(verdict(agent, R"({"seconds": 0.25})") == "fine");
  CHECK(verdict(agent, R"({"seconds": "${tasks.a.artifacts[0].data}"})")
        == "fine"); // known only later
  CHECK(verdict(agent, R"({})") == "/seconds: is missing; must be a number >= 0");
  for (const auto* bad : {"-1", "-0.001", "\"2\"", "null", "true", "[1]", "{}"})
    CHECK(verdict(agent, std::string(R"({"seconds": )") + bad + "}")
          == "/seconds: must be a number >= 0");
  CHECK(verdict(agent, R"({"seconds": 1e10})") == "/seconds: must not exceed 1000000000");
  CHECK(verdict(agent, R"({"secnods": 1})")
        == R"(/secnods: unknown member "secnods"; did you mean "seconds"?)");
  CHECK(verdict(agent, R"({"seconds": 1, "a/b~": 1})") == R"(/a~1b~0: unknown member "a/b~")");
}

TEST_CASE("sleep fails for good when a reference became no time", "[agents][sleep]") {
  const auto port = std::make_shared<fake_port>();
  const auto result = sleep_agent().start(shared(order_with(R"({"seconds": "${x"})")), port);
  const auto& failed = std::get<report_failed>(result);
  CHECK(failed.reason == "input/seconds: must be a number >= 0");
  CHECK_FALSE(failed.retry);
}

TEST_CASE("a lone task brings its input in the message", "[agents][sleep]") {
  const auto port = std::make_shared<fake_port>();
  order as_text;
  as_text.messages = {user_says(R"({"seconds": 3})")};
  const auto first = sleep_agent().start(shared(as_text), port);
  message with_data;
  with_data.parts.push_back(data_part({{"seconds", 4}}));
  order as_data;
  as_data.messages = {std::make_shared<const message>(with_data)};
  const auto second = sleep_agent().start(shared(as_data), port);
  CHECK(port->wakes() == std::vector<std::chrono::nanoseconds>{3s, 4s});
  order neither;
  neither.messages = {user_says("three seconds please")};
  CHECK(std::get<report_failed>(sleep_agent().start(shared(neither), port)).reason
        == "input/seconds: is missing; must be a number >= 0");
}

TEST_CASE("the built-in agents are registered and describe themselves", "[agents][registry]") {
  agent_registry all;
  register_builtin_agents(all);
  CHECK(all.names() == std::vector<std::string>{"command", "echo", "noop", "scripted", "sleep"});
  for (const auto& name : all.names()) {
    CAPTURE(name);
    CHECK_FALSE(all.find(name)->description().empty());
  }
  CHECK(all.find("command")->parallel_max() >= 1);
  CHECK(all.find("sleep")->parallel_max() == 0);
}

TEST_CASE("a server may leave the command agent out", "[agents][registry]") {
  agent_registry safe;
  register_builtin_agents(safe, {std::nullopt});
  CHECK(safe.names() == std::vector<std::string>{"echo", "noop", "scripted", "sleep"});
}

TEST_CASE("a value of a client chooses no program, tool, agent or address", "[agents][registry]") {
  agent_registry agents;
  register_builtin_agents(agents);
  const auto takes = [&](const char* name, const char* pointer) {
    return agents.find(name)->takes_value_at(pointer);
  };
  for (const auto* pointer : {"/argv/1", "/argv/10", "/env/CITY", "/data/a/0", "/text"})
    CHECK(takes("command", pointer));
  for (const auto* pointer : {"/argv", "/argv/0", "/shell", "/cwd", "/envAllow/0", "/texts"})
    CHECK_FALSE(takes("command", pointer));
  CHECK(takes("echo", "/text"));
  CHECK(takes("scripted", "/steps/0/ask"));
}
