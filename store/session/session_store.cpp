#include "store/session/session_store.hpp"

#include "protocol/record/record.hpp"
#include "store/group.hpp"
#include "store/session/session_index.hpp"
#include "store/session/session_names.hpp"
#include "store/session/watched_feed.hpp"
#include <troupe/protocol/ids.hpp>
#include <troupe/store/await.hpp>

#include <rocksdb/env.h>

#include <condition_variable>
#include <filesystem>
#include <map>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include <pthread.h>
#include <sys/resource.h>
#include <unistd.h>

namespace troupe {

namespace {

using sessions::session_follower;

/// Of groups that the tables are made of.
constexpr std::size_t origin_group_bytes = std::size_t{256} << 10;

/// A follower's thread: after the store in its claim to the processor, like compactions.
constexpr int follower_niceness = 5;

/// A store, and behind it the follower that keeps the session files.
class store_with_sessions final : public store, public keeps_sessions {
public:
  /// `feed`: what the follower reads; part of `of`, or kept by `owned`.
  store_with_sessions(std::unique_ptr<store> of, std::unique_ptr<rocksdb::Env> env,
                      std::unique_ptr<sessions::folder_lock> lock, journal::group_feed& feed,
                      std::shared_ptr<sessions::watched_feed> owned)
      : env_(std::move(env)), lock_(std::move(lock)), of_(std::move(of)), feed_(feed),
        owned_(std::move(owned)) {}

  ~store_with_sessions() override {
    if (follower_) {
      of_->drain();
      {
        const std::lock_guard lock{guard_};
        is_ending_ = true;
      }
      wake_.notify_all();
      if (thread_.joinable())
        thread_.join();
    }
    if (owned_)
      of_->unwatch_all(owned_);
    follower_.reset();
    of_.reset();
  }
  store_with_sessions(const store_with_sessions&) = delete;
  store_with_sessions& operator=(const store_with_sessions&) = delete;

  [[nodiscard]] result<void> begin(session_keeping how) {
    time_ = how.time;
    auto follower = session_follower::open(*of_, feed_, std::move(how), [this] {
      {
        const std::lock_guard lock{guard_};
        is_woken_ = true;
      }
      wake_.notify_all();
    });
    if (!follower)
      return follower.error();
    follower_ = std::move(*follower);
    thread_ = std::thread{[this] { run(); }};
    return {};
  }

  [[nodiscard]] session_status sessions() const override { return follower_->status(); }

  // -- the store's --------------------------------------------------------------------------------

