// `troupe serve` as an operator meets it: start lines, exit codes, drain, bad configuration.
#include "tests/apps/process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/http_client.hpp"
#include "tests/support/temporary_directory.hpp"

#include <csignal>
#include <filesystem>
#include <fstream>

#include <sys/resource.h>

using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

bool contains(const std::string& text, const std::string& name) {
  return text.find(name) != std::string::npos;
}

/// The port in `listening on http://127.0.0.1:PORT/`; 0 if it does not come.
std::uint16_t port_of(process& serve) {
  const std::string lead = "http://127.0.0.1:";
  if (!serve.read_until([&](const process& p) { return contains(p.err(), "replayed)"); }, 30s))
    return 0;
  const auto at = serve.err().find(lead);
  return at == std::string::npos
             ? std::uint16_t{0}
             : static_cast<std::uint16_t>(std::stoi(serve.err().substr(at + lead.size())));
}

/// The lowest number that no open file of the process has.
rlim_t lowest_free_descriptor(pid_t pid) {
  const std::filesystem::path open = "/proc/" + std::to_string(pid) + "/fd";
  rlim_t out = 0;
  while (std::filesystem::exists(std::filesystem::symlink_status(open / std::to_string(out))))
    ++out;
  return out;
}

} // namespace

TEST_CASE("a server says where it listens, answers, and drains on SIGTERM with 0",
          "[apps][binary]") {
  const temporary_directory place;
  process serve({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data", place / "data"});
  const auto port = port_of(serve);
  INFO(serve.err());
  REQUIRE(port != 0);
  CHECK(contains(serve.err(), "records in " + (place / "data") + " (sync)"));
  CHECK(contains(serve.err(), "agents: a2a, echo, noop, scripted, sleep; default: echo"));
  CHECK(contains(serve.err(), "recovered 0 objectives"));
  CHECK(http_client(port).get("/healthz").status == 200);
  CHECK(contains(http_client(port).get("/.well-known/agent-card.json").body, "\"skills\""));
  serve.signal(SIGTERM);
  CHECK(serve.wait() == 0);
  CHECK(contains(serve.err(), "stopped"));
}

TEST_CASE("a server at all addresses warns that its card says the machine's name",
          "[apps][binary]") {
  const std::vector<std::string> words{troupe_binary(), "serve",   "--listen",
                                       "0.0.0.0:0",     "--store", "memory"};
  const auto warned = [](std::vector<std::string> all) {
    process serve(std::move(all));
    REQUIRE(serve.read_until([](const process& p) { return contains(p.err(), "replayed)"); }, 30s));
    return contains(serve.err(), "--public-url");
  };
  CHECK(warned(words));
  auto told = words;
  told.insert(told.end(), {"--public-url", "https://agents.example/"});
  CHECK_FALSE(warned(told));
  auto local = words;
  local[3] = "127.0.0.1:0";
  CHECK_FALSE(warned(local));
}

TEST_CASE("every acknowledged answer survives kill -9", "[apps][binary]") {
  const temporary_directory place;
  const std::vector<std::string> words{troupe_binary(), "serve",  "--listen",
                                       "127.0.0.1:0",   "--data", place / "data"};
  const std::string body =
      R"({"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m1",)"
      R"("role":"ROLE_USER","parts":[{"text":"hello"}]}}})";
  std::string id;
  {
    process serve(words);
    const auto port = port_of(serve);
    REQUIRE(port != 0);
    const auto answer = http_client(port).post(body).body;
    INFO(answer);
    REQUIRE(contains(answer, "TASK_STATE_COMPLETED"));
    const auto at = answer.find("\"id\":\"task-");
    REQUIRE(at != std::string::npos);
    id = answer.substr(at + 6, answer.find('"', at + 6) - at - 6);
    serve.signal(SIGKILL);
    CHECK(serve.wait() == 128 + SIGKILL);
  }
  process again(words);
  const auto port = port_of(again);
  REQUIRE(port != 0);
  const std::string ask =
      R"({"jsonrpc":"2.0","id":2,"method":"GetTask","params":{"id":")" + id + "\"}}";
  const auto answer = http_client(port).post(ask).body;
  INFO(answer);
  CHECK(contains(answer, "TASK_STATE_COMPLETED"));
}

TEST_CASE("a send that is repeated after kill -9 is answered as the first", "[apps][binary]") {
  const temporary_directory place;
  const std::vector<std::string> words{
      troupe_binary(), "serve",
      "--listen",      "127.0.0.1:0",
      "--data",        place / "data",
      "--config",      place.file("c.toml", "deduplicate-seconds = 3600\n")};
  const auto send = [](std::uint16_t port, const std::string& text, const std::string& id,
                       const std::string& headers) {
    const auto answer = http_client(port).post(
        R"({"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":")" + id
            + R"(","role":"ROLE_USER","parts":[{"text":")" + text + R"("}]}}})",
        "A2A-Version: 1.0\r\n" + headers);
    INFO(answer.body);
    const auto at = answer.body.find("\"id\":\"task-");
    return at == std::string::npos
               ? answer.body
               : answer.body.substr(at + 6, answer.body.find('"', at + 6) - at - 6);
  };
  const std::string key = "Idempotency-Key: \"k\"\r\n";
  std::string by_key;
  std::string by_message;
  for (int life = 0; life < 3; ++life) {
    process serve(words);
    const auto port = port_of(serve);
    REQUIRE(port != 0);
    if (life == 0) {
      by_key = send(port, "x", "m1", key);
      by_message = send(port, "x", "m2", "");
      CHECK(by_key != by_message);
    }
    CHECK(send(port, "x", "m1", key) == by_key);
    CHECK(send(port, "x", "m2", "") == by_message);
    CHECK(contains(send(port, "y", "m1", key), "-32602"));
    serve.signal(SIGKILL);
    CHECK(serve.wait() == 128 + SIGKILL);
  }
}

