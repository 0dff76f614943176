// The rules of the house that a machine can hold: sizes, headers, scripts, and what must not stand
// in the tree.
#include "tests/house/source_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <regex>
#include <set>

using namespace troupe::house;

namespace {

constexpr std::size_t file_lines_max = 1000;

const std::vector<source_file>& tree() {
  static const auto files = read_tree(troupe::testing::source_dir());
  return files;
}

bool is_code(const source_file& file) {
  return file.ends_with(".hpp") || file.ends_with(".cpp");
}

bool is_script(const source_file& file) {
  return file.below("scripts") || file.below(".ci") || file.text.starts_with("#!");
}

/// A path below a user's home or a machine's scratch space, or an address of a package registry.
const std::regex& local_things() {
  static const std::regex pattern(
      R"((^|[\s"'`=(])/(home|root|work|Users)/\w{3,})"
      R"(|(registry|pypi|crates|npmjs|deb)\.[a-z.]*\b(org|io|com|net|internal)/)");
  return pattern;
}

/// A document that a reader of this tree does not have: notes beside it, files of other
/// repositories by their bare names.
const std::regex& papers_elsewhere() {
  static const std::regex pattern(R"(\b(a2a-wire|(opt|opt-design|task-progress)\.md)\b)");
  return pattern;
}

/// The code from line `at` to the end of its declaration, without comments.
std::string declaration_at(const std::vector<std::string_view>& lines, std::size_t at) {
  std::string out;
  for (; at < lines.size() && out.find_first_of(";{") == std::string::npos; ++at)
    out.append(lines[at].substr(0, lines[at].find("//"))).append("\n");
  return out;
}

/// "TODO" without "(#123)" behind it.
const std::regex& loose_end() {
  static const std::regex pattern(R"(\b(TODO|FIXME|XXX)\b(?!\(#\d+\)))");
  return pattern;
}

/// Words and names that docs/glossary.md replaced by terms of the field.
const std::regex& replaced_words() {
  static const std::regex pattern(R"(\b()"
                                  "accept_trouble|"
                                  "came_once|"
                                  "chores|"
                                  "door_keeper|"
                                  "journal_page|"
                                  "keep_house|"
                                  "outward|"
                                  "rest_log|"
                                  "told_progress|"
                                  "whoever|"
                                  "wrong_rest"
                                  R"()\b)");
  return pattern;
}

/// The name says nothing. Only the function of std::exception has it.
const std::regex& named_what() {
  static const std::regex pattern(R"(\bwhat\b(?! *\())");
  return pattern;
}

/// A wait of a test that may have no bound. Those of tests/support/answer_in_time.hpp and
/// comes_true.hpp have one.
const std::regex& endless_wait() {
  static const std::regex pattern(
      R"(get_future\(\)\.(get|wait)\(|\barrive_and_wait\(|this_thread::(yield|sleep)|\.wait\(lock|^\s*while \(.*\);$|^\s*while \(!\w+\)$)");
  return pattern;
}

/// A test case that returns because it cannot be run here, without the word that CTest looks for
/// (cmake/print_skipped.cmake).
const std::regex& silent_skip() {
  static const std::regex pattern(R"x(\bWARN\("(?!skipped: )[^\n]*(\n[^\n]*)?\n\s*return;)x");
  return pattern;
}

} // namespace

TEST_CASE("no source file is longer than a thousand lines", "[house][rules]") {
  std::size_t seen = 0;
  for (const auto& file : tree()) {
    if (is_code(file)) {
      ++seen;
      CAPTURE(file.path);
      CHECK(lines_of(file.text).size() <= file_lines_max);
    }
  }
  REQUIRE(seen > 50);
}

TEST_CASE("every header opens with a comment and #pragma once", "[house][rules]") {
  for (const auto& file : tree()) {
    if (!file.ends_with(".hpp")) {
      continue;
    }
    CAPTURE(file.path);
    CHECK(file.text.starts_with("// "));
    CHECK(std::ranges::count(lines_of(file.text), "#pragma once") == 1);
  }
}

TEST_CASE("a comment names `what` or `who` only if its declaration has a parameter of that name",
          "[house][rules]") {
  static const std::regex named("///.*`(what|who)`");
  for (const auto& file : tree()) {
    if (!file.ends_with(".hpp"))
      continue;
    const auto lines = lines_of(file.text);
    for (std::size_t at = 0; at < lines.size(); ++at) {
      const std::string line(lines[at]);
      std::smatch found;
      if (!std::regex_search(line, found, named))
        continue;
      const std::regex parameter("\\b" + found[1].str() + "\\b");
      if (!std::regex_search(declaration_at(lines, at), parameter))
        FAIL_CHECK(file.path << ":" << at + 1 << ": " << line);
    }
  }
}

