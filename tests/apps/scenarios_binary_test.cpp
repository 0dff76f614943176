// Each of scenarios/, run by the real binary as its README says, ends as it says.
#include "tests/apps/process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

#include <boost/json/parse.hpp>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <iterator>

using namespace troupe::testing;
using namespace std::chrono_literals;
namespace json = boost::json;

namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::filesystem::path> all_scenarios() {
  std::vector<std::filesystem::path> out;
  for (const auto& each : std::filesystem::directory_iterator(source_dir() + "/scenarios"))
    if (each.path().extension() == ".json")
      out.push_back(each.path());
  std::ranges::sort(out);
  return out;
}

/// What the row of the file in the README has in its last column.
std::string end_in_readme(const std::string& readme, const std::string& name) {
  const auto row = readme.find("| `" + name + "` |");
  if (row == std::string::npos)
    return {};
  const auto line = readme.substr(row, readme.find('\n', row) - row);
  const auto end = line.rfind(" |");
  const auto begin = line.rfind("| ", end - 1) + 2;
  return line.substr(begin, end - begin);
}

int code_of(const std::string& status) {
  return status == "completed" ? 0 : status == "failed" ? 1 : 130;
}

} // namespace

TEST_CASE("every scenario ends as its README says", "[apps][binary][scenarios]") {
  const auto readme = text_of(source_dir() + "/scenarios/README.md");
  const auto files = all_scenarios();
  REQUIRE(files.size() >= 10);
  for (const auto& path : files) {
    const auto name = path.filename().string();
    CAPTURE(name);
    const auto about = json::parse(text_of(path)).at("metadata").at("scenario").as_object();
    const auto& expected = about.at("expect").as_object();
    const std::string status(expected.at("status").as_string());
    CHECK_THAT(end_in_readme(readme, name), StartsWith(status));
    std::vector<std::string> words{troupe_binary(), "run",     path.string(), "--json",
                                   "--no-input",    "--store", "memory"};
    const bool is_canceled = about.contains("cancelAfter");
    if (!is_canceled)
      words.insert(words.end(), {"--time-scale", "0.01"});
    if (const auto* answers = about.if_contains("answers"))
      for (const auto& [task, text] : answers->as_object())
        words.insert(words.end(),
                     {"--answer", std::string(task) + "=" + std::string(text.as_string())});
    process run(words);
    if (is_canceled) { // when all is done that can be
      const auto wanted = static_cast<std::ptrdiff_t>(
          expected.at("tasks").at("completed").to_number<std::int64_t>());
      REQUIRE(run.read_until(
          [&](const process& now) {
            const auto lines = lines_of(now.out());
            return std::ranges::count_if(lines,
                                         [](const std::string& line) {
                                           return line.find("\"task_moved\"") != std::string::npos
                                                  && line.find("\"state\":\"completed\"")
                                                         != std::string::npos;
                                         })
                   >= wanted;
          },
          30s));
      run.signal(SIGINT);
    }
    CHECK(run.wait() == code_of(status));
    const auto lines = lines_of(run.out());
    REQUIRE_FALSE(lines.empty());
    const auto end = json::parse(lines.back()).as_object();
    INFO(lines.back());
    CHECK(end.at("status") == expected.at("status"));
    for (const auto& [state, number] : expected.at("tasks").as_object())
      if (state == "completed" || state == "failed")
        CHECK(end.at("tasks").at(state) == number);
  }
}
