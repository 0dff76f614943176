#include "tests/support/catch.hpp"
#include "tests/support/documented_table.hpp"
#include "tests/support/source_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>
#include <stdexcept>
#include <string>
#include <vector>

#include "sim/history.hpp"
#include "sim/situations.hpp"
#include "sim/totals.hpp"
#include "sim/trace.hpp"

using namespace troupe::sim;

namespace {

std::uint64_t count_in(const history& seen, std::string_view situation) {
  trace story([] { return std::chrono::nanoseconds{}; });
  note_situations(seen, story);
  const auto found = story.situations().find(situation);
  return found == story.situations().end() ? 0 : found->second;
}

call made(call_kind kind, std::string task, moment began, moment ended) {
  call out;
  out.kind = kind;
  out.task = std::move(task);
  out.began = began;
  out.ended = ended;
  return out;
}

} // namespace

TEST_CASE("lines are without the text that is hidden, and so is their hash", "[sim]") {
  const auto hash_of = [](const std::string& directory) {
    trace story([] { return std::chrono::nanoseconds{}; });
    story.hide(directory);
    story.add("the disk of " + directory + " is full, " + directory);
    CHECK(story.last(1, {}, story.lines()).front().ends_with("the disk of  is full, "));
    return story.hash();
  };
  CHECK(hash_of("/one") == hash_of("/another"));
}

TEST_CASE("there are at least sixty situations, each once, and no others", "[sim][situations]") {
  CHECK(situations.size() >= 60);
  for (const auto name : situations)
    CHECK(std::ranges::count(situations, name) == 1);
  trace story([] { return std::chrono::nanoseconds{}; });
  story.reached("a sync fails");
  CHECK_THROWS_AS(story.reached("a sync failed"), std::logic_error);
}

TEST_CASE("what the world notes is a situation, and each situation is noted", "[sim][situations]") {
  // All texts in a call of `reached`, also of those that choose between several.
  static const std::regex call_of(R"re(reached(?:_without_line)?\(([^;]*)\);)re");
  static const std::regex text(R"re("([^"\n]+)")re");
  std::string noted;
  for (const auto& file :
       std::filesystem::directory_iterator(troupe::testing::source_dir() + "/sim")) {
    if (file.path().extension() != ".cpp" || file.path().stem() == "trace") // It has no names.
      continue;
    std::ostringstream whole;
    whole << std::ifstream(file.path()).rdbuf();
    const auto code = whole.str();
    for (std::sregex_iterator at(code.begin(), code.end(), call_of); at != std::sregex_iterator();
         ++at) {
      const auto inside = (*at)[1].str();
      const bool is_begin = inside.find("\" + ") != std::string::npos; // The rest is put together.
      for (std::sregex_iterator one(inside.begin(), inside.end(), text);
           one != std::sregex_iterator(); ++one) {
        const auto name = (*one)[1].str();
        INFO(file.path().string() << ": " << name);
        CHECK(std::ranges::any_of(situations, [&](std::string_view each) {
          return each == name || (is_begin && each.starts_with(name));
        }));
        noted += '\n' + name;
      }
    }
  }
  for (const auto each : situations) {
    INFO(each);
    const bool is_put_together =
        each.starts_with("a request is refused because of ") || each.starts_with("a change does ")
        || each.starts_with("a task is read as ") || each.starts_with("a stream is read as ")
        || each.starts_with("the cancel of a delegation ends: ");
    CHECK((is_put_together || noted.find('\n' + std::string(each)) != std::string::npos));
  }
}

TEST_CASE("docs/simulation.md lists all situations, in the order of the code",
          "[sim][situations][docs]") {
  std::vector<std::string> documented;
  for (const auto& row : troupe::testing::documented_rows(
           "docs/simulation.md", "| situation | times in seeds 1 to 1,000 |"))
    if (!row.front().starts_with("**")) // The heading of a group.
      documented.push_back(row.front());
  CHECK(documented == std::vector<std::string>(situations.begin(), situations.end()));
}

TEST_CASE("situations are seen in a history", "[sim][situations]") {
  history seen;
  seen.calls = {made(call_kind::cancel, "t", 1, 4), made(call_kind::answer, "u", 5, 8)};
  CHECK(count_in(seen, "a task is canceled twice") == 0);
  seen.calls.push_back(made(call_kind::cancel, "t", 9, 0));
  CHECK(count_in(seen, "a task is canceled twice") == 1);

  CHECK(count_in(seen, "a task is sent two answers") == 0);
  seen.calls.push_back(made(call_kind::answer, "u", 9, 10));
  CHECK(count_in(seen, "a task is sent two answers") == 1);
  CHECK(count_in(seen, "two messages for one question are under way at once") == 0);
  seen.calls.back().began = 7;
  CHECK(count_in(seen, "two messages for one question are under way at once") == 1);

  attempt work;
  work.task = "t";
  work.reported = 6;
  seen.attempts = {work};
  CHECK(count_in(seen, "a cancel meets the result of its task") == 0);
  seen.attempts[0].reported = 3;
  CHECK(count_in(seen, "a cancel meets the result of its task") == 1);
}

TEST_CASE("totals of jobs are added, and one that is cut short is not", "[sim]") {
  outcome one;
  one.calls = 7;
  one.hash = 5;
  one.situations["a sync fails"] = 3;
  totals job;
  job.add(one);
  totals all;
  REQUIRE(all.add(job.text()));
  REQUIRE(all.add(job.text()));
  CHECK(all.seeds == 2);
  CHECK(all.calls == 14);
  CHECK(all.hash == 10);
  CHECK(all.count_of("a sync fails") == 6);
  CHECK(all.missing().size() == situations.size() - 1);
  const auto text = job.text();
  CHECK_FALSE(all.add(text.substr(0, text.size() - 2)));
  CHECK(all.seeds == 2);
}
