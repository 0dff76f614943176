// The commands for servers: the real binary against the real server, both versions, both bindings,
// and a connection that is lost.
#include "tests/apps/process.hpp"
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/relay.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <fstream>
#include <map>
#include <optional>
#include <string>
#include <vector>

using namespace troupe::testing;
namespace json = boost::json;

namespace {

bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

std::string trimmed(std::string text) {
  while (!text.empty() && (text.back() == '\n' || text.back() == ' '))
    text.pop_back();
  return text;
}

/// A person with a home of their own.
class desk {
public:
  explicit desk(std::string server = {}) : server_(std::move(server)) {}

  void write(const std::string& name, const std::string& text) const {
    std::ofstream(path(name)) << text;
  }
  [[nodiscard]] std::string path(const std::string& name) const {
    return (home_.path() / name).string();
  }
  [[nodiscard]] std::vector<std::string> environment() const {
    return {"HOME=" + home_.path().string(),
            "XDG_STATE_HOME=" + path("state"),
            "XDG_CONFIG_HOME=",
            "TROUPE_CONFIG=" + config_,
            "TROUPE_SERVER=" + server_,
            "HOOK_TOKEN=words-for-the-receiver",
            "HOOK_BEARER=secret"};
  }
  [[nodiscard]] std::vector<std::string> words(std::vector<std::string> words) const {
    words.insert(words.begin(), troupe_binary());
    return words;
  }
  [[nodiscard]] outcome run(std::vector<std::string> with, const std::string& input = {}) const {
    return run_program(words(std::move(with)), input, environment());
  }
  void configure(const std::string& text) {
    write("config.toml", text);
    config_ = path("config.toml");
  }
  void use(std::string server) { server_ = std::move(server); }

private:
  const temporary_directory home_;
  std::string server_;
  std::string config_;
};

std::string url_of(const served& of) {
  return "http://127.0.0.1:" + std::to_string(of.port());
}

/// Targets `1.0jsonrpc`, `1.0rest`, `0.3jsonrpc` and `0.3rest`, all this server.
std::string targets_in_all_manners(const served& server) {
  std::string out;
  for (const auto* version : {"1.0", "0.3"})
    for (const auto* binding : {"jsonrpc", "rest"})
      out += "[[targets]]\nalias = \"" + std::string(version) + binding + "\"\nurl = \""
             + url_of(server) + "\"\nversion = \"" + version + "\"\nbinding = \"" + binding
             + "\"\n";
  return out;
}

/// The task that `send` says how to answer.
std::string asking_task(const std::string& said) {
  const auto begin = said.find("--task ") + 7;
  return said.substr(begin, said.find(' ', begin) - begin);
}

constexpr const char* asking_plan =
    R"({"name": "Trip", "plans": [{"name": "Book", "tasks": [
      {"name": "Flight", "agent": "echo", "input": {"text": "OSL 08:15"}},
      {"name": "Hotel", "agent": "scripted", "dependencies": ["Flight"],
       "input": {"steps": [{"ask": "By the sea?"}, {"complete": "done"}]}},
      {"name": "Letter", "agent": "echo", "dependencies": ["Hotel"], "input": {"text": "all booked"}}]}]})";

} // namespace

TEST_CASE("send, task, tasks and cancel work in both versions and bindings", "[binary][remote]") {
  const served server({"--store", "memory", "--agent", "conformance"});
  desk person;
  person.configure(targets_in_all_manners(server));
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
  person.configure(targets_in_all_manners(server));
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
    CHECK(person.run({"push", "ls", task, "-o", "name"}).out == "p2\n");
    CHECK(person.run({"push", "rm", task, "p2"}).code == 0);
    const auto none = person.run({"push", "ls", task});
    CHECK(none.code == 0);
    CHECK(contains(none.err, std::string(alias) + ": nothing is posted of this task"));

    const auto refused = person.run({"push", "add", "nothing", "https://hooks.example.org/a"});
    CHECK(refused.code == 1);
    CHECK(contains(refused.err, std::string(alias) + ": "));
  }
  CHECK(person.run({"push", "add", "t", "ftp://hooks.example.org"}).code == 2);
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

