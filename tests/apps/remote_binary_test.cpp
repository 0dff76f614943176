// The commands for any A2A agent, and which server is meant: the real binary against the real
// server, both versions, both bindings, and a connection that is lost.
#include "tests/apps/desk.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/push_receiver.hpp"
#include "tests/support/relay.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <chrono>
#include <string>
#include <vector>

using namespace troupe::testing;
namespace json = boost::json;

TEST_CASE("send, task, tasks and cancel work in both versions and bindings", "[binary][remote]") {
  const served server({"--store", "memory", "--agent", "conformance"});
  desk person;
  person.configure(targets_in_all_formats(server));
  for (const auto* alias : {"1.0jsonrpc", "1.0rest", "0.3jsonrpc", "0.3rest"}) {
    CAPTURE(alias);
    const auto asks = person.run({"send", "--server", alias, "hello"});
    CHECK(asks.code == 3); // The conformance agent answers anything else with a question.
    CHECK(contains(asks.err, "troupe send --server " + std::string(alias) + " --task task-"));
    const auto id = asking_task(asks.err);
    const auto shown = person.run({"task", id, "--server", alias});
    CHECK(shown.code == 0);
    CHECK(contains(shown.out, id + "  input-required"));
    const auto listed = person.run({"tasks", "--server", alias, "-o", "name"});
    CHECK(contains(listed.out, id));
    const auto table = person.run({"tasks", "--server", alias, "--state", "input-required"});
    CHECK(contains(table.out, "TASK"));
    CHECK(contains(table.out, "input-required"));
    const auto canceled = person.run({"cancel", id, "--server", alias});
    CHECK(canceled.out == "task " + id + " canceled\n");
    const auto again = person.run({"task", id, "--server", alias, "--json"});
    CHECK(at(json::parse(again.out), "/status/state") == "TASK_STATE_CANCELED");
  }
  const auto agent = person.run({"agent", "1.0rest"});
  CHECK(agent.code == 0);
  CHECK(contains(agent.out, "used here: A2A 1.0 over HTTP+JSON"));
}

TEST_CASE("push adds, lists and removes where events are posted, in both versions and bindings",
          "[binary][remote]") {
  const served server({"--store", "memory", "--agent", "conformance"});
  desk person;
  person.configure(targets_in_all_formats(server));
  for (const auto* alias : {"1.0jsonrpc", "1.0rest", "0.3jsonrpc", "0.3rest"}) {
    CAPTURE(alias);
    person.use(alias);
    const auto task = asking_task(person.run({"send", "hello"}).err);
    const auto made = person.run({"push", "add", task, "https://hooks.example.org/a"});
    CAPTURE(made.err);
    REQUIRE(made.code == 0);
    const auto id = trimmed(made.out);
    // The same id replaces it; another one is a second configuration.
    CHECK(person.run({"push", "add", task, "https://hooks.example.org/b", "--id", id}).out
          == id + "\n");
    const auto second =
        person.run({"push", "add", task, "https://hooks.example.org/c", "--id", "p2", "--token-env",
                    "HOOK_TOKEN", "--bearer-env", "HOOK_BEARER", "--json"});
    const auto whole = json::parse(trimmed(second.out));
    CHECK(at(whole, "/taskId") == task);
    CHECK(at(whole, "/id") == "p2");
    CHECK(at(whole, "/token") == "words-for-the-receiver");
    CHECK(at(whole, "/authentication/scheme") == "Bearer");
    CHECK(at(whole, "/authentication/credentials") == "secret");
    const auto listed = person.run({"push", "ls", task});
    CHECK(contains(listed.out, "CONFIGURATION"));
    CHECK(contains(listed.out, "https://hooks.example.org/b"));
    CHECK_FALSE(contains(listed.out, "https://hooks.example.org/a"));
    CHECK(lines_of(person.run({"push", "ls", task, "--json"}).out).size() == 2);
    CHECK(contains(person.run({"push", "ls", task, "-o", "wide"}).out, "Bearer"));
    CHECK(person.run({"push", "rm", task, id}).out == "configuration " + id + " removed\n");
    const auto unknown = person.run({"push", "rm", task, id});
    CHECK(unknown.code == 1);
    CHECK(contains(unknown.err, "has no configuration " + id));
    CHECK(person.run({"push", "ls", task, "-o", "name"}).out == "p2\n");
    CHECK(person.run({"push", "rm", task, "p2"}).code == 0);
    const auto none = person.run({"push", "ls", task});
    CHECK(none.code == 0);
    CHECK(contains(none.err, std::string(alias) + ": nothing is posted of this task"));

    const auto refused = person.run({"push", "add", "nothing", "https://hooks.example.org/a"});
    CHECK(refused.code == 1);
    CHECK(contains(refused.err, std::string(alias) + ": "));
  }
  const auto no_url = person.run({"push", "add", "t", "ftp://hooks.example.org"});
  CHECK(no_url.code == 2);
  CHECK(contains(no_url.err, "url: "));
  CHECK(contains(
      person.run({"push", "add", "t", "https://h.example.org", "--token-env", "NO_SUCH_ONE"}).err,
      "the variable NO_SUCH_ONE is not set"));
  CHECK(person.run({"push", "rm", "t"}).code == 2);
  CHECK(person.run({"push"}).code == 2);
}

