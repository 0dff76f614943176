#include "store/push_table.hpp"

#include <troupe/store/limits.hpp>

#include <algorithm>

namespace troupe {

namespace {

/// About what a row takes in memory, with its key.
std::size_t bytes_of(const push_row& row) noexcept {
  const auto& config = row.config;
  auto sum = sizeof(push_row) + 2 * (config.id.size() + config.task.str().size())
             + config.url.size() + config.token.size() + row.progress.stopped.size();
  if (config.authentication)
    sum += config.authentication->scheme.size() + config.authentication->credentials.size();
  return sum;
}

/// Whether there may be one more beside so many.
result<void> check_limits(std::ptrdiff_t of_task, std::ptrdiff_t in_all) {
  if (of_task >= static_cast<std::ptrdiff_t>(push_configs_per_task_max))
    return make_error(errc::limit_exceeded,
                      "a task has at most " + std::to_string(push_configs_per_task_max)
                          + " push notification configurations; delete one first");
  if (in_all >= static_cast<std::ptrdiff_t>(push_configs_max))
    return make_error(errc::limit_exceeded,
                      "this server keeps at most " + std::to_string(push_configs_max)
                          + " push notification configurations; delete one, or try again later");
  return {};
}

} // namespace

push_table::~push_table() {
  for (const auto& [which, row] : rows_)
    memory_->give_back(memory_account::push_configs, bytes_of(row));
}

/// With the lock held.
void push_table::put(const key& which, push_row row) {
  memory_->force(memory_account::push_configs, bytes_of(row));
  const auto [place, is_new] = rows_.try_emplace(which);
  if (!is_new)
    memory_->give_back(memory_account::push_configs, bytes_of(place->second));
  place->second = std::move(row);
}

/// Whether the process has memory for a row in place of the one before.
result<void> push_table::admit_bytes(const push_row& row,
                                     const std::optional<push_row>& before) const {
  const auto bytes = bytes_of(row);
  if (before && bytes <= bytes_of(*before))
    return {};
  if (memory_->has_room(memory_account::push_configs, bytes))
    return {};
  return memory_->refusal(memory_account::push_configs, bytes);
}

result<void> push_table::has_room(const task_id& task, const std::string& id) const {
  const std::lock_guard lock{guard_};
  if (!id.empty() && rows_.contains(key{task.str(), id}))
    return {};
  if (!memory_->has_room(memory_account::push_configs, 0))
    return memory_->refusal(memory_account::push_configs, 0);
  return check_limits(static_cast<std::ptrdiff_t>(count(task.str())),
                      static_cast<std::ptrdiff_t>(rows_.size()));
}

std::optional<push_row> push_table::find(const task_id& task, const std::string& id) const {
  const std::lock_guard lock{guard_};
  const auto found = rows_.find(key{task.str(), id});
  return found == rows_.end() ? std::nullopt : std::optional{found->second};
}

std::vector<push_row> push_table::list(const task_id& task) const {
  std::vector<push_row> out;
  const std::lock_guard lock{guard_};
  for (auto each = rows_.lower_bound(key{task.str(), {}});
       each != rows_.end() && each->first.first == task.str(); ++each)
    out.push_back(each->second);
  return out;
}

std::vector<push_row> push_table::all() const {
  std::vector<push_row> out;
  const std::lock_guard lock{guard_};
  out.reserve(rows_.size());
  for (const auto& [which, row] : rows_)
    out.push_back(row);
  return out;
}

void push_table::restore(push_row row) {
  last_serial_ = std::max(last_serial_, row.serial);
  const std::lock_guard lock{guard_};
  const key which{row.config.task.str(), row.config.id};
  put(which, std::move(row));
}

// -- writes ---------------------------------------------------------------------------------------

void push_table::stage(std::vector<push_write>& writes) {
  for (auto& each : writes) {
    const key which{each.row.config.task.str(), each.row.config.id};
    auto now = current(which);
    if (each.operation == push_write::kind::save) {
      auto admitted = now ? result<void>{} : admit(which);
      if (admitted)
        admitted = admit_bytes(each.row, now);
      if (!admitted) {
        each.outcome = admitted.error();
        continue;
      }
      each.row.serial = ++last_serial_;
      each.outcome = each.row;
      set(which, std::move(each.row));
    } else if (!now || (each.row.serial != 0 && each.row.serial != now->serial)) {
      continue;
    } else if (each.operation == push_write::kind::erase) {
      set(which, std::nullopt);
    } else {
      now->progress = std::move(each.row.progress);
      set(which, std::move(now));
    }
  }
}

void push_table::stage(const key& which, std::optional<push_row> row) {
  if (row)
    last_serial_ = std::max(last_serial_, row->serial);
  set(which, std::move(row));
}

std::optional<push_row> push_table::current(const key& which) const {
  if (const auto found = staged_.find(which); found != staged_.end())
    return found->second;
  const std::lock_guard lock{guard_};
  const auto found = rows_.find(which);
  return found == rows_.end() ? std::nullopt : std::optional{found->second};
}

result<void> push_table::admit(const key& which) const {
  const auto added = added_.find(which.first);
  const std::lock_guard lock{guard_};
  return check_limits(static_cast<std::ptrdiff_t>(count(which.first))
                          + (added == added_.end() ? 0 : added->second),
                      static_cast<std::ptrdiff_t>(rows_.size()) + added_in_all_);
}

std::size_t push_table::count(const std::string& task) const {
  std::size_t out = 0;
  for (auto each = rows_.lower_bound(key{task, {}});
       each != rows_.end() && each->first.first == task; ++each)
    ++out;
  return out;
}

void push_table::set(const key& which, std::optional<push_row> to) {
  const auto before = current(which).has_value() ? 1 : 0;
  const auto change = (to ? 1 : 0) - before;
  added_[which.first] += change;
  added_in_all_ += change;
  staged_.insert_or_assign(which, std::move(to));
}

void push_table::publish() {
  {
    const std::lock_guard lock{guard_};
    for (auto& [which, row] : staged_) {
      if (row) {
        put(which, std::move(*row));
      } else if (const auto gone = rows_.find(which); gone != rows_.end()) {
        memory_->give_back(memory_account::push_configs, bytes_of(gone->second));
        rows_.erase(gone);
      }
    }
  }
  staged_.clear();
  added_.clear();
  added_in_all_ = 0;
}

void push_table::answer(std::vector<push_write>& writes) {
  for (auto& each : writes) {
    if (each.saved)
      each.saved(std::move(each.outcome));
    if (each.erased)
      each.erased({});
  }
}

// -- the queue -----------------------------------------------------------------------------------

namespace {

std::size_t bytes_of(const push_write& write) noexcept {
  return sizeof(push_write) - sizeof(push_row) + write.client.size() + bytes_of(write.row);
}

/// A write is urgent if clients can see it: a configuration, or the news that its notifications
/// have stopped.
bool is_urgent(const push_write& write) noexcept {
  return write.operation != push_write::kind::note || !write.row.progress.stopped.empty();
}

error too_much_waits(const char* limit, std::size_t bound, const char* unit) {
  return make_error(errc::overloaded,
                    "too many changes of push configurations wait for the disk (limit "
                        + std::string{limit} + ", " + std::to_string(bound) + ' ' + unit
                        + "); try again later",
                    limit);
}

} // namespace

result<void> push_queue::push(push_write& added) {
  if (!added.is_awaited()) {
    // One that waits already is of the same serial, so that no save is between the two.
    urgent_ += is_urgent(added) ? 1 : 0;
    const auto [where, is_first] = unawaited_.try_emplace(key_of(added), first_ + writes_.size());
    if (is_first) {
      writes_.push_back(std::move(added));
      return {};
    }
    auto& before = writes_[where->second - first_];
    urgent_ -= is_urgent(before) ? 1 : 0;
    before = std::move(added);
    return {};
  }
  const auto bytes = bytes_of(added);
  const auto known = awaited_by_client_.find(added.client);
  const auto mine = known == awaited_by_client_.end() ? 0 : known->second;
  if (awaited_ >= limits_.writes_max)
    return too_much_waits("push_writes_max", limits_.writes_max, "changes");
  if (mine >= limits_.writes_per_client_max)
    return too_much_waits("push_writes_per_client_max", limits_.writes_per_client_max,
                          "changes of one client");
  if (bytes_ + bytes > limits_.bytes_max)
    return too_much_waits("push_writes_bytes_max", limits_.bytes_max, "bytes");
  ++awaited_;
  ++urgent_;
  ++awaited_by_client_[added.client];
  bytes_ += bytes;
  writes_.push_back(std::move(added));
  return {};
}

std::vector<push_write> push_queue::take() {
  std::vector<push_write> out;
  std::size_t group_bytes = 0;
  while (!writes_.empty() && out.size() < group_changes_max) {
    auto& next = writes_.front();
    const auto bytes = bytes_of(next);
    group_bytes += bytes;
    if (!out.empty() && group_bytes > group_bytes_max)
      break;
    if (!next.is_awaited()) {
      unawaited_.erase(key_of(next));
    } else {
      --awaited_;
      bytes_ -= bytes;
      const auto mine = awaited_by_client_.find(next.client);
      if (--mine->second == 0)
        awaited_by_client_.erase(mine);
    }
    urgent_ -= is_urgent(next) ? 1 : 0;
    out.push_back(std::move(next));
    writes_.pop_front();
    ++first_;
  }
  return out;
}

push_queue::same push_queue::key_of(const push_write& write) {
  const auto& config = write.row.config;
  return {write.operation, config.task.str(), config.id, write.row.serial};
}

// -- the desk -------------------------------------------------------------------------------------

namespace {

push_write about(push_write::kind kind, const task_id& task, const std::string& id,
                 std::uint64_t serial) {
  push_write out;
  out.operation = kind;
  out.row.config.task = task;
  out.row.config.id = id;
  out.row.serial = serial;
  return out;
}

} // namespace

void push_desk::save(push_config config, push_progress from, saved_fn then) {
  push_write out;
  out.client = client_of(config.owner);
  out.row.config = std::move(config);
  out.row.progress = std::move(from);
  out.saved = std::move(then);
  submit(std::move(out));
}

void push_desk::erase(const task_id& task, const std::string& id, std::uint64_t serial,
                      erased_fn then, const std::string& client) {
  auto out = about(push_write::kind::erase, task, id, serial);
  out.client = client;
  out.erased = std::move(then);
  submit(std::move(out));
}

void push_desk::note(const task_id& task, const std::string& id, std::uint64_t serial,
                     push_progress progress) {
  auto out = about(push_write::kind::note, task, id, serial);
  out.row.progress = std::move(progress);
  submit(std::move(out));
}

void push_desk::refuse(const push_write& refused, const error& why) {
  if (refused.saved)
    refused.saved(why);
  if (refused.erased)
    refused.erased(why);
}

} // namespace troupe
