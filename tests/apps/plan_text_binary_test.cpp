// `troupe plan` as a person meets it.
#include "tests/apps/process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <fstream>
#include <string>
#include <vector>

using namespace troupe::testing;

namespace {

outcome plan(std::vector<std::string> words) {
  words.insert(words.begin(), {troupe_binary(), "plan"});
  return run_program(words);
}

const std::string list =
    "Cook:\n1. Buy rice\n2. Boil water\n3. Cook rice\nStep 3 needs steps 1 and 2.";

} // namespace

TEST_CASE("the document of troupe plan is one that troupe run runs", "[binary][plan]") {
  const temporary_directory place;
  const auto document = plan({list, "--json"});
  REQUIRE(document.code == 0);
  const auto path = place / "plan.json";
  std::ofstream{path} << document.out;
  const auto run = run_program({troupe_binary(), "run", path, "--store", "memory", "--quiet"});
  INFO(run.out << run.err);
  CHECK(run.code == 0);
  CHECK(run.out.find("completed: 3 of 3 tasks") != std::string::npos);
}

TEST_CASE("a plan document becomes a text, and the text the same document", "[binary][plan]") {
  const temporary_directory place;
  const auto first = plan({list, "--as-text"});
  REQUIRE(first.code == 0);
  CHECK(
      first.out
      == "Cook:\n1. Buy rice\n2. Boil water\n3. Cook rice\nOrder:\nStep 3 needs steps 1 and 2.\n");
  const auto path = place / "plan.json";
  std::ofstream{path} << plan({first.out, "--json"}).out;
  const auto back = plan({path, "--as-text"});
  INFO(back.err);
  CHECK(back.code == 0);
  CHECK(back.out == first.out);
}

TEST_CASE("troupe plan explains a text that it does not understand", "[binary][plan]") {
  const auto refused = plan({"1. Buy\n2. Cook\nStep 2 may start before step 1."});
  CHECK(refused.code == 1);
  CHECK(refused.out.find("\"Step 2 may start before step 1.\": what may be \"before\" need not be")
        != std::string::npos);
  const auto json = plan({"Make tea now", "--json"});
  CHECK(json.code == 1);
  CHECK(json.err.find("it is no plan") != std::string::npos);
  CHECK(plan({"missing.txt"}).code == 2);
  CHECK(plan({"Make tea", "--template", "tea"}).err.find("there is no template \"tea\"")
        != std::string::npos);
}
