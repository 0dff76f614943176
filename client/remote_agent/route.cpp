#include "client/remote_agent/route.hpp"

#include "client/remote_agent/base_url.hpp"
#include "protocol/json/quoted.hpp"

#include <boost/json/array.hpp>

#include <algorithm>

namespace troupe::remote_agent {

namespace json = boost::json;

namespace {

destination destination_of(const peer& one) {
  return {one.alias, one.base_url, one.card_path, one.preferred_transports, &one};
}

json::array aliases_of(const settings& known) {
  json::array out;
  for (const auto& each : known.targets)
    out.emplace_back(each.alias);
  return out;
}

/// As URLs are compared.
std::string compared(std::string_view url, const settings& known) {
  auto normal = known.normalizes_urls ? normal_url(url) : result<std::string>{std::string(url)};
  return normal ? std::move(*normal) : std::string(url);
}

fault expired_handle(const handle_entry& entry) {
  json::object details;
  details["taskHandle"] = entry.handle;
  details["retryHint"] =
      "Retry with the same nested continuation so the plugin can fall back to the persisted target "
      "plus taskId, or resend the original request after a restart to obtain a new handle.";
  details["restartInvalidatesHandles"] = true;
  details["suggested_actions"] = {"status", "send"};
  details["hint"] = "Retry with the same nested continuation, or use flat target_alias + task_id "
                    "only as manual compatibility.";
  details["expiresAt"] = to_rfc3339(entry.expires);
  details["task_id"] = entry.task_id;
  json::object continued;
  continued["target"] = shown_target(entry.to);
  json::object task;
  task["task_handle"] = entry.handle;
  task["task_id"] = entry.task_id;
  continued["task"] = std::move(task);
  if (!entry.context_id.empty()) {
    details["context_id"] = entry.context_id;
    json::object conversation;
    conversation["context_id"] = entry.context_id;
    conversation["can_send"] = true;
    continued["conversation"] = std::move(conversation);
  }
  details["continuation"] = std::move(continued);
  return {"EXPIRED_TASK_HANDLE", "task handle " + quoted(entry.handle) + " has expired",
          std::move(details)};
}

fault unknown_handle(const std::string& handle) {
  json::object details;
  details["taskHandle"] = handle;
  details["retryHint"] = "Retry with the nested continuation of the earlier result, or send the "
                         "original request again to obtain a new handle.";
  details["restartInvalidatesHandles"] = true;
  details["suggested_action"] = "send";
  return {"UNKNOWN_TASK_HANDLE", "task handle " + quoted(handle) + " is unknown",
          std::move(details)};
}

/// The target of a continuation or of a handle, under the policy as it is now.
outcome<destination> find_kept(const handle_target& kept, url_source from, const settings& known) {
  auto to = find_url(kept.target_url, kept.alias, from, known);
  if (to && to->known == nullptr) {
    to->card_path = kept.card_path;
    to->preferred_transports = kept.preferred_transports;
  }
  return to;
}

outcome<route> find_continued(const request& asked, const settings& known, const handles& given,
                              timestamp now) {
  const auto& from = *asked.continued;
  route out;
  out.task_id = from.task_id;
  out.context_id = from.context_id;
  auto to =
      find_kept({from.target_alias, from.target_url, from.card_path, from.preferred_transports},
                url_source::continuation, known);
  if (!to)
    return to.error();
  out.to = std::move(*to);
  // One that is expired or unknown is not needed: target and task stand beside it.
  const auto* entry = from.task_handle.empty() ? nullptr : given.find(from.task_handle);
  if (entry == nullptr || handles::has_expired(*entry, now))
    return out;
  constexpr std::string_view the_handle = "the task handle";
  if (entry->task_id != from.task_id)
    return conflict_fault("continuation/task/task_id", from.task_id, entry->task_id, the_handle);
  if (compared(entry->to.target_url, known) != compared(from.target_url, known))
    return conflict_fault("continuation/target/target_url", from.target_url, entry->to.target_url,
                          the_handle);
  if (out.context_id.empty())
    out.context_id = entry->context_id;
  else if (!entry->context_id.empty() && entry->context_id != out.context_id)
    return conflict_fault("continuation/conversation/context_id", out.context_id, entry->context_id,
                          the_handle);
  return out;
}

outcome<route> find_by_handle(const request& asked, const settings& known, const handles& given,
                              timestamp now) {
  const auto* entry = given.find(asked.task_handle);
  if (entry == nullptr)
    return unknown_handle(asked.task_handle);
  if (handles::has_expired(*entry, now))
    return expired_handle(*entry);
  constexpr std::string_view the_handle = "the task handle";
  if (!asked.task_id.empty() && asked.task_id != entry->task_id)
    return conflict_fault("task_id", asked.task_id, entry->task_id, the_handle);
  if (!asked.context_id.empty() && !entry->context_id.empty()
      && asked.context_id != entry->context_id)
    return conflict_fault("context_id", asked.context_id, entry->context_id, the_handle);
  route out;
  auto to = find_kept(entry->to, url_source::request, known);
  if (!to)
    return to.error();
  out.to = std::move(*to);
  if (!asked.target_alias.empty() && asked.target_alias != out.to.alias)
    return conflict_fault("target_alias", asked.target_alias, out.to.alias, the_handle);
  if (!asked.target_url.empty() && compared(asked.target_url, known) != out.to.target_url)
    return conflict_fault("target_url", asked.target_url, out.to.target_url, the_handle);
  out.task_id = entry->task_id;
  out.context_id = entry->context_id.empty() ? asked.context_id : entry->context_id;
  return out;
}

outcome<destination> find_flat(const request& asked, const settings& known) {
  if (!asked.target_alias.empty())
    return find_alias(asked.target_alias, known);
  if (!asked.target_url.empty())
    return find_url(asked.target_url, {}, url_source::request, known);
  const auto found =
      std::ranges::find_if(known.targets, [](const peer& one) { return one.is_default; });
  if (found == known.targets.end())
    return target_fault("unknown_raw_url", "the request names no target, and none is the default",
                        {});
  return destination_of(*found);
}

} // namespace

json::object shown_target(const handle_target& to) {
  json::object out;
  out["target_url"] = to.target_url;
  out["card_path"] = to.card_path;
  out["preferred_transports"] =
      json::array(to.preferred_transports.begin(), to.preferred_transports.end());
  if (!to.alias.empty())
    out["target_alias"] = to.alias;
  return out;
}

outcome<destination> find_alias(std::string_view alias, const settings& known) {
  const auto found = std::ranges::find(known.targets, alias, &peer::alias);
  if (found != known.targets.end())
    return destination_of(*found);
  json::object details;
  details["target_alias"] = alias;
  details["known_aliases"] = aliases_of(known);
  return target_fault("unknown_alias", "there is no target " + quoted(shown(alias)),
                      std::move(details));
}

outcome<destination> find_url(std::string_view url, std::string_view alias, url_source from,
                              const settings& known) {
  json::object details;
  details["target_url"] = url;
  const auto normal = normal_url(url);
  if (!normal)
    return target_fault("unknown_raw_url",
                        quoted(shown(url)) + " is no URL of an agent: " + normal.error().message,
                        std::move(details));
  const auto wanted = compared(url, known);
  std::vector<const peer*> matches;
  for (const auto& each : known.targets)
    if (each.base_url == wanted)
      matches.push_back(&each);
  if (matches.size() > 1)
    if (const auto named = std::ranges::find(matches, alias, &peer::alias); named != matches.end())
      matches = {*named};
  if (matches.size() > 1) {
    json::array names;
    for (const auto* each : matches)
      names.emplace_back(each->alias);
    details["matching_aliases"] = std::move(names);
    details["hint"] = "Use target_alias: several targets have this URL.";
    return target_fault("ambiguous_normalized_url_matches",
                        "several targets have the URL " + quoted(wanted) + "; use target_alias",
                        std::move(details));
  }
  if (matches.size() == 1)
    return destination_of(*matches.front());
  if (known.allows_any_url || (from == url_source::continuation && known.trusts_continuations))
    return destination{{}, wanted, known.card_path, known.preferred_transports, nullptr};
  details["hint"] = "Only targets of the settings are asked; list_targets names them.";
  return target_fault("raw_url_disallowed_by_policy",
                      quoted(shown(wanted))
                          + " is no configured target, and the policy allows no "
                            "others",
                      std::move(details));
}

outcome<route> find_route(const request& asked, const settings& known, const handles& given,
                          timestamp now) {
  if (asked.continued)
    return find_continued(asked, known, given, now);
  if (!asked.task_handle.empty())
    return find_by_handle(asked, known, given, now);
  auto to = find_flat(asked, known);
  if (!to)
    return to.error();
  return route{std::move(*to), asked.task_id, asked.context_id};
}

} // namespace troupe::remote_agent
