#include "actors/task/artifact_cache.hpp"

#include <utility>

namespace troupe {

struct artifact_cache::holder {
  holder(std::shared_ptr<artifact_cache> of, const task& record)
      : cache(std::move(of)), id(record.id), owner(record.owner), artifacts(record.artifacts) {
    for (const auto& made : artifacts)
      bytes += bytes_of(*made);
    cache->memory_->force(memory_account::live_work, bytes);
  }
  holder(const holder&) = delete;
  holder& operator=(const holder&) = delete;
  ~holder() {
    cache->memory_->give_back(memory_account::live_work, bytes);
    cache->forget(id);
  }

  static made_by_task shown(const std::shared_ptr<const holder>& held) {
    made_by_task out{held->id, held->owner, {}};
    out.artifacts.reserve(held->artifacts.size());
    for (const auto& made : held->artifacts)
      out.artifacts.emplace_back(held, made.get());
    return out;
  }

  std::shared_ptr<artifact_cache> cache;
  task_id id;
  std::string owner;
  std::vector<artifact_ptr> artifacts;
  std::size_t bytes = 0;
};

void artifact_cache::find(const store& records, const task_id& id, done_fn done) {
  {
    std::shared_ptr<const holder> held; // released without the lock
    std::unique_lock lock{mutex_};
    auto& known = entries_[id];
    held = known.held.lock();
    if (held) {
      lock.unlock();
      return done(holder::shown(held));
    }
    known.waiting.push_back(std::move(done));
    if (known.waiting.size() > 1)
      return;
  }
  records.read_task(id, [self = shared_from_this(), id](const result<task_ptr>& record) {
    self->on_read(id, record);
  });
}

void artifact_cache::on_read(const task_id& id, const result<task_ptr>& record) {
  std::shared_ptr<const holder> held;
  if (record)
    held = std::make_shared<const holder>(shared_from_this(), **record);
  std::vector<done_fn> waiting;
  {
    const std::lock_guard lock{mutex_};
    auto& known = entries_[id];
    waiting = std::exchange(known.waiting, {});
    // A task that has not ended may make more, so it is read again each time.
    if (held && is_terminal((*record)->status.state))
      known.held = held;
    else
      entries_.erase(id);
  }
  const auto answer =
      held ? result<made_by_task>{holder::shown(held)} : result<made_by_task>{record.error()};
  for (const auto& done : waiting)
    done(answer);
}

void artifact_cache::forget(const task_id& id) {
  const std::lock_guard lock{mutex_};
  const auto known = entries_.find(id);
  if (known != entries_.end() && known->second.waiting.empty() && known->second.held.expired())
    entries_.erase(known);
}

} // namespace troupe
