#include "planner/text_reading.hpp"

#include "protocol/text/control_characters.hpp"
#include "protocol/text/text.hpp"
#include <troupe/protocol/errc.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

#include "planner/limits.hpp"
#include "planner/list_reader.hpp"
#include "planner/prose.hpp"
#include "planner/steps.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

/// A problem of the text as a whole is named by its beginning.
text_reading with_names(text_reading out, std::string_view text) {
  for (auto& each : out.problems)
    each.text = each.text.empty() ? shown(with_single_blanks(
                    without_controls(text.substr(0, cut_utf8(text, problem_text_bytes_max)))))
                                  : shortened(std::move(each.text), problem_text_bytes_max);
  return out;
}

text_reading with_problem(std::string reason) {
  text_reading out;
  out.problems.push_back({"", std::move(reason)});
  return out;
}

/// An objective without a title is called by its first tasks.
constexpr std::size_t tasks_in_name_max = 2;

std::string name_of(const text_reading& reading) {
  if (!reading.title.empty())
    return reading.title;
  std::string out;
  for (std::size_t i = 0; i < std::min(reading.tasks.size(), tasks_in_name_max); ++i)
    out += (i == 0 ? "" : ", ") + reading.tasks[i].name;
  return reading.tasks.size() > tasks_in_name_max ? out + ", ..." : out;
}

constexpr std::string_view byte_order_mark = "\ufeff";

/// Characters that nobody sees: an item behind one would be no item. U+200D within an emoji is
/// seen.
bool has_invisible(std::string_view text) {
  constexpr auto invisible = std::to_array<std::string_view>(
      {"\u00ad", "\u061c", "\u180e", "\u200b", "\u200c", "\u200e",       "\u200f", "\u202a",
       "\u202b", "\u202c", "\u202d", "\u202e", "\u2060", "\u2061",       "\u2062", "\u2063",
       "\u2064", "\u2066", "\u2067", "\u2068", "\u2069", byte_order_mark});
  constexpr std::string_view joiner = "\u200d";
  count_steps(text.size());
  bool is_behind_ascii = true;
  for (std::size_t at = 0; at < text.size(); ++at) {
    const bool is_ascii = static_cast<unsigned char>(text[at]) < 0x80;
    const auto rest = text.substr(at, joiner.size());
    if (!is_ascii
        && ((rest == joiner && is_behind_ascii)
            || std::ranges::any_of(
                invisible, [rest](std::string_view each) { return rest.starts_with(each); })))
      return true;
    is_behind_ascii = is_ascii;
  }
  return false;
}

/// A problem without a text is one of the text as a whole.
text_reading read_any(std::string_view text, guesses rule) {
  if (text.starts_with(byte_order_mark))
    text.remove_prefix(byte_order_mark.size());
  if (text.size() > text_bytes_max)
    return with_problem("the text is longer than " + std::to_string(text_bytes_max) + " bytes");
  if (!is_utf8(text))
    return with_problem("the text is not UTF-8");
  // They are refused in names, which are shown in terminals and logs.
  if (std::ranges::any_of(text, [](char each) {
        return is_control(each) && each != '\n' && each != '\r' && each != '\t';
      }))
    return with_problem("the text has control characters");
  if (has_invisible(text))
    return with_problem("the text has invisible characters, like U+200B; write it without them");
  const auto [lines, is_split] = lines_of_text(text);
  const auto is_item = [](const text_line& line) { return line.marker != marker_kind::none; };
  if (std::ranges::none_of(lines, is_item))
    return read_prose(text, rule);
  auto out = read_list(lines);
  if (is_split)
    out.assumptions.insert(out.assumptions.begin(), "one line has several steps");
  return out;
}

} // namespace

text_reading read_text(std::string_view text, guesses rule) {
  return with_names(read_any(text, rule), text);
}

objective_spec objective_of(const text_reading& reading, std::string_view name) {
  objective_spec out;
  out.name = name.empty() ? name_of(reading) : std::string(name);
  out.description = reading.description;
  plan_spec plan;
  plan.name = out.name;
  std::vector<task_spec> tasks;
  for (const auto& read : reading.tasks) {
    task_spec task;
    task.name = read.name;
    task.description = read.description;
    task.expected = read.expected;
    tasks.push_back(std::move(task));
  }
  // By position: names need not be different.
  for (const auto& edge : reading.edges)
    tasks[edge.after].dependencies.push_back("task-" + std::to_string(edge.before));
  for (auto& task : tasks)
    plan.tasks.push_back(std::move(task));
  out.plans.push_back(std::make_shared<const plan_spec>(std::move(plan)));
  return out;
}

} // namespace troupe::planner
