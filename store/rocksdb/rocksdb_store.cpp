#include "store/rocksdb/rocksdb_store.hpp"

#include "protocol/change_size.hpp"
#include "protocol/record/record.hpp"
#include "store/answers.hpp"
#include "store/archive_reader.hpp"
#include "store/id_claims.hpp"
#include "store/rocksdb/catch_up.hpp"
#include "store/rocksdb/change_queue.hpp"
#include "store/rocksdb/group_writer.hpp"
#include "store/rocksdb/past.hpp"
#include "store/rocksdb/replay.hpp"
#include "store/rocksdb/rocksdb_open.hpp"
#include "store/rocksdb/rocksdb_pushes.hpp"
#include "store/rocksdb/staging.hpp"
#include "store/short_time_slices.hpp"
#include <troupe/store/limits.hpp>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_set>
#include <utility>
#include <vector>

#include <pthread.h>

namespace troupe {

namespace {

/// Its row is given its room before it is written.
constexpr std::size_t long_change_bytes = std::size_t{64} << 10;

/// For changes that have waited for their objective: while there are some nothing else is taken, so
/// that parts would only make others wait longer.
group_limits without_parts(group_limits of) {
  of.has_parts = false;
  return of;
}

/// Changes are handed in on any thread. The writer takes what has gathered as one group, and calls
/// the continuations once the group is durable and visible (group_writer).
class rocksdb_store final : public turned_store, private push_desk {
public:
  rocksdb_store(opened_files files, const rocksdb_options& options,
                const rocksdb_internals& internals)
      : push_desk(budget_or_own(options.memory)), retry_interval_(internals.retry_interval),
        group_ahead_changes_(internals.group_ahead_changes),
        history_page_changes_(internals.history_page_changes), time_(*internals.time),
        origin_(internals.origin), keep_groups_from_(internals.keep_groups_from),
        memory_(budget_or_own(options.memory)), directory_(options.directory),
        files_(std::move(files)), db_(*files_.db), archive_(db_, memory_, internals.records),
        ledger_(archive_, memory_),
        reader_(
            internals.reads, [this] { return archive_.bytes_handed_out(); }, memory_),
        groups_(files_, {db_, ledger_, archive_, table(), came_},
                {options.directory, internals.retry_interval, internals.journal_behind_bytes,
                 internals.journal_forget_bytes, internals.flushes_at_end, internals.time,
                 memory_}),
        queue_(internals.groups), returned_(without_parts(internals.groups)) {}

  rocksdb_store(const rocksdb_store&) = delete;
  rocksdb_store& operator=(const rocksdb_store&) = delete;

  ~rocksdb_store() override {
    {
      const std::lock_guard lock{guard_};
      stopping_ = true;
    }
    files_.patience->end(); // A disk that refuses is not waited for.
    work_.notify_all();
    if (!is_open_) { // The start failed, perhaps in the middle of a group: the tables stay as they
                     // are.
      groups_.close_journal();
      return;
    }
    if (writer_.joinable())
      writer_.join();
    else
      take_turns();
    reader_.close();
    for (auto& each : readers_)
      each.join();
    groups_.close();
  }

  /// Brings memory and tables to where the journal is.
  [[nodiscard]] result<void> open(const std::function<void(const start_progress&)>& on_progress) {
    if (const auto read = unless_unreadable<void>([&] { return archive_.open(); }); !read)
      return read.error();
    if (const auto read = read_pushes(db_, table()); !read)
      return read.error();
    if (const auto read = replay_once(db_, came_, time_.now()); !read)
      return read.error();
    const auto replayed = replay(db_, ledger_, settled_, on_progress);
    if (!replayed)
      return replayed.error();
    if (keep_groups_from_) // Before anything is forgotten.
      groups_.keep_groups(*keep_groups_from_);
    const auto caught_up = catch_up(*files_.journal, *files_.disk, files_.mark,
                                    {db_, ledger_, archive_, table(), came_}, settled_, time_.now(),
                                    on_progress, origin_.get());
    if (!caught_up)
      return caught_up.error();
    files_.patience->begin();
    groups_.begin_at_start(caught_up->long_changes);
    found_at_ = groups_.published_at();
    note_reached();
    auto found = ledger_.list_unfinished();
    recovered_ = {std::move(found.objectives), std::move(found.lone_tasks),
                  *replayed + caught_up->events, files_.repaired};
    unfinished_ = caught_up->unfinished;
    is_open_ = true;
    return {};
  }

