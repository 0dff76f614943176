// Flags that several commands have, and flags that take one of some names.
#pragma once

#include "apps/options.hpp"
#include "protocol/json/quoted.hpp"

#include <CLI/CLI.hpp>

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

/// `a|b`
template<class T>
[[nodiscard]] std::string names_of(const std::map<std::string, T>& names) {
  std::string list;
  for (const auto& [key, value] : names)
    list += (list.empty() ? "" : "|") + key;
  return list;
}

/// What `text` means; the error lists all `names`.
template<class T>
[[nodiscard]] T value_named(const std::string& option, const std::string& text,
                            const std::map<std::string, T>& names) {
  const auto found = names.find(text);
  if (found == names.end())
    throw CLI::ValidationError(option, troupe::quoted(text) + " is not one of " + names_of(names));
  return found->second;
}

/// An option that takes one of the names in `names`; the error lists them.
template<class T>
CLI::Option* add_choice(CLI::App& to, const std::string& name, T& target,
                        const std::map<std::string, T>& names, const std::string& help) {
  auto* option = to.add_option_function<std::string>(
      name,
      [&target, &names, name](const std::string& text) { target = value_named(name, text, names); },
      help);
  return option->type_name(names_of(names));
}

/// Refuses what is not a whole number from `min` to `max`.
[[nodiscard]] CLI::Validator whole_number(std::uint32_t min, std::uint32_t max);

/// An option for pairs `KEY=TEXT`, once for each; the text may hold further `=`. `expected` names
/// both in the error.
CLI::Option* add_pairs(CLI::App& to, const std::string& name,
                       std::vector<std::pair<std::string, std::string>>& pairs,
                       const std::string& type, const std::string& expected,
                       const std::string& help);

/// `--param`.
void add_params(CLI::App& to, std::vector<std::pair<std::string, std::string>>& params);
/// `--server`.
void add_server(CLI::App& to, std::string& server);
/// `-o wide|json|name`, and `--json` for `-o json`.
void add_format(CLI::App& to, list_format& format);
/// `--color`.
void add_colour(CLI::App& to, colour_choice& colour);
/// `--trace` and `--timeline`.
void add_timing_files(CLI::App& to, timing_files& files);
/// `--output` and `--output-dir`.
void add_output(CLI::App& to, std::optional<output_choice>& output, std::string& directory);

} // namespace troupe
