#include "store/long_changes.hpp"

#include <algorithm>
#include <utility>
#include <variant>

namespace troupe {

whole_group long_changes::take(std::uint64_t at, const std::vector<group_item>& items) {
  rows_.clear();
  whole_group out;
  out.entries.reserve(items.size());
  for (const auto& item : items) {
    if (const auto* change = std::get_if<group_change>(&item)) {
      out.entries.emplace_back(*change);
    } else if (const auto* came = std::get_if<group_once>(&item)) {
      out.entries.emplace_back(*came);
    } else if (const auto* push = std::get_if<group_push>(&item)) {
      out.entries.emplace_back(*push);
    } else if (const auto* part = std::get_if<group_part>(&item)) {
      auto& of = open_[part->id];
      of.has_begun = of.has_begun || part->id.first == at;
      of.parts += part->bytes;
      bytes_ += part->bytes.size();
    } else if (const auto* ended = std::get_if<group_parts_end>(&item)) {
      forget(ended->id);
    } else {
      const auto& longer = std::get<group_long_change>(item);
      if (auto row = finish(longer))
        out.entries.emplace_back(
            group_change{longer.stream, longer.sequence, rows_.emplace_back(std::move(*row))});
      else
        out.lacking.push_back(longer);
    }
  }
  return out;
}

std::optional<whole_group> long_changes::take(std::uint64_t at, std::string_view group) {
  const auto items = read_group(group);
  return items ? std::optional{take(at, *items)} : std::nullopt;
}

std::optional<std::string> long_changes::finish(const group_long_change& change) {
  const auto found = open_.find(change.id);
  const bool is_whole = found != open_.end() && found->second.has_begun
                        && found->second.parts.size() == change.parts_bytes;
  if (!is_whole) {
    forget(change.id);
    return std::nullopt;
  }
  std::string out;
  out.reserve(change.head.size() + found->second.parts.size());
  out += change.head;
  out += found->second.parts;
  forget(change.id);
  return out;
}

void long_changes::forget(const parts_id& id) {
  const auto found = open_.find(id);
  if (found == open_.end())
    return;
  bytes_ -= found->second.parts.size();
  open_.erase(found);
}

bool long_changes::has_begun(const parts_id& id) const {
  const auto found = open_.find(id);
  return found != open_.end() && found->second.has_begun;
}

std::optional<std::uint64_t> long_changes::first_needed() const {
  const auto first = std::ranges::find_if(open_, [](const auto& each) { // By position.
    return each.second.has_begun;
  });
  return first == open_.end() ? std::nullopt : std::optional{first->first.first};
}

void long_changes::put_before(const parts_id& id, long_changes& earlier) {
  const auto found = earlier.open_.find(id);
  if (found == earlier.open_.end() || !found->second.has_begun || has_begun(id))
    return;
  auto& theirs = found->second;
  auto& mine = open_[id];
  bytes_ += theirs.parts.size();
  theirs.parts += mine.parts;
  mine = std::move(theirs);
  earlier.clear();
}

void long_changes::clear() {
  open_.clear();
  bytes_ = 0;
  rows_.clear();
}

} // namespace troupe