TEST_CASE("a plan is submitted, listed, answered, watched and shown", "[binary][remote]") {
  const served server;
  desk person(url_of(server));
  person.write("trip.json", asking_plan);
  const auto submitted = person.run({"submit", person.path("trip.json")});
  CAPTURE(submitted.err);
  REQUIRE(submitted.code == 0);
  const auto id = trimmed(submitted.out);
  const auto blocked = person.run({"watch", id});
  CHECK(blocked.code == 3);
  CHECK(contains(blocked.err, "By the sea?"));
  CHECK(contains(blocked.err, "troupe answer " + id + ".p0.t1 TEXT"));
  CHECK(contains(person.run({"ls"}).out, "Trip"));
  CHECK(person.run({"ls", "-o", "name"}).out == id + "\n");
  CHECK(contains(person.run({"inbox"}).out, "By the sea?"));
  CHECK(person.run({"inbox", "@last", "-o", "name"}).out == id + ".p0.t1.question-1\n");
  CHECK(person.run({"pause", id}).out == "objective " + id + " blocked\n");
  CHECK(person.run({"resume", id}).code == 0);
  const auto answered = person.run({"answer", id + ".p0.t1", "yes"});
  CHECK(answered.out == "question " + id + ".p0.t1.question-1 answered\n");
  const auto watched = person.run({"watch", id.substr(0, id.size() - 3)});
  CHECK(watched.code == 0);
  CHECK(contains(watched.out, "completed: 3 of 3 tasks"));
  CHECK(contains(watched.out, "all booked"));
  const auto late = person.run({"answer", id + ".p0.t1.question-1", "no"});
  CHECK(late.code == 1);
  CHECK(contains(late.err, url_of(server) + ": "));
  const auto shown = person.run({"show", "@last"});
  CHECK(shown.code == 0);
  CHECK(contains(shown.out, "Hotel"));
  CHECK(contains(shown.out, "all booked"));
  CHECK(person.run({"inbox"}).out.empty());
}

TEST_CASE("all pages are listed, and an id is not guessed among too many", "[binary][remote]") {
  constexpr std::size_t count = 130; // a page has 100
  const served server;
  for (std::size_t i = 0; i < count; ++i)
    server.ask("objectives/create",
               R"({"id":"trip-)" + std::to_string(1000 + i) + R"(","name":"Trip"})");
  const desk person(url_of(server));
  const auto listed = person.run({"ls", "-o", "name"});
  CHECK(listed.code == 0);
  CHECK(std::ranges::count(listed.out, '\n') == count);
  // One fits, and all have the text in their ids or names.
  server.ask("objectives/create", R"({"id":"a-trip","name":"trip-1"})");
  const auto guessed = person.run({"show", "trip"});
  CHECK(guessed.code == 1);
  CHECK(contains(guessed.err, "several objectives begin with trip"));
  const auto hidden = person.run({"cancel", "ip-1"});
  CHECK(hidden.code == 1);
  CHECK(contains(hidden.err, "write the whole id"));
  CHECK(person.run({"show", "a-trip"}).code == 0);
}

TEST_CASE("a failed objective is shown with its reason and tried again", "[binary][remote]") {
  const served server({"--store", "memory", "--allow-commands"});
  desk person(url_of(server));
  person.write("fail.json", R"({"name": "Bad", "plans": [{"name": "P", "tasks": [
    {"name": "program", "agent": "command", "input": {"argv": ["sh", "-c", "echo first words; exit 3"]}}]}]})");
  const auto failed = person.run({"submit", person.path("fail.json"), "--watch"});
  CHECK(failed.code == 1);
  CHECK(contains(failed.out, "exited with 3"));
  CHECK(contains(failed.out, "first words"));
  CHECK(contains(person.run({"logs", "@last"}).out, "first words"));
  CHECK(person.run({"logs", "@last", "nothing"}).code == 1);
  CHECK(person.run({"retry", "@last"}).code == 0);
  const auto again = person.run({"watch", "@last", "--json"});
  CHECK(again.code == 1);
  CHECK(at(json::parse(lines_of(again.out).back()), "/status") == "failed");
}

TEST_CASE("watch asks at a prompt, and what was pasted behind an answer answers nothing else",
          "[binary][remote]") {
  const served server;
  const desk person(url_of(server));
  person.write("trip.json", R"({"name": "Trip", "plans": [{"name": "P", "tasks": [
    {"name": "from", "agent": "scripted", "input": {"steps": [{"ask": "Where from?"}, {"artifactFromAnswer": {"name": "city"}}]}},
    {"name": "to", "agent": "scripted", "input": {"steps": [{"ask": "Where to?"}, {"artifactFromAnswer": {"name": "city"}}]}}]}]})");
  const auto submit = [&] { return trimmed(person.run({"submit", person.path("trip.json")}).out); };
  auto environment = person.environment();
  environment.insert(environment.end(), {"NO_COLOR=1", "LC_ALL=C.UTF-8", "TERM=xterm"});
  const auto shows = [](const std::string& text) {
    return [text](const process& p) { return contains(p.out(), text); };
  };
  const auto from = shows("? P / from"), to = shows("? P / to");

  const auto id = submit();
  process watch(person.words({"watch", id}), environment, screen_size{});
  REQUIRE(watch.read_until([&](const process& p) { return from(p) || to(p); },
                           std::chrono::seconds{20}));
  const bool is_from_first = from(watch);
  watch.send_input("pasted one\npasted two\n");
  REQUIRE(watch.read_until(is_from_first ? to : from, std::chrono::seconds{20}));
  watch.send_input("typed\n");
  CHECK(watch.wait() == 0);
  CHECK(watch.is_cooked());
  CHECK(contains(watch.out(), "completed: 2 of 2 tasks"));
  const auto shown = person.run({"show", id}).out;
  CHECK(contains(shown, "pasted one"));
  CHECK(contains(shown, "typed"));
  CHECK_FALSE(contains(shown, "pasted two"));

  process given_up(person.words({"watch", submit()}), environment, screen_size{});
  REQUIRE(given_up.read_until([&](const process& p) { return from(p) || to(p); },
                              std::chrono::seconds{20}));
  given_up.send_input("\x04");
  CHECK(given_up.wait() == 3);
  CHECK(given_up.is_cooked());
}

