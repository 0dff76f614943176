// Which waiting changes become the next group of the writer.
#include "store/rocksdb/change_queue.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>
#include <vector>

using namespace troupe;

namespace {

/// Small bounds: a group has at most 8 changes and 100 bytes, a turn 10 bytes.
constexpr change_queue::limits small{8, 100, 10};

/// A change number `number` of the context, with a row of so many bytes.
submission change_of(const std::string& context, std::uint64_t number, std::size_t bytes) {
  submission out;
  out.submitted.context = context;
  out.submitted.sequence = number;
  out.submitted.task.id = task_id{"t"};
  out.row.assign(bytes, 'x');
  return out;
}

submission marker(std::uint64_t number) {
  submission out;
  out.submitted.sequence = number;
  return out;
}

/// As "CONTEXT NUMBER", a marker as "- NUMBER", a part as "CONTEXT NUMBER: BYTES".
std::vector<std::string> shown(const next_group& group) {
  std::vector<std::string> out;
  for (const auto& each : group.parts)
    out.push_back(each.of->submitted.context + " " + std::to_string(each.of->submitted.sequence)
                  + ": " + std::to_string(each.bytes.size()));
  for (const auto& each : group.changes)
    out.push_back((is_empty(each.submitted) ? "-" : each.submitted.context) + " "
                  + std::to_string(each.submitted.sequence));
  return out;
}

using texts = std::vector<std::string>;

} // namespace

TEST_CASE("what fits one group is taken as it came", "[store][change_queue]") {
  change_queue queue(small);
  CHECK(queue.take().empty());
  queue.push(change_of("a", 1, 50));
  queue.push(marker(2));
  queue.push(change_of("b", 3, 10));
  queue.push(change_of("a", 4, 40));
  CHECK(queue.size() == 4);
  CHECK(shown(queue.take()) == texts{"a 1", "- 2", "b 3", "a 4"});
  CHECK(queue.empty());
}

TEST_CASE("a small change of another context does not wait for many bytes",
          "[store][change_queue]") {
  change_queue queue(small);
  for (std::uint64_t i = 0; i < 20; ++i)
    queue.push(change_of("large", i, 30));
  queue.push(change_of("small", 100, 5));
  const auto first = shown(queue.take());
  CHECK(std::ranges::find(first, "small 100") != first.end());
  CHECK(first.size() <= 4); // 100 bytes
}

TEST_CASE("a small change does not wait for many small ones of one context",
          "[store][change_queue]") {
  change_queue queue(small);
  for (std::uint64_t i = 0; i < 50; ++i)
    queue.push(change_of("many", i, 1));
  queue.push(change_of("one", 100, 1));
  std::size_t before = 0;
  for (auto group = shown(queue.take()); std::ranges::find(group, "one 100") == group.end();
       group = shown(queue.take())) {
    REQUIRE_FALSE(group.empty());
    before += group.size();
  }
  CHECK(before <= 16);
}

TEST_CASE("a change that is longer than a group comes in parts, between changes of others",
          "[store][change_queue]") {
  change_queue queue(small);
  auto longer = change_of("large", 0, 0);
  for (int i = 0; i < 500; ++i)
    longer.row += "ab";
  const auto row = longer.row;
  queue.push(std::move(longer));
  std::string parts;
  std::size_t groups = 0;
  for (std::uint64_t i = 1;; ++i, ++groups) {
    queue.push(change_of("other" + std::to_string(i), i, 5)); // There is always another one.
    auto group = queue.take();
    REQUIRE_FALSE(group.empty());
    std::size_t bytes = 0;
    for (const auto& each : group.parts) {
      bytes += each.bytes.size();
      parts += each.bytes;
      each.of->parts_bytes += each.bytes.size(); // As its writer does.
    }
    for (const auto& each : group.changes)
      bytes += each.row.size() - each.parts_bytes;
    CHECK(bytes <= small.group_bytes);
    const auto is_it = [](const submission& each) { return each.submitted.context == "large"; };
    CHECK(std::ranges::find_if(group.changes, std::not_fn(is_it)) != group.changes.end());
    if (const auto at = std::ranges::find_if(group.changes, is_it); at != group.changes.end()) {
      CHECK(group.parts.empty());
      CHECK(at->row == row);
      break;
    }
    REQUIRE(groups < 200);
  }
  CHECK(groups > 2);
  CHECK(row.substr(0, small.turn_bytes) + parts == row);
}

TEST_CASE("a long change alone fills whole groups with its parts", "[store][change_queue]") {
  change_queue queue(small);
  queue.push(change_of("large", 0, 255));
  queue.push(change_of("large", 1, 5));
  CHECK(shown(queue.take()) == texts{"large 0: 100"});
  CHECK(queue.size() == 2);
  CHECK(shown(queue.take()) == texts{"large 0: 100"});
  CHECK(shown(queue.take()) == texts{"large 0: 45"});
  CHECK(shown(queue.take()) == texts{"large 0", "large 1"});
  CHECK(queue.empty());
}