TEST_CASE("send prints what the agent makes, with files and data", "[binary][remote]") {
  const served server;
  desk person(url_of(server));
  const auto hello = person.run({"send", "Hello"});
  CHECK(hello.code == 0);
  CHECK(hello.out == "Hello\n");
  CHECK(hello.err.empty());
  CHECK(person.run({"send", "-"}, "from a pipe").out == "from a pipe\n");
  const auto events = lines_of(person.run({"send", "--json", "Hello"}).out);
  REQUIRE(events.size() >= 2);
  CHECK(at(json::parse(events.back()), "/statusUpdate/status/state") == "TASK_STATE_COMPLETED");
  CHECK(person.run({"send"}, "without a word").out == "without a word\n");
  const auto nothing = person.run({"send"});
  CHECK(nothing.code == 2);
  CHECK(contains(nothing.err, "standard input has no text"));
  CHECK(person.run({"send", "--data", "{"}).code == 2);
}

TEST_CASE("a conversation with a task that asks begins with its question", "[binary][remote]") {
  const served server({"--store", "memory"});
  const desk person(url_of(server));
  server.ask(
      "objectives/create",
      R"({"id":"trip","name":"Trip","start":true,"plans":[{"name":"P","tasks":[{"name":"to",)"
      R"("agent":"scripted","input":{"steps":[{"ask":"Where to?"},{"ask":"And when?"},)"
      R"({"complete":"booked"}]}}]}]})");
  REQUIRE(server.reaches("trip.p0.t0", "TASK_STATE_INPUT_REQUIRED"));
  process talk(person.words({"send", "--task", "trip.p0.t0"}), person.environment(), screen_size{});
  const auto shows = [&](const std::string& words) {
    return talk.read_until([&](const process& p) { return contains(p.out(), words); },
                           std::chrono::seconds{20});
  };
  REQUIRE(shows("Where to?\r\n> "));
  talk.send_input("to the sea\n");
  REQUIRE(shows("And when?\r\n> "));
  CHECK(talk.out().find("Where to?") == talk.out().rfind("Where to?"));
  talk.send_input("\x04");
  CHECK(talk.wait() == 3);
}

TEST_CASE("what was typed before the first question of a conversation does not answer it",
          "[binary][remote]") {
  const served server({"--store", "memory"});
  const desk person(url_of(server));
  server.ask(
      "objectives/create",
      R"({"id":"trip","name":"Trip","start":true,"plans":[{"name":"P","tasks":[{"name":"to",)"
      R"("agent":"scripted","input":{"steps":[{"ask":"Where to?"},{"complete":"booked"}]}}]}]})");
  REQUIRE(server.reaches("trip.p0.t0", "TASK_STATE_INPUT_REQUIRED"));
  // The shell takes the first line, and the second one is there before the command begins.
  process talk({"/bin/sh", "-c", R"(read go; exec "$0" send --task trip.p0.t0)", troupe_binary()},
               person.environment(), screen_size{});
  talk.send_input("go\nearly\n");
  REQUIRE(talk.read_until([](const process& p) { return contains(p.out(), "Where to?\r\n> "); },
                          std::chrono::seconds{20}));
  talk.send_input("\x04");
  CHECK(talk.wait() == 3);
  CHECK(server.state_of("trip.p0.t0") == "TASK_STATE_INPUT_REQUIRED");
}