  // -- turned_store -------------------------------------------------------------------------------

  void start() override {
    groups_.start([this] {
      const std::lock_guard lock{guard_};
      is_disk_ready_ = true;
      work_.notify_one();
    });
    writer_ = std::thread{[this] { run_writer(); }};
    for (std::size_t i = 0; i < archive_readers; ++i)
      readers_.emplace_back([this] {
        ::pthread_setname_np(::pthread_self(), "store-reader");
        reader_.run();
      });
  }
  [[nodiscard]] std::size_t unfinished() const noexcept override { return unfinished_; }
  bool turn() override { return take_turn() == turn_end::went_on || reader_.turn(); }

  // -- group_feed ---------------------------------------------------------------------------------

  void read_groups(const journal::journal_cursor& from, std::size_t bytes_max,
                   std::function<void(result<journal::group_page>)> done) override {
    {
      const std::lock_guard lock{guard_};
      asked_.push_back({from, bytes_max, std::move(done)});
    }
    work_.notify_one();
  }
  void keep_groups(journal::position from) override {
    {
      const std::lock_guard lock{guard_};
      keep_from_ = from;
    }
    work_.notify_one();
  }
  [[nodiscard]] reached groups_reached() const override {
    const std::lock_guard lock{following_};
    return reached_;
  }
  void on_groups(std::function<void()> call) override {
    const std::lock_guard lock{following_};
    on_groups_ = std::move(call);
  }

  // -- store --------------------------------------------------------------------------------------

  void commit(change change, committed_fn then, watcher_ptr follow) override {
    submission each;
    if (const auto bytes = troupe::bytes_of(change); bytes >= long_change_bytes)
      each.row.reserve(bytes + bytes / 8); // A text that doubles would take twice as much.
    record::write(each.row, change);
    each.submitted = std::move(change);
    each.then = std::move(then);
    each.follow = std::move(follow);
    each.held = memory_charge::force(*memory_, memory_account::backlog,
                                     2 * each.row.size() + waiting_change_bytes);
    backlog_.fetch_add(1, std::memory_order_relaxed);
    bool wake = false;
    {
      const std::lock_guard lock{guard_};
      queue_.push(std::move(each));
      wake = is_idle_ && may_begin();
      is_idle_ = is_idle_ && !wake;
    }
    if (wake)
      work_.notify_one();
  }

  // -- reading: from memory at once, else by a reader ---------------------------------------------

