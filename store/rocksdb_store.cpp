#include "store/rocksdb_store.hpp"

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>

#include "protocol/record.hpp"
#include "store/change_batch.hpp"
#include "store/journal.hpp"
#include "store/limits.hpp"
#include "store/replay.hpp"
#include "store/rocksdb_pushes.hpp"
#include "store/rocksdb_open.hpp"
#include "store/rocksdb_rows.hpp"
#include "store/rocksdb_scan.hpp"

namespace troupe {

namespace {

/// Everybody's threads hand changes in; one thread of its own writes what has gathered as one batch, publishes it, and calls the
/// continuations. While the disk refuses, the batch stays as it is and the rest waits behind it.
class rocksdb_store final : public store, private push_desk {
public:
  rocksdb_store(opened_database database, const rocksdb_options& options, const rocksdb_internals& internals)
    : directory_(options.directory),
      is_sync_(options.durability == durability::sync),
      retry_interval_(internals.retry_interval),
      repaired_(std::move(database.repaired)),
      warnings_(std::move(database.warnings)),
      env_(std::move(database.env)),
      db_(std::move(database.db)),
      archive_(*db_),
      ledger_(archive_),
      batch_(ledger_, archive_) {}

  rocksdb_store(const rocksdb_store&) = delete;
  rocksdb_store& operator=(const rocksdb_store&) = delete;

  ~rocksdb_store() override {
    {
      const std::lock_guard lock{guard_};
      stopping_ = true;
    }
    work_.notify_all();
    if (writer_.joinable())
      writer_.join();
  }

  [[nodiscard]] result<void> start() {
    if (const auto read = archive_.open(); !read)
      return read.error();
    if (const auto read = read_pushes(*db_, table()); !read)
      return read.error();
    writer_ = std::thread{[this] { write_changes(); }};
    return {};
  }

  // -- store -----------------------------------------------------------------------------------------------------------

  void commit(change what, committed_fn then, watcher_ptr follow) override {
    submission each;
    record::write(each.row, what);
    each.what = std::move(what);
    each.then = std::move(then);
    each.follow = std::move(follow);
    backlog_.fetch_add(1, std::memory_order_relaxed);
    bool wake = false;
    {
      const std::lock_guard lock{guard_};
      enqueue(std::move(each));
      wake = std::exchange(is_idle_, false);
    }
    if (wake)
      work_.notify_one();
  }

  [[nodiscard]] task_ptr find_task(const task_id& id) const override { return ledger_.find_task(id); }
  [[nodiscard]] objective_ptr find_objective(const objective_id& id) const override {
    return ledger_.find_objective(id);
  }
  [[nodiscard]] std::optional<objective_id> objective_of(const plan_id& id) const override {
    return ledger_.objective_of(id);
  }
  [[nodiscard]] bool knows_task(const task_id& id) const override { return ledger_.knows_task(id); }
  [[nodiscard]] bool knows_objective(const objective_id& id) const override { return ledger_.knows_objective(id); }
  [[nodiscard]] result<task_page> list(const list_tasks& query) const override { return ledger_.list(query); }
  [[nodiscard]] result<objective_page> list(const list_objectives& query) const override {
    return ledger_.list(query);
  }
  [[nodiscard]] task_snapshot snapshot_task(const task_id& id, watcher_ptr who) override {
    return ledger_.snapshot_task(id, who);
  }
  [[nodiscard]] objective_snapshot snapshot_objective(const objective_id& id, watcher_ptr who) override {
    return ledger_.snapshot_objective(id, who);
  }
  void unwatch(const std::string& task_or_objective, const watcher_ptr& who) override {
    ledger_.unwatch(task_or_objective, who);
  }

  [[nodiscard]] result<journal_page> read_changes(const task_id& id, const journal_range& range) const override {
    return read_journal(*db_, ledger_, id, range);
  }
  [[nodiscard]] result<journal_page> read_changes(const objective_id& id, const journal_range& range) const override {
    return read_journal(*db_, ledger_, id, range);
  }

  [[nodiscard]] push_configs& pushes() override { return *this; }

  [[nodiscard]] result<recovered> recover() override {
    std::vector<objective_id> settled;
    auto out = replay(*db_, ledger_, settled);
    if (!out)
      return out;
    out->repaired = repaired_;
    if (settled.empty())
      return out; // Waking the writer for nothing would leave it waiting unnoticed.
    const std::lock_guard lock{guard_};
    settled_.insert(settled_.end(), settled.begin(), settled.end());
    is_idle_ = false;
    work_.notify_one();
    return out;
  }

