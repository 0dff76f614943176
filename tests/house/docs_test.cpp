// What the documents say exists, exists: files they name, pages they link to, tests they lean on.
#include "tests/house/source_tree.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

#include <algorithm>
#include <array>
#include <filesystem>
#include <regex>
#include <set>

using namespace troupe::house;

namespace {

bool is_there(const std::filesystem::path& path) {
  return std::filesystem::exists(std::filesystem::path(troupe::testing::source_dir()) / path);
}

std::vector<source_file> documents() {
  auto files = read_tree(troupe::testing::source_dir());
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

/// "a" and "b" of `a::b`.
std::vector<std::string> parts_of_name(const std::string& name) {
  std::vector<std::string> out;
  std::size_t begin = 0;
  for (auto end = name.find("::"); end != std::string::npos; end = name.find("::", begin)) {
    out.push_back(name.substr(begin, end - begin));
    begin = end + 2;
  }
  out.push_back(name.substr(begin));
  return out;
}

bool has_word(const std::string& text, const std::string& word) {
  return std::regex_search(text, std::regex("\\b" + word + "\\b"));
}

/// Whether a source that has the word is where the member is defined: in it, or in its class.
bool defines_member(const std::string& source, const std::vector<std::string>& parts) {
  if (parts.size() < 2)
    return true;
  const auto& owner = parts[parts.size() - 2];
  return has_word(source, owner + "::" + parts.back())
         || std::regex_search(source,
                              std::regex("\\b(class|struct|namespace) (\\w+::)*" + owner + "\\b"));
}

/// The words of code: letters, digits and `_`.
std::set<std::string> words_of(const std::string& code) {
  std::set<std::string> out;
  const auto is_of_word = [](char c) {
    return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_';
  };
  for (auto at = code.begin(); at != code.end();) {
    const auto begin = std::find_if(at, code.end(), is_of_word);
    at = std::find_if_not(begin, code.end(), is_of_word);
    if (begin != at)
      out.emplace(begin, at);
  }
  return out;
}

} // namespace

TEST_CASE("files that documents name in backquotes exist", "[house][docs]") {
  static const std::regex pattern(
      "`((protocol|store|client|actors|agents|net|apps|sim|include|tests|bench|scenarios|"
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

TEST_CASE("names that documents place in a file are in it", "[house][docs]") {
  static const std::regex pattern("`([a-z_][a-z_0-9:]*)`\\s*(?:\\(|in\\s)\\s*"
                                  "`([a-z_]+/[A-Za-z0-9_./]+\\.[ch]pp)`");
  const auto files = read_tree(troupe::testing::source_dir());
  std::size_t seen = 0;
  for (const auto& document : documents()) {
    for_each_match(document.text, pattern, [&](const std::smatch& found) {
      ++seen;
      const auto whole = found[1].str();
      const auto name = parts_of_name(whole).back();
      const auto file = std::ranges::find(files, found[2].str(), &source_file::path);
      if (file == files.end() || !has_word(file->text, name)
          || (file->ends_with(".cpp") && !defines_member(file->text, parts_of_name(whole)))) {
        FAIL_CHECK(document.path << " places " << whole << " in " << found[2].str()
                                 << ", which does not have it");
      }
    });
  }
  REQUIRE(seen > 100);
}

TEST_CASE("functions that documents name with their type are of names that the code has",
          "[house][docs]") {
  static const std::regex pattern("`((?:[a-z_][a-z_0-9]*::)+[a-z_][a-z_0-9]*)(?:\\([^`]*\\))?`");
  std::set<std::string> words;
  for (const auto& file : read_tree(troupe::testing::source_dir()))
    if (file.ends_with(".hpp") || file.ends_with(".cpp"))
      words.merge(words_of(file.text));
  std::size_t seen = 0;
  for (const auto& document : documents()) {
    for_each_match(document.text, pattern, [&](const std::smatch& found) {
      ++seen;
      for (const auto& part : parts_of_name(found[1].str()))
        if (!words.contains(part))
          FAIL_CHECK(document.path << " names " << found[1].str() << ", and there is no " << part);
    });
  }
  REQUIRE(seen > 100);
}

TEST_CASE("packages that the first page and notifications need are installed", "[house][docs]") {
  const auto files = read_tree(troupe::testing::source_dir());
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

TEST_CASE("links between documents, and to pictures, lead somewhere", "[house][docs]") {
  static const std::regex pattern(R"re((?:\]\(|<img src=")([^)#: "]+)(#[^)]*)?[)"])re");
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

/// A sentence of a document that stands in several lines, as one.
std::string unwrapped(const std::string& sentence) {
  static const std::regex line_end("\\s*\n\\s*");
  return std::regex_replace(sentence, line_end, " ");
}

} // namespace

TEST_CASE("tests that documents lean on exist by their sentence", "[house][docs]") {
  const auto files = read_tree(troupe::testing::source_dir());
  std::size_t seen = 0;
  for (const auto& document : documents()) {
    for_each_match(document.text, cited_test(), [&](const std::smatch& found) {
      ++seen;
      const auto file = std::ranges::find(files, found[1].str(), &source_file::path);
      const auto sentence = unwrapped(found[2].str());
      if (file == files.end()
          || joined(file->text).find('"' + sentence + '"') == std::string::npos) {
        FAIL_CHECK(document.path << " leans on \"" << sentence << "\", which " << found[1].str()
                                 << " has not");
      }
    });
  }
  REQUIRE(seen > 5);
}

namespace {

constexpr auto rooms = std::to_array<std::string_view>(
    {"actors", "agents", "apps", "client", "net", "planner", "protocol", "sim", "store"});
/// A header and its source count as one. docs/architecture.md, "Rooms".
constexpr std::size_t files_without_subdirectory_max = 30;

/// "a" and "b" of `a/b.cpp`.
std::set<std::string> parts_of(const std::string& path) {
  std::set<std::string> out;
  for (const auto& part : std::filesystem::path(path))
    out.insert(part.stem().string());
  return out;
}

/// All names in backquotes: `sub/file`, `file.cpp` or `sub/`, also several in one pair of them.
std::set<std::string> names_in(const std::string& readme) {
  static const std::regex quoted("`([^`\n]+)`");
  static const std::regex path("[a-z0-9_./]+");
  std::set<std::string> out;
  for_each_match(readme, quoted, [&](const std::smatch& found) {
    for_each_match(found[1].str(), path,
                   [&](const std::smatch& one) { out.merge(parts_of(one.str())); });
  });
  return out;
}

} // namespace

TEST_CASE("the README of a room names all its files and subdirectories", "[house][docs]") {
  const auto files = read_tree(troupe::testing::source_dir());
  for (const auto room : rooms) {
    const std::string folder(room);
    const auto readme = std::ranges::find(files, folder + "/README.md", &source_file::path);
    REQUIRE(readme != files.end());
    const auto named = names_in(readme->text);
    std::set<std::string> sources;
    std::set<std::string> subdirectories;
    for (const auto& file : files) {
      if (!file.ends_with(".hpp") && !file.ends_with(".cpp"))
        continue;
      const auto is_public = file.below("include/troupe/" + folder);
      if (!is_public && !file.below(folder))
        continue;
      const std::filesystem::path path(file.path);
      if (!named.contains(path.stem().string()))
        FAIL_CHECK(folder << "/README.md does not name " << file.path);
      if (is_public)
        continue;
      const auto within = file.path.substr(folder.size() + 1);
      sources.insert(std::filesystem::path(within).replace_extension().string());
      if (const auto slash = within.find('/'); slash != std::string::npos)
        subdirectories.insert(within.substr(0, slash));
    }
    CAPTURE(room, sources.size());
    CHECK(!sources.empty());
    CHECK((sources.size() <= files_without_subdirectory_max || !subdirectories.empty()));
    for (const auto& one : subdirectories)
      if (!named.contains(one))
        FAIL_CHECK(folder << "/README.md does not name the subdirectory " << one);
  }
}

TEST_CASE("the headers that the first page lists include all public headers", "[house][docs]") {
  const auto files = read_tree(troupe::testing::source_dir());
  const auto first_page = std::ranges::find(files, "README.md", &source_file::path);
  REQUIRE(first_page != files.end());
  static const std::regex header("<(troupe/[a-z_/]+\\.hpp)>");
  std::set<std::string> reached;
  std::vector<std::string> open{first_page->text};
  while (!open.empty()) {
    const auto text = std::move(open.back());
    open.pop_back();
    for_each_match(text, header, [&](const std::smatch& found) {
      const auto file = std::ranges::find(files, "include/" + found[1].str(), &source_file::path);
      if (file != files.end() && reached.insert(file->path).second)
        open.push_back(file->text);
    });
  }
  for (const auto& file : files)
    if (file.below("include/troupe") && file.ends_with(".hpp") && !reached.contains(file.path))
      FAIL_CHECK("a program that follows README.md does not get " << file.path);
  CHECK(reached.size() > 40);
}

TEST_CASE("bench/README.md has a table of figures for every benchmark", "[house][docs]") {
  const auto files = read_tree(troupe::testing::source_dir());
  const auto readme = std::ranges::find(files, "bench/README.md", &source_file::path);
  REQUIRE(readme != files.end());
  // Its rows are plans of files that this tree does not have: the table is kept by hand.
  const std::set<std::string> by_hand{"real_plans"};
  std::size_t seen = 0;
  for (const auto& file : files) {
    const std::filesystem::path path(file.path);
    const auto name = path.parent_path().filename().string();
    if (!file.below("bench") || path.filename() != "main.cpp"
        || file.text.find("run_benchmark(") == std::string::npos || by_hand.contains(name))
      continue;
    ++seen;
    CAPTURE(name);
    CHECK(readme->text.find("\n<!-- figures " + name + "; ") != std::string::npos);
  }
  CHECK(seen >= 10);
}

TEST_CASE("docs/events.md has a row for every kind of event", "[house][docs]") {
  static const std::regex kind(R"re(if \(kind == "([a-z ]+)"\))re");
  const auto files = read_tree(troupe::testing::source_dir());
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