TEST_CASE("long changes of several contexts share the groups", "[store][change_queue]") {
  change_queue queue(small);
  queue.push(change_of("a", 0, 200));
  queue.push(change_of("b", 1, 200));
  CHECK(shown(queue.take()) == texts{"a 0: 50", "b 1: 50"});
  queue.push(marker(2));
  queue.push(change_of("b", 3, 5));
  CHECK(shown(queue.take()) == texts{"a 0: 50", "b 1: 50"});
  CHECK(shown(queue.take()) == texts{"a 0: 50", "b 1: 50"});
  CHECK(shown(queue.take()) == texts{"a 0: 40", "b 1: 40"});
  CHECK(shown(queue.take()) == texts{"a 0", "b 1", "- 2", "b 3"});
  CHECK(queue.empty());
}

TEST_CASE("what is long beside its row is a group of its own, and is not put off for ever",
          "[store][change_queue]") {
  change_queue queue(small);
  auto large = change_of("large", 0, 10);
  auto came = std::make_shared<once>();
  came->answer.assign(1'000, 'x');
  large.submitted.conditions.push_back(std::move(came));
  queue.push(std::move(large));
  std::size_t groups = 0;
  for (std::uint64_t i = 1;; ++i, ++groups) {
    queue.push(change_of("other" + std::to_string(i), i, 5)); // There is always another one.
    const auto group = queue.take();
    REQUIRE_FALSE(group.empty());
    CHECK(group.parts.empty());
    if (group.changes.size() == 1 && group.changes.front().submitted.context == "large")
      break;
    REQUIRE(groups < 200);
  }
  CHECK(groups > 2);
}

TEST_CASE("a change without content comes after all that arrived before it",
          "[store][change_queue]") {
  change_queue queue(small);
  for (std::uint64_t i = 0; i < 10; ++i)
    queue.push(change_of("large", i, 50));
  queue.push(marker(10));
  queue.push(change_of("late", 11, 5));
  texts all;
  while (!queue.empty())
    for (auto& each : shown(queue.take()))
      all.push_back(std::move(each));
  REQUIRE(all.size() == 12);
  CHECK(std::ranges::find(all, "- 10") > std::ranges::find(all, "large 9"));
  CHECK(std::ranges::find(all, "late 11") < std::ranges::find(all, "large 9"));
}

TEST_CASE("each change is taken once, in the order of its context", "[store][change_queue]") {
  std::mt19937 dice{7};
  const auto below = [&](std::size_t bound) { return static_cast<std::size_t>(dice() % bound); };
  for (int round = 0; round < 200; ++round) {
    change_queue queue(small);
    std::map<std::string, std::uint64_t> last;
    std::map<std::uint64_t, bool> taken;
    std::uint64_t pushed = 0;
    std::uint64_t below_all = 0; // All up to this number were taken.
    const auto take = [&] {
      const auto waiting = queue.size();
      const auto group = queue.take();
      CHECK(group.changes.size() + queue.size() == waiting);
      CHECK(group.empty() == (waiting == 0));
      std::size_t bytes = 0;
      for (const auto& each : group.parts) {
        each.of->parts_bytes += each.bytes.size(); // As its writer does.
        bytes += each.bytes.size();
      }
      for (const auto& each : group.changes) {
        const auto number = each.submitted.sequence;
        if (is_empty(each.submitted)) {
          while (taken.contains(below_all + 1))
            ++below_all;
          CHECK(below_all == number - 1);
        } else {
          CHECK(std::exchange(last[each.submitted.context], number) < number);
          bytes += each.row.size() - each.parts_bytes;
          CHECK(each.parts_bytes
                == (each.row.size() > small.group_bytes ? each.row.size() - small.turn_bytes : 0));
        }
        CHECK(taken.emplace(number, true).second);
      }
      CHECK(bytes <= small.group_bytes);
    };
    for (int step = 0; step < 60; ++step) {
      for (auto count = below(6); count > 0; --count) {
        ++pushed;
        if (below(10) == 0)
          queue.push(marker(pushed));
        else
          queue.push(change_of(std::string(1, static_cast<char>('a' + below(5))), pushed,
                               below(20) == 0 ? 300 : 1 + below(60)));
      }
      if (below(3) == 0)
        take();
    }
    while (!queue.empty())
      take();
    CHECK(taken.size() == pushed);
  }
}

TEST_CASE("what waits can be looked at", "[store][change_queue]") {
  change_queue queue(small);
  for (std::uint64_t i = 0; i < 10; ++i)
    queue.push(change_of("large", i, 50));
  queue.push(marker(10));
  CHECK(queue.take().changes.size() == 2);
  queue.push(change_of("late", 11, 5));
  std::vector<std::uint64_t> seen;
  queue.for_each([&](submission& each) { seen.push_back(each.submitted.sequence); });
  std::ranges::sort(seen);
  CHECK(seen == std::vector<std::uint64_t>{2, 3, 4, 5, 6, 7, 8, 9, 10, 11});
}
