#include "net/a2a/event_texts.hpp"

#include <boost/container_hash/hash.hpp>

#include <cstdint>
#include <utility>

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
  if (which.has_cursor) {
    stream_cursor at{where.sequence};
    if (which.event + 1 < where.events.size()) // else nothing of the change is left to be read
      at.event = static_cast<std::uint32_t>(which.event);
    cursor = to_string(at);
  }
  return which.codec->write_event(
      out, where, where.events[which.event],
      {.last = which.last, .cursor = cursor, .hitl = which.hitl, .opt = which.opt});
}

event_texts::shard& event_texts::shard_of(const change_ptr& where) noexcept {
  return shards_[(reinterpret_cast<std::uintptr_t>(where.get()) >> 6U) % shard_count];
}

std::size_t event_texts::place_hash::operator()(const place& one) const noexcept {
  std::size_t out = std::hash<const change*>{}(one.where);
  boost::hash_combine(out, one.which.codec);
  boost::hash_combine(out, one.which.event);
  boost::hash_combine(out, one.which.detail);
  boost::hash_combine(out, one.which.revision);
  boost::hash_combine(out, one.which.first);
  return out; // The rest seldom differs.
}

event_texts::text_ptr event_texts::find(shard& in, const change_ptr& where, const key& which) {
  const std::lock_guard guard(in.lock);
  const auto known = in.texts.find(place{where.get(), which});
  return known != in.texts.end() && is_same(known->second.where, where) ? known->second.text
                                                                        : nullptr;
}

void event_texts::keep(shard& in, const change_ptr& where, const key& which, text_ptr text) {
  const std::lock_guard guard(in.lock);
  const place at{where.get(), which};
  in.bytes += text->size();
  const auto [known, is_new] = in.texts.try_emplace(at);
  if (is_new)
    in.order.push_back(at);
  else
    in.bytes -= known->second.text->size();
  known->second = {where, std::move(text)};
  while (!in.order.empty()) {
    const auto oldest = in.texts.find(in.order.front());
    if (in.bytes <= shard_bytes_max && !oldest->second.where.expired())
      break;
    in.bytes -= oldest->second.text->size();
    in.texts.erase(oldest);
    in.order.pop_front();
  }
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
  keep(home, where, which, std::move(text));
  return true;
}

} // namespace troupe::net
