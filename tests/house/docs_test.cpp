// What the documents say exists, exists: files they name, pages they link to, tests they lean on.
#include "tests/house/source_tree.hpp"
#include "tests/support/catch.hpp"

#include <algorithm>
#include <filesystem>
#include <regex>
#include <set>

using namespace troupe::house;

namespace {

bool is_there(const std::filesystem::path& path) {
  return std::filesystem::exists(std::filesystem::path(TROUPE_SOURCE_DIR) / path);
}

std::vector<source_file> documents() {
  auto files = read_tree(TROUPE_SOURCE_DIR);
  std::erase_if(files, [](const source_file& file) { return !file.ends_with(".md"); });
  return files;
}

/// Calls `look(matches)` for every match of `pattern` in `text`.
template<class Look>
void for_each_match(const std::string& text, const std::regex& pattern, Look look) {
  for (std::sregex_iterator it(text.begin(), text.end(), pattern); it != std::sregex_iterator();
       ++it) {
    look(*it);
  }
}

/// `tests/store/some_test.cpp`, a colon, and the test's sentence in quotes.
const std::regex& cited_test() {
  static const std::regex pattern(R"re(`(tests/[a-z_/0-9]+\.cpp)`: "([^"]+)")re");
  return pattern;
}

} // namespace

TEST_CASE("files that documents name in backquotes exist", "[house][docs]") {
  static const std::regex pattern("`((protocol|store|actors|agents|net|apps|tests|bench|scenarios|"
                                  "examples|scripts|cmake|docs)/[A-Za-z0-9_./-]*[a-z])`");
  std::size_t seen = 0;
  for (const auto& document : documents()) {
    for_each_match(document.text, pattern, [&](const std::smatch& found) {
      ++seen;
      if (!is_there(found[1].str())) {
        FAIL_CHECK(document.path << " names " << found[1].str() << ", which is not there");
      }
    });
  }
  REQUIRE(seen > 30);
}

TEST_CASE("packages that the first page and notifications need are installed", "[house][docs]") {
  const auto files = read_tree(TROUPE_SOURCE_DIR);
  const auto text_of = [&](std::string_view path) {
    const auto found =
        std::ranges::find_if(files, [&](const source_file& one) { return one.path == path; });
    REQUIRE(found != files.end());
    return found->text;
  };
  const auto installed = text_of("scripts/install-deps");
  REQUIRE(text_of("README.md").find("\ncurl ") != std::string::npos);
  for (const auto* package : {"\n  curl ", "\n  ca-certificates "}) {
    CAPTURE(package);
    CHECK(installed.find(package) != std::string::npos);
  }
}

TEST_CASE("links between documents lead somewhere", "[house][docs]") {
  static const std::regex pattern(R"(\]\(([^)#: ]+)(#[^)]*)?\))");
  for (const auto& document : documents()) {
    for_each_match(document.text, pattern, [&](const std::smatch& found) {
      const auto target = std::filesystem::path(document.path).parent_path() / found[1].str();
      if (!is_there(target)) {
        FAIL_CHECK(document.path << " links to " << found[1].str() << ", which is not there");
      }
    });
  }
}

namespace {

/// Texts that stand in several lines, as one.
std::string joined(const std::string& code) {
  static const std::regex seam("\"\\s*\n\\s*\"");
  return std::regex_replace(code, seam, "");
}

} // namespace

TEST_CASE("tests that documents lean on exist by their sentence", "[house][docs]") {
  const auto files = read_tree(TROUPE_SOURCE_DIR);
  std::size_t seen = 0;
  for (const auto& document : documents()) {
    for_each_match(document.text, cited_test(), [&](const std::smatch& found) {
      ++seen;
      const auto file = std::ranges::find(files, found[1].str(), &source_file::path);
      if (file == files.end()
          || joined(file->text).find('"' + found[2].str() + '"') == std::string::npos) {
        FAIL_CHECK(document.path << " leans on \"" << found[2].str() << "\", which "
                                 << found[1].str() << " has not");
      }
    });
  }
  REQUIRE(seen > 5);
}

TEST_CASE("docs/events.md has a row for every kind of event", "[house][docs]") {
  static const std::regex kind(R"re(if \(kind == "([a-z ]+)"\))re");
  const auto files = read_tree(TROUPE_SOURCE_DIR);
  const auto text_of = [&](std::string_view path) {
    const auto file = std::ranges::find(files, path, &source_file::path);
    REQUIRE(file != files.end());
    return file->text;
  };
  const auto record = text_of("protocol/record/record.cpp");
  const auto reader = record.find("event event_from(");
  REQUIRE(reader != std::string::npos);
  std::string first_columns;
  for_each_match(text_of("docs/events.md"), std::regex("\\n\\| (`[^|]+`) \\|"),
                 [&](const std::smatch& found) { first_columns += found[1].str() + '\n'; });
  std::size_t seen = 0;
  for_each_match(record.substr(reader), kind, [&](const std::smatch& found) {
    ++seen;
    CAPTURE(found[1].str());
    CHECK(first_columns.find('`' + found[1].str() + '`') != std::string::npos);
  });
  REQUIRE(seen > 20);
}