  void read_task(const task_id& id, read_done<task_ptr> done,
                 const std::string& client) const override {
    answer<task_ptr>(
        "task " + id.str(), client,
        [this, id](const auto& ended) { return answer_task(ledger_, ended, id); }, std::move(done));
  }
  void read_objective(const objective_id& id, read_done<objective_ptr> done,
                      const std::string& client) const override {
    answer<objective_ptr>(
        "objective " + id.str(), client,
        [this, id](const auto& ended) { return answer_objective(ledger_, ended, id); },
        std::move(done));
  }
  void read_objective(const plan_id& id, read_done<objective_ptr> done,
                      const std::string& client) const override {
    answer<objective_ptr>(
        "objective of plan " + id.str(), client,
        [this, id](const auto& ended) { return answer_objective(ledger_, ended, id); },
        std::move(done));
  }
  void read_placement(const task_id& id, read_done<placement> done,
                      const std::string& client) const override {
    place("task", id, std::move(done), client);
  }
  void read_placement(const objective_id& id, read_done<placement> done,
                      const std::string& client) const override {
    place("objective", id, std::move(done), client);
  }
  void read_placement(const plan_id& id, read_done<placement> done,
                      const std::string& client) const override {
    place("plan", id, std::move(done), client);
  }
  void list(const list_tasks& query, read_done<task_page> done,
            const std::string& client) const override {
    // Also a list of live tasks, which needs no disk: it looks at all rows of their owner.
    read_from_disk<task_page>(
        {}, client, [this, query](const auto& ended) { return ledger_.list(query, ended); },
        std::move(done));
  }
  void list(const list_objectives& query, read_done<objective_page> done,
            const std::string& client) const override {
    read_from_disk<objective_page>(
        {}, client, [this, query](const auto& ended) { return ledger_.list(query, ended); },
        std::move(done));
  }
  void list(const list_inputs& query, read_done<input_page> done,
            const std::string&) const override {
    done(ledger_.list(query));
  }
  void snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                     const std::string& client) override {
    answer<task_snapshot>(
        {}, client,
        [this, id, who = std::move(who)](const auto& ended) {
          return answer_snapshot(ledger_, ended, id, who);
        },
        std::move(done));
  }
  void snapshot_objective(const objective_id& id, watcher_ptr who,
                          read_done<objective_snapshot> done, const std::string& client) override {
    answer<objective_snapshot>(
        {}, client,
        [this, id, who = std::move(who)](const auto& ended) {
          return answer_snapshot(ledger_, ended, id, who);
        },
        std::move(done));
  }
  void read_changes(const task_id& id, const history_range& range, read_done<history_page> done,
                    const std::string& client) const override {
    read_past(id, range, std::move(done), client);
  }
  void read_changes(const objective_id& id, const history_range& range,
                    read_done<history_page> done, const std::string& client) const override {
    read_past(id, range, std::move(done), client);
  }
  [[nodiscard]] bool has_history() const noexcept override { return true; }

  void read_once(const once& wanted, timestamp now, read_done<once_ptr> done) const override {
    done(came_.find(wanted, now));
  }

  void claim_ids(std::vector<std::string> ids, read_done<void> done,
                 const std::string& client) override {
    const auto wanted = std::make_shared<const std::vector<std::string>>(std::move(ids));
    const auto read = [this, wanted](const auto& ended) {
      return answer_unused(ledger_, ended, *wanted);
    };
    claims_.claim(
        *wanted, [this, wanted, read, client, done = std::move(done)](const result<void>& claimed) {
          if (!claimed)
            return done(claimed);
          auto checked = [this, wanted, done](const result<void>& unused) {
            if (!unused)
              claims_.release(*wanted);
            done(unused);
          };
          if (wanted->size() <= claimed_at_once_max)
            answer<void>({}, client, read, std::move(checked));
          else
            read_from_disk<void>({}, client, read, std::move(checked));
        });
  }
  void release_ids(const std::vector<std::string>& ids) override { claims_.release(ids); }

  // -- watching -----------------------------------------------------------------------------------

  void unwatch(const std::string& task_or_objective, const watcher_ptr& who) override {
    ledger_.unwatch(task_or_objective, who);
  }
  void watch_all(const watcher_ptr& who) override { ledger_.watch_all(who); }
  void unwatch_all(const watcher_ptr& who) override { ledger_.unwatch_all(who); }

  [[nodiscard]] push_configs& pushes() override { return *this; }

  [[nodiscard]] result<recovered> recover() override { return std::exchange(recovered_, {}); }

  void evict(timestamp settled_before) override {
    const bool has_room = memory_->has_room(memory_account::ended_objectives, 0);
    ledger_.evict(has_room ? settled_before : timestamp::max());
    archive_.shrink();
  }
  void forget_expired(timestamp now) override {
    if (!came_.has_expired(now))
      return;
    bool wake = false;
    {
      const std::lock_guard lock{guard_};
      expired_at_ = now;
      wake = is_idle_ && may_begin();
      is_idle_ = is_idle_ && !wake;
    }
    if (wake)
      work_.notify_one();
  }

