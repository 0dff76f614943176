// Many requests of mixed sizes, seen from outside: each is answered, and memory does not grow with
// their number. TROUPE_SOAK_REQUESTS says how many; a long run has 100000.
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <algorithm>
#include <cstdlib>
#include <random>
#include <string>
#include <vector>

using namespace troupe::testing;

namespace {

constexpr std::size_t kilobyte = 1024;

std::size_t requests() {
  const char* const text = std::getenv("TROUPE_SOAK_REQUESTS");
  return text ? std::strtoull(text, nullptr, 10) : 1200;
}

/// From 1 kB to 8 MB; each doubling is half as frequent as the size before it, but for the last.
std::size_t some_size(std::mt19937_64& dice) {
  std::size_t doublings = 0;
  while (doublings < 12 && dice() % 5 < 3)
    ++doublings;
  const auto base = kilobyte << doublings;
  return base + dice() % base;
}

/// A text of words, some of them escaped: what a parser keeps in pieces.
std::string text_of(std::size_t size, std::mt19937_64& dice) {
  static const std::vector<std::string> words{"plan ", "task ", "\\n", "\\u00e4", "\\\"", "agent "};
  std::string out;
  while (out.size() < size)
    out += words[dice() % words.size()];
  return out;
}

/// The same number of bytes as many small values: a large tree.
std::string data_of(std::size_t size, std::mt19937_64& dice) {
  std::string out = "[";
  while (out.size() < size)
    out += std::to_string(dice() % 1000) + ",";
  return out + "0]";
}

/// One request, and what its answer must have.
struct asked {
  std::string text;
  int status = 200;
  std::string expected;
};

/// A message in a version of A2A and a binding that are drawn. For a task that does not exist if
/// `is_refused`: then it is read in full, and nothing is kept.
asked some_message(std::size_t size, std::size_t number, bool is_refused, std::mt19937_64& dice) {
  const bool is_text = dice() % 2 == 0;
  const auto content =
      is_text ? '"' + text_of(size, dice) + '"' : R"({"v":)" + data_of(size, dice) + "}";
  const auto message = R"({"message":{"messageId":"m)" + std::to_string(number) + R"(",)"
                       + (is_refused ? R"("taskId":"none",)" : "");
  const std::string kind = is_text ? "text" : "data";
  const auto part = "{\"" + kind + "\":" + content + "}";
  const auto in_0_3 = is_text ? part : R"({"data":{"data":)" + content + "}}";
  const std::string done = is_refused ? "none" : "TASK_STATE_COMPLETED";
  const auto missing = is_refused ? 404 : 200;
  switch (dice() % 4) {
    case 0:
      return {http_client::post_text(request_of(
                  "SendMessage", message + R"("role":"ROLE_USER","parts":[)" + part + "]}}")),
              200, done};
    case 1:
      return {http_client::request_text("POST", "/message:send",
                                        message + R"("role":"ROLE_USER","parts":[)" + part + "]}}"),
              missing, done};
    case 2:
      return {http_client::post_text(
                  request_of("message/send", message + R"("kind":"message","role":"user",)"
                                                 + R"("parts":[{"kind":")" + kind + "\",\"" + kind
                                                 + "\":" + content + "}]}}"),
                  "A2A-Version: 0.3\r\n"),
              200, is_refused ? "none" : "\"completed\""};
    default:
      return {
          http_client::request_text("POST", "/v1/message:send",
                                    message + R"("role":"ROLE_USER","content":[)" + in_0_3 + "]}}",
                                    "A2A-Version: 0.3\r\n"),
          missing, done};
  }
}

constexpr std::size_t plan_tasks = 200;
constexpr std::size_t plans_every = 100; ///< Requests.

/// The tables of the store: rows that are not flushed, blocks that were read, and the cache of
/// records, whatever the number of requests.
constexpr std::size_t tables_bytes_max = std::size_t{192} << 20;

/// An objective with a plan of 200 tasks; refused because of the last one.
asked some_plan(std::size_t size, bool is_refused, std::mt19937_64& dice) {
  std::string tasks;
  for (std::size_t i = 0; i < plan_tasks; ++i)
    tasks += R"({"name":"t)" + std::to_string(i) + R"(","agent":"echo","input":{"text":")"
             + text_of(size / plan_tasks, dice) + R"("}},)";
  tasks += R"({"name":"last","agent":"noop","dependencies":[")"
           + std::string(is_refused ? "none" : "t0") + R"("]})";
  return {http_client::post_text(request_of(
              "objectives/create",
              R"({"name":"o","start":true,"plans":[{"name":"p","tasks":[)" + tasks + "]}]}")),
          200, is_refused ? "none" : "\"result\""};
}

} // namespace

TEST_CASE("memory does not grow with the number of requests", "[apps][binary][soak]") {
  // On the disk, so that what is kept does not hide what leaks.
  const temporary_directory place;
  const served server(
      {"--data", place / "data", "--config", place.file("config", "evict-seconds = 1\n")});
  const auto count = requests();
  std::mt19937_64 dice{7};
  std::vector<http_client> clients;
  for (int i = 0; i < 4; ++i)
    clients.push_back(server.client());
  const auto ask = [&](std::size_t size, std::size_t number, bool is_refused) {
    auto& client = clients[number % clients.size()];
    const bool brings_plan = is_refused ? dice() % 10 == 0 : number % plans_every == 0;
    const auto request = brings_plan ? some_plan(size, is_refused, dice)
                                     : some_message(size, number, is_refused, dice);
    client.send(request.text);
    const auto answer = client.receive();
    CAPTURE(number, size, request.text.substr(0, 300), answer.body.substr(0, 300));
    REQUIRE(answer.status == request.status);
    REQUIRE(answer.body.find(request.expected) != std::string::npos);
  };
  // What one request may need is reached first.
  for (std::size_t i = 0; i < 40; ++i)
    ask(std::size_t{7} << 20, i, true);
  std::size_t resident = 0;
  std::size_t reserved = 0;
  for (std::size_t i = 0; i < count; ++i) {
    const bool is_kept = i % 10 == 0;
    ask(is_kept ? std::min(some_size(dice), 8 * kilobyte) : some_size(dice), 40 + i, !is_kept);
    if (i < count / 4) {
      resident = std::max(resident, server.resident_bytes());
      reserved = server.reserved_bytes_max();
    }
  }
  CAPTURE(resident, reserved, server.resident_bytes(), server.reserved_bytes_max());
  CHECK(server.resident_bytes() < resident + resident / 4 + tables_bytes_max);
  CHECK(server.reserved_bytes_max() < reserved + reserved / 4 + tables_bytes_max);
}
