// Time, chance and the machine are asked for in one place each and handed in everywhere else: that
// is what lets a test turn the clock, and a simulation run the whole server the same way twice.
#include "tests/house/source_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

#include <array>
#include <regex>
#include <string>
#include <string_view>

using namespace troupe::house;

namespace {

struct source_of {
  std::string_view kind;
  std::string_view pattern;
  std::string_view place;   ///< The only file that may.
  std::string_view instead; ///< What others do.
};

constexpr auto sources = std::to_array<source_of>({
    {"the time",
     R"(::now\(\)(?!\s*const)|\b(clock_gettime|gettimeofday|timespec_get)\b|\btime\((nullptr|NULL|0)\))",
     "protocol/system_time.cpp", "take a time_source (troupe/protocol/time_source.hpp)"},
    {"timers",
     R"(\b(steady_timer|system_timer|high_resolution_timer|deadline_timer|basic_waitable_timer)\b)",
     "client/timers.cpp", "take a timer (client/timers.hpp)"},
    {"chance",
     R"(\b(random_device|mt19937(_64)?|minstd_rand0?|default_random_engine|getrandom|getentropy|arc4random\w*)\b|\bs?rand\()",
     "protocol/ids.cpp", "draw from thread_id_source (troupe/protocol/ids.hpp)"},
    {"the number of cores",
     R"(\b(hardware_concurrency|get_nprocs|sched_getaffinity|_SC_NPROCESSORS_ONLN)\b)",
     "protocol/core_count.cpp", "call core_count (protocol/core_count.hpp)"},
});

bool is_ours(const source_file& file) {
  const bool is_code = file.ends_with(".hpp") || file.ends_with(".cpp");
  return is_code && !file.below("tests") && !file.below("bench") && !file.below("examples");
}

bool asks(const source_of& which, std::string_view code) {
  const std::string line(code);
  return std::regex_search(line, std::regex(std::string(which.pattern)));
}

} // namespace

TEST_CASE("time, timers, chance and cores are asked for in one place each", "[house][seams]") {
  const auto tree = read_tree(troupe::testing::source_dir());
  for (const auto& which : sources) {
    const std::regex pattern{std::string(which.pattern)};
    bool is_in_its_place = false;
    for (const auto& file : tree) {
      if (!is_ours(file)) {
        continue;
      }
      const auto code = code_of(file.text);
      std::size_t number = 0;
      for (const auto line : lines_of(code)) {
        ++number;
        if (!std::regex_search(line.begin(), line.end(), pattern)) {
          continue;
        }
        if (file.path == which.place) {
          is_in_its_place = true;
        } else {
          FAIL_CHECK(file.path << ":" << number << " asks for " << which.kind << "; "
                               << which.instead);
        }
      }
    }
    CAPTURE(which.place);
    CHECK(is_in_its_place); // Else the rule looks for a text that is never written.
  }
}

TEST_CASE("the patterns of time and chance find what they are for", "[house][seams]") {
  CHECK(asks(sources[0], "const auto now = std::chrono::steady_clock::now();"));
  CHECK(asks(sources[0], "deadline = steady::now() + 5s;"));
  CHECK_FALSE(asks(sources[0], "timestamp manual_clock::now() const noexcept {"));
  CHECK_FALSE(asks(sources[0], "const auto now = env_.now();"));
  CHECK(asks(sources[1], "asio::steady_timer timer_;"));
  CHECK(asks(sources[2], "std::mt19937 random;"));
  CHECK(asks(sources[3], "std::thread::hardware_concurrency()"));
}

TEST_CASE("comments and quotes are not code", "[house][seams]") {
  CHECK(code_of("a; // b\nc").find('b') == std::string::npos);
  CHECK(code_of("a; /* b\n b */ c").find('b') == std::string::npos);
  CHECK(code_of("f(\"b \\\" b\", c)") == "f(        , c)");
  CHECK(code_of("f(R\"x(b \" b)x\", c)").find('b') == std::string::npos);
  CHECK(code_of("char x = '\"'; d(); // \"").find("d()") != std::string::npos);
  CHECK(code_of("1'000'000 + b") == "1'000'000 + b");
  CHECK(code_of("a // b\nc") == "a     \nc");
}