  [[nodiscard]] store_status status() const override {
    store_status out;
    out.backlog_changes = backlog_.load(std::memory_order_relaxed);
    out.backlog_bytes = memory_->held(memory_account::backlog);
    out.live_tasks = ledger_.live_tasks();
    out.live_objectives = ledger_.live_objectives();
    out.forgotten_early = came_.forgotten_early();
    out.reads = reader_.counters();
    archive_.count(out.reads);
    const std::lock_guard lock{guard_};
    out.problem = !problem_.empty() ? problem_ : !unreadable_.empty() ? unreadable_ : silence();
    out.writable = out.problem.empty();
    out.writes = written_;
    return out;
  }

  void flush() override {
    if (!writer_.joinable()) {
      {
        const std::lock_guard lock{guard_};
        progress_due_at_ = {};
      }
      return take_turns();
    }
    std::unique_lock lock{guard_};
    progress_due_at_ = {}; // What waits now.
    work_.notify_one();
    done_.wait(lock, [&] { return is_quiet(); });
  }

  /// A continuation may read, and what a read is answered with may commit.
  void drain() override {
    for (;;) {
      // The continuations are destroyed without the lock, and before the next look: objects that
      // they hold may commit when they are destroyed.
      std::vector<committed_fn> dropped;
      if (!writer_.joinable())
        take_turns();
      {
        std::unique_lock lock{guard_};
        done_.wait(lock, [&] { return is_quiet() || is_stuck() || is_held(); });
      }
      reader_.drain();
      const std::lock_guard lock{guard_};
      if (is_stuck())
        drop_continuations(dropped);
      if (dropped.empty() && (is_quiet() || is_stuck() || is_held()))
        return;
    }
  }

private:
  struct asked_groups {
    journal::journal_cursor from;
    std::size_t bytes_max = 0;
    std::function<void(result<journal::group_page>)> done;
  };

  [[nodiscard]] rocksdb_reads from_disk() const { return rocksdb_reads{archive_, reach::disk}; }

  /// Has a reader call `look` with reads of the disk.
  template<class T, class Look>
  void read_from_disk(const std::string& key, const std::string& client, Look look,
                      read_done<T> done) const {
    reader_.read<T>(
        key, client,
        [this, look = std::move(look)] {
          const auto ended = from_disk();
          auto value = unless_unreadable<T>([&] { return look(ended); });
          return archive_reader::loaded<T>{std::move(value), ended.bytes()};
        },
        std::move(done));
  }

  /// Answers at once what memory knows.
  template<class T, class Look>
  void answer(const std::string& key, const std::string& client, Look look,
              read_done<T> done) const {
    const rocksdb_reads ended{archive_, reach::memory};
    auto found = unless_unreadable<T>([&] { return look(ended); });
    if (ended.is_complete())
      done(std::move(found));
    else
      read_from_disk<T>(key, client, std::move(look), std::move(done));
  }

  template<class Id>
  void place(const char* kind, const Id& id, read_done<placement> done,
             const std::string& client) const {
    answer<placement>(
        std::string{"place of "} + kind + ' ' + id.str(), client,
        [this, id](const auto& ended) { return answer_placement(ledger_, ended, id); },
        std::move(done));
  }

  template<class Id>
  void read_past(const Id& id, const history_range& range, read_done<history_page> done,
                 const std::string& client) const {
    auto page = range;
    page.max = std::min(range.max, history_page_changes_);
    read_from_disk<history_page>(
        {}, client,
        [this, id, page](const auto& ended) { return read_history(db_, ledger_, ended, id, page); },
        std::move(done));
  }

  void submit(push_write push_write) override {
    bool wake = false;
    result<void> taken;
    {
      const std::lock_guard lock{guard_};
      if (pushes_.empty()) {
        progress_due_at_ = time_.steady() + push_progress_wait;
        has_shorter_pause_ = !is_writing_; // Else the writer looks again at the end of the group.
      }
      taken = pushes_.push(push_write);
      wake = taken && is_idle_ && (has_shorter_pause_ || may_begin());
      is_idle_ = is_idle_ && !wake;
    }
    if (!taken)
      refuse(push_write, taken.error());
    if (wake)
      work_.notify_one();
  }