  void evict(timestamp settled_before) override { ledger_.evict(settled_before); }

  [[nodiscard]] store_status status() const override {
    store_status out;
    out.backlog_changes = backlog_.load(std::memory_order_relaxed);
    out.live_tasks = ledger_.live_tasks();
    out.live_objectives = ledger_.live_objectives();
    const std::lock_guard lock{guard_};
    out.writable = problem_.empty();
    out.problem = problem_;
    return out;
  }

  void flush() override {
    std::unique_lock lock{guard_};
    done_.wait(lock, [&] { return is_quiet(); });
  }

  void drain() override {
    std::vector<committed_fn> dropped; // Destroyed without the lock: what they hold is not ours.
    std::unique_lock lock{guard_};
    done_.wait(lock, [&] { return is_quiet() || !problem_.empty(); });
    const auto drop = [&](std::vector<submission>& of) {
      for (auto& each : of)
        dropped.push_back(std::exchange(each.then, nullptr));
    };
    if (problem_.empty())
      return;
    drop(writing_); // The writer calls none before it has cleared the problem.
    for (auto& waiting : queue_)
      drop(waiting);
  }

private:
  void submit(push_write what) override {
    bool wake = false;
    {
      const std::lock_guard lock{guard_};
      pushes_.push_back(std::move(what));
      wake = std::exchange(is_idle_, false);
    }
    if (wake)
      work_.notify_one();
  }

  /// Under the lock.
  [[nodiscard]] bool has_work() const noexcept {
    return !queue_.empty() || !settled_.empty() || !pushes_.empty();
  }

  /// Under the lock.
  [[nodiscard]] bool is_quiet() const noexcept { return !has_work() && !is_writing_; }

  /// Behind what waits already, in the last batch-to-be if there is room in it. Under the lock.
  void enqueue(submission&& each) {
    const auto bytes = each.row.size();
    if (queue_.empty() || queue_.back().size() == group_changes_max || last_bytes_ + bytes > group_bytes_max) {
      queue_.push_back(std::move(spare_));
      spare_ = {};
      last_bytes_ = 0;
    }
    queue_.back().push_back(std::move(each));
    last_bytes_ += bytes;
  }

  // -- the writer's thread ---------------------------------------------------------------------------------------------

  void write_changes() {
    ::pthread_setname_np(::pthread_self(), "store-writer");
    auto& group = writing_;
    std::vector<objective_id> seals;
    std::vector<push_write> pushes;
    while (gather(seals, pushes)) {
      if (!stage_until_done(seals))
        return;
      const bool awaited = std::any_of(pushes.begin(), pushes.end(), [](const auto& each) { return each.is_awaited(); });
      table().stage(pushes);
      put_pushes(batch_.rows(), table());
      batch_.finish();
      // Seals alone need not be waited for: without them the journal is replayed. Nor need the progress of notifications: without
      // it some are sent again.
      const bool written = batch_.empty() || write_until_done(is_sync_ && (!group.empty() || awaited));
      if (!written)
        return;
      if (has_problem())
        clear_problem();
      std::vector<objective_id> settled;
      batch_.publish(group, settled);
      batch_.clear();
      table().publish();
      push_table::answer(pushes);
      pushes.clear();
      for (auto& each : group)
        call(each.then);
      backlog_.fetch_sub(group.size(), std::memory_order_relaxed);
      group.clear();
      seals.clear();
      rest(std::move(settled));
    }
  }

  /// Waits for work and takes it; false once there is none left and the store is closing.
  bool gather(std::vector<objective_id>& seals, std::vector<push_write>& pushes) {
    std::unique_lock lock{guard_};
    if (!has_work()) {
      is_idle_ = true;
      work_.wait(lock, [&] { return stopping_ || has_work(); });
      is_idle_ = false;
    }
    if (!has_work())
      return false;
    is_writing_ = true;
    const auto seal_count = std::min(settled_.size(), group_seals_max);
    const auto seals_end = settled_.begin() + static_cast<std::ptrdiff_t>(seal_count);
    seals.assign(settled_.begin(), seals_end);
    settled_.erase(settled_.begin(), seals_end);
    std::swap(pushes, pushes_); // Small, and those of one configuration become one row.
    if (queue_.empty())
      return true;
    spare_ = std::exchange(writing_, std::move(queue_.front()));
    queue_.pop_front();
    return true;
  }