TEST_CASE("a server opens as many files as it may, its commands as many as it was started with",
          "[apps][binary]") {
  const temporary_directory place;
  process serve({"/bin/sh", "-c",
                 "ulimit -S -n 200; exec " + troupe_binary()
                     + " serve --listen 127.0.0.1:0 --store memory --allow-commands"});
  const auto port = port_of(serve);
  INFO(serve.err());
  REQUIRE(port != 0);
  rlimit own{};
  REQUIRE(::prlimit(serve.id(), RLIMIT_NOFILE, nullptr, &own) == 0);
  CHECK(own.rlim_cur == own.rlim_max);
  const auto plan =
      R"({"name":"p","tasks":[{"name":"t","agent":"command","input":{"argv":["/bin/sh","-c","ulimit -S -n > )"
      + (place / "limit") + R"("]}}]})";
  const auto answer = http_client(port).post(
      R"({"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m1",)"
      R"("role":"ROLE_USER","parts":[{"text":"go"}],"metadata":{"opt/v1/plan":)"
      + plan + "}}}}");
  INFO(answer.body);
  REQUIRE(contains(answer.body, "TASK_STATE_COMPLETED"));
  int limit = 0;
  std::ifstream(place / "limit") >> limit;
  CHECK(limit == 200);
}

TEST_CASE("a server without file descriptors says it, and accepts when one is free",
          "[apps][binary]") {
  process serve({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--store", "memory"});
  const auto port = port_of(serve);
  INFO(serve.err());
  REQUIRE(port != 0);
  rlimit before{};
  REQUIRE(::prlimit(serve.id(), RLIMIT_NOFILE, nullptr, &before) == 0);
  auto scarce = before;
  scarce.rlim_cur = lowest_free_descriptor(serve.id());
  REQUIRE(::prlimit(serve.id(), RLIMIT_NOFILE, &scarce, nullptr) == 0);
  http_client client(port);
  client.send("GET /healthz HTTP/1.1\r\nHost: localhost\r\n\r\n");
  CHECK(serve.read_until([](const process& p) { return contains(p.err(), "file descriptors"); },
                         30s));
  REQUIRE(::prlimit(serve.id(), RLIMIT_NOFILE, &before, nullptr) == 0);
  CHECK(client.receive().status == 200);
  CHECK(serve.read_until(
      [](const process& p) { return contains(p.err(), "connections are accepted again"); }, 30s));
}

TEST_CASE("a port in use and a directory in use are refused with 1", "[apps][binary]") {
  const temporary_directory place;
  process serve({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data", place / "data"});
  const auto port = port_of(serve);
  REQUIRE(port != 0);
  const auto same_port = run_program({troupe_binary(), "serve", "--listen",
                                      "127.0.0.1:" + std::to_string(port), "--store", "memory"});
  CHECK(same_port.code == 1);
  CHECK(contains(same_port.err, "in use"));
  const auto same_data =
      run_program({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data", place / "data"});
  CHECK(same_data.code == 1);
  CHECK(contains(same_data.err,
                 "data directory " + (place / "data") + " is in use by another process"));
}

TEST_CASE("wrong configuration is refused with 2 before anything is opened", "[apps][binary]") {
  const temporary_directory place;
  const auto config = place.file("c.toml", "listen = \"127.0.0.1:0\"\n\nsteams = 3\n");
  const auto unknown = run_program({troupe_binary(), "serve", "--config", config});
  CHECK(unknown.code == 2);
  CHECK(contains(unknown.err,
                 "c.toml:3: unknown setting \"steams\"; did you mean \"limits.streams\"?"));
  CHECK(run_program({troupe_binary(), "serve", "--listen", "nonsense"}).code == 2);
  CHECK(run_program({troupe_binary(), "serve", "--config", place / "none.toml"}).code == 2);
  for (const auto* command : {"serve", "card"}) {
    const auto folder = run_program({troupe_binary(), command, "--config", place.path()});
    CHECK(folder.code == 2);
    CHECK(folder.err == "troupe: " + place.path().string() + ": cannot be read: Is a directory\n");
  }
  CHECK(run_program(
            {troupe_binary(), "serve", "--print-config", "--config", place.file("empty.toml", "")})
            .code
        == 0);
  const auto agent =
      run_program({troupe_binary(), "serve", "--store", "memory", "--agent", "command"});
  CHECK(agent.code == 2);
  CHECK(contains(agent.err, "--allow-commands"));
}

TEST_CASE("a data directory that cannot be made is refused with 1", "[apps][binary]") {
  const auto done = run_program(
      {troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data", "/proc/nowhere/data"});
  CHECK(done.code == 1);
  CHECK_FALSE(done.err.empty());
}

TEST_CASE("flags win over the file, and the effective configuration can be read back",
          "[apps][binary]") {
  const temporary_directory place;
  const auto config = place.file("c.toml", "listen = \"127.0.0.1:1\"\nagent = \"sleep\"\n");
  const auto printed = run_program(
      {troupe_binary(), "serve", "--config", config, "--listen", "127.0.0.1:2", "--print-config"});
  CHECK(printed.code == 0);
  CHECK(contains(printed.out, "listen = \"127.0.0.1:2\"\n"));
  CHECK(contains(printed.out, "agent = \"sleep\"\n"));
  const auto again = run_program(
      {troupe_binary(), "serve", "--config", place.file("d.toml", printed.out), "--print-config"});
  CHECK(again.out == printed.out);
}

TEST_CASE("a configuration that comes from a pipe is read whole, and printed with its models",
          "[apps][binary]") {
  process serve({troupe_binary(), "serve", "--config", "/dev/stdin", "--print-config"});
  serve.send_input("[planner]\nmodel = \"m\"\ntemplates = \"t\"\n"
                   "[models.m]\nurl = \"https://a.example/v1\"\nmodel = \"x\"\nkey-env = \"K\"\n");
  serve.close_input();
  CHECK(serve.wait() == 0);
  CHECK(contains(serve.out(), "templates = \"t\"\n"));
  CHECK(contains(serve.out(), "[models.m]\nkey-env = \"K\"\nmodel = \"x\"\n"
                              "url = \"https://a.example/v1\"\n"));

  process served({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--store", "memory",
                  "--config", "/dev/stdin"});
  served.send_input("[agents]\nllm-model = \"m\"\n"
                    "[models.m]\nurl = \"http://127.0.0.1:1/v1\"\nmodel = \"x\"\n");
  served.close_input();
  REQUIRE(port_of(served) != 0);
  served.signal(SIGHUP);
  CHECK(served.read_until(
      [](const process& it) {
        return contains(it.err(), "/dev/stdin is no file that can be read twice");
      },
      std::chrono::seconds{30}));
  served.signal(SIGINT);
  CHECK(served.wait() == 0);
}

TEST_CASE("log lines are JSON when asked for", "[apps][binary]") {
  process serve({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--store", "memory",
                 "--log-format", "json"});
  REQUIRE(port_of(serve) != 0);
  serve.signal(SIGINT);
  CHECK(serve.wait() == 0);
  for (const auto& line : lines_of(serve.err()))
    CHECK(contains(line, "\"level\":\"info\",\"message\":\""));
}