  /// Takes the continuations of what a failing disk keeps waiting. Under the lock.
  void drop_continuations(std::vector<committed_fn>& into) {
    const auto take = [&](submission& of) { into.push_back(std::exchange(of.then, nullptr)); };
    std::ranges::for_each(awaiting_, take);
    if (!problem_.empty()) {
      groups_.take_continuations(into); // The writer calls none before it has cleared the problem.
      for (auto* waiting : {&returned_, &queue_})
        waiting->for_each(take);
    }
    std::erase_if(into, [](const committed_fn& each) { return !each; });
  }

  /// Something waits to be part of a group. Under the lock.
  [[nodiscard]] bool has_changes() const noexcept {
    return !queue_.empty() || !returned_.empty() || has_due_pushes() || !loaded_.empty()
           || expired_at_;
  }

  /// If only progress waits, it may wait longer: most often a change comes soon, and both go in one
  /// group. Under the lock.
  [[nodiscard]] bool has_due_pushes() const {
    return !pushes_.empty()
           && (!pushes_.has_only_progress() || stopping_ || time_.steady() >= progress_due_at_);
  }

  /// A group may be begun now. Under the lock.
  [[nodiscard]] bool may_begin() const noexcept {
    return is_writing_ ? queue_.size() >= group_ahead_changes_ : has_work();
  }

  /// Under the lock.
  [[nodiscard]] bool has_work() const noexcept { return has_changes() || !settled_.empty(); }

  /// Under the lock.
  [[nodiscard]] bool is_quiet() const noexcept {
    return !has_work() && !is_writing_ && awaiting_.empty();
  }

  /// Something waits for a disk that fails. Under the lock.
  [[nodiscard]] bool is_stuck() const noexcept {
    return !problem_.empty() || (!unread_.empty() && !has_work() && !is_writing_);
  }

  /// What is wrong with a disk that does not answer; empty if it does. Under the lock.
  [[nodiscard]] std::string silence() const {
    if (!is_writing_ || time_.steady() - answered_at_ < disk_silence_max)
      return {};
    return "The disk of " + directory_ + " has not answered for "
           + std::to_string(disk_silence_max / std::chrono::seconds{1})
           + " seconds; writing goes on when it does.";
  }

  /// Without threads: only the owner of the disk can go on. Under the lock.
  [[nodiscard]] bool is_held() const noexcept { return !writer_.joinable() && is_writing_; }

  // -- the writer ---------------------------------------------------------------------------------

  enum class turn_end : std::uint8_t {
    went_on, ///< A group was begun, or has ended.
    waits,   ///< For the disk, which has a group.
    idle,    ///< There is nothing to write.
    refused, ///< By the disk, or it is too early to try again.
  };

  void run_writer() {
    ::pthread_setname_np(::pthread_self(), "store-writer");
    take_short_time_slices();
    for (;;) {
      const bool was_stopping = is_stopping();
      const auto end = take_turn();
      if (end == turn_end::went_on)
        continue;
      std::unique_lock lock{guard_};
      if (end == turn_end::refused) {
        if (was_stopping)
          return; // What was not acknowledged is lost.
        work_.wait_for(lock, retry_pause_, [&] { return stopping_; });
        continue;
      }
      const bool can_begin = groups_.can_begin();
      is_idle_ = can_begin;
      const auto is_over = [&] {
        return !is_writing_ && stopping_ && (awaiting_.empty() || !unread_.empty());
      };
      const auto is_needed = [&] {
        return std::exchange(is_disk_ready_, false) || std::exchange(has_shorter_pause_, false)
               || (can_begin && may_begin()) || has_follower_wish() || is_over();
      };
      if (const auto pause = longest_pause(); pause)
        work_.wait_for(lock, *pause, is_needed);
      else
        work_.wait(lock, is_needed);
      is_idle_ = false;
      if (!has_work() && is_over())
        return;
    }
  }

  /// For a store without threads: until there is nothing more to do, or the disk refuses.
  void take_turns() {
    while (turn()) {
    }
  }

