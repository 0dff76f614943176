// Many requests of mixed sizes, seen from outside: each is answered, and memory does not grow with
// their number. TROUPE_SOAK_REQUESTS says how many; a long run has 100000.
#include "tests/apps/served.hpp"
#include "tests/support/catch.hpp"

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

/// For a task that does not exist if `is_refused`: then it is read in full, and nothing is kept.
std::string some_request(std::size_t size, std::size_t number, bool is_refused,
                         std::mt19937_64& dice) {
  const std::string task = is_refused ? R"("taskId":"none",)" : "";
  const auto part = dice() % 2 == 0 ? R"({"text":")" + text_of(size, dice) + R"("})"
                                    : R"({"data":{"v":)" + data_of(size, dice) + "}}";
  return request_of("SendMessage", R"({"message":{"messageId":"m)" + std::to_string(number)
                                       + R"(",)" + task + R"("role":"ROLE_USER","parts":[)" + part
                                       + "]}}");
}

} // namespace

TEST_CASE("memory does not grow with the number of requests", "[apps][binary][soak]") {
  const served server;
  const auto count = requests();
  std::mt19937_64 dice{7};
  std::vector<http_client> clients;
  for (int i = 0; i < 4; ++i)
    clients.push_back(server.client());
  const auto ask = [&](std::size_t size, std::size_t number, bool is_refused) {
    auto& client = clients[number % clients.size()];
    client.send(http_client::post_text(some_request(size, number, is_refused, dice)));
    const auto answer = client.receive();
    CAPTURE(number, size, answer.body.substr(0, 300));
    REQUIRE(answer.status == 200);
    REQUIRE(answer.body.find(is_refused ? "none" : "TASK_STATE_COMPLETED") != std::string::npos);
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
  const auto kept = count / 10 * 8 * kilobyte * 2;
  CHECK(server.resident_bytes() < resident + resident / 4 + kept);
  CHECK(server.reserved_bytes_max() < reserved + reserved / 4 + kept);
}
