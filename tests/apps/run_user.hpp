// A person who runs plans on this computer with the real binary, and the plans that they write.
#pragma once

#include "tests/apps/process.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <boost/json/parse.hpp>

#include <fstream>
#include <iterator>
#include <string>
#include <vector>

/// For the tests of runs; names as short as these are not for all tests.
namespace troupe::testing::runs {

inline constexpr const char* hello =
    R"({"name": "Hello", "tasks": [{"name": "greet", "agent": "echo", "input": {"text": "Hello, world"}}]})";
inline constexpr const char* endless =
    R"({"name": "Slow", "tasks": [{"name": "s", "agent": "sleep", "input": {"seconds": 1000}}]})";
inline constexpr const char* asking = R"({"name": "Trip", "tasks": [
  {"id": "q", "agent": "scripted", "input": {"steps": [{"ask": "Which city?"}, {"artifactFromAnswer": {"name": "city"}}]}},
  {"id": "other", "agent": "echo", "input": {"text": "done meanwhile"}}]})";

/// `{"id": ID, "agent": "command", ...}` of a shell script.
inline std::string program(const std::string& id, const std::string& script,
                           const std::string& more = {}) {
  return R"({"id": ")" + id + R"(", "agent": "command", "input": {"argv": ["/bin/sh", "-c", ")"
         + script + R"("]})" + more + "}";
}

inline std::string plan(const std::string& tasks) {
  return R"({"name": "Build", "tasks": [)" + tasks + "]}";
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

inline std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), {}};
}

/// A person with a home of their own.
class user {
public:
  outcome troupe(std::vector<std::string> words, const std::string& input = {}) const {
    words.insert(words.begin(), troupe_binary());
    return run_program(std::move(words), input, environment());
  }
  std::string file(const std::string& name, const std::string& text) {
    return home.file(name, text);
  }
  [[nodiscard]] std::vector<std::string> environment() const {
    return {"NO_COLOR=1", "LC_ALL=C.UTF-8", "TERM=xterm", "XDG_STATE_HOME=" + (home / "state")};
  }
  /// The only run.
  [[nodiscard]] boost::json::object run() const {
    const auto listed = troupe({"ls", "--json"});
    INFO(listed.out);
    REQUIRE(lines_of(listed.out).size() == 1);
    return boost::json::parse(listed.out).as_object();
  }
  [[nodiscard]] std::string id() const { return std::string(run().at("id").as_string()); }

  temporary_directory home;
};

} // namespace troupe::testing::runs
