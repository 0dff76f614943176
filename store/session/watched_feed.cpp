#include "store/session/watched_feed.hpp"

#include "protocol/change_size.hpp"
#include "protocol/record/record.hpp"
#include "store/group.hpp"

#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace troupe::sessions {

void watched_feed::on_change(const change_ptr& change) {
  const auto bytes = bytes_of(*change);
  {
    const std::lock_guard lock{guard_};
    waiting_.push_back({change, bytes});
    bytes_ += bytes;
    all_bytes_ += bytes;
    while (bytes_ > bytes_max_ && waiting_.size() > 1)
      drop_front();
  }
  const std::lock_guard lock{calling_};
  if (call_)
    call_();
}

void watched_feed::drop_front() {
  bytes_ -= waiting_.front().bytes;
  waiting_.pop_front();
  ++first_;
}

void watched_feed::read_groups(const journal::journal_cursor& from, std::size_t bytes_max,
                               std::function<void(result<journal::group_page>)> done) {
  std::vector<change_ptr> changes;
  std::optional<journal::position> forgotten;
  {
    const std::lock_guard lock{guard_};
    if (from.next < first_)
      forgotten = first_;
    std::size_t bytes = 0;
    for (auto at = forgotten ? 0 : from.next - first_; at < waiting_.size() && bytes < bytes_max;
         ++at) {
      changes.push_back(waiting_[at].news);
      bytes += waiting_[at].bytes;
    }
  }
  if (forgotten) {
    done(make_error(errc::invalid_params, "The changes begin with number "
                                              + std::to_string(*forgotten)
                                              + "; those before it were dropped (more than "
                                              + std::to_string(bytes_max_) + " bytes waited)."));
    return;
  }
  journal::group_page page{{}, from};
  std::string row;
  for (const auto& each : changes) {
    row.clear();
    record::write(row, *each);
    std::string group;
    add_entry(group, group_change{each->stream(), each->sequence, row});
    page.groups.push_back({page.cursor.next++, std::move(group)});
  }
  done(std::move(page));
}

void watched_feed::keep_groups(journal::position from) {
  const std::lock_guard lock{guard_};
  while (!waiting_.empty() && first_ < from)
    drop_front();
}

journal::group_feed::reached watched_feed::groups_reached() const {
  const std::lock_guard lock{guard_};
  return {id_, first_, first_ + waiting_.size() - 1, 0, all_bytes_};
}

void watched_feed::on_groups(std::function<void()> call) {
  const std::lock_guard lock{calling_};
  call_ = std::move(call);
}

} // namespace troupe::sessions