  /// A continuation that cannot read what it wants to answer with is dropped: whoever waits for it is told so by its going.
  static void call(const committed_fn& then) {
    try {
      if (then)
        then();
    } catch (const store_unreadable&) { // The next reader is told the same.
    }
  }

  void rest(std::vector<objective_id> settled) {
    const std::lock_guard lock{guard_};
    settled_.insert(settled_.end(), std::make_move_iterator(settled.begin()), std::make_move_iterator(settled.end()));
    is_writing_ = false;
    if (!has_work())
      done_.notify_all();
  }

  /// What the changes lead to may be on disk. False as for write_until_done.
  bool stage_until_done(const std::vector<objective_id>& seals) {
    for (bool last_attempt = false;;) {
      try {
        batch_.stage(writing_);
        for (const auto& each : seals)
          batch_.stage_seal(each);
        return true;
      } catch (const store_unreadable& failure) {
        batch_.abandon();
        if (last_attempt)
          return false;
        last_attempt = await_retry(failure.what());
      }
    }
  }

  /// False if the store is closing and the disk still refuses: what was not acknowledged is then lost.
  bool write_until_done(bool sync) {
    auto status = write(sync);
    while (!status.ok()) {
      const bool last_attempt = await_retry(describe_write_failure(status, directory_));
      db_->Resume().PermitUncheckedError(); // The write says whether it helped.
      status = write(sync);
      if (!status.ok() && last_attempt)
        return false;
    }
    return true;
  }

  /// `Resume` gives up the journal that failed only if it has a memory table to move to a file, and a second write to that journal ends
  /// the process (RocksDB before 9.6.1). So there is always a row in the table, one that no journal needs to know.
  rocksdb::Status write(bool sync) {
    rocksdb::WriteOptions unlogged;
    unlogged.disableWAL = true;
    if (auto status = db_->Put(unlogged, slice_of(rows::mark_key), rocksdb::Slice{}); !status.ok())
      return status;
    rocksdb::WriteOptions how;
    how.sync = sync;
    return db_->Write(how, &batch_.rows());
  }

  /// Says what is wrong and waits; true if the store is closing.
  bool await_retry(std::string problem) {
    std::unique_lock lock{guard_};
    problem_ = std::move(problem);
    done_.notify_all();
    return work_.wait_for(lock, retry_interval_, [&] { return stopping_; });
  }

  [[nodiscard]] bool has_problem() const {
    const std::lock_guard lock{guard_};
    return !problem_.empty();
  }

  void clear_problem() {
    const std::lock_guard lock{guard_};
    problem_.clear();
  }

  const std::string directory_;
  const bool is_sync_;
  const std::chrono::milliseconds retry_interval_;
  const std::string repaired_;
  const std::shared_ptr<warning_log> warnings_;
  const std::unique_ptr<rocksdb::Env> env_;
  const std::unique_ptr<rocksdb::DB> db_;
  rocksdb_archive archive_;
  ledger ledger_;
  change_batch batch_;
  std::vector<submission> writing_; ///< The writer's; while `problem_` is set, `drain` may take continuations from it.

  mutable std::mutex guard_; ///< Of what follows.
  std::condition_variable work_;
  std::condition_variable done_;
  std::deque<std::vector<submission>> queue_; ///< Each no more than a batch.
  std::vector<submission> spare_;             ///< Empty; its memory serves the next batch.
  std::size_t last_bytes_ = 0;                ///< Bytes of journal rows in the last of `queue_`.
  std::vector<objective_id> settled_;         ///< To be sealed.
  std::vector<push_write> pushes_;
  std::string problem_;  ///< Empty: the last write went well.
  bool is_idle_ = false; ///< The writer waits for work.
  bool is_writing_ = false;
  bool stopping_ = false;

  std::atomic<std::size_t> backlog_{0};
  std::thread writer_;
};

} // namespace

result<std::unique_ptr<store>> open_rocksdb_store(const rocksdb_options& options, const rocksdb_internals& internals) {
  auto database = open_database(options, internals);
  if (!database)
    return database.error();
  auto out = std::make_unique<rocksdb_store>(std::move(*database), options, internals);
  if (const auto started = out->start(); !started)
    return started.error();
  return std::unique_ptr<store>{std::move(out)};
}

result<std::unique_ptr<store>> open_rocksdb_store(const rocksdb_options& options) {
  return open_rocksdb_store(options, rocksdb_internals{});
}

} // namespace troupe