TEST_CASE("nothing is named `what`", "[house][rules]") {
  for (const auto& file : tree()) {
    if (!is_code(file))
      continue;
    const auto code = code_of(file.text);
    std::size_t number = 0;
    for (const auto line : lines_of(code)) {
      ++number;
      if (std::regex_search(std::string(line), named_what()))
        FAIL_CHECK(file.path << ":" << number << ": " << line);
    }
  }
}

TEST_CASE("words that the glossary replaced do not come back", "[house][rules]") {
  for (const auto& file : tree()) {
    if (file.below("tests/house") || !(is_code(file) || file.ends_with(".md")))
      continue;
    std::size_t number = 0;
    for (const auto line : lines_of(file.text)) {
      ++number;
      if (std::regex_search(std::string(line), replaced_words()))
        FAIL_CHECK(file.path << ":" << number << ": " << line);
    }
  }
}

TEST_CASE("threads belong to these files only", "[house][rules]") {
  // Each is a step machine that its owner starts, or makes a thread for a single job.
  static const std::set<std::string> owners{
      "actors/gateway/housekeeper",  "agents/command/process_reactor",
      "apps/remote/objective_feed",  "apps/signals",
      "apps/terminal/slow_notice",   "client/a2a/call_loop",
      "client/a2a/remote",           "client/models/day_keeper",
      "client/models/model_client",  "client/name_resolver",
      "net/a2a/answer_maker",        "net/http/loop",
      "net/push/push_sender",        "store/journal/file_disk",
      "store/rocksdb/group_writer",  "store/rocksdb/rocksdb_store",
      "store/session/session_store",
  };
  static const std::regex thread(R"(std::(jthread|async|thread)\b(?!::hardware))");
  std::set<std::string> seen;
  for (const auto& file : tree()) {
    if (!is_code(file) || file.below("tests") || file.below("bench") || file.below("sim")
        || !std::regex_search(file.text, thread))
      continue;
    CAPTURE(file.path);
    const auto name = file.path.substr(0, file.path.rfind('.'));
    CHECK(owners.contains(name));
    seen.insert(name);
  }
  CHECK(seen == owners);
}

TEST_CASE("bindings read records through the service", "[house][rules]") {
  // It asks who may see them. The server's own state may be asked of the store (`/readyz`).
  static const std::regex direct(R"(records\(\)\.(?!status\(\)))");
  for (const auto& file : tree())
    if (file.below("net") && is_code(file) && std::regex_search(file.text, direct))
      FAIL_CHECK(file.path << " reads the store itself; ask the service");
}

TEST_CASE("a test that is skipped says so in words that CTest prints", "[house][rules]") {
  for (const auto& file : tree()) {
    if (!file.below("tests") || !file.ends_with("_test.cpp"))
      continue;
    // From each `WARN(` on: std::regex recurses once a character.
    for (auto at = file.text.find("WARN("); at != std::string::npos;
         at = file.text.find("WARN(", at + 1)) {
      const auto near = file.text.substr(at, 400);
      CAPTURE(file.path, near);
      CHECK_FALSE(std::regex_search(near, silent_skip()));
    }
  }
}

TEST_CASE("a wait of a test has a bound", "[house][rules]") {
  for (const auto& file : tree()) {
    // The attack is a program: its waits end with the time that it is given.
    if (!file.below("tests") || !is_code(file) || file.below("tests/house")
        || file.below("tests/attack") || file.path == "tests/support/comes_true.hpp")
      continue;
    std::size_t number = 0;
    for (const auto line : lines_of(file.text)) {
      ++number;
      if (line.size() < 500 && std::regex_search(std::string(line), endless_wait()))
        FAIL_CHECK(file.path << ":" << number << ": " << line);
    }
  }
}

TEST_CASE("scripts are executable and stop at the first error", "[house][rules]") {
  std::size_t seen = 0;
  for (const auto& file : tree()) {
    if (is_script(file)) {
      ++seen;
      CAPTURE(file.path);
      CHECK(file.executable);
      CHECK(file.text.starts_with("#!/usr/bin/env bash\n"));
      CHECK(file.text.find("\nset -euo pipefail\n") != std::string::npos);
    }
  }
  REQUIRE(seen > 5);
}

TEST_CASE("the tree names no home directory, no registry, no document from elsewhere, no TODO "
          "without an issue",
          "[house][rules]") {
  for (const auto& file : tree()) {
    if (file.below("tests/house")) {
      continue;
    }
    std::size_t number = 0;
    for (const auto line : lines_of(file.text)) {
      ++number;
      if (line.size() > 2000) {
        continue; // data, not prose; std::regex recurses once a character
      }
      const std::string text(line);
      if (std::regex_search(text, local_things()) || std::regex_search(text, papers_elsewhere())
          || (is_code(file) && std::regex_search(text, loose_end()))) {
        FAIL_CHECK(file.path << ":" << number << ": " << text);
      }
    }
  }
}

