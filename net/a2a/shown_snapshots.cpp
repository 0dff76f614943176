#include "net/a2a/shown_snapshots.hpp"

namespace troupe::net {

shown_snapshots::hold shown_snapshots::take(const task_ptr& record, std::size_t bytes) {
  const std::lock_guard lock{guard_};
  // An address is used again only after its holders have gone, so an entry that lives is the same.
  if (const auto found = shown_.find(record.get()); found != shown_.end())
    if (auto known = found->second.lock())
      return known;
  auto share = in_.take(bytes);
  if (!share)
    return nullptr;
  auto fresh = std::make_shared<const counted_record>(counted_record{record, std::move(share)});
  if (shown_.size() > 2 * looked_after_ + 16) {
    std::erase_if(shown_, [](const auto& each) { return each.second.expired(); });
    looked_after_ = shown_.size();
  }
  shown_.insert_or_assign(record.get(), fresh);
  return fresh;
}

} // namespace troupe::net
