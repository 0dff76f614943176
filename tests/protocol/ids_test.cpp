#include "tests/support/catch.hpp"
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/time_source.hpp>

#include <algorithm>
#include <chrono>
#include <set>
#include <sstream>
#include <type_traits>
#include <unordered_set>

using namespace troupe;

static_assert(!std::is_convertible_v<std::string, task_id>, "an id is never made by accident");
static_assert(!std::is_constructible_v<task_id, plan_id>, "a plan's id is not a task's");
static_assert(!std::is_convertible_v<task_id, std::string>);

TEST_CASE("an id source with a seed repeats itself, another seed gives other ids",
          "[protocol][ids]") {
  id_source one{42};
  id_source two{42};
  id_source other{43};
  for (int i = 0; i < 100; ++i) {
    const auto id = one.next("task");
    CHECK(id == two.next("task"));
    CHECK(id != other.next("task"));
  }
}

TEST_CASE("a generated id is prefix, dash and 17 alphanumeric characters", "[protocol][ids]") {
  id_source source{7};
  for (const auto* prefix : {"task", "obj", "ctx", ""}) {
    const auto id = source.next(prefix);
    const auto head = std::string{prefix} + "-";
    REQUIRE(id.size() == head.size() + 17);
    CHECK(id.substr(0, head.size()) == head);
    CHECK(std::all_of(id.begin() + static_cast<std::ptrdiff_t>(head.size()), id.end(), [](char c) {
      return (c >= '0' && c <= '9') || (c >= 'A' && c <= 'Z') || (c >= 'a' && c <= 'z');
    }));
    CHECK(is_acceptable_id(id));
  }
}

TEST_CASE("100,000 generated ids are all different, and use the whole alphabet at every place",
          "[protocol][ids]") {
  id_source source{1};
  std::unordered_set<std::string> seen;
  std::vector<std::set<char>> places(17);
  for (int i = 0; i < 100'000; ++i) {
    auto id = source.next("t");
    for (std::size_t k = 0; k < places.size(); ++k)
      places[k].insert(id[k + 2]);
    seen.insert(std::move(id));
  }
  CHECK(seen.size() == 100'000);
  for (const auto& place : places)
    CHECK(place.size() == 62);
}

namespace {

/// How long a shift register with linear feedback must be to make the lowest bits of the numbers
/// (Berlekamp and Massey). Of n bits by chance: about n / 2.
std::size_t linear_complexity(id_source& source, std::size_t bits) {
  std::vector<char> sequence(bits);
  for (auto& bit : sequence)
    bit = static_cast<char>(source.next_random() & 1);
  std::vector<char> now(bits), before(bits);
  now[0] = before[0] = 1;
  std::size_t length = 0;
  std::size_t since = 1;
  for (std::size_t n = 0; n < bits; ++n) {
    int wrong = sequence[n];
    for (std::size_t i = 1; i <= length; ++i)
      wrong ^= now[i] & sequence[n - i];
    if (wrong == 0) {
      ++since;
      continue;
    }
    const auto kept = now;
    for (std::size_t i = 0; i + since < bits; ++i)
      now[i + since] = static_cast<char>(now[i + since] ^ before[i]);
    if (2 * length <= n) {
      length = n + 1 - length;
      before = kept;
      since = 1;
    } else {
      ++since;
    }
  }
  return length;
}

} // namespace

TEST_CASE("what a source of the system gives cannot be continued by who has seen it",
          "[protocol][ids]") {
  id_source of_system;
  CHECK(linear_complexity(of_system, 1024) > 400);
  id_source of_tests{1};
  CHECK(linear_complexity(of_tests, 1024) == 128); // The measure sees a generator.
}

TEST_CASE("an id that is made later sorts behind", "[protocol][ids]") {
  id_source source;
  const auto earlier = source.next("task");
  const auto begin = system_time().now();
  while (system_time().now() - begin < std::chrono::milliseconds{2}) {
  }
  id_source other;
  CHECK(earlier < other.next("task"));
}

TEST_CASE("two sources seeded by the system differ", "[protocol][ids]") {
  id_source one;
  id_source two;
  CHECK(one.next("x") != two.next("x"));
  CHECK(&thread_id_source() == &thread_id_source());
}

TEST_CASE("a client may choose any id of 1 to 256 bytes without control characters and slashes",
          "[protocol][ids]") {
  CHECK(is_acceptable_id("a"));
  CHECK(is_acceptable_id("TASK-0001_x.y~z:1 with blanks"));
  CHECK(is_acceptable_id("\xc3\xa4\xe2\x82\xac"));
  CHECK(is_acceptable_id(std::string(id_bytes_max, 'x')));
  CHECK_FALSE(is_acceptable_id(""));
  CHECK_FALSE(is_acceptable_id(std::string(id_bytes_max + 1, 'x')));
  CHECK_FALSE(is_acceptable_id("a/b"));
  CHECK_FALSE(is_acceptable_id(std::string_view{"a\0b", 3}));
  CHECK_FALSE(is_acceptable_id("a\nb"));
  CHECK_FALSE(is_acceptable_id("a\x7f"));
}

TEST_CASE("ids of plans and tasks are derived from where they stand", "[protocol][ids]") {
  const objective_id objective{"obj-1"};
  const auto plan = make_plan_id(objective, 2);
  CHECK(plan.str() == "obj-1.p2");
  CHECK(make_task_id(plan, 10).str() == "obj-1.p2.t10");
}

TEST_CASE("ids that end like derived ones are known", "[protocol][ids]") {
  for (const auto* text : {"o.p0", "o.p12.t345", "x.r1", ".t0"})
    CHECK(has_generated_form(text));
  for (const auto* text : {"", "o", "o.p", "o.p1x", "o.q1", "p1", "o.p0.", "v1.2", "o.p-1"})
    CHECK_FALSE(has_generated_form(text));
}

TEST_CASE("ids compare, hash and print as their text", "[protocol][ids]") {
  CHECK(task_id{"a"} < task_id{"b"});
  CHECK(task_id{"a"} == task_id{std::string{"a"}});
  CHECK(task_id{}.empty());
  CHECK(std::hash<task_id>{}(task_id{"a"}) == std::hash<std::string>{}("a"));
  std::ostringstream out;
  out << task_id{"t-1"};
  CHECK(out.str() == "t-1");
}
