// Worlds that were made small by `troupe-sim --shrink`: those of defects that were mended find
// nothing any more, and those of planted bugs are still found.
#include "tests/support/catch.hpp"
#include "tests/support/source_dir.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <vector>

#include "sim/run.hpp"
#include "sim/settings_text.hpp"

using namespace troupe::sim;

namespace {

std::vector<std::filesystem::path> regressions() {
  std::vector<std::filesystem::path> out;
  for (const auto& each : std::filesystem::directory_iterator(troupe::testing::source_dir()
                                                              + "/tests/sim/regressions"))
    if (each.path().extension() == ".toml")
      out.push_back(each.path());
  std::ranges::sort(out);
  return out;
}

std::string text_of(const std::filesystem::path& path) {
  std::ostringstream out;
  out << std::ifstream(path).rdbuf();
  return out.str();
}

/// "kept" of a first line "# kept: what went wrong".
std::string checker_in(const std::string& text) {
  const auto colon = text.find(':');
  return text.starts_with("# ") && colon != std::string::npos ? text.substr(2, colon - 2) : "";
}

} // namespace

TEST_CASE("small worlds of earlier failures do as they should", "[sim][regressions]") {
  const auto all = regressions();
  REQUIRE_FALSE(all.empty());
  for (const auto& path : all) {
    INFO("troupe-sim --trace --config " << path.string());
    const auto text = text_of(path);
    const auto how = read_settings(text);
    REQUIRE(how.has_value());
    const auto got = run(*how);
    INFO((got.failed ? got.failed->checker + ": " + got.failed->sentence : "nothing fails"));
    REQUIRE_FALSE(checker_in(text).empty());
    if (how->bug == mutant::none)
      CHECK_FALSE(got.failed.has_value());
    else
      CHECK(got.found.contains(checker_in(text)));
  }
}
