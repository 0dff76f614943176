// The program troupe-sim: what it prints of a failure, and how it ends.
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <cstdio>
#include <memory>
#include <regex>
#include <sstream>
#include <string>
#include <vector>

#include <sys/wait.h>

namespace {

struct ended {
  int code = 0;
  std::string output;
};

ended run_program(const std::string& arguments) {
  ended out;
  auto* const pipe = ::popen(("'" TROUPE_SIM_PROGRAM "' " + arguments + " 2>&1").c_str(), "r");
  REQUIRE(pipe != nullptr);
  char buffer[4096];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;)
    out.output.append(buffer, count);
  out.code = WEXITSTATUS(::pclose(pipe));
  return out;
}

std::vector<std::string> lines_of(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);)
    out.push_back(line);
  return out;
}

bool has(const std::string& text, const std::string& pattern) {
  return std::regex_search(text, std::regex(pattern));
}

} // namespace

TEST_CASE("troupe-sim tells a failure in full, and ends with 1", "[sim]") {
  const auto got = run_program("--seed 1 --mutant short-list");
  INFO(got.output);
  CHECK(got.code == 1);
  CHECK(has(got.output, "seed 1 fails: checker \\w+\n  \\S+ "));
  CHECK(has(got.output, "at [0-9.]+ s of virtual time, after [0-9]+ steps and [0-9]+ crashes; "
                        "built by (g\\+\\+|clang) "));
  CHECK(has(got.output, "repeat it: troupe-sim --trace --seed 1 --mutant short-list\n"));
  std::size_t story = 0;
  for (const auto& line : lines_of(got.output))
    story += line.starts_with("  | ") ? 1 : 0;
  CHECK(story > 0);
  CHECK(story <= 40);
}

TEST_CASE("troupe-sim ends with 0 if nothing fails, and prints the same hash each time", "[sim]") {
  const auto first = run_program("--seed 1");
  const auto second = run_program("--seed 1");
  INFO(first.output);
  CHECK(first.code == 0);
  std::smatch hash;
  REQUIRE(std::regex_search(first.output, hash, std::regex("seed 1: hash ([0-9a-f]{16})")));
  CHECK(has(second.output, "seed 1: hash " + hash.str(1)));
}

TEST_CASE("several jobs of troupe-sim come to what one comes to", "[sim]") {
  const auto hash_of = [](const std::string& output) {
    std::smatch found;
    return std::regex_search(output, found, std::regex("hash of all histories ([0-9a-f]{16})"))
               ? found.str(1)
               : output;
  };
  CHECK(hash_of(run_program("--seeds 1..4 --jobs 2").output)
        == hash_of(run_program("--seeds 1..4").output));
}

TEST_CASE("troupe-sim shows the steps of a trace that were asked for", "[sim]") {
  const auto got = run_program("--seed 1 --trace --from 100 --to 200");
  CHECK(got.code == 0);
  std::size_t shown = 0;
  for (const auto& line : lines_of(got.output))
    if (std::smatch step;
        std::regex_search(line, step, std::regex("^ *([0-9]+) +[0-9]+\\.[0-9]+ "))) {
      ++shown;
      CHECK(std::stoul(step.str(1)) >= 100);
      CHECK(std::stoul(step.str(1)) <= 200);
    }
  CHECK(shown > 0);
}

TEST_CASE("troupe-sim repeats what the settings of a file say", "[sim]") {
  const troupe::testing::temporary_directory files;
  const auto path = files / "small.toml";
  const auto made =
      run_program("--seed 1 --mutant short-list --shrink --shrink-runs 5 --into " + path);
  INFO(made.output);
  CHECK(made.code == 1);
  const auto again = run_program("--config " + path);
  INFO(again.output);
  CHECK(again.code == 1);
  CHECK(has(again.output, "repeat it: troupe-sim --trace --config "));
}

TEST_CASE("troupe-sim says which words it does not understand, and ends with 2", "[sim]") {
  const auto bug = run_program("--mutant nothing-known");
  CHECK(bug.code == 2);
  CHECK(has(bug.output, "--mutant is one of:\n  "));
  const auto range = run_program("--seeds 5..1");
  CHECK(range.code == 2);
  CHECK(has(range.output, "--seeds is a number or a range such as 1..1000, not \"5..1\""));
}