  void commit(change change, committed_fn then, watcher_ptr follow) override {
    of_->commit(std::move(change), std::move(then), std::move(follow));
  }
  void read_once(const once& wanted, timestamp now, read_done<once_ptr> done) const override {
    of_->read_once(wanted, now, std::move(done));
  }
  void read_task(const task_id& id, read_done<task_ptr> done,
                 const std::string& client) const override {
    of_->read_task(id, std::move(done), client);
  }
  void read_objective(const objective_id& id, read_done<objective_ptr> done,
                      const std::string& client) const override {
    of_->read_objective(id, std::move(done), client);
  }
  void read_objective(const plan_id& id, read_done<objective_ptr> done,
                      const std::string& client) const override {
    of_->read_objective(id, std::move(done), client);
  }
  void read_placement(const task_id& id, read_done<placement> done,
                      const std::string& client) const override {
    of_->read_placement(id, std::move(done), client);
  }
  void read_placement(const objective_id& id, read_done<placement> done,
                      const std::string& client) const override {
    of_->read_placement(id, std::move(done), client);
  }
  void read_placement(const plan_id& id, read_done<placement> done,
                      const std::string& client) const override {
    of_->read_placement(id, std::move(done), client);
  }
  void list(const list_tasks& query, read_done<task_page> done,
            const std::string& client) const override {
    of_->list(query, std::move(done), client);
  }
  void list(const list_objectives& query, read_done<objective_page> done,
            const std::string& client) const override {
    of_->list(query, std::move(done), client);
  }
  void list(const list_inputs& query, read_done<input_page> done,
            const std::string& client) const override {
    of_->list(query, std::move(done), client);
  }
  void snapshot_task(const task_id& id, watcher_ptr who, read_done<task_snapshot> done,
                     const std::string& client) override {
    of_->snapshot_task(id, std::move(who), std::move(done), client);
  }
  void snapshot_objective(const objective_id& id, watcher_ptr who,
                          read_done<objective_snapshot> done, const std::string& client) override {
    of_->snapshot_objective(id, std::move(who), std::move(done), client);
  }
  void read_changes(const task_id& id, const history_range& range, read_done<history_page> done,
                    const std::string& client) const override {
    of_->read_changes(id, range, std::move(done), client);
  }
  void read_changes(const objective_id& id, const history_range& range,
                    read_done<history_page> done, const std::string& client) const override {
    of_->read_changes(id, range, std::move(done), client);
  }
  [[nodiscard]] bool has_history() const noexcept override { return of_->has_history(); }
  void claim_ids(std::vector<std::string> ids, read_done<void> done,
                 const std::string& client) override {
    of_->claim_ids(std::move(ids), std::move(done), client);
  }
  void release_ids(const std::vector<std::string>& ids) override { of_->release_ids(ids); }
  void unwatch(const std::string& task_or_objective, const watcher_ptr& who) override {
    of_->unwatch(task_or_objective, who);
  }
  void watch_all(const watcher_ptr& who) override { of_->watch_all(who); }
  void unwatch_all(const watcher_ptr& who) override { of_->unwatch_all(who); }
  [[nodiscard]] push_configs& pushes() override { return of_->pushes(); }
  [[nodiscard]] result<recovered> recover() override {
    auto out = of_->recover();
    if (out && !repaired.empty())
      out->repaired += (out->repaired.empty() ? "" : " ") + std::exchange(repaired, {});
    return out;
  }
  void evict(timestamp settled_before) override { of_->evict(settled_before); }
  void forget_expired(timestamp now) override { of_->forget_expired(now); }
  [[nodiscard]] store_status status() const override { return of_->status(); }
  void flush() override { of_->flush(); }
  void drain() override { of_->drain(); }

  std::string repaired; ///< Ends of files that were cut off, in words.

private:
  void run() {
    ::pthread_setname_np(::pthread_self(), "store-sessions");
    static_cast<void>(
        ::setpriority(PRIO_PROCESS, static_cast<::id_t>(::gettid()), follower_niceness));
    std::optional<time_source::steady_point> ends_at;
    for (;;) {
      {
        const std::lock_guard lock{guard_};
        is_woken_ = false;
        if (is_ending_ && !ends_at)
          ends_at = time_->steady() + sessions_end_max;
      }
      if (ends_at && (follower_->is_up_to_date() || time_->steady() >= *ends_at))
        return;
      if (ends_at)
        follower_->hurry();
      if (follower_->turn())
        continue;
      if (ends_at && !follower_->status().problem.empty())
        return; // It is tried again after the next start.
      std::unique_lock lock{guard_};
      const auto is_needed = [&] { return is_woken_ || (is_ending_ && !ends_at); };
      auto until = follower_->wakes_at();
      if (ends_at)
        until = until ? std::min(*until, *ends_at) : ends_at;
      if (until)
        wake_.wait_for(lock, std::max<std::chrono::nanoseconds>(*until - time_->steady(), {}),
                       is_needed);
      else
        wake_.wait(lock, is_needed);
    }
  }

  const std::unique_ptr<rocksdb::Env> env_; ///< Of tables in memory; outlives the store.
  const std::unique_ptr<sessions::folder_lock> lock_;
  std::unique_ptr<store> of_;
  journal::group_feed& feed_;
  const std::shared_ptr<sessions::watched_feed> owned_;
  const time_source* time_ = nullptr;
  std::unique_ptr<session_follower> follower_;
  std::thread thread_;
  std::mutex guard_;
  std::condition_variable wake_;
  bool is_woken_ = false;
  bool is_ending_ = false;
};

result<std::unique_ptr<sessions::folder_lock>> take_folder(const std::string& directory) {
  if (auto ok = sessions::refuse_live_directory(directory); !ok)
    return ok.error();
  return sessions::folder_lock::take(directory);
}

/// A file that ends too soon, or is missing.
struct cut_session {
  objective_id id;
  std::uint64_t last = 0; ///< Of the changes in the file.
  std::string problem;    ///< A sentence.
};

/// What reading the files of a store found beside their changes.
struct origin_findings {
  sessions::sidecar_reading sidecar;
  std::string cut_sidecar; ///< A sentence; empty: that file is whole.
  std::vector<cut_session> cut;
};

/// What the files of a store say, as groups.
class session_origin {
public:
  session_origin(std::string directory, std::shared_ptr<origin_findings> found)
      : directory_(std::move(directory)), found_(std::move(found)) {}

