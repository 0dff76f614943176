#include "store/memory/change_tails.hpp"

#include "protocol/change_size.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

// -- one tail -------------------------------------------------------------------------------------

change_tail::~change_tail() {
  held_.fetch_sub(bytes_, std::memory_order_relaxed);
  memory_->give_back(memory_account::feeds, bytes_);
}

void change_tail::on_change(const change_ptr& change) {
  const auto bytes = bytes_of(*change);
  const std::lock_guard lock{guard_};
  entries_.push_back({change, bytes});
  bytes_ += bytes;
  held_.fetch_add(bytes, std::memory_order_relaxed);
  memory_->force(memory_account::feeds, bytes);
  while (!entries_.empty()
         && (entries_.size() > tail_changes_max || bytes_ > tail_bytes_max
             || held_.load(std::memory_order_relaxed) > tails_bytes_max
             || !memory_->has_room(memory_account::feeds, 0)))
    drop_front();
}

void change_tail::drop_front() {
  auto& front = entries_.front();
  after_ = std::max(after_ == sequence_end ? 0 : after_, front.kept->sequence);
  bytes_ -= front.bytes;
  held_.fetch_sub(front.bytes, std::memory_order_relaxed);
  memory_->give_back(memory_account::feeds, front.bytes);
  entries_.pop_front();
}

void change_tail::begin_after(std::uint64_t sequence) {
  const std::lock_guard lock{guard_};
  after_ = after_ == sequence_end ? sequence : std::max(after_, sequence);
}

history_page change_tail::read(const history_range& range) const {
  history_page out{.changes = {}, .next_after = range.after, .more = false, .gone = false};
  const auto changes_max = std::clamp<std::size_t>(range.max, 1, history_page_changes_max);
  std::size_t bytes = 0;
  const std::lock_guard lock{guard_};
  out.gone = range.after < std::min(after_, range.through);
  if (out.gone)
    return out;
  auto next = std::ranges::upper_bound(entries_, range.after, {},
                                       [](const entry& each) { return each.kept->sequence; });
  for (; next != entries_.end() && next->kept->sequence <= range.through; ++next) {
    if (out.changes.size() == changes_max || bytes >= range.bytes_max) {
      out.more = true;
      return out;
    }
    bytes += next->bytes;
    out.next_after = next->kept->sequence;
    out.changes.push_back(next->kept);
  }
  return out;
}

// -- all of them ----------------------------------------------------------------------------------

watcher_ptr change_tails::leave(const std::string& id, const watcher_ptr& who) {
  auto& home = shard_of(id);
  const std::lock_guard lock{home.guard};
  const auto found = home.tails.find(id);
  if (found == home.tails.end())
    return nullptr;
  std::erase(found->second.readers, who.get());
  if (!found->second.readers.empty())
    return nullptr;
  watcher_ptr out = std::move(found->second.tail);
  home.tails.erase(found);
  return out;
}

std::shared_ptr<const change_tail> change_tails::find(const std::string& id) const {
  auto& home = shard_of(id);
  const std::lock_guard lock{home.guard};
  const auto found = home.tails.find(id);
  return found == home.tails.end() ? nullptr : found->second.tail;
}

} // namespace troupe
