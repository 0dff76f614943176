// Keeps session files beside a store: reads the groups of the store after they are published, and
// writes what they say. Nobody waits for it. While the disk of the sessions refuses, it tries
// again; the store goes on.
//
// Its position is a group: everything up to it is safe in the files. It is kept in a file of its
// own beside them. After a failure, and after a restart, it continues with the first group after
// the position; what the files have already is passed over. The position stays before the parts of
// a long change until the change is safe (store/long_changes.hpp). One thread turns it; any thread
// may ask for `status`.
#pragma once

#include "store/journal/group_feed.hpp"
#include "store/long_changes.hpp"
#include "store/session/session_chain.hpp"
#include "store/session/session_file.hpp"
#include "store/session/session_writer.hpp"
#include "store/session/sidecar_log.hpp"
#include <troupe/protocol/time_source.hpp>
#include <troupe/store/session_status.hpp>
#include <troupe/store/store.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

namespace troupe::sessions {

/// In the directory of sessions.
inline constexpr std::string_view position_name = "troupe-position.json";

/// Groups read at once, in bytes.
inline constexpr std::size_t follower_page_bytes = std::size_t{1} << 20;
/// Between two visits to the disk. What was not made safe is read again after a restart.
inline constexpr std::chrono::milliseconds follower_sync_interval{1000};
/// Between attempts while the disk refuses.
inline constexpr std::chrono::milliseconds follower_retry_interval{1000};
/// Bytes of groups that may wait for a disk that refuses, or is slow: the journal keeps them, on
/// the disk of the store. Above this the waiting groups are skipped, and `status` reports it; never
/// if the files are the store.
inline constexpr std::uint64_t follower_behind_bytes_max = std::uint64_t{1} << 30;
/// Up to so many files are made safe one by one; more with one call for the whole file system.
inline constexpr std::size_t synced_apart_max = 4;
/// Files that are written and stay open between two pages.
inline constexpr std::size_t sessions_open_max = 64;

/// The position as its file has it. Nothing: there is none. Errors: store_failed (it cannot be
/// understood), store_unreadable.
[[nodiscard]] result<std::optional<journal::follower_mark>>
read_position(const std::string& directory);
/// Then the files are completed from the first group of the journal on. Errors: store_failed.
[[nodiscard]] result<void> remove_position(const std::string& directory);

class session_follower {
public:
  struct options {
    std::string directory;
    /// The files are the store: lone tasks, push configurations and remembered requests are kept,
    /// too, and no group is ever skipped.
    bool is_store = false;
    sidecar_reading sidecar{}; ///< Of the file that was read at the start; only if `is_store`.
    file_calls* files = &system_file_calls(); ///< Outlives it.
    const time_source* time = &system_time(); ///< Outlives it.
    std::chrono::milliseconds sync_interval = follower_sync_interval;
    std::chrono::milliseconds retry_interval = follower_retry_interval;
    std::uint64_t behind_bytes_max = follower_behind_bytes_max;
    std::size_t page_bytes = follower_page_bytes;
    memory_budget_ptr
        memory{}; ///< Where parts of long changes are counted (backlog); null: nowhere.
  };

  /// `history`: where changes are read that a session lacks; `from`: its groups. Both outlive the
  /// follower. `wake` is called, on any thread, when `turn` has something to do; may be null. The
  /// caller has a folder_lock. Errors: those of read_position.
  [[nodiscard]] static result<std::unique_ptr<session_follower>>
  open(store& history, journal::group_feed& from, options how, std::function<void()> wake);
  ~session_follower();
  session_follower(const session_follower&) = delete;
  session_follower& operator=(const session_follower&) = delete;

  /// One step. False: there is nothing to do before `wake`, or `wakes_at`.
  bool turn();
  [[nodiscard]] std::optional<time_source::steady_point> wakes_at() const;
  /// All that was published is safe in the files.
  [[nodiscard]] bool is_up_to_date() const;
  /// Makes everything safe as soon as it is written, not at the next interval.
  void hurry() noexcept { is_hurried_ = true; }
  [[nodiscard]] session_status status() const;

private:
  struct answer {
    std::uint64_t generation = 0;
    result<journal::group_page> page;
  };
  /// What answers of the feed are put into; it may outlive the follower.
  struct mailbox {
    std::mutex guard;
    std::optional<answer> arrived;
    std::function<void()> wake;
  };
  /// What is known of an objective's files, while none of them is open.
  struct known_session {
    std::string archive;
    std::optional<task_id> root;
  };

  session_follower(store& history, journal::group_feed& from, options how,
                   std::function<void()> wake);

  [[nodiscard]] result<void> begin();
  [[nodiscard]] result<void> look_around();
  void ask();
  void take(answer arrived);
  [[nodiscard]] result<void> take_groups(journal::group_page& page);
  [[nodiscard]] result<void> take_group(const journal::journal_group& group);
  /// Where reading begins again after a failure: what is written up to `written` is safe.
  [[nodiscard]] journal::position restart_after(journal::position written) const;
  [[nodiscard]] result<void> take_change(const group_change& entry);
  [[nodiscard]] result<void> add(const objective_id& id, const change& news, std::string_view row);
  [[nodiscard]] result<session_writer*> writer_of(const objective_id& id);
  [[nodiscard]] result<bool> is_root(const change& news);
  /// Adds what the session lacks before the change.
  [[nodiscard]] result<void> complete(session_writer& to, const objective_id& id,
                                      const change& before);
  [[nodiscard]] result<void> write_page();
  [[nodiscard]] result<void> make_safe();
  [[nodiscard]] result<void> write_position(journal::position at);
  [[nodiscard]] bool is_due() const;
  void fail(const error& why);
  void lose(const objective_id& id, const error& why);
  void let_go(journal::position next, const std::string& why);
  void note_status();

  const options how_;
  store& history_;
  journal::group_feed& from_;
  const std::shared_ptr<mailbox> answers_;
  std::uint64_t journal_id_ = 0;

  journal::journal_cursor cursor_;
  journal::position written_at_ = 0; ///< The files have all groups up to this one.
  journal::position safe_at_ = 0;    ///< Groups up to this one are safe.
  /// The position: not after `safe_at_`, and before the parts of a long change that is not safe.
  journal::position restart_at_ = 0;
  /// Where reading began last: what has parts up to there and comes later is safe already.
  journal::position read_after_ = 0;
  std::uint64_t seen_bytes_ = 0; ///< Of groups read or skipped since the start.
  std::uint64_t safe_bytes_ = 0; ///< Of these groups, up to `safe_at_`.
  bool is_position_old_ = true;  ///< Its file says something else than `restart_at_`.
  std::uint64_t generation_ = 1; ///< Answers to earlier questions are not wanted any more.
  bool is_asked_ = false;
  bool is_hurried_ = false;
  std::optional<time_source::steady_point> retry_at_;
  time_source::steady_point sync_at_{};

  bool has_looked_ = false;
  std::unordered_map<std::string, known_session> known_; ///< By the name of the file.
  std::unordered_map<std::string, std::unique_ptr<session_writer>> writers_; ///< By objective.
  std::map<std::string, session_writer*> touched_;     ///< Since all was made safe.
  std::map<std::string, session_writer*> touched_now_; ///< In this page.
  std::unordered_set<std::string> lost_;               ///< Objectives.
  std::unique_ptr<sidecar_log> sidecar_;
  long_changes parts_;
  memory_charge parts_held_;
  timestamp last_at_{}; ///< Of the last change.

  mutable std::mutex guard_;
  session_status status_;
  journal::position status_at_ = 0; ///< As `safe_at_`.
};

} // namespace troupe::sessions