  result<void> operator()(const take_group_fn& take) const {
    *found_ = {};
    std::string group;
    const auto hand_over = [&](bool is_last) {
      if (group.empty() || (!is_last && group.size() < origin_group_bytes))
        return result<void>{};
      return take(std::exchange(group, {}));
    };
    const auto files = sessions::list_sessions(directory_);
    if (!files)
      return files.error();
    for (const auto& [file, known] : *files) {
      const auto growing = directory_ + "/" + file;
      const bool is_whole = known.is_growing && !sessions::is_only_begun(growing);
      if (!is_whole && known.archive.empty())
        continue;
      const auto whole =
          sessions::read_chain(is_whole ? growing : directory_ + "/" + known.archive);
      if (!whole)
        return whole.error();
      if (whole->cut)
        found_->cut.push_back({whole->id,
                               whole->changes.empty() ? 0 : whole->changes.back().sequence,
                               sessions::describe_cut(whole->files.back(), *whole->cut)});
      std::string row;
      for (const auto& news : whole->changes) {
        row.clear();
        record::write(row, news);
        add_entry(group, group_change{news.stream(), news.sequence, row});
        if (auto ok = hand_over(false); !ok)
          return ok;
      }
    }
    if (auto ok = find_missing(*files); !ok)
      return ok;
    const auto path = directory_ + "/" + std::string{sessions::sidecar_name};
    auto sidecar = sessions::read_sidecar(path, [&](const group_entry& entry) {
      add_entry(group, entry);
      return hand_over(false);
    });
    if (!sidecar)
      return sidecar.error();
    if (sidecar->cut)
      found_->cut_sidecar = sessions::describe_cut(path, *sidecar->cut);
    found_->sidecar = *sidecar;
    return hand_over(true);
  }

private:
  /// Of files that the index names.
  result<void> find_missing(const std::map<std::string, sessions::session_files>& files) const {
    const auto index = sessions::read_index(directory_);
    if (!index)
      return index.error();
    for (const auto& entry : *index) {
      const auto id = sessions::objective_of(entry.key);
      const auto known = id ? files.find(sessions::file_name_of(*id)) : files.end();
      const bool is_there = known != files.end()
                            && (!known->second.archive.empty()
                                || (known->second.is_growing
                                    && !sessions::is_only_begun(directory_ + "/" + known->first)));
      if (id && !is_there)
        found_->cut.push_back({*id, 0,
                               directory_ + "/" + entry.file
                                   + ", which sessions.json names, is missing or has no event."});
    }
    return {};
  }

