#include "net/push/turn_queue.hpp"
#include "tests/support/catch.hpp"

#include <map>
#include <random>
#include <vector>

using namespace troupe::net;

namespace {

using queue = turn_queue<std::string>;

/// All members that may go now.
std::string all_of(queue& from) {
  std::string out;
  while (const auto who = from.next())
    out += (out.empty() ? "" : " ") + *who;
  return out;
}

} // namespace

TEST_CASE("lines take turns, within a line it is first come first served", "[net][push][turns]") {
  queue turns({100, 100, 100, 100});
  for (const auto* who : {"a1", "a2", "a3", "b1", "c1", "b2"})
    turns.wait(std::string(1, who[0]), who);
  CHECK(all_of(turns) == "a1 b1 c1 a2 b2 a3");
}

TEST_CASE("no more go at once than allowed, in all and of one line", "[net][push][turns]") {
  queue turns({3, 2, 3, 2});
  for (const auto* who : {"a1", "a2", "a3", "b1", "b2"})
    turns.wait(std::string(1, who[0]), who);
  CHECK(all_of(turns) == "a1 b1 a2");
  turns.end("b");
  CHECK(all_of(turns) == "b2"); // The line of a has its two.
  turns.end("a");
  CHECK(all_of(turns) == "a3");
  CHECK(all_of(turns).empty());
}

TEST_CASE("lines that do not answer leave places to those that do", "[net][push][turns]") {
  queue turns({4, 2, 2, 1});
  for (const auto* who : {"a1", "a2", "b1", "c1", "d1"})
    turns.wait(std::string(1, who[0]), who);
  CHECK(all_of(turns) == "a1 b1");
  turns.end("a", true); // It hangs no more, and has all its places.
  turns.wait("a", "a3");
  CHECK(all_of(turns) == "c1 a2 a3");
  turns.end("a", true);
  turns.end("a", true);
  turns.wait("a", "a4");
  CHECK(all_of(turns) == "a4"); // That it answers is known later, too.
  turns.end("b", false);
  CHECK(all_of(turns) == "d1");
  turns.end("a", false);
  turns.end("c", std::nullopt);
  for (const auto* who : {"a5", "a6", "c2"})
    turns.wait(std::string(1, who[0]), who);
  CHECK(all_of(turns) == "a5"); // It has become silent, and so has one place.
  turns.end("d", true);
  CHECK(all_of(turns) == "c2");
}

TEST_CASE("a line that falls silent while it waits for its turn waits with the silent ones",
          "[net][push][turns]") {
  queue turns({2, 2, 1, 1});
  turns.wait("a", "a1");
  CHECK(all_of(turns) == "a1");
  turns.end("a", true);
  for (const auto* who : {"a2", "a3", "a4", "b1"})
    turns.wait(std::string(1, who[0]), who);
  CHECK(all_of(turns) == "a2 b1");
  turns.end("a", false);
  CHECK(all_of(turns).empty());
  turns.end("b", false);
  CHECK(all_of(turns) == "a3");
}

TEST_CASE("a line that answers while it is called again waits no longer with the silent ones",
          "[net][push][turns]") {
  queue turns({10, 4, 3, 2});
  for (const auto* who : {"a1", "b1", "c1", "d1", "e1", "a2"})
    turns.wait(std::string(1, who[0]), who);
  CHECK(all_of(turns) == "a1 b1 c1"); // The line of a is called for a2 now.
  turns.end("a", true);
  CHECK(all_of(turns) == "d1 a2"); // The line of d hangs in the place of a.
  turns.end("b", std::nullopt);
  CHECK(all_of(turns) == "e1"); // No call of a is left.
}

TEST_CASE("an entry that left is passed over, and an unused line is forgotten",
          "[net][push][turns]") {
  queue turns({1, 1, 1, 1});
  turns.wait("a", "a1");
  turns.wait("a", "a2");
  turns.wait("b", "b1");
  turns.leave("a", "a1");
  turns.leave("a", "nobody");
  turns.leave("nowhere", "a1");
  turns.leave("b", "b1");
  CHECK(turns.next() == "a2");
  turns.end("a");
  CHECK_FALSE(turns.next());
  CHECK(turns.lines() == 0);
}

namespace {

/// Counts how often two of it are compared.
struct counted_member {
  int number = 0;
  static inline std::size_t compared = 0;
  friend bool operator==(const counted_member& a, const counted_member& b) {
    ++compared;
    return a.number == b.number;
  }
};

} // namespace

template<>
struct std::hash<counted_member> {
  std::size_t operator()(const counted_member& of) const noexcept {
    return std::hash<int>{}(of.number);
  }
};

TEST_CASE("ten thousand that wait in one line leave it one by one at the cost of each",
          "[net][push][turns]") {
  constexpr int members = 10'000;
  turn_queue<counted_member> turns({1, 1, 1, 1});
  for (int i = 0; i < members; ++i)
    turns.wait("a", {i});
  counted_member::compared = 0;
  for (int i = members; i-- > 0;)
    turns.leave("a", {i});
  CHECK(counted_member::compared < 10 * members);
  CHECK_FALSE(turns.next());
}

TEST_CASE("with any entries that come and go, the bounds hold and each has a turn",
          "[net][push][turns]") {
  const auto seed = GENERATE(range(1U, 20U));
  CAPTURE(seed);
  std::mt19937 random(seed);
  queue turns({5, 2, 3, 1});
  std::map<std::string, int> going;
  std::map<std::string, bool> answers; // Silent is who has not.
  std::size_t had = 0;
  std::size_t left = 0;
  constexpr int members = 500;
  const auto check_next = [&] {
    while (const auto who = turns.next()) {
      const auto line = who->substr(0, 1);
      ++had;
      REQUIRE(++going[line] <= 2);
      int sum = 0;
      for (const auto& [name, count] : going)
        sum += count;
      REQUIRE(sum <= 5);
      if (answers[line])
        continue;
      REQUIRE(going[line] == 1);
      int silent = 0;
      for (const auto& [name, count] : going)
        silent += answers[name] ? 0 : count;
      REQUIRE(silent <= 3);
    }
  };
  const auto end_one = [&] {
    for (auto& [line, count] : going)
      if (count > 0) {
        --count;
        const bool asked = random() % 4 != 0;
        if (asked)
          answers[line] = random() % 4 != 0;
        turns.end(line, asked ? std::optional{answers[line]} : std::nullopt);
        return true;
      }
    return false;
  };
  for (int i = 0; i < members; ++i) {
    const std::string line(1, static_cast<char>('a' + random() % 6));
    const auto who = line + std::to_string(i);
    turns.wait(line, who);
    if (random() % 10 == 0) {
      turns.leave(line, who);
      ++left;
    }
    if (random() % 2 == 0)
      check_next();
    if (random() % 2 == 0)
      end_one();
  }
  for (check_next(); end_one();)
    check_next();
  CHECK(had + left == members);
  CHECK(turns.lines() == 0);
}