  /// How long the writer may wait although nothing happens; nothing: for ever. Under the lock.
  [[nodiscard]] std::optional<std::chrono::nanoseconds> longest_pause() const {
    std::optional<std::chrono::nanoseconds> out;
    const auto wake_at = [&](time_source::steady_point at) {
      const auto left = std::max<std::chrono::nanoseconds>(at - time_.steady(), {});
      out = out ? std::min(*out, left) : left;
    };
    if (!unread_.empty())
      out = retry_interval_;
    if (const auto at = groups_.wakes_at())
      wake_at(*at);
    if (!is_writing_ && !pushes_.empty()) // Else the end of the group is waited for.
      wake_at(progress_due_at_);
    return out;
  }

  /// Under the lock.
  [[nodiscard]] bool has_follower_wish() const noexcept {
    return !asked_.empty() || keep_from_.has_value();
  }

  /// What the follower of the journal wants. False: nothing.
  bool serve_follower() {
    std::vector<asked_groups> asked;
    std::optional<journal::position> keep_from;
    {
      const std::lock_guard lock{guard_};
      asked = std::exchange(asked_, {});
      keep_from = std::exchange(keep_from_, std::nullopt);
    }
    if (keep_from)
      groups_.keep_groups(*keep_from);
    for (auto& each : asked)
      groups_.read(each.from, each.bytes_max, std::move(each.done));
    return keep_from || !asked.empty();
  }

  /// For who follows the journal: what was published.
  void note_reached() {
    const auto written = groups_.counters();
    const std::lock_guard lock{following_};
    reached_ = {files_.mark.journal_id, groups_.first_kept(), groups_.published_at(), found_at_,
                written.group_bytes};
    if (on_groups_)
      on_groups_();
  }

  /// Begins a group if something waits for one, and takes the first group on.
  turn_end take_turn() {
    const bool has_served = serve_follower();
    const bool has_begun = (groups_.can_begin() && begin_group()) || has_served;
    switch (groups_.advance([this] { return take_seals(); }, !was_busy_, is_stopping())) {
      case group_writer::progress::refused:
        note_refusal(*groups_.refused());
        return turn_end::refused;
      case group_writer::progress::written: end_group(); return turn_end::went_on;
      case group_writer::progress::waits: break;
    }
    if (has_begun)
      return turn_end::went_on;
    if (groups_.in_flight() != 0)
      return turn_end::waits;
    if (const auto refused = groups_.refused()) // What was acknowledged may not become safe.
      note_refusal(*refused);
    else if (has_problem())
      clear_problem();
    return turn_end::idle;
  }

  /// Takes what waits; false if there is nothing.
  bool begin_group() {
    next_group next;
    std::vector<push_write> pushes;
    std::optional<timestamp> expired_at;
    {
      std::unique_lock lock{guard_};
      if (!unread_.empty() && time_.steady() >= load_again_at_)
        load_again(lock);
      // An objective counts as not in memory until all changes that waited for it are staged. If it
      // leaves memory again before that, its later changes stay behind these.
      if (returned_.empty())
        take_loaded();
      if (!may_begin())
        return false;
      if (!std::exchange(is_writing_, true))
        answered_at_ = time_.steady();
      problem_.clear(); // Set again if the disk still refuses. Until then `drain` drops nothing.
      expired_at = std::exchange(expired_at_, std::nullopt);
      // What has waited for its objective goes first.
      next = returned_.empty() ? queue_.take() : returned_.take();
      // A group without changes has nothing for the journal, and needs no sync.
      if (has_due_pushes() || !next.empty())
        pushes = pushes_.take(); // Those of one configuration become one row.
    }
    if (expired_at)
      came_.forget_expired(*expired_at);
    std::vector<submission> apart;
    groups_.begin(std::move(next), std::move(pushes), loading_, apart);
    await_objectives(std::move(apart));
    return true;
  }

