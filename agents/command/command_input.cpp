#include "agents/command/command_input.hpp"

#include "protocol/json/json_text.hpp"
#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <string_view>

namespace troupe {

namespace {

namespace json = boost::json;

constexpr std::array<std::string_view, 2> members_of_program{"data", "text"};
constexpr std::array<std::string_view, 9> harmless_names{
    "PATH", "HOME", "USER", "LOGNAME", "SHELL", "LANG", "LANGUAGE", "TZ", "TMPDIR"};

bool is_harmless(std::string_view name) {
  return name.starts_with("LC_")
         || std::find(harmless_names.begin(), harmless_names.end(), name) != harmless_names.end();
}

// The operating system ends strings at a zero byte: what follows would silently be lost.
result<std::string> read_os_string(const json::value& from, const std::string& pointer) {
  if (!from.is_string())
    return input_error(pointer, "must be a string");
  std::string out(from.get_string());
  if (out.find('\0') != std::string::npos)
    return input_error(pointer, "must not contain a zero character");
  return out;
}

/// A number, true or false is the text as which it is usually written: `sleep 5` in YAML has a
/// number, and so may a parameter or what another task made.
result<std::string> read_word(const json::value& from, const std::string& pointer) {
  if (from.is_number() || from.is_bool())
    return json_text(from);
  return read_os_string(from, pointer);
}

result<void> check_env_name(std::string_view name, const std::string& pointer) {
  if (name.empty() || name.find('=') != std::string_view::npos
      || name.find('\0') != std::string_view::npos)
    return input_error(pointer, "must be a variable's name: not empty, without `=`");
  return {};
}

result<std::vector<std::string>> read_words(const json::value& from, const std::string& pointer) {
  std::vector<std::string> out;
  const auto* list = from.if_array();
  if (list == nullptr)
    return input_error(pointer, "must be a list of strings");
  for (std::size_t i = 0; i < list->size(); ++i) {
    auto one = read_word((*list)[i], below(pointer, i));
    if (!one)
      return one.error();
    out.push_back(std::move(*one));
  }
  return out;
}

// `$${` is a literal `${`.
bool has_reference(std::string_view text) {
  for (auto at = text.find("${"); at != std::string_view::npos; at = text.find("${", at + 2))
    if (at == 0 || text[at - 1] != '$')
      return true;
  return false;
}

// What other tasks made never becomes part of a command line: it could be commands.
result<void> read_shell(const json::value& from, command_input& into, input_stage stage) {
  auto line = read_os_string(from, "/shell");
  if (!line)
    return line.error();
  if (line->find_first_not_of(" \t\n") == std::string::npos)
    return input_error("/shell", "must not be empty");
  if (stage == input_stage::written && has_reference(*line))
    return input_error("/shell", "must not refer to other tasks: what they made could be commands; "
                                 "hand it on in env. Of the shell's own ${x} write $x or $${x}");
  into.argv = {"/bin/sh", "-c", std::move(*line)};
  return {};
}

result<void> read_argv(const json::object& from, command_input& into, input_stage stage) {
  constexpr std::string_view expected =
      "must be a list such as [\"ls\", \"-l\"]: the program and its arguments";
  const auto* argv = from.if_contains("argv");
  if (const auto* shell = from.if_contains("shell"))
    return argv == nullptr ? read_shell(*shell, into, stage)
                           : input_error("/shell", "stands beside argv; give one of them");
  if (argv == nullptr)
    return input_error("/argv", "is missing; " + std::string(expected)
                                    + ", or shell: a command line for /bin/sh");
  if (is_pending(*argv, stage))
    return {};
  if (!argv->is_array() || argv->get_array().empty())
    return input_error("/argv", std::string(expected));
  auto words = read_words(*argv, "/argv");
  if (!words)
    return words.error();
  if (words->front().empty())
    return input_error("/argv/0", "the program's name is empty");
  into.argv = std::move(*words);
  return {};
}

result<void> read_environment(const json::object& from, command_input& into, input_stage stage) {
  if (const auto* allow = from.if_contains("envAllow");
      allow != nullptr && !is_pending(*allow, stage)) {
    auto names = read_words(*allow, "/envAllow");
    if (!names)
      return names.error();
    for (std::size_t i = 0; i < names->size(); ++i)
      if (auto fine = check_env_name((*names)[i], below("/envAllow", i)); !fine)
        return fine;
    into.env_allow = std::move(*names);
  }
  const auto* env = from.if_contains("env");
  if (env == nullptr || is_pending(*env, stage))
    return {};
  if (!env->is_object())
    return input_error("/env", "must be an object of names and strings");
  for (const auto& member : env->get_object()) {
    const auto where = below("/env", member.key());
    if (auto fine = check_env_name(member.key(), where); !fine)
      return fine;
    if (is_pending(member.value(), stage))
      continue;
    auto value = read_word(member.value(), where);
    if (!value)
      return value.error();
    into.env.emplace_back(member.key(), std::move(*value));
  }
  return {};
}

// Reads one of two words. True for the first; `fallback` if the member is missing.
result<bool> read_choice(const json::object& from, std::string_view name, std::string_view first,
                         std::string_view second, bool fallback, input_stage stage) {
  const auto* value = from.if_contains(name);
  if (value == nullptr || is_pending(*value, stage))
    return fallback;
  const std::string_view word =
      value->is_string() ? std::string_view(value->get_string()) : std::string_view();
  if (word == first)
    return true;
  if (word == second)
    return false;
  return input_error(below("", name),
                     "must be " + troupe::quoted(first) + " or " + troupe::quoted(second));
}

result<void> read_limits(const json::object& from, command_input& into, input_stage stage) {
  if (const auto* limit = from.if_contains("outputLimit");
      limit != nullptr && !is_pending(*limit, stage)) {
    const auto bytes =
        read_amount(*limit, "/outputLimit", static_cast<double>(command_output_bytes_limit));
    if (!bytes)
      return bytes.error();
    if (*bytes < 1 || std::trunc(*bytes) != *bytes)
      return input_error("/outputLimit", "must be a whole number of bytes, at least 1");
    into.output_bytes_max = static_cast<std::size_t>(*bytes);
  }
  if (const auto* after = from.if_contains("killAfter");
      after != nullptr && !is_pending(*after, stage)) {
    const auto seconds = read_amount(*after, "/killAfter", command_kill_after_seconds_max);
    if (!seconds)
      return seconds.error();
    into.kill_after = std::chrono::nanoseconds{static_cast<std::int64_t>(*seconds * 1e9)};
  }
  return {};
}

} // namespace

result<command_input> read_command_input(const json::object& from, input_stage stage) {
  command_input out;
  if (auto known = refuse_unknown(from, command_members, ""); !known)
    return known.error();
  if (auto done = read_argv(from, out, stage); !done)
    return done.error();
  if (const auto* cwd = from.if_contains("cwd")) {
    auto directory = read_os_string(*cwd, "/cwd");
    if (!directory)
      return directory.error();
    if (directory->empty())
      return input_error("/cwd", "must not be empty");
    out.cwd = std::move(*directory);
  }
  if (auto done = read_environment(from, out, stage); !done)
    return done.error();
  const auto lines = read_choice(from, "protocol", "jsonl", "plain", false, stage);
  if (!lines)
    return lines.error();
  out.json_lines = *lines;
  const auto fed = read_choice(from, "stdin", "json", "none", true, stage);
  if (!fed)
    return fed.error();
  out.json_on_stdin = *fed;
  if (auto done = read_limits(from, out, stage); !done)
    return done.error();
  if (const auto again = read_choice(from, "restart", "nextAttempt", "fail", true, stage);
      !again) // see read_restart
    return again.error();
  return out;
}

result<command_input> read_command_input(const order_input& from) {
  json::object own;
  for (const auto& member : from.written()) {
    const std::string_view name = member.key();
    const bool is_for_program =
        std::find(members_of_program.begin(), members_of_program.end(), name)
        != members_of_program.end();
    own.emplace(name, is_for_program ? json::value{} : from.find(name)->resolve());
  }
  return read_command_input(own, input_stage::resolved);
}

restart_rule read_restart(const json::object& from, restart_rule fallback) {
  const auto* rule = from.if_contains("restart");
  if (rule == nullptr)
    return fallback;
  return rule->is_string() && rule->get_string() == "nextAttempt" ? restart_rule::next_attempt
                                                                  : restart_rule::fail;
}

result<void> check_variables(const command_input& input, const std::vector<std::string>& passed) {
  const auto is_passed = [&](const std::string& name) {
    return std::ranges::any_of(passed, [&](const auto& one) { return one == "*" || one == name; });
  };
  for (std::size_t i = 0; i < input.env_allow.size(); ++i)
    if (const auto& name = input.env_allow[i]; !is_harmless(name) && !is_passed(name))
      return input_error(below("/envAllow", i),
                         "programs may not get the variable " + troupe::quoted(shown(name))
                             + " of this server, unless its operator passes it (--pass-env)");
  return {};
}

std::vector<std::string> command_environment(const command_input& input,
                                             const std::vector<std::string>& ours) {
  std::map<std::string, std::string, std::less<>> variables;
  for (const std::string_view one : ours) {
    const auto name = one.substr(0, one.find('='));
    if (name.size() < one.size()
        && (is_harmless(name)
            || std::find(input.env_allow.begin(), input.env_allow.end(), name)
                   != input.env_allow.end()))
      variables.emplace(name, one.substr(name.size() + 1));
  }
  for (const auto& [name, value] : input.env)
    variables[name] = value;
  std::vector<std::string> out;
  out.reserve(variables.size());
  for (const auto& [name, value] : variables)
    out.push_back(name + '=' + value);
  return out;
}

} // namespace troupe
