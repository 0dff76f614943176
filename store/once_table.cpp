#include "store/once_table.hpp"

#include <cstdint>
#include <memory>
#include <utility>

namespace troupe {

namespace {

constexpr std::size_t owner_length_bytes = 4;
constexpr std::size_t word_bytes = 8;

void append_word(std::string& out, std::uint64_t value, std::size_t bytes) {
  while (bytes-- > 0)
    out.push_back(static_cast<char>(value >> (8 * bytes)));
}

/// Reads a number off the front of `text`, which has so many bytes.
std::uint64_t take_word(std::string_view& text, std::size_t bytes) {
  std::uint64_t out = 0;
  for (const auto each : text.substr(0, bytes))
    out = out << 8 | static_cast<unsigned char>(each);
  text.remove_prefix(bytes);
  return out;
}

std::string owner_key(const once& value) {
  return static_cast<char>(value.kind) + value.owner;
}

bool is_kind(char letter) {
  switch (static_cast<once_kind>(letter)) {
    case once_kind::message:
    case once_kind::request:
    case once_kind::idempotency_key: return true;
  }
  return false;
}

} // namespace

// -- the table ------------------------------------------------------------------------------------

once_table::~once_table() {
  for (const auto& kind : kinds_)
    memory_->give_back(memory_account::remembered_requests, kind.bytes);
}

once_table::kind_share& once_table::kind_of(const once& value) {
  switch (value.kind) {
    case once_kind::message: return kinds_[0];
    case once_kind::request: return kinds_[1];
    case once_kind::idempotency_key: break;
  }
  return kinds_[2];
}

const once_table::entry* once_table::look_up(const once& wanted, timestamp at) const {
  const auto known = entries_.find(once_key(wanted));
  return known != entries_.end() && at < known->second.value->until ? &known->second : nullptr;
}

once_ptr once_table::find(const once& wanted, timestamp now) const {
  const std::lock_guard lock{guard_};
  const auto* known = look_up(wanted, now);
  return known && known->is_published ? known->value : nullptr;
}

once_ptr once_table::conflict_of(const std::vector<once_ptr>& conditions, timestamp at) const {
  const std::lock_guard lock{guard_};
  for (const auto& each : conditions)
    if (const auto* known = look_up(*each, at); known && known->value != each)
      return known->value;
  return nullptr;
}

void once_table::stage(const once_ptr& value, timestamp at) {
  const std::lock_guard lock{guard_};
  auto key = once_key(*value);
  if (const auto before = entries_.find(key); before != entries_.end()) {
    if (before->second.value == value)
      return;
    forget(before->second); // Its time is over. The new row replaces its row.
    forgotten_.pop_back();
  }
  auto& kind = kind_of(*value);
  auto& owner = *owners_.try_emplace(owner_key(*value)).first;
  const auto place = entries_.try_emplace(std::move(key)).first;
  auto& added = place->second;
  added.value = value;
  added.key = place->first;
  added.bytes = sizeof(once) + sizeof(entry) + 2 * added.key.size() + value->answer.size();
  added.in_kind = kind.entries.insert(kind.entries.end(), &added);
  added.in_owner = owner.second.entries.insert(owner.second.entries.end(), &added);
  kind.bytes += added.bytes;
  set_bytes(kind, owner, owner.second.bytes + added.bytes);
  memory_->force(memory_account::remembered_requests, added.bytes);
  keep_to_bounds(kind, at);
  keep_to_memory(kind, added.bytes, at);
}

void once_table::publish(const once_ptr& value) {
  const std::lock_guard lock{guard_};
  const auto known = entries_.find(once_key(*value));
  if (known != entries_.end() && known->second.value == value)
    known->second.is_published = true;
}

void once_table::keep_to_bounds(kind_share& all, timestamp at) {
  while (all.entries.size() > bounds_.entries || all.bytes > bounds_.bytes)
    if (!make_room(all, at))
      return;
}

/// Other accounts may fill the budget for a moment: then no more is forgotten than is added.
void once_table::keep_to_memory(kind_share& all, std::size_t added_bytes, timestamp at) {
  const auto before = all.bytes;
  while (!memory_->has_room(memory_account::remembered_requests, 0)
         && before - all.bytes < added_bytes)
    if (!make_room(all, at))
      return;
}

bool once_table::make_room(kind_share& all, timestamp at) {
  // The newest is there, so there is an owner. If its oldest is not published, it has nothing else,
  // and the next one that comes makes room.
  const auto most = owners_.find(std::string{all.owners.rbegin()->second});
  auto& oldest = *most->second.entries.front();
  if (!oldest.is_published)
    return false;
  if (at < oldest.value->until)
    ++forgotten_early_;
  forget(oldest);
  return true;
}

void once_table::set_bytes(kind_share& all, owner_shares::value_type& owner, std::size_t bytes) {
  all.owners.erase({owner.second.bytes, owner.first});
  owner.second.bytes = bytes;
  if (!owner.second.entries.empty())
    all.owners.emplace(bytes, owner.first);
}

void once_table::forget(entry& which) {
  auto& kind = kind_of(*which.value);
  const auto owner = owners_.find(owner_key(*which.value));
  kind.entries.erase(which.in_kind);
  kind.bytes -= which.bytes;
  memory_->give_back(memory_account::remembered_requests, which.bytes);
  owner->second.entries.erase(which.in_owner);
  set_bytes(kind, *owner, owner->second.bytes - which.bytes);
  if (owner->second.entries.empty())
    owners_.erase(owner);
  forgotten_.emplace_back(which.key);
  entries_.erase(entries_.find(forgotten_.back()));
}

std::uint64_t once_table::forgotten_early() const {
  const std::lock_guard lock{guard_};
  return forgotten_early_;
}

bool once_table::has_expired(timestamp now) const {
  const std::lock_guard lock{guard_};
  for (const auto& kind : kinds_)
    if (!kind.entries.empty() && kind.entries.front()->is_published
        && kind.entries.front()->value->until <= now)
      return true;
  return false;
}

void once_table::forget_expired(timestamp now) {
  const std::lock_guard lock{guard_};
  std::size_t left = once_expired_at_once_max;
  for (auto& kind : kinds_)
    for (; left > 0 && !kind.entries.empty() && kind.entries.front()->is_published
           && kind.entries.front()->value->until <= now;
         --left)
      forget(*kind.entries.front());
}

std::vector<std::string> once_table::take_forgotten() {
  const std::lock_guard lock{guard_};
  return std::exchange(forgotten_, {});
}

// -- rows -----------------------------------------------------------------------------------------

std::string once_key(const once& value) {
  std::string out(1, static_cast<char>(value.kind));
  append_word(out, value.owner.size(), owner_length_bytes);
  return out.append(value.owner).append(value.key);
}

std::string write_once_row(const once& value) {
  std::string out;
  append_word(out, value.content, word_bytes);
  append_word(out, static_cast<std::uint64_t>(value.until.time_since_epoch().count()), word_bytes);
  return out.append(value.answer);
}

result<once> read_once_row(std::string_view key, std::string_view row) {
  const auto damaged = [] {
    return make_error(
        errc::store_failed,
        "A row that remembers an earlier request is damaged; restore the data directory from a "
        "backup.");
  };
  once out;
  if (key.size() < 1 + owner_length_bytes || !is_kind(key.front()) || row.size() < 2 * word_bytes)
    return damaged();
  out.kind = static_cast<once_kind>(key.front());
  key.remove_prefix(1);
  const auto owner_bytes = take_word(key, owner_length_bytes);
  if (owner_bytes > key.size())
    return damaged();
  out.owner = key.substr(0, owner_bytes);
  out.key = key.substr(owner_bytes);
  out.content = take_word(row, word_bytes);
  out.until = timestamp{timestamp::duration{static_cast<std::int64_t>(take_word(row, word_bytes))}};
  out.answer = row;
  return out;
}

void restore_once(once_table& into, once value, timestamp now) {
  const auto entry = std::make_shared<const once>(std::move(value));
  into.stage(entry, now);
  into.publish(entry);
}

} // namespace troupe