  /// Objectives that may be sealed, as many as go with one group.
  std::vector<objective_id> take_seals() {
    const std::lock_guard lock{guard_};
    const auto end =
        settled_.begin() + static_cast<std::ptrdiff_t>(std::min(settled_.size(), group_seals_max));
    std::vector<objective_id> out{std::make_move_iterator(settled_.begin()),
                                  std::make_move_iterator(end)};
    settled_.erase(settled_.begin(), end);
    return out;
  }

  void end_group() {
    if (has_problem())
      clear_problem();
    auto [group, settled] = groups_.publish();
    note_reached();
    push_table::answer(group.pushes);
    std::size_t ended = 0;
    for (auto& each : group.changes) {
      ended += each.is_staged ? 1 : 0;
      if (each.then)
        each.then({std::move(each.conflict)});
    }
    backlog_.fetch_sub(ended, std::memory_order_relaxed);
    group.changes.clear();
    const auto written = groups_.counters();
    const std::lock_guard lock{guard_};
    written_ = written;
    queue_.reuse(std::move(group.changes));
    settled_.insert(settled_.end(), std::make_move_iterator(settled.begin()),
                    std::make_move_iterator(settled.end()));
    is_writing_ = groups_.in_flight() != 0;
    if (is_writing_)
      answered_at_ = time_.steady();
    was_busy_ = queue_.size() >= group_ahead_changes_;
    if (!is_writing_ && !has_work())
      done_.notify_all();
  }

  /// Changes of objectives that have left memory wait until a reader has brought these back; others
  /// go on.
  void await_objectives(std::vector<submission>&& changes) {
    std::vector<std::string> asked;
    for (const auto& each : changes)
      if (loading_.insert(each.submitted.context).second)
        asked.push_back(each.submitted.context);
    {
      const std::lock_guard lock{guard_};
      std::ranges::move(changes, std::back_inserter(awaiting_));
    }
    for (const auto& each : asked)
      load(each);
  }

  void load(const std::string& objective) {
    read_from_disk<bool>(
        {}, {},
        [this, objective](const auto& ended) {
          return result<bool>{ledger_.load(objective_id{objective}, ended)};
        },
        [this, objective](const result<bool>& found) {
          const std::lock_guard lock{guard_};
          loaded_.emplace_back(objective, found);
          work_.notify_one();
        });
  }

  /// Takes the changes whose objectives were read, or do not exist. Under the lock.
  void take_loaded() {
    for (auto& [loaded, found] : std::exchange(loaded_, {})) {
      const auto& objective = loaded; // clang 14: a lambda cannot capture a structured binding.
      if (!found) {
        unread_.push_back(objective);
        if (found.error().code == errc::store_unreadable) // Not: too much is read at the moment.
          unreadable_ = found.error().message;
        load_again_at_ = time_.steady() + retry_interval_;
        done_.notify_all();
        continue;
      }
      loading_.erase(objective);
      const auto is_other = [&](const submission& each) {
        return each.submitted.context != objective;
      };
      const auto theirs = std::stable_partition(awaiting_.begin(), awaiting_.end(), is_other);
      for (auto each = theirs; each != awaiting_.end(); ++each) {
        const auto& task = each->submitted.task;
        each->is_orphan = !*found && (task.id.empty() || !task.lone);
        returned_.push(std::move(*each));
      }
      awaiting_.erase(theirs, awaiting_.end());
      if (unread_.empty())
        unreadable_.clear();
    }
  }

  /// Under the lock, which is given up meanwhile.
  void load_again(std::unique_lock<std::mutex>& lock) {
    const auto again = std::exchange(unread_, {});
    lock.unlock();
    for (const auto& each : again)
      load(each);
    lock.lock();
  }

  /// Says what is wrong, and tries again after the pause.
  void note_refusal(group_writer::refusal refused) {
    retry_pause_ = refused.pause;
    const std::lock_guard lock{guard_};
    problem_ = std::move(refused.problem);
    done_.notify_all();
  }

  [[nodiscard]] bool is_stopping() const {
    const std::lock_guard lock{guard_};
    return stopping_;
  }

  [[nodiscard]] bool has_problem() const {
    const std::lock_guard lock{guard_};
    return !problem_.empty();
  }