TEST_CASE("send without a text is a conversation on a terminal, in one context",
          "[binary][remote]") {
  const served server({"--store", "memory", "--agent", "conformance"});
  const desk person(url_of(server));
  process talk(person.words({"send"}), person.environment(), screen_size{});
  const auto prompts = [&](std::size_t count) {
    return talk.read_until(
        [count](const process& p) {
          std::size_t found = 0;
          for (auto at = p.out().find("> "); at != std::string::npos;
               at = p.out().find("> ", at + 1))
            ++found;
          return found >= count;
        },
        std::chrono::seconds{20});
  };
  REQUIRE(prompts(1));
  talk.send_input("hello\n"); // The agent asks, and the next line is the answer.
  REQUIRE(prompts(2));
  talk.send_input("tck-complete-task\n");
  REQUIRE(prompts(3));
  CHECK(contains(talk.out(), "Hello from TCK"));
  CHECK(lines_of(person.run({"tasks", "-o", "name"}).out).size() == 1);
  talk.send_input("\ntck-complete-task\n"); // An empty line is no message.
  REQUIRE(prompts(5));
  const auto tasks = lines_of(person.run({"tasks", "--json"}).out);
  REQUIRE(tasks.size() == 2);
  CHECK(at(json::parse(tasks[0]), "/contextId") == at(json::parse(tasks[1]), "/contextId"));
  talk.send_input("\x04");
  CHECK(talk.wait() == 0);

  process asked(person.words({"send"}), person.environment(), screen_size{});
  REQUIRE(asked.read_until([](const process& p) { return contains(p.out(), "> "); },
                           std::chrono::seconds{20}));
  asked.send_input("hello\n");
  REQUIRE(
      asked.read_until([](const process& p) { return p.out().find("> ") != p.out().rfind("> "); },
                       std::chrono::seconds{20}));
  asked.send_input("\x04");
  CHECK(asked.wait() == 3);
}

TEST_CASE("send goes on with its answer after the connection was lost", "[binary][remote]") {
  relay between;
  const served server({"--store", "memory", "--public-url", between.url(), "--agent", "sleep"});
  between.lead_to(server.port());
  const desk person(between.url());
  between.cut_after("TASK_STATE_WORKING");
  const auto sent = person.run({"send", "--data", R"({"seconds": 1})", "--json"});
  CHECK(sent.code == 0);
  CHECK(between.cuts() == 1);
  CHECK(contains(sent.err, "the connection is lost ("));
  CHECK(contains(sent.err, "connected again"));
  CHECK(contains(sent.out, "TASK_STATE_COMPLETED"));
}

TEST_CASE("agent says who signed a card, and whether that is so", "[binary][remote]") {
  const temporary_directory place;
  const auto made = run_program(
      {"/bin/sh", "-c",
       "cd '" + place.path().string()
           + "' && for key in own other; do "
             "openssl genpkey -algorithm EC -pkeyopt ec_paramgen_curve:P-256 -out $key.pem && "
             "openssl pkey -in $key.pem -pubout -out $key.pub.pem; done"});
  if (made.code != 0) {
    WARN("skipped: there is no openssl");
    return;
  }
  const auto config = place.file("troupe.toml", "[card.signing]\nkey = \"" + (place / "own.pem")
                                                    + "\"\nkid = \"bakery-2026\"\n");
  const served server({"--store", "memory", "--config", config});
  const desk person(url_of(server));
  const auto unchecked = person.run({"agent"});
  CHECK(unchecked.code == 0);
  CHECK(contains(unchecked.out, "by bakery-2026 (ES256); not verified"));
  const auto right = person.run({"agent", "--key", place / "own.pub.pem"});
  CHECK(right.code == 0);
  CHECK(contains(right.out, "by bakery-2026 (ES256); verified\n"));
  CHECK(person.run({"agent", "--json", "--key", place / "own.pub.pem"}).code == 0);
  const auto wrong = person.run({"agent", "--key", place / "other.pub.pem"});
  CHECK(wrong.code == 1);
  CHECK(contains(wrong.out, "by bakery-2026 (ES256); not verified: "));
  CHECK(contains(wrong.err, url_of(server) + ": the card is not signed with this key: "));
  CHECK(person.run({"agent", "--key", place / "none.pem"}).code == 2);

  const served plain;
  const auto unsigned_card =
      run_program(person.words({"agent", url_of(plain), "--key", place / "own.pub.pem"}), {},
                  person.environment());
  CHECK(unsigned_card.code == 1);
  CHECK(contains(unsigned_card.out, "signed      no\n"));
}

