// `troupe serve` as an operator meets it: start lines, exit codes, drain, bad configuration.
#include <array>
#include <csignal>
#include <cstring>

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <unistd.h>

#include "tests/apps/process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

using namespace troupe::testing;
using namespace std::chrono_literals;

namespace {

bool contains(const std::string& text, const std::string& what) {
  return text.find(what) != std::string::npos;
}

/// The port in `listening on http://127.0.0.1:PORT/`; 0 if it does not come.
std::uint16_t port_of(process& serve) {
  const std::string lead = "http://127.0.0.1:";
  if (!serve.read_until([&](const process& p) { return contains(p.err(), "replayed)"); }, 30s))
    return 0;
  const auto at = serve.err().find(lead);
  return at == std::string::npos ? std::uint16_t{0}
                                 : static_cast<std::uint16_t>(std::stoi(serve.err().substr(at + lead.size())));
}

/// Sends `request` to the port on loopback and reads until the server closes.
std::string exchange_with(std::uint16_t port, const std::string& request) {
  const int s = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  sockaddr_in where{};
  where.sin_family = AF_INET;
  where.sin_port = htons(port);
  where.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  sockaddr address{};
  std::memcpy(&address, &where, sizeof where);
  std::string answer;
  if (::connect(s, &address, sizeof where) == 0 && ::send(s, request.data(), request.size(), MSG_NOSIGNAL) > 0) {
    std::array<char, 4096> bytes;
    for (ssize_t n = 0; (n = ::recv(s, bytes.data(), bytes.size(), 0)) > 0;)
      answer.append(bytes.data(), static_cast<std::size_t>(n));
  }
  ::close(s);
  return answer;
}

std::string get(std::uint16_t port, const std::string& path) {
  return exchange_with(port, "GET " + path + " HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n");
}

} // namespace

TEST_CASE("a server says where it listens, answers, and drains on SIGTERM with 0", "[apps][binary]") {
  const temporary_directory place;
  process serve({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data", place / "data"});
  const auto port = port_of(serve);
  INFO(serve.err());
  REQUIRE(port != 0);
  CHECK(contains(serve.err(), "records in " + (place / "data") + " (sync)"));
  CHECK(contains(serve.err(), "agents: echo, noop, scripted, sleep; default: echo"));
  CHECK(contains(serve.err(), "recovered 0 objectives"));
  CHECK(contains(get(port, "/healthz"), "HTTP/1.1 200"));
  CHECK(contains(get(port, "/.well-known/agent-card.json"), "\"skills\""));
  serve.signal(SIGTERM);
  CHECK(serve.wait() == 0);
  CHECK(contains(serve.err(), "stopped"));
}

TEST_CASE("what a client was told survives kill -9", "[apps][binary]") {
  const temporary_directory place;
  const std::vector<std::string> words{troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data", place / "data"};
  const std::string body = R"({"jsonrpc":"2.0","id":1,"method":"SendMessage","params":{"message":{"messageId":"m1",)"
                           R"("role":"ROLE_USER","parts":[{"text":"hello"}]}}})";
  std::string id;
  {
    process serve(words);
    const auto port = port_of(serve);
    REQUIRE(port != 0);
    const auto answer = exchange_with(port, "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nA2A-Version: 1.0\r\n"
                                            "Content-Type: application/json\r\nContent-Length: "
                                              + std::to_string(body.size()) + "\r\n\r\n" + body);
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
  const std::string ask = R"({"jsonrpc":"2.0","id":2,"method":"GetTask","params":{"id":")" + id + "\"}}";
  const auto answer = exchange_with(port, "POST / HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nA2A-Version: 1.0\r\n"
                                          "Content-Type: application/json\r\nContent-Length: "
                                            + std::to_string(ask.size()) + "\r\n\r\n" + ask);
  INFO(answer);
  CHECK(contains(answer, "TASK_STATE_COMPLETED"));
}

TEST_CASE("a port in use and a directory in use are refused with 1", "[apps][binary]") {
  const temporary_directory place;
  process serve({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data", place / "data"});
  const auto port = port_of(serve);
  REQUIRE(port != 0);
  const auto same_port = run_program({troupe_binary(), "serve", "--listen", "127.0.0.1:" + std::to_string(port), "--store", "memory"});
  CHECK(same_port.code == 1);
  CHECK(contains(same_port.err, "in use"));
  const auto same_data = run_program({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data", place / "data"});
  CHECK(same_data.code == 1);
  CHECK(contains(same_data.err, "another process uses"));
}

TEST_CASE("wrong configuration is refused with 2 before anything is opened", "[apps][binary]") {
  const temporary_directory place;
  const auto config = place.file("c.toml", "listen = \"127.0.0.1:0\"\n\nsteams = 3\n");
  const auto unknown = run_program({troupe_binary(), "serve", "--config", config});
  CHECK(unknown.code == 2);
  CHECK(contains(unknown.err, "c.toml:3: unknown setting \"steams\"; did you mean \"limits.streams\"?"));
  CHECK(run_program({troupe_binary(), "serve", "--listen", "nonsense"}).code == 2);
  CHECK(run_program({troupe_binary(), "serve", "--config", place / "none.toml"}).code == 2);
  const auto agent = run_program({troupe_binary(), "serve", "--store", "memory", "--agent", "command"});
  CHECK(agent.code == 2);
  CHECK(contains(agent.err, "--allow-commands"));
}

TEST_CASE("a data directory that cannot be made is refused with 1", "[apps][binary]") {
  const auto done = run_program({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--data", "/proc/nowhere/data"});
  CHECK(done.code == 1);
  CHECK_FALSE(done.err.empty());
}

TEST_CASE("flags win over the file, and the effective configuration can be read back", "[apps][binary]") {
  const temporary_directory place;
  const auto config = place.file("c.toml", "listen = \"127.0.0.1:1\"\nagent = \"sleep\"\n");
  const auto printed = run_program({troupe_binary(), "serve", "--config", config, "--listen", "127.0.0.1:2", "--print-config"});
  CHECK(printed.code == 0);
  CHECK(contains(printed.out, "listen = \"127.0.0.1:2\"\n"));
  CHECK(contains(printed.out, "agent = \"sleep\"\n"));
  const auto again = run_program({troupe_binary(), "serve", "--config", place.file("d.toml", printed.out), "--print-config"});
  CHECK(again.out == printed.out);
}

TEST_CASE("log lines are JSON when asked for", "[apps][binary]") {
  process serve({troupe_binary(), "serve", "--listen", "127.0.0.1:0", "--store", "memory", "--log-format", "json"});
  REQUIRE(port_of(serve) != 0);
  serve.signal(SIGINT);
  CHECK(serve.wait() == 0);
  for (const auto& line : lines_of(serve.err()))
    CHECK(contains(line, "\"level\":\"info\",\"message\":\""));
}