  void clear_problem() {
    const std::lock_guard lock{guard_};
    problem_.clear();
  }

  const std::chrono::milliseconds retry_interval_;
  const std::size_t group_ahead_changes_;
  const std::size_t history_page_changes_;
  const time_source& time_;
  const std::shared_ptr<const table_origin> origin_;
  const std::optional<journal::position> keep_groups_from_;
  const memory_budget_ptr memory_;
  const std::string directory_; ///< For messages.
  opened_files files_;
  rocksdb::DB& db_;
  rocksdb_archive archive_;
  mutable ledger ledger_;
  mutable archive_reader reader_;
  id_claims claims_;
  once_table came_{once_bounds{}, memory_};
  group_writer groups_; ///< The writer's; while `problem_` is set, `drain` may take continuations.
  std::unordered_set<std::string> loading_; ///< The writer's: objectives that changes wait for.

  bool is_open_ = false; ///< The start went well.
  std::size_t unfinished_ = 0;
  journal::position found_at_ = 0; ///< The last group of earlier processes.

  // Only on the thread that takes the turns:
  std::chrono::milliseconds retry_pause_{};
  bool was_busy_ = false; ///< When the last group ended, there was enough to do to begin another.
  recovered recovered_;   ///< Until it is asked for.

  mutable std::mutex following_; ///< Of what follows. Never with the other lock.
  reached reached_;
  std::function<void()> on_groups_;

  mutable std::mutex guard_; ///< Of what follows.
  std::vector<asked_groups> asked_;
  std::optional<journal::position> keep_from_;
  std::condition_variable work_;
  std::condition_variable done_;
  change_queue queue_;
  std::optional<timestamp> expired_at_; ///< What may come again then is to be forgotten.
  change_queue returned_;               ///< Their objectives were read back, or do not exist.
  std::vector<objective_id> settled_;   ///< To be sealed.
  push_queue pushes_{push_queue::bounds{}};
  std::vector<submission> awaiting_; ///< Their objectives have left memory and are being read.
  std::vector<std::pair<std::string, result<bool>>>
      loaded_;                      ///< Whether there is such an objective.
  std::vector<std::string> unread_; ///< Objectives to be read again at `load_again_at_`.
  time_source::steady_point load_again_at_{};
  std::string unreadable_; ///< Why `unread_` could not be read.
  write_counters written_;
  std::string problem_;                     ///< Empty: the last write went well.
  bool is_idle_ = false;                    ///< The writer waits for work.
  bool is_writing_ = false;                 ///< A group is in flight.
  time_source::steady_point answered_at_{}; ///< While one is: since when the disk has it.
  bool is_disk_ready_ = false;
  time_source::steady_point progress_due_at_{}; ///< If nothing but progress waits in `pushes_`.
  bool has_shorter_pause_ = false;              ///< The writer waits too long.
  bool stopping_ = false;

  std::atomic<std::size_t> backlog_{0};
  std::thread writer_;
  std::vector<std::thread> readers_;
};

} // namespace

result<std::unique_ptr<turned_store>> make_rocksdb_store(const rocksdb_options& options,
                                                         const rocksdb_internals& wanted) {
  const auto internals = options.memory ? fitted_to(*options.memory, wanted) : wanted;
  auto files = open_files(options, internals);
  if (!files)
    return files.error();
  auto out = std::make_unique<rocksdb_store>(std::move(*files), options, internals);
  if (const auto opened = out->open(internals.on_progress); !opened)
    return opened.error();
  return std::unique_ptr<turned_store>{std::move(out)};
}

result<std::unique_ptr<store>> open_rocksdb_store(const rocksdb_options& options,
                                                  const rocksdb_internals& internals) {
  auto made = make_rocksdb_store(options, internals);
  if (!made)
    return made.error();
  (*made)->start();
  return std::unique_ptr<store>{std::move(*made)};
}

result<std::unique_ptr<store>> open_rocksdb_store(const rocksdb_options& options) {
  return open_rocksdb_store(options, rocksdb_internals{});
}

} // namespace troupe