TEST_CASE("logs of a server are followed until the task, or the objective, ends",
          "[binary][remote]") {
  const served server({"--store", "memory", "--allow-commands"});
  const desk person(url_of(server));
  person.write("two.json", R"({"name": "Two", "plans": [{"name": "P", "tasks": [
    {"name": "first", "agent": "command", "input": {"argv": ["echo", "first words"]}},
    {"name": "asks", "agent": "scripted", "dependencies": ["first"],
     "input": {"steps": [{"ask": "Go on?"}, {"complete": "yes"}]}},
    {"name": "last", "agent": "command", "dependencies": ["asks"],
     "input": {"argv": ["echo", "last words"]}}]}]})");
  const auto id = trimmed(person.run({"submit", person.path("two.json")}).out);
  process all(person.words({"logs", id, "--follow"}), person.environment());
  REQUIRE(all.read_until([](const process& p) { return contains(p.out(), "first words"); },
                         std::chrono::seconds{20}));
  // The objective goes on, and the task has ended.
  const auto first = person.run({"logs", id, "first", "--follow"});
  CHECK(first.code == 0);
  CHECK(contains(first.out, "first words"));
  CHECK(server.reaches(id + ".p0.t1", "TASK_STATE_INPUT_REQUIRED"));
  process one(person.words({"logs", id, "last", "--follow", "--json"}), person.environment());
  CHECK(person.run({"answer", id + ".p0.t1", "yes"}).code == 0);
  CHECK(all.wait() == 0);
  CHECK(one.wait() == 0);
  const auto words = all.out().find("first words");
  CHECK(all.out().find("first words", words + 1) == std::string::npos);
  CHECK(contains(all.out(), "last words"));
  CHECK_FALSE(contains(one.out(), "first words"));
  const auto lines = lines_of(one.out());
  REQUIRE(lines.size() == 1);
  CHECK(at(json::parse(lines.front()), "/name") == "P / last");
  CHECK(person.run({"logs", id, "nothing", "--follow"}).code == 1);
}

TEST_CASE("watch says that the connection is lost, and goes on where it broke",
          "[binary][remote]") {
  relay between;
  const served server({"--store", "memory", "--public-url", between.url()});
  between.lead_to(server.port());
  desk person(between.url());
  person.write("trip.json", asking_plan);
  const auto id = trimmed(person.run({"submit", person.path("trip.json")}).out);
  between.cut_after("input-required");
  process watch(person.words({"watch", id, "--wait"}), person.environment());
  CHECK(watch.read_until([](const process& p) { return contains(p.err(), "connected again"); },
                         std::chrono::seconds{20}));
  CHECK(contains(watch.err(), between.url() + ": the connection is lost ("));
  CHECK(person.run({"answer", id + ".p0.t1", "yes"}).code == 0);
  CHECK(watch.wait() == 0);
  CHECK(contains(watch.out(), "completed: 3 of 3 tasks"));
}

TEST_CASE("watch tells each change and each question once over a restart of the server",
          "[binary][remote]") {
  relay between;
  const temporary_directory place;
  const std::vector<std::string> words{"--data", place / "data", "--public-url", between.url()};
  std::optional<served> server(std::in_place, words);
  between.lead_to(server->port());
  const desk person(between.url());
  person.write("trip.json", asking_plan);
  const auto id = trimmed(person.run({"submit", person.path("trip.json")}).out);
  process watch(person.words({"watch", id, "--json", "--wait"}), person.environment());
  REQUIRE(watch.read_until([](const process& p) { return contains(p.err(), "By the sea?"); },
                           std::chrono::seconds{20}));
  CHECK(server->stop() == 0);
  server.emplace(words);
  between.lead_to(server->port());
  CHECK(person.run({"answer", id + ".p0.t1", "yes"}).code == 0);
  CHECK(watch.wait() == 0);
  std::map<std::string, int> completed;
  for (const auto& line : lines_of(watch.out()))
    if (const auto event = json::parse(line);
        at(event, "/event") == "task_moved" && at(event, "/state") == "completed")
      ++completed[at(event, "/task/name")];
  CHECK(completed["Flight"] <= 1); // It may have landed before `watch` began.
  CHECK(completed["Hotel"] == 1);
  CHECK(completed["Letter"] == 1);
  const auto first = watch.err().find("By the sea?");
  CHECK(watch.err().find("By the sea?", first + 1) == std::string::npos);
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