TEST_CASE("text files end with a line end and have no tabs or trailing blanks", "[house][rules]") {
  for (const auto& file : tree()) {
    const bool cmake = file.ends_with("CMakeLists.txt") || file.ends_with(".cmake");
    if (!is_code(file) && !is_script(file) && !cmake) {
      continue;
    }
    CAPTURE(file.path);
    CHECK(file.text.ends_with('\n'));
    CHECK(file.text.find(" \n") == std::string::npos);
    CHECK(file.text.find("\t") == std::string::npos);
    CHECK(file.text.find('\r') == std::string::npos);
  }
}

TEST_CASE("every public header is in its room's CMakeLists.txt, which installs it",
          "[house][rules]") {
  std::map<std::string, std::string, std::less<>> lists;
  for (const auto& file : tree()) {
    if (file.ends_with("/CMakeLists.txt")) {
      lists.emplace(file.path.substr(0, file.path.rfind('/')), file.text);
    }
  }
  constexpr std::string_view public_folder = "include/troupe/";
  std::size_t seen = 0;
  for (const auto& file : tree()) {
    if (!file.path.starts_with(public_folder)) {
      continue;
    }
    const auto name = file.path.substr(public_folder.size());
    const auto room = name.substr(0, name.find('/'));
    ++seen;
    if (lists[room].find(" " + name.substr(room.size() + 1) + "\n") == std::string::npos) {
      FAIL_CHECK(file.path << " is not listed in " << room << "/CMakeLists.txt");
    }
  }
  CHECK(seen > 30);
}

TEST_CASE("only the store's readers read the disk", "[house][rules]") {
  std::size_t reading = 0;
  for (const auto& file : tree()) {
    if (!is_code(file) || file.below("tests") || file.below("bench")) {
      continue;
    }
    CAPTURE(file.path);
    // Reads that go as far as the disk are made in one place, and looked through in the archive.
    const auto goes_far = file.text.find("reach::disk") != std::string::npos;
    const bool may = file.path == "store/rocksdb/rocksdb_archive.cpp"
                     || file.path == "store/rocksdb/rocksdb_store.cpp"
                     || file.path == "store/rocksdb/catch_up.cpp"; // Before anybody reads.
    CHECK((!goes_far || may));
    reading += goes_far ? 1 : 0;
  }
  CHECK(reading == 3);
}

TEST_CASE("the rules' patterns find what they are for", "[house][rules]") {
  CHECK(std::regex_search(std::string("see \"/home/somebody/x\""), local_things()));
  CHECK_FALSE(std::regex_search(std::string("GET /tasks/work/1"), local_things()));
  CHECK(std::regex_search(std::string("https://registry.packages.example.org/x"), local_things()));
  CHECK(std::regex_search(std::string("// As clients do (a2a-wire 3.6)."), papers_elsewhere()));
  CHECK(std::regex_search(std::string("TEST_CASE(\"as opt-design.md prints it\""),
                          papers_elsewhere()));
  CHECK_FALSE(std::regex_search(std::string("/// 200 whatever happened (docs/a2a.md, D4)."),
                                papers_elsewhere()));
  CHECK(std::regex_search(std::string("void keep_house();"), replaced_words()));
  CHECK_FALSE(std::regex_search(std::string("for the rest of them"), replaced_words()));
  CHECK(std::regex_search(std::string("write(const sending& what, int n)"), named_what()));
  CHECK_FALSE(std::regex_search(std::string("return failed.what();"), named_what()));
  CHECK(std::regex_search(std::string("WARN(\"no disk\");\n    return;"), silent_skip()));
  CHECK_FALSE(
      std::regex_search(std::string("WARN(\"skipped: no disk\");\n    return;"), silent_skip()));
  CHECK(std::regex_search(std::string("done.get_future().get();"), endless_wait()));
  CHECK(std::regex_search(std::string("std::this_thread::yield();"), endless_wait()));
  CHECK(
      std::regex_search(std::string("changed_.wait(lock, [&] { return held; });"), endless_wait()));
  CHECK(std::regex_search(std::string("  while (waiting() != 1);"), endless_wait()));
  CHECK(std::regex_search(std::string("  while (!is_renamed)"), endless_wait()));
  CHECK_FALSE(std::regex_search(std::string("answer_in_time(done.get_future())"), endless_wait()));
  CHECK_FALSE(std::regex_search(std::string("} while (waiting() != 1);"), endless_wait()));
  CHECK(std::regex_search(std::string("// TODO: later"), loose_end()));
  CHECK_FALSE(std::regex_search(std::string("// TODO(#12): later"), loose_end()));
}
