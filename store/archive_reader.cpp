#include "store/archive_reader.hpp"

#include <algorithm>

namespace troupe {

std::optional<error> archive_reader::refusal(const std::string& client) const {
  const auto busy = [](const char* limit, std::size_t bound, const char* unit) {
    return make_error(errc::overloaded,
                      "the store reads too much already (limit " + std::string{limit} + ", "
                          + std::to_string(bound) + " " + unit + "); try again later",
                      limit);
  };
  if (asking_ >= limits_.reads_max)
    return busy("archive_reads_max", limits_.reads_max, "reads");
  if (client.empty())
    return std::nullopt;
  const auto mine = asking_by_client_.find(client);
  // A read that another client's turn has answered keeps its place in the line until its own turn.
  if ((mine != asking_by_client_.end() && mine->second >= limits_.reads_per_client_max)
      || queue_.waiting_of(client) >= limits_.reads_per_client_max)
    return busy("archive_reads_per_client_max", limits_.reads_per_client_max,
                "reads of one client");
  if (bytes_handed_out_ && bytes_handed_out_() > limits_.bytes_handed_out_max)
    return busy("archive_bytes_handed_out_max", limits_.bytes_handed_out_max,
                "bytes of records in use");
  if (!memory_->has_room(memory_account::archive_reads, 0))
    return memory_->refusal(memory_account::archive_reads, 0);
  return std::nullopt;
}

std::optional<error> archive_reader::push(const std::string& key, const std::string& client,
                                          step&& added, answer_fn done) {
  const std::lock_guard lock{guard_};
  if (auto refused = refusal(client)) {
    ++counters_.refused;
    return refused;
  }
  ++asking_;
  ++asking_by_client_[client];
  asker me{client, std::move(done)};
  if (const auto known = by_key_.find(key); !key.empty() && known != by_key_.end()) {
    ++counters_.joined;
    auto& earlier = *known->second;
    const auto is_mine = [&](const asker& each) { return each.client == client; };
    const bool has_turn = earlier.is_taken || std::ranges::any_of(earlier.waiting, is_mine);
    earlier.waiting.push_back(std::move(me));
    if (!has_turn) // The turn that comes first does it.
      queue_.push(client, known->second);
    return std::nullopt;
  }
  auto one = std::make_shared<step>(std::move(added));
  one->key = key;
  one->waiting.push_back(std::move(me));
  if (!key.empty())
    by_key_.emplace(key, one);
  ++steps_;
  queue_.push(client, std::move(one));
  work_.notify_one();
  return std::nullopt;
}

std::optional<fair_queue<archive_reader::step_ptr>::taken> archive_reader::take() {
  while (auto next = queue_.next())
    if (!std::exchange(next->item->is_taken, true))
      return next;
  return std::nullopt;
}

bool archive_reader::turn() {
  std::optional<fair_queue<step_ptr>::taken> next;
  {
    const std::lock_guard lock{guard_};
    next = take();
    if (!next)
      return false;
  }
  auto& one = *next->item;
  const auto found = one.load();
  std::vector<asker> waiting;
  {
    const std::lock_guard lock{guard_};
    waiting = std::move(one.waiting);
    if (!one.key.empty())
      by_key_.erase(one.key);
    queue_.charge(next->client, found.bytes / archive_turn_bytes);
    asking_ -= waiting.size();
    for (const auto& each : waiting)
      if (const auto of = asking_by_client_.find(each.client); --of->second == 0)
        asking_by_client_.erase(of);
    ++counters_.disk_reads;
    counters_.failed += found.failed ? 1 : 0;
  }
  for (const auto& each : waiting)
    each.done(found.value);
  waiting.clear();
  const std::lock_guard lock{guard_};
  if (--steps_ == 0)
    idle_.notify_all();
  return true;
}

void archive_reader::run() {
  for (;;) {
    while (turn()) {
    }
    std::unique_lock lock{guard_};
    work_.wait(lock, [&] { return closing_ || queue_.size() > 0; });
    if (queue_.size() == 0)
      return;
  }
}

void archive_reader::close() {
  const std::lock_guard lock{guard_};
  closing_ = true;
  work_.notify_all();
}

void archive_reader::drain() {
  std::unique_lock lock{guard_};
  idle_.wait(lock, [&] { return steps_ == 0; });
}

read_counters archive_reader::counters() const {
  const std::lock_guard lock{guard_};
  auto out = counters_;
  out.waiting = steps_;
  return out;
}

} // namespace troupe
