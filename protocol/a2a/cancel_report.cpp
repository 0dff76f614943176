#include "protocol/a2a/cancel_report.hpp"

#include "protocol/json/text_in.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/value.hpp>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>

namespace troupe {

namespace json = boost::json;

json::object cancel_entry(std::string_view task, std::string_view target, std::string_view outcome,
                          std::string_view reason) {
  json::object out;
  out["path"] = json::array{json::string(task)};
  if (!target.empty())
    out["target"] = target;
  out["outcome"] = outcome;
  if (!reason.empty())
    out["reason"] = reason;
  return out;
}

json::array cancel_entries_in(const json::object& metadata) {
  json::array out;
  const auto* found = metadata.if_contains(cancel_report_key);
  const auto* given = found == nullptr ? nullptr : found->if_array();
  if (given == nullptr)
    return out;
  for (const auto& each : *given) {
    const auto* from = each.if_object();
    const auto* ids = from != nullptr ? from->if_contains("path") : nullptr;
    const auto* path = ids != nullptr ? ids->if_array() : nullptr;
    if (path == nullptr || path->size() >= cancel_path_max || out.size() == cancel_entries_max)
      continue;
    json::object entry;
    auto& kept = entry["path"].emplace_array();
    for (const auto& id : *path)
      if (const auto* text = id.if_string())
        kept.emplace_back(shortened(std::string(*text), cancel_text_bytes_max));
    for (const auto* name : {"target", "outcome", "reason"})
      if (auto text = text_in(*from, name); !text.empty())
        entry[name] = shortened(std::move(text), cancel_text_bytes_max);
    if (entry.contains("outcome"))
      out.emplace_back(std::move(entry));
  }
  return out;
}

json::array entries_below(std::string_view task, json::array entries) {
  for (auto& each : entries) {
    auto& path = each.as_object()["path"].as_array();
    path.insert(path.begin(), json::string(task));
  }
  return entries;
}

std::optional<std::chrono::milliseconds> take_cancel_wait(json::object& metadata) {
  const auto* found = metadata.if_contains(cancel_wait_key);
  if (found == nullptr)
    return std::nullopt;
  boost::system::error_code failed;
  const auto wait = found->to_number<std::int64_t>(failed);
  metadata.erase(cancel_wait_key);
  // A day is more than any server waits.
  constexpr std::int64_t wait_max = std::int64_t{24} * 3600 * 1000;
  if (failed || wait < 0)
    return std::nullopt;
  return std::chrono::milliseconds{std::min(wait, wait_max)};
}

} // namespace troupe