  const std::string directory_;
  const std::shared_ptr<origin_findings> found_;
};

/// Whether the journal had changes that the file lacks.
bool is_completed(const store& records, const cut_session& file) {
  const history_range rest{.after = file.last, .max = 1};
  const auto page = await_read<history_page>(
      [&](auto done) { records.read_changes(file.id, rest, std::move(done), {}); });
  return page && !page->changes.empty();
}

/// What was cut off, and what has become of it.
std::string describe(const origin_findings& found, const store& records) {
  std::string out;
  const auto add = [&](const std::string& sentence) { out += (out.empty() ? "" : " ") + sentence; };
  for (const auto& each : found.cut) {
    add(each.problem);
    add(is_completed(records, each) ? "The journal has what followed."
                                    : "What followed is lost: the journal no longer has it.");
  }
  if (!found.cut_sidecar.empty())
    add(found.cut_sidecar + " The journal has what followed.");
  return out;
}

result<std::unique_ptr<store>> begin_keeping(std::unique_ptr<store_with_sessions> made,
                                             session_keeping how) {
  if (auto ok = made->begin(std::move(how)); !ok)
    return ok.error();
  return std::unique_ptr<store>{std::move(made)};
}

} // namespace

const keeps_sessions* sessions_beside(const store& records) {
  return dynamic_cast<const keeps_sessions*>(&records);
}

result<std::unique_ptr<store>> open_memory_store_with_sessions(const memory_bounds& bounds,
                                                               session_keeping how) {
  auto lock = take_folder(how.directory);
  if (!lock)
    return lock.error();
  const auto feed = std::make_shared<sessions::watched_feed>(thread_id_source().next_random());
  auto records = make_memory_store(bounds);
  records->watch_all(feed);
  return begin_keeping(std::make_unique<store_with_sessions>(std::move(records), nullptr,
                                                             std::move(*lock), *feed, feed),
                       std::move(how));
}

result<std::unique_ptr<store>> open_rocksdb_store_with_sessions(const rocksdb_options& options,
                                                                session_keeping how,
                                                                rocksdb_internals internals) {
  auto lock = take_folder(how.directory);
  if (!lock)
    return lock.error();
  const auto known = sessions::read_position(how.directory);
  if (!known)
    return known.error();
  internals.keep_groups_from = *known ? std::optional{(*known)->at + 1} : std::nullopt;
  how.memory = options.memory;
  auto records = make_rocksdb_store(options, internals);
  if (!records)
    return records.error();
  journal::group_feed& feed = **records;
  (*records)->start();
  return begin_keeping(std::make_unique<store_with_sessions>(std::move(*records), nullptr,
                                                             std::move(*lock), feed, nullptr),
                       std::move(how));
}

result<std::unique_ptr<store>> open_session_store(const rocksdb_options& options,
                                                  rocksdb_internals internals,
                                                  session_keeping how) {
  if (options.directory.empty())
    return make_error(errc::store_failed, "No data directory was given.");
  how.directory = options.directory + "/" + session_store_directory;
  how.is_store = true;
  std::error_code unknown;
  const bool is_new = !std::filesystem::exists(options.directory, unknown);
  auto lock = take_folder(how.directory);
  if (!lock)
    return lock.error();
  if (is_new) // What clients sent is its owner's alone.
    std::filesystem::permissions(options.directory, std::filesystem::perms::owner_all, unknown);
  const auto found = std::make_shared<origin_findings>();
  const auto made_of = [&](const std::optional<journal::follower_mark>& position,
                           rocksdb::Env* tables) {
    internals.env = tables;
    internals.origin = std::make_shared<const table_origin>(
        table_origin{position, session_origin{how.directory, found}});
    internals.keep_groups_from = 1; // Until the follower begins: a file may need all of them.
    return make_rocksdb_store(options, internals);
  };
  auto position = sessions::read_position(how.directory);
  if (!position)
    return position.error();
  std::unique_ptr<rocksdb::Env> env{rocksdb::NewMemEnv(rocksdb::Env::Default())};
  auto records = made_of(*position, env.get());
  // A file lacks what was safe in it. While the journal has all groups that there ever were, files
  // and tables are completed from the first one on.
  if (records && *position && !found->cut.empty() && (*records)->groups_reached().first == 1) {
    records->reset();
    if (auto ok = sessions::remove_position(how.directory); !ok)
      return ok.error();
    env.reset(rocksdb::NewMemEnv(rocksdb::Env::Default()));
    records = made_of(std::nullopt, env.get());
  }
  if (!records)
    return records.error();
  how.memory = options.memory;
  how.sidecar = found->sidecar;
  journal::group_feed& feed = **records;
  (*records)->start();
  auto repaired = describe(*found, **records);
  auto made = std::make_unique<store_with_sessions>(std::move(*records), std::move(env),
                                                    std::move(*lock), feed, nullptr);
  made->repaired = std::move(repaired);
  return begin_keeping(std::move(made), std::move(how));
}

} // namespace troupe
