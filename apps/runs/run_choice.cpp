#include "apps/runs/run_choice.hpp"

#include "apps/local_flag.hpp"
#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <charconv>
#include <string>

namespace troupe {

namespace {

/// Of those that an error lists.
constexpr std::size_t listed_max = 5;

error no_run(std::string_view name) {
  if (name.starts_with("obj-")) // As servers make ids.
    return make_error(errc::objective_not_found,
                      "there is no run " + shown(name)
                          + " on this computer; if it is an objective of a server, name the server "
                            "with --server URL or TROUPE_SERVER");
  return make_error(errc::objective_not_found, "there is no run " + shown(name) + " (`troupe ls"
                                                   + local_flag() + "` lists them)");
}

} // namespace

result<run_entry> find_run(const std::vector<run_entry>& entries, std::string_view name) {
  if (name == "@last") {
    if (entries.empty())
      return make_error(errc::objective_not_found, "there are no runs yet");
    return entries.front();
  }
  std::vector<const run_entry*> found;
  for (const auto& each : entries) {
    if (each.id == name)
      return each;
    if (!name.empty() && each.id.starts_with(name))
      found.push_back(&each);
  }
  if (found.empty())
    return no_run(name);
  if (found.size() == 1)
    return *found.front();
  std::string list;
  for (std::size_t i = 0; i < std::min(found.size(), listed_max); ++i)
    list += (list.empty() ? "" : ", ") + found[i]->id;
  return make_error(errc::invalid_params, std::to_string(found.size()) + " runs begin with "
                                              + shown(name) + ": " + list
                                              + (found.size() > listed_max ? ", ..." : ""));
}

std::optional<run_entry> newest_run(const std::vector<run_entry>& entries,
                                    const std::function<bool(const run_entry&)>& fits) {
  const auto found = std::ranges::find_if(entries, fits);
  return found == entries.end() ? std::nullopt : std::optional(*found);
}

result<keep_rule> read_keep_rule(std::string_view text) {
  constexpr std::uint32_t number_max = 1'000'000;
  const auto wrong = [&] {
    return make_error(errc::invalid_params,
                      troupe::quoted(shown(text))
                          + " is not a number of runs such as 100, or a time such as 30d (h "
                            "hours, d days, w weeks)");
  };
  std::uint32_t number = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (failed != std::errc{} || number > number_max)
    return wrong();
  keep_rule out;
  const std::string_view unit(end, static_cast<std::size_t>(text.data() + text.size() - end));
  if (unit.empty())
    out.count = number;
  else if (unit == "h")
    out.age = std::chrono::hours(number);
  else if (unit == "d")
    out.age = std::chrono::hours(24 * std::chrono::hours::rep{number});
  else if (unit == "w")
    out.age = std::chrono::hours(7 * 24 * std::chrono::hours::rep{number});
  else
    return wrong();
  return out;
}

std::vector<run_entry> not_kept(const std::vector<run_entry>& entries, const keep_rule& rule,
                                timestamp now) {
  std::vector<run_entry> out;
  std::size_t kept = 0;
  for (const auto& each : entries) {
    if (each.is_running || is_unfinished(each))
      continue;
    const auto ended = each.ended == timestamp{} ? each.started : each.ended;
    const bool stays = rule.count ? kept < *rule.count : now - ended <= *rule.age;
    if (stays)
      ++kept;
    else
      out.push_back(each);
  }
  return out;
}

} // namespace troupe
