#include "sim/settings_text.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"
#include "protocol/text/text.hpp"

#include <toml++/toml.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <optional>
#include <set>
#include <sstream>
#include <string_view>
#include <type_traits>
#include <utility>

#include "sim/settings_list.hpp"

namespace troupe::sim {

namespace {

std::string text_of_number(double number) {
  char text[32];
  return {text, std::to_chars(text, text + sizeof text, number).ptr};
}

template<class T>
std::string value_text(const T& value) {
  if constexpr (std::is_same_v<T, bool>)
    return value ? "true" : "false";
  else if constexpr (std::is_same_v<T, mutant>)
    return troupe::quoted(std::ranges::find(mutants, value, &planted::bug)->name);
  else if constexpr (std::is_same_v<T, std::set<std::string>>) {
    std::string out;
    for (const auto& each : value)
      out.append(out.empty() ? "" : " ").append(each);
    return troupe::quoted(out);
  } else if constexpr (std::is_integral_v<T>)
    return std::to_string(value);
  else if constexpr (std::is_floating_point_v<T>)
    return text_of_number(value);
  else
    return text_of_number(std::chrono::duration<double>(value).count());
}

/// The end of the sentence "sector-bytes is ...".
template<class T, class Range>
std::string expected(const Range& allowed) {
  if constexpr (std::is_same_v<T, bool>)
    return "true or false";
  else if constexpr (std::is_same_v<T, mutant>)
    return "the name of a planted bug, in quotes";
  else if constexpr (std::is_same_v<T, std::set<std::string>>)
    return "operations of clients, in quotes: \"c0.1 c0.17\"";
  else if constexpr (std::is_integral_v<T>)
    return "a whole number from " + std::to_string(allowed.least) + " to "
           + std::to_string(allowed.most);
  else {
    const auto bounds =
        " from " + text_of_number(allowed.least) + " to " + text_of_number(allowed.most);
    if constexpr (std::is_floating_point_v<T>)
      return "a number" + bounds;
    else
      return "a time in seconds" + bounds;
  }
}

template<class Number>
bool is_in(const allowed::range<Number>& in, Number number) {
  return in.least <= number && number <= in.most;
}

/// "c0.17": the 17th operation of the client c0.
bool is_operation(std::string_view text) {
  const auto is_number = [](std::string_view part) {
    return !part.empty() && std::ranges::all_of(part, is_digit)
           && (part.front() != '0' || part == "0");
  };
  const auto dot = text.find('.');
  return text.starts_with('c') && dot != std::string_view::npos
         && is_number(text.substr(1, dot - 1)) && is_number(text.substr(dot + 1));
}

/// Nothing: it is read. Else the sentence that says why it is not.
template<class T, class Range>
std::optional<std::string> read_value(const toml::node& from, std::string_view name, T& into,
                                      const Range& allowed) {
  const auto wrong = std::string(name) + " is " + expected<T>(allowed);
  if constexpr (std::is_same_v<T, bool>) {
    const auto* given = from.as_boolean();
    if (given == nullptr)
      return wrong;
    into = given->get();
  } else if constexpr (std::is_same_v<T, mutant>) {
    const auto* given = from.as_string();
    if (given == nullptr)
      return wrong;
    const auto bug = read_mutant(given->get());
    if (!bug)
      return bug.error().message;
    into = *bug;
  } else if constexpr (std::is_same_v<T, std::set<std::string>>) {
    const auto* given = from.as_string();
    if (given == nullptr)
      return wrong;
    std::istringstream words(given->get());
    for (std::string word; words >> word; into.insert(word))
      if (!is_operation(word))
        return troupe::quoted(word) + " is no operation; " + wrong;
  } else if constexpr (std::is_integral_v<T>) {
    const auto* given = from.as_integer();
    if (given == nullptr || !is_in(allowed, given->get()))
      return wrong;
    into = static_cast<T>(given->get());
  } else {
    const auto given = from.is_number() ? from.value<double>() : std::nullopt;
    if (!given || !is_in(allowed, *given))
      return wrong;
    if constexpr (std::is_floating_point_v<T>) {
      into = *given;
    } else {
      using period = typename T::period;
      into = T{std::llround(*given * static_cast<double>(period::den) / period::num)};
      if (std::abs(std::chrono::duration<double>(into).count() - *given) > 1e-9)
        return wrong + ", in steps of "
               + text_of_number(static_cast<double>(period::num) / period::den);
    }
  }
  return std::nullopt;
}

/// Nothing: the value is allowed. Else the sentence that says why it is not.
template<class T, class Range>
std::optional<std::string> wrong_value(std::string_view name, const T& value,
                                       const Range& allowed) {
  bool is_allowed = true;
  if constexpr (std::is_same_v<T, std::set<std::string>>)
    is_allowed = std::ranges::all_of(value, is_operation);
  else if constexpr (!std::is_same_v<T, bool> && std::is_integral_v<T>)
    is_allowed = value <= static_cast<std::uint64_t>(allowed.most)
                 && is_in(allowed, static_cast<std::int64_t>(value));
  else if constexpr (std::is_floating_point_v<T>)
    is_allowed = is_in(allowed, value);
  else if constexpr (!std::is_same_v<T, bool> && !std::is_same_v<T, mutant>)
    is_allowed = is_in(allowed, std::chrono::duration<double>(value).count());
  if (is_allowed)
    return std::nullopt;
  return std::string(name) + " = " + value_text(value) + ": it is " + expected<T>(allowed);
}

std::vector<std::string_view> setting_names() {
  std::vector<std::string_view> out;
  static const settings usual;
  for_each_value(usual, [&](std::string_view name, const auto&, const auto&, const auto&) {
    out.push_back(name);
  });
  return out;
}

/// A text of settings, by lines, for messages.
class numbered_lines {
public:
  explicit numbered_lines(const std::string& text) {
    std::istringstream in(text);
    for (std::string line; std::getline(in, line);) {
      if (line.ends_with('\r'))
        line.pop_back();
      lines_.push_back(line);
    }
  }

