#include "apps/run/question_table.hpp"

#include "apps/terminal/console.hpp"
#include "apps/terminal/text.hpp"
#include "apps/terminal/text_table.hpp"
#include "protocol/json/text_in.hpp"
#include <troupe/protocol/time.hpp>
#include <troupe/protocol/time_source.hpp>

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

std::string whose(const json::value& input) {
  auto out = text_in(input, "objectiveId");
  return out.empty() ? text_in(input, "contextId") : out;
}

/// Empty: nobody has.
std::string claimed_by(const json::value& question) {
  const auto* claim = question.get_object().if_contains("claim");
  return claim ? text_in(*claim, "by") : std::string{};
}

/// The way to a task elsewhere that asks: `support: r1 > deep: r2`; empty: the task itself asks.
std::string asker_of(const json::value& question) {
  std::string out;
  boost::system::error_code failed;
  const auto* found = question.find_pointer("/data/troupe~1v1~1asker", failed);
  const auto* path = found != nullptr ? found->if_array() : nullptr;
  for (const auto& each : path != nullptr ? *path : json::array{})
    out += (out.empty() ? "" : " > ") + text_in(each, "target") + ": " + text_in(each, "taskId");
  return out;
}

} // namespace

std::string draw_questions(const std::vector<json::value>& all, list_format format,
                           colour_choice colour) {
  std::string out;
  if (format == list_format::json || format == list_format::name) {
    for (const auto& each : all)
      out += (format == list_format::json ? json::serialize(each) : clean_line(text_in(each, "id")))
             + "\n";
    return out;
  }
  const bool is_wide = format == list_format::wide;
  const auto now = system_time().now();
  text_table table{{"QUESTION", "SINCE"}, {}};
  if (is_wide)
    table.heads.insert(table.heads.end(), {"KIND", "OBJECTIVE", "DEADLINE"});
  const bool any_claimed =
      std::ranges::any_of(all, [](const json::value& each) { return !claimed_by(each).empty(); });
  if (any_claimed)
    table.heads.emplace_back("CLAIMED BY");
  const bool any_elsewhere =
      std::ranges::any_of(all, [](const json::value& each) { return !asker_of(each).empty(); });
  if (any_elsewhere)
    table.heads.emplace_back("FOR");
  table.heads.emplace_back("ASKS");
  for (const auto& each : all) {
    const auto since = parse_rfc3339(text_in(each, "since")).value_or(timestamp{});
    std::vector<span> row{{text_in(each, "id")}, {shown_age(since, now)}};
    if (is_wide) {
      row.push_back({text_in(each, "kind")});
      row.push_back({whose(each)});
      row.push_back({text_in(each, "deadline")});
    }
    if (any_claimed)
      row.push_back({claimed_by(each)});
    if (any_elsewhere)
      row.push_back({asker_of(each)});
    row.push_back({text_in(each, "prompt")});
    table.rows.push_back(std::move(row));
  }
  return draw_table(table, is_wide ? static_cast<std::size_t>(-1) : stdout_width(),
                    stdout_colour(colour));
}

std::string claim_line(const json::value& question, bool releases) {
  const auto* claim = question.is_object() ? question.get_object().if_contains("claim") : nullptr;
  const auto words =
      claim ? "claimed by " + text_in(*claim, "by") + " until "
                  + local_time(parse_rfc3339(text_in(*claim, "until")).value_or(timestamp{}))
            : std::string(releases ? "released" : "not claimed");
  return clean_line("question " + text_in(question, "id") + " " + words);
}

} // namespace troupe
