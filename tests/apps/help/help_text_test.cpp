#include "apps/command_line.hpp"
#include "apps/command_tree.hpp"
#include "apps/help/help_text.hpp"
#include "apps/terminal/text.hpp"
#include "tests/support/catch.hpp"

#include <CLI/CLI.hpp>

#include <sstream>
#include <string>
#include <variant>
#include <vector>

using namespace troupe;

namespace {

std::string help_of(const std::vector<std::string>& commands) {
  std::vector<const char*> words{"troupe"};
  for (const auto& each : commands)
    words.push_back(each.c_str());
  words.push_back("--help");
  const auto read = read_command_line(static_cast<int>(words.size()), words.data());
  return std::get<finished>(read).out;
}

/// Counts the commands below `of`.
std::size_t check_widths(const CLI::App& of, std::vector<std::string>& commands) {
  std::istringstream lines(help_of(commands));
  for (std::string line; std::getline(lines, line);) {
    CAPTURE(commands, line);
    CHECK(display_width(line) <= help_columns);
  }
  std::size_t count = 1;
  for (const auto* each : of.get_subcommands(nullptr)) {
    commands.push_back(each->get_name());
    count += check_widths(*each, commands);
    commands.pop_back();
  }
  return count;
}

} // namespace

TEST_CASE("the help of every command fits a terminal of 80 columns", "[apps][help]") {
  const command_tree tree;
  std::vector<std::string> commands;
  CHECK(check_widths(tree.app, commands) > 30);
}

TEST_CASE("a line of help that is too wide goes on below its text", "[apps][help]") {
  const std::string words =
      "one two three four five six seven eight nine ten eleven twelve thirteen";
  CHECK(fit_help("short\n\n", 30) == "short\n\n");
  CHECK(fit_help("  --name TEXT                 " + words + "\n", 30)
        == "  --name TEXT                 one two three four five six seven eight nine ten\n"
           "                              eleven twelve thirteen\n");
  // The next line of the same text follows.
  CHECK(fit_help(words + " fourteen fifteen\nsixteen\n\nnext\n", 30)
        == "one two three four five six seven eight nine ten eleven twelve thirteen fourteen\n"
           "fifteen sixteen\n\nnext\n");
  // No place to cut at.
  const std::string address(100, 'x');
  CHECK(fit_help(address + " y\n", 30) == address + "\ny\n");
  CHECK(fit_help("  " + address + "\n", 30) == "  " + address + "\n");
}

TEST_CASE("an example goes on below what is said about it, or further in", "[apps][help]") {
  const std::string words =
      "one two three four five six seven eight nine ten eleven twelve thirteen";
  CHECK(fit_help("  troupe send          " + words + "\n  troupe ls\n", 30)
        == "  troupe send          one two three four five six seven eight nine ten eleven\n"
           "                       twelve thirteen\n  troupe ls\n");
  CHECK(fit_help("  " + words + " fourteen fifteen\n  sixteen\n", 30)
        == "  one two three four five six seven eight nine ten eleven twelve thirteen\n"
           "      fourteen fifteen\n  sixteen\n");
}

TEST_CASE("a command that is too wide can be copied", "[apps][help]") {
  const std::string file(30, 'f');
  CHECK(
      fit_help("  troupe run " + file + " --param 'a b' --param \"c d\" --only " + file + "\n", 30)
      == "  troupe run " + file + " --param 'a b' --param \"c d\" --only \\\n      " + file + "\n");
}

TEST_CASE("the help speaks of arguments, and lists commands by their subject", "[apps][help]") {
  const auto whole = help_of({});
  for (const auto* heading : {"\nPlans:", "\nRuns on this computer:", "\nAny A2A agent:"})
    CHECK_THAT(whole, ContainsSubstring(heading));
  CHECK(whole.find("Subcommands") == std::string::npos);
  const auto logs = help_of({"logs"});
  CHECK_THAT(logs, ContainsSubstring("\nArguments:\n  RUN      "));
  CHECK(logs.find("REQUIRED") == std::string::npos);
  // CLI11 lists them in the order of their addresses.
  CHECK_THAT(help_of({"run"}), ContainsSubstring("--dry-run not with: --resume --retry\n")
                                   || ContainsSubstring("--dry-run not with: --retry --resume\n"));
}
