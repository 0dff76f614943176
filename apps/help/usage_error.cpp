#include "apps/help/usage_error.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

const CLI::App& chosen_command(const CLI::App& app) {
  const auto* out = &app;
  while (!out->get_subcommands().empty())
    out = out->get_subcommands().front();
  return *out;
}

std::vector<std::string> commands_of(const CLI::App& of) {
  std::vector<std::string> out;
  for (const auto* each : of.get_subcommands(nullptr))
    out.push_back(each->get_name());
  return out;
}

std::string guess(std::string_view word, const std::vector<std::string>& names) {
  return did_you_mean(word, std::vector<std::string_view>(names.begin(), names.end()));
}

std::string no_command(const CLI::App& of, const std::string& word) {
  return "there is no command " + troupe::quoted(word)
         + (of.get_parent() == nullptr ? "" : " of " + of.get_name())
         + guess(word, commands_of(of));
}

/// The first word that no command takes.
std::string unexpected(const CLI::App& app, const CLI::App& command) {
  const auto extra = app.remaining(true);
  const std::string word = extra.empty() ? std::string{} : extra.front();
  if (!word.starts_with('-'))
    return commands_of(command).empty() ? troupe::quoted(word) + " is one word too many"
                                        : no_command(command, word);
  std::vector<std::string> names;
  for (const auto* option : command.get_options())
    for (const auto& name : option->get_lnames())
      names.push_back("--" + name);
  return "there is no option " + word + guess(word.substr(0, word.find('=')), names);
}

/// A command that has others was given alone, or with a word that is none of them.
std::string missing_command(const CLI::App& app, const CLI::App& command) {
  if (!app.remaining(true).empty())
    return unexpected(app, command);
  std::string list;
  for (const auto& each : commands_of(command))
    list += (list.empty() ? "" : ", ") + each;
  return "which command of " + command.get_name() + "? It has " + list;
}

/// The two parts of `text` around `seam`; the second is empty if it is not there.
std::pair<std::string, std::string> parted(const std::string& text, std::string_view seam) {
  const auto at = text.find(seam);
  return at == std::string::npos ? std::pair{text, std::string{}}
                                 : std::pair{text.substr(0, at), text.substr(at + seam.size())};
}

const CLI::Option* option_of(const CLI::App& command, const std::string& name) {
  return command.get_option_no_throw(name);
}

/// `Could not convert: NAME = VALUE`
std::string not_converted(const CLI::App& command, const std::string& message) {
  const auto [name, value] = parted(parted(message, ": ").second, " = ");
  const auto* option = option_of(command, name);
  if (option != nullptr && option->get_items_expected_max() == 0)
    return name + " takes no value, and has " + troupe::quoted(value);
  return name + ": " + troupe::quoted(value) + " is not a number";
}

/// `NAME: 1 required TYPE missing`
std::string without_value(const CLI::App& command, const std::string& message) {
  const auto name = parted(message, ": ").first;
  const auto* option = option_of(command, name);
  if (option == nullptr)
    return message;
  return name + " needs a value: " + name + " " + option->get_type_name();
}

} // namespace

std::string usage_problem(const CLI::App& app, const CLI::ParseError& error) {
  const auto& command = chosen_command(app);
  const std::string message = error.what();
  if (dynamic_cast<const CLI::ExtrasError*>(&error) != nullptr)
    return unexpected(app, command);
  if (dynamic_cast<const CLI::ConversionError*>(&error) != nullptr)
    return not_converted(command, message);
  if (dynamic_cast<const CLI::ArgumentMismatch*>(&error) != nullptr)
    return without_value(command, message);
  if (dynamic_cast<const CLI::ExcludesError*>(&error) != nullptr) {
    const auto [one, other] = parted(message, " excludes ");
    return one + " and " + other + " do not go together; give one of them";
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr
      && message.find("subcommand") != std::string::npos)
    return missing_command(app, command);
  return message;
}

std::optional<std::string> help_problem(const CLI::App& app,
                                        const std::vector<std::string>& words) {
  const auto* command = &app;
  for (const auto& word : words) {
    if (word.starts_with('-'))
      return std::nullopt;
    const auto all = command->get_subcommands(nullptr);
    const auto found =
        std::ranges::find_if(all, [&](const CLI::App* each) { return each->get_name() == word; });
    if (found == all.end())
      return all.empty() ? troupe::quoted(word) + " is one word too many"
                         : no_command(*command, word);
    command = *found;
  }
  return std::nullopt;
}

} // namespace troupe
