#include "apps/help/usage_error.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"

#include <CLI/CLI.hpp>

#include <algorithm>
#include <array>
#include <cctype>
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

bool names_plan(std::string_view word) {
  return word.ends_with(".yaml") || word.ends_with(".yml") || word.ends_with(".json");
}

std::string no_command(const CLI::App& of, const std::string& word) {
  if (of.get_parent() == nullptr && names_plan(word))
    return "there is no command " + troupe::quoted(word) + "; `troupe run " + word
           + "` runs a plan of that name";
  return "there is no command " + troupe::quoted(word)
         + (of.get_parent() == nullptr ? "" : " of " + of.get_name())
         + guess(word, commands_of(of));
}

/// How the option is written that stands before the command: of that command, else of one that has
/// it. Empty if none has.
std::string example_with(const CLI::App& app, const CLI::App& command, const std::string& name) {
  if (!name.starts_with("--"))
    return {};
  const auto take = [&](const CLI::App& from) {
    const auto* option = from.get_option_no_throw(name);
    if (option == nullptr || &from == &app)
      return std::string{};
    const bool is_flag = option->get_items_expected_max() == 0;
    return "troupe " + from.get_name() + " " + name
           + (is_flag ? "" : " " + option->get_type_name());
  };
  if (auto own = take(command); !own.empty() || &command != &app)
    return own;
  for (const auto* each : app.get_subcommands(nullptr))
    if (auto found = take(*each); !found.empty())
      return found;
  return {};
}

/// The first word that no command takes.
std::string unexpected(const CLI::App& app, const CLI::App& command) {
  const auto extra = app.remaining(true);
  const std::string word = extra.empty() ? std::string{} : extra.front();
  if (!word.starts_with('-'))
    return commands_of(command).empty() ? troupe::quoted(word) + " is one word too many"
                                        : no_command(command, word);
  const auto name_only = word.substr(0, word.find('='));
  if (const auto example = example_with(app, command, name_only); !example.empty())
    return "options stand behind the command, as in `" + example + "`";
  std::vector<std::string> names;
  for (const auto* option : command.get_options())
    for (const auto& name : option->get_lnames())
      names.push_back("--" + name);
  return "there is no option " + word + guess(name_only, names);
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

/// `push add`: the command with those above it.
std::string full_name(const CLI::App& command) {
  std::string out = command.get_name();
  for (const auto* above = command.get_parent(); above && above->get_parent();
       above = above->get_parent())
    out.insert(0, above->get_name() + " ");
  return out;
}

/// Where a person finds what an argument is to be.
struct source_of_argument {
  std::string_view command; ///< Empty: of every other command.
  std::string_view argument;
  std::string_view advice;
};

constexpr std::array<source_of_argument, 13> sources_of_arguments{{
    {"answer", "ID", "`troupe inbox` lists the open questions"},
    {"claim", "ID", "`troupe inbox` lists the open questions"},
    {"task", "ID", "`troupe tasks` lists them"},
    {"cancel", "ID", "`troupe ls` lists objectives, `troupe tasks` tasks"},
    {"push rm", "ID", "`troupe push ls TASK` lists them"},
    {"templates show", "NAME", "`troupe templates ls` lists them"},
    {"session import", "FILE", "`troupe session export` writes one"},
    {"session check", "PATH", "`troupe session export` writes them"},
    {"", "ID", "`troupe ls` lists them"},
    {"", "RUN", "`troupe ls` lists them"},
    {"", "TASK", "`troupe tasks` lists them"},
    {"", "FILE", "`troupe init` writes a first one"},
    {"", "ALIAS", "`troupe context ls` lists them"},
}};

std::string advice_about(const std::string& command, const std::string& argument) {
  const auto found = std::ranges::find_if(sources_of_arguments, [&](const auto& each) {
    return each.argument == argument && (each.command.empty() || each.command == command);
  });
  return found == sources_of_arguments.end() ? std::string{} : "; " + std::string(found->advice);
}

/// `logs needs RUN (its id, the beginning of it, or @last); ...`
std::string without_argument(const CLI::App& command, const std::string& argument) {
  const auto* option = command.get_option_no_throw(argument);
  if (option == nullptr)
    return full_name(command) + " needs " + argument;
  std::string about = option->get_description();
  if (about.size() > 1 && std::islower(static_cast<unsigned char>(about[1])) != 0)
    about[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(about[0])));
  const bool is_flag = argument.starts_with('-');
  return full_name(command) + " needs " + argument
         + (is_flag ? " " + option->get_type_name() : std::string{}) + " (" + about + ")"
         + advice_about(full_name(command), argument);
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

/// `NAME: 1 required TYPE missing`, `NAME: At Most 1 required but received 2`
std::string without_value(const CLI::App& command, const std::string& message) {
  const auto name = parted(message, ": ").first;
  const auto* option = option_of(command, name);
  if (option == nullptr)
    return message;
  if (option->count() > 1)
    return name + " is given " + std::to_string(option->count()) + " times; give it once";
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
  if (dynamic_cast<const CLI::RequiresError*>(&error) != nullptr) {
    const auto [one, other] = parted(message, " requires ");
    return one + " goes together with " + other + "; give both, or leave it out";
  }
  if (dynamic_cast<const CLI::RequiredError*>(&error) != nullptr) {
    const auto [argument, rest] = parted(message, " is required");
    const bool is_command = message.find("subcommand") != std::string::npos;
    return is_command ? missing_command(app, command) : without_argument(command, argument);
  }
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