  [[nodiscard]] error refuse(std::size_t number, const std::string& why) const {
    constexpr std::size_t shown_bytes_max = 80;
    return make_error(errc::invalid_params, "line " + std::to_string(number) + ": " + why
                                                + "; found "
                                                + troupe::quoted(line(number), shown_bytes_max));
  }

  /// The first line that sets the value that this one sets, too.
  [[nodiscard]] std::optional<std::size_t> first_like(std::size_t number) const {
    const auto name = name_in(line(number));
    for (std::size_t at = 1; !name.empty() && at < number; ++at)
      if (name_in(line(at)) == name)
        return at;
    return std::nullopt;
  }

private:
  [[nodiscard]] std::string_view line(std::size_t number) const {
    return number == 0 || number > lines_.size() ? std::string_view{} : lines_[number - 1];
  }

  /// "seed" of " seed = 1".
  static std::string_view name_in(std::string_view line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    const auto equals = line.find('=');
    return equals == std::string_view::npos
               ? std::string_view{}
               : line.substr(0, line.find_last_not_of(" \t", equals - 1) + 1);
  }

  std::vector<std::string> lines_;
};

} // namespace

result<mutant> read_mutant(std::string_view name) {
  const auto found = std::ranges::find(mutants, name, &planted::name);
  if (found != mutants.end())
    return found->bug;
  std::vector<std::string_view> names;
  for (const auto& each : mutants)
    names.push_back(each.name);
  return make_error(errc::invalid_params,
                    "there is no planted bug " + troupe::quoted(name) + did_you_mean(name, names));
}

std::string write_settings(const settings& of) {
  std::string out;
  for_each_value(of, [&](std::string_view name, const auto& value, const auto& usual, const auto&) {
    if (value != usual || name == "seed")
      out += std::string(name) + " = " + value_text(value) + "\n";
  });
  return out;
}

result<void> check(const settings& of) {
  std::optional<std::string> wrong;
  for_each_value(of,
                 [&](std::string_view name, const auto& value, const auto&, const auto& allowed) {
                   if (!wrong)
                     wrong = wrong_value(name, value, allowed);
                 });
  if (!wrong && of.crash_at_step > 0 && !of.is_durable)
    wrong = "crash-at-step needs is-durable = true: without a disk nothing dies";
  if (wrong)
    return make_error(errc::invalid_params, *wrong);
  return {};
}

result<settings> read_settings(const std::string& text) {
  const numbered_lines lines(text);
  toml::table table;
  try {
    table = toml::parse(text);
  } catch (const toml::parse_error& wrong) {
    const auto at = std::size_t{wrong.source().begin.line};
    if (const auto first = lines.first_like(at))
      return lines.refuse(at, "line " + std::to_string(*first)
                                  + " sets this already; leave one of them out");
    return lines.refuse(at, std::string(wrong.description()) + "; expected NAME = VALUE, as TOML");
  }
  if (table.empty())
    return make_error(errc::invalid_params,
                      "there is no setting in it; --shrink --into FILE writes such a file");
  std::vector<std::pair<std::size_t, std::string>> names;
  for (const auto& [key, node] : table)
    names.emplace_back(key.source().begin.line, key.str());
  std::ranges::sort(names);
  settings out;
  for (const auto& [line, wanted] : names) {
    bool is_known = false;
    std::optional<std::string> wrong;
    for_each_value(out, [&](std::string_view name, auto& value, const auto&, const auto& allowed) {
      if (name != wanted)
        return;
      is_known = true;
      wrong = read_value(*table.get(name), name, value, allowed);
    });
    if (!is_known)
      wrong =
          "there is no setting " + troupe::quoted(wanted) + did_you_mean(wanted, setting_names());
    if (wrong)
      return lines.refuse(line, *wrong);
  }
  if (auto whole = check(out); !whole)
    return whole.error();
  return out;
}

} // namespace troupe::sim
