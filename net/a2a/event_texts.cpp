#include "net/a2a/event_texts.hpp"

#include <cstdint>

namespace troupe::net {

namespace {

/// A longer text is encoded again for each stream that wants it: memory matters more.
constexpr std::size_t text_kept_bytes_max = 256 * 1024;

/// True if `where` and `one` are the same change.
bool is_same(const std::weak_ptr<const change>& one, const change_ptr& where) noexcept {
  return !one.owner_before(where) && !where.owner_before(one);
}

bool write_text(std::string& out, const std::function<bool(json_writer&)>& write) {
  json_writer writer(out);
  return write(writer);
}

} // namespace

bool event_texts::write(json_writer& out, const change& where, const key& which) {
  std::string cursor;
  if (which.has_cursor)
    cursor = to_string(stream_cursor{where.sequence, static_cast<std::uint32_t>(which.event)});
  return which.codec->write_event(out, where, where.events[which.event],
                                  {.last = which.last, .cursor = cursor, .hitl = which.hitl});
}

event_texts::shard& event_texts::shard_of(const change_ptr& where) noexcept {
  return shards_[(reinterpret_cast<std::uintptr_t>(where.get()) >> 6U) % shard_count];
}

event_texts::text_ptr event_texts::find(shard& in, const change_ptr& where, const key& which) {
  const std::lock_guard guard(in.lock);
  for (auto& one : in.entries) {
    if (!one.text)
      continue;
    if (one.which == which && is_same(one.where, where))
      return one.text;
    if (one.where.expired())
      one.text = nullptr;
  }
  return nullptr;
}

bool event_texts::append(std::string& out, const change_ptr& where, const key& which) {
  return append(out, where, which,
                [&](json_writer& writer) { return write(writer, *where, which); });
}

bool event_texts::append(std::string& out, const change_ptr& where, const key& which,
                         const std::function<bool(json_writer&)>& write) {
  // No other stream has the change: none will ask for its text.
  if (where.use_count() <= 1)
    return write_text(out, write);
  auto& home = shard_of(where);
  if (const auto known = find(home, where, which)) {
    out += *known;
    return true;
  }
  auto text = std::make_shared<std::string>();
  if (!write_text(*text, write))
    return false;
  out += *text;
  if (text->size() > text_kept_bytes_max)
    return true;
  const std::lock_guard guard(home.lock);
  home.entries[home.next] = {where, which, std::move(text)};
  home.next = (home.next + 1) % shard_entries;
  return true;
}

} // namespace troupe::net
