#include "apps/run/history_table.hpp"

#include "apps/terminal/console.hpp"
#include "apps/terminal/text_table.hpp"
#include "protocol/json/text_in.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <string_view>
#include <utility>

namespace troupe {

namespace json = boost::json;

std::string operation_words(const json::value& operation) {
  auto out = text_in(operation, "op");
  for (const auto* member : {"task", "plan", "name", "on"})
    if (const auto text = text_in(operation, member); !text.empty())
      return out + " " + text;
  return out;
}

std::string draw_changes(const std::vector<json::value>& all, const history_options& options) {
  std::string out;
  if (options.json) {
    for (const auto& each : all)
      out += json::serialize(each) + "\n";
    return out;
  }
  const auto any_has = [&](std::string_view member) {
    return std::ranges::any_of(
        all, [&](const json::value& each) { return !text_in(each, member).empty(); });
  };
  const bool has_author = any_has("author");
  const bool has_reason = any_has("reason");
  text_table table{{"REVISION", "AT"}, {}};
  if (has_author)
    table.heads.emplace_back("AUTHOR");
  if (has_reason)
    table.heads.emplace_back("REASON");
  table.heads.emplace_back("CHANGES");
  for (const auto& each : all) {
    const auto& members = each.get_object();
    std::string words;
    if (const auto* operations = members.if_contains("operations");
        operations && operations->is_array())
      for (const auto& one : operations->get_array())
        words += (words.empty() ? "" : "; ") + operation_words(one);
    const auto* revision = members.if_contains("revision");
    std::vector<span> row{{revision ? json::serialize(*revision) : ""}, {text_in(each, "at")}};
    if (has_author)
      row.push_back({text_in(each, "author")});
    if (has_reason)
      row.push_back({text_in(each, "reason")});
    row.push_back({std::move(words)});
    table.rows.push_back(std::move(row));
  }
  return draw_table(table, stdout_width(), stdout_colour(options.colour));
}

} // namespace troupe
