#include "store/memory/memory_archive.hpp"

#include "protocol/change_size.hpp"
#include <troupe/store/limits.hpp>

#include <algorithm>
#include <bit>
#include <utility>

namespace troupe {

namespace {

/// Below this many rows a shard's share would be too uneven, so there are fewer shards.
constexpr std::size_t shard_rows_min = 65'536;

std::size_t shards_for(std::size_t rows_max) noexcept {
  return std::clamp(std::bit_floor(rows_max / shard_rows_min), std::size_t{1}, ledger_shards);
}

} // namespace

memory_archive::memory_archive(std::size_t tasks_max, std::size_t bytes_max,
                               memory_budget_ptr memory)
    : memory_archive(tasks_max, bytes_max, shards_for(tasks_max), std::move(memory)) {}

memory_archive::memory_archive(std::size_t tasks_max, std::size_t bytes_max, std::size_t shards,
                               memory_budget_ptr memory)
    : memory_(std::move(memory)), shard_count_(shards), rows_max_(tasks_max / shard_count_),
      bytes_max_(bytes_max / shard_count_), shards_(std::make_unique<shard[]>(shard_count_)) {}

memory_archive::~memory_archive() {
  for (std::size_t i = 0; i < shard_count_; ++i)
    memory_->give_back(memory_account::ended_tasks, shards_[i].bytes);
}

void memory_archive::shrink() {
  for (std::size_t i = 0; i < shard_count_; ++i) {
    std::vector<task_ptr> gone; // Destroyed without the lock.
    const std::lock_guard lock{shards_[i].guard};
    trim(shards_[i], gone);
  }
}

void memory_archive::count_gone(shard& home, std::size_t bytes) const noexcept {
  home.bytes -= bytes;
  memory_->give_back(memory_account::ended_tasks, bytes);
}

memory_archive::shard& memory_archive::shard_of(const task_id& id) const noexcept {
  return shards_[text_hash{}(id.str()) >> 40 & (shard_count_ - 1)];
}

void memory_archive::keep(const task_ptr& ended) {
  const auto bytes = bytes_of(*ended);
  std::vector<task_ptr> gone; // Destroyed without the lock.
  auto& home = shard_of(ended->id);
  const std::lock_guard lock{home.guard};
  if (rows_max_ == 0 || home.by_id.contains(std::string_view{ended->id.str()}))
    return;
  home.by_id.insert({ended, home.rows.add(ended), bytes});
  home.bytes += bytes;
  memory_->force(memory_account::ended_tasks, bytes);
  trim(home, gone);
}

void memory_archive::trim(shard& home, std::vector<task_ptr>& gone) const {
  const auto is_too_much = [&] {
    return home.by_id.size() > rows_max_
           || (home.by_id.size() > 1
               && (home.bytes > bytes_max_ || !memory_->has_room(memory_account::ended_tasks, 0)));
  };
  while (!home.rows.empty() && (!home.rows.oldest() || is_too_much())) {
    auto oldest = home.rows.drop_oldest();
    if (!oldest)
      continue;
    const auto found = home.by_id.find(std::string_view{oldest->id.str()});
    count_gone(home, found->bytes);
    home.by_id.erase(found);
    gone.push_back(std::move(oldest));
  }
  if (home.rows.is_sparse()) // Behind an old task in front, forgotten ones would gather.
    home.rows.renumber([&](const task_ptr& record, std::uint64_t number) {
      home.by_id.find(std::string_view{record->id.str()})->number = number;
    });
}

void memory_archive::forget(const task_id& id) {
  std::vector<task_ptr> gone; // Destroyed without the lock.
  auto& home = shard_of(id);
  const std::lock_guard lock{home.guard};
  const auto found = home.by_id.find(std::string_view{id.str()});
  if (found == home.by_id.end())
    return;
  gone.push_back(home.rows.take(found->number));
  count_gone(home, found->bytes);
  home.by_id.erase(found);
  trim(home, gone);
}

void memory_archive::learn(const objective_id& owner, std::uint32_t plan_index,
                           const plan_spec& plan) {
  if (!is_generated(plan.id, owner, plan_index)) {
    const std::lock_guard lock{plans_.guard};
    plans_.by_id.try_emplace(plan.id.str(), plan_place{owner, plan_index});
  }
  std::unique_lock lock{tasks_.guard, std::defer_lock};
  for (std::size_t index = 0; index < plan.tasks.size(); ++index) {
    if (is_generated(plan.tasks[index].id, plan.id, index))
      continue;
    if (!lock.owns_lock())
      lock.lock();
    tasks_.by_id.try_emplace(plan.tasks[index].id.str(),
                             task_place{owner, plan_index, static_cast<std::uint32_t>(index)});
  }
}

void memory_archive::forget(const objective_view& gone) {
  for (const auto& plan : gone.plans) {
    {
      const std::lock_guard lock{plans_.guard};
      plans_.by_id.erase(plan.spec->id.str());
    }
    for (std::size_t index = 0; index < plan.tasks.size(); ++index) {
      const auto& base = plan.spec->tasks[index].id;
      if (!is_generated(base, plan.spec->id, index)) {
        const std::lock_guard lock{tasks_.guard};
        tasks_.by_id.erase(base.str());
      }
      for (std::uint32_t generation = 0; generation <= plan.tasks[index].generation; ++generation)
        forget(renewed_id(base, generation));
    }
  }
  if (!gone.root_task.empty())
    forget(gone.root_task);
}

task_ptr memory_archive::find_task(const task_id& id) const {
  auto& home = shard_of(id);
  const std::lock_guard lock{home.guard};
  const auto found = home.by_id.find(std::string_view{id.str()});
  return found == home.by_id.end() ? nullptr : found->record;
}

std::size_t memory_archive::rows() const {
  std::size_t out = 0;
  for (std::size_t i = 0; i < shard_count_; ++i) {
    const std::lock_guard lock{shards_[i].guard};
    out += shards_[i].rows.size();
  }
  return out;
}

bool memory_archive::has_task(const task_id& id) const {
  auto& home = shard_of(id);
  const std::lock_guard lock{home.guard};
  return home.by_id.contains(std::string_view{id.str()});
}

std::optional<task_place> memory_archive::place_of(const task_id& id) const {
  const std::lock_guard lock{tasks_.guard};
  const auto found = tasks_.by_id.find(std::string_view{id.str()});
  return found == tasks_.by_id.end() ? std::nullopt : std::optional{found->second};
}

std::optional<plan_place> memory_archive::place_of(const plan_id& id) const {
  const std::lock_guard lock{plans_.guard};
  const auto found = plans_.by_id.find(std::string_view{id.str()});
  return found == plans_.by_id.end() ? std::nullopt : std::optional{found->second};
}

std::optional<objective_state_of_record> memory_archive::find_objective(const objective_id&) const {
  return std::nullopt;
}

bool memory_archive::has_objective(const objective_id&) const {
  return false;
}

listed<task_ptr> memory_archive::list_tasks(const task_filter& filter,
                                            const std::optional<position>& after, std::size_t count,
                                            const task_view_options&) const {
  first_rows<task_ptr> rows{after, count};
  std::uint64_t looked_at = 0;
  for (std::size_t i = 0; i < shard_count_; ++i) {
    const std::lock_guard lock{shards_[i].guard};
    looked_at += shards_[i].rows.list(filter, rows);
  }
  rows_looked_at_.fetch_add(looked_at, std::memory_order_relaxed);
  return rows.take();
}

result<listed<objective_ptr>> memory_archive::list_objectives(const objective_filter&,
                                                              objective_order,
                                                              const std::optional<position>&,
                                                              std::size_t) const {
  return listed<objective_ptr>{};
}

} // namespace troupe