TEST_CASE("what goes wrong names the server, the cause and what to do", "[binary][remote]") {
  desk person;
  const auto nowhere = person.run({"tasks"});
  CHECK(nowhere.code == 2);
  CHECK(contains(nowhere.err, "which server? Name it with --server URL"));
  relay nothing;
  const auto silent = person.run({"agent", nothing.url()});
  CHECK(silent.code == 1);
  CHECK(contains(silent.err, nothing.url() + ": "));
  CHECK(contains(silent.err, "is a server running there?"));
  CHECK(contains(person.run({"tasks", "--server", "prod"}).err, "there is no target \"prod\""));
  const served server;
  person.use(url_of(server) + "/elsewhere");
  CHECK(contains(person.run({"tasks"}).err, "this is no A2A agent, or its card is elsewhere"));
  person.use(url_of(server));
  CHECK(contains(person.run({"task", "nothing"}).err, "no task \"nothing\""));
  CHECK(contains(person.run({"show", "nothing"}).err, "there is no objective nothing"));
  CHECK(person.run({"submit", person.path("none.json")}).code == 2);
}

TEST_CASE("a wrong version and a missing key are told with what to do", "[binary][remote]") {
  push_receiver agent;
  desk person(agent.url(""));
  agent.answer_with([&](const received_post&) {
    return answer_text(
        200, "Content-Type: application/json\r\n",
        R"({"name":"S","description":"d","version":"1","supportedInterfaces":[{"url":")"
            + agent.url("/")
            + R"(","protocolBinding":"JSONRPC","protocolVersion":"7.0"}],)"
              R"("capabilities":{},"skills":[],"defaultInputModes":[],)"
              R"("defaultOutputModes":[]})");
  });
  const auto wrong = person.run({"tasks"});
  CHECK(wrong.code == 1);
  CHECK(contains(wrong.err, agent.url("") + ": the agent speaks A2A 7.0"));
  CHECK(contains(wrong.err, "this client speaks 1.0 and 0.3"));
  CHECK(contains(wrong.err, "; see `troupe agent "));
  agent.answer_with([](const received_post&) { return answer_text(401); });
  const auto locked = person.run({"tasks"});
  CHECK(locked.code == 1);
  CHECK(contains(locked.err, "needs a key (HTTP status 401); give it a key: bearer-file"));
}

TEST_CASE("a context chooses the server, until another is chosen", "[binary][remote]") {
  const served server;
  desk person;
  person.configure("[[targets]]\nalias = \"here\"\nurl = \"" + url_of(server) + "\"\n");
  CHECK(person.run({"context", "use", "here"}).code == 0);
  CHECK(contains(person.run({"context", "ls"}).out, "*  here"));
  CHECK(person.run({"send", "Hello"}).out == "Hello\n");
  CHECK(contains(person.run({"ls"}).err, "here: there are no objectives yet"));
  CHECK(person.run({"context", "use", "local"}).code == 0);
  CHECK(contains(person.run({"ls"}).err, "there are no runs yet"));
  CHECK(person.run({"context", "use", "else"}).code == 2);
  person.configure("[[targets]]\nalias = \"here\"\nurl = \"x\"\n");
  CHECK(contains(person.run({"context", "ls"}).err, "config.toml:1: in [[targets]]"));
  person.configure("[[targets]]\nalias = \"here\"\nurll = \"x\"\n");
  CHECK(contains(person.run({"context", "ls"}).err, "did you mean \"url\"?"));
}
