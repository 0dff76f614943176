#include "client/remote_agent/handles.hpp"

#include "protocol/json/text_in.hpp"
#include "protocol/text/hex.hpp"

#include <boost/json/array.hpp>

#include <array>
#include <utility>

namespace troupe::remote_agent {

namespace json = boost::json;

std::string uuid_of(std::uint64_t high, std::uint64_t low) {
  high = (high & 0xffffffffffff0fffULL) | 0x0000000000004000ULL; // version 4
  low = (low & 0x3fffffffffffffffULL) | 0x8000000000000000ULL;   // variant of RFC 9562
  std::string out;
  for (const auto half : std::array{high, low})
    for (int shift = 60; shift >= 0; shift -= 4) {
      if (const auto size = out.size(); size == 8 || size == 13 || size == 18 || size == 23)
        out.push_back('-');
      out.push_back(hex_digits[(half >> static_cast<unsigned>(shift)) & 15U]);
    }
  return out;
}

std::string handle_of(std::uint64_t high, std::uint64_t low) {
  return "rah_" + uuid_of(high, low);
}

const handle_entry* handles::find(std::string_view handle) const {
  const auto found = by_handle_.find(handle);
  return found == by_handle_.end() ? nullptr : &*found->second;
}

const handle_entry& handles::keep(const handle_target& to, const std::string& task_id,
                                  const std::string& context_id, timestamp now, std::string fresh) {
  const auto known = by_task_.find(key_of(to, task_id));
  if (known == by_task_.end()) {
    handle_entry entry;
    entry.handle = std::move(fresh);
    entry.task_id = task_id;
    entries_.push_back(std::move(entry));
    const auto at = std::prev(entries_.end());
    by_handle_[at->handle] = at;
    by_task_[key_of(to, task_id)] = at;
  } else {
    entries_.splice(entries_.end(), entries_, known->second);
  }
  auto& entry = entries_.back();
  entry.to = to;
  if (!context_id.empty())
    entry.context_id = context_id;
  entry.used = now;
  entry.expires = now + ttl_;
  cut();
  return entries_.back();
}

void handles::cut() {
  while (entries_.size() > entries_max_) {
    const auto& oldest = entries_.front();
    by_handle_.erase(oldest.handle);
    by_task_.erase(key_of(oldest.to, oldest.task_id));
    entries_.pop_front();
  }
}

json::object handles::to_json() const {
  json::array all;
  for (const auto& each : entries_) {
    json::object one;
    one["handle"] = each.handle;
    one["alias"] = each.to.alias;
    one["url"] = each.to.target_url;
    one["cardPath"] = each.to.card_path;
    one["transports"] =
        json::array(each.to.preferred_transports.begin(), each.to.preferred_transports.end());
    one["task"] = each.task_id;
    one["context"] = each.context_id;
    one["used"] = to_rfc3339(each.used);
    one["expires"] = to_rfc3339(each.expires);
    all.push_back(std::move(one));
  }
  json::object out;
  out["remoteAgentHandles"] = 1;
  out["entries"] = std::move(all);
  return out;
}

void handles::take(handle_entry entry) {
  const auto remove = [&](place at) {
    by_handle_.erase(at->handle);
    by_task_.erase(key_of(at->to, at->task_id));
    entries_.erase(at);
  };
  if (const auto same = by_handle_.find(entry.handle); same != by_handle_.end()) {
    if (same->second->used >= entry.used)
      return;
    remove(same->second);
  }
  if (const auto same = by_task_.find(key_of(entry.to, entry.task_id)); same != by_task_.end()) {
    if (same->second->used >= entry.used)
      return;
    remove(same->second);
  }
  // In the order of use.
  auto behind = entries_.end();
  while (behind != entries_.begin() && std::prev(behind)->used > entry.used)
    --behind;
  const auto at = entries_.insert(behind, std::move(entry));
  by_handle_[at->handle] = at;
  by_task_[key_of(at->to, at->task_id)] = at;
}

void handles::merge(const json::value& from) {
  const auto* whole = from.if_object();
  const auto* found = whole != nullptr ? whole->if_contains("entries") : nullptr;
  const auto* all = found != nullptr ? found->if_array() : nullptr;
  if (all == nullptr)
    return;
  for (const auto& each : *all) {
    const auto* one = each.if_object();
    if (one == nullptr)
      continue;
    handle_entry entry;
    entry.handle = text_in(*one, "handle");
    entry.to.alias = text_in(*one, "alias");
    entry.to.target_url = text_in(*one, "url");
    entry.to.card_path = text_in(*one, "cardPath");
    if (const auto* names = one->if_contains("transports"); names && names->is_array())
      for (const auto& name : names->get_array())
        if (const auto* text = name.if_string())
          entry.to.preferred_transports.emplace_back(*text);
    entry.task_id = text_in(*one, "task");
    entry.context_id = text_in(*one, "context");
    const auto used = parse_rfc3339(text_in(*one, "used"));
    const auto expires = parse_rfc3339(text_in(*one, "expires"));
    if (entry.handle.empty() || entry.to.target_url.empty() || entry.task_id.empty() || !used
        || !expires)
      continue;
    entry.used = *used;
    entry.expires = *expires;
    take(std::move(entry));
  }
  cut();
}

} // namespace troupe::remote_agent
