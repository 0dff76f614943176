// What is wrong with a command line, in words: CLI11 knows what, and this says it as all other
// messages do, with what was probably meant.
#pragma once

#include <optional>
#include <string>
#include <vector>

namespace CLI {
class App;
class ParseError;
} // namespace CLI

namespace troupe {

/// What `error`, which `app` threw while it read a command line, is about.
[[nodiscard]] std::string usage_problem(const CLI::App& app, const CLI::ParseError& error);

/// The same for the words behind `troupe help`; nothing if they name a command.
[[nodiscard]] std::optional<std::string> help_problem(const CLI::App& app,
                                                      const std::vector<std::string>& words);

} // namespace troupe
