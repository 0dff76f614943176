// The journal: groups of bytes in one order, each durable before it is acknowledged. Everything
// else in the store is derived from it. The journal does not know what the bytes mean.
//
// One thread owns a journal and turns it. Groups that are appended while the disk is busy are
// written together, with one sync.
#pragma once

#include "store/journal/disk.hpp"
#include "store/journal/frame.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <system_error>
#include <vector>

namespace troupe::journal {

struct journal_options {
  /// False: a group is acknowledged once it is written. It survives the process, and power failure
  /// only if it is older than `sync_interval`.
  bool is_sync = true;
  std::chrono::milliseconds sync_interval{1000};
  /// A disk that refuses is tried again after this time.
  std::chrono::milliseconds retry_interval{200};
  /// Of a segment file. The first one is small and each one twice as large as the one before, so
  /// that a program that is restarted often does not fill the disk with room that it reserved. On a
  /// disk that is nearly full they are small again.
  std::size_t segment_bytes_min = std::size_t{1} << 20;
  std::size_t segment_bytes_max = std::size_t{64} << 20;
  /// At most so many bytes are written with one sync, unless a single group is larger.
  std::size_t batch_bytes_max = std::size_t{8} << 20;
  /// The journal writes this many zero bytes after the last frame, so that later writes do not
  /// change the length of the file.
  std::size_t ahead_bytes = std::size_t{1} << 20;
  /// Added to the error message if the journal is damaged or does not match its follower: what the
  /// user can do.
  std::string damage_advice = {};
};

/// The largest size of a group.
inline constexpr std::size_t append_bytes_max = std::size_t{1} << 30;

struct journal_status {
  std::string problem; ///< Why nothing can be written at the moment, and what to do; empty: it can.
  std::error_code refused;        ///< The same, from the disk.
  position safe = 0;              ///< The last synced group: it survives power failure.
  std::size_t waiting_groups = 0; ///< Appended and not yet acknowledged.
  std::size_t waiting_bytes = 0;
  std::size_t buffer_bytes = 0; ///< Memory for the bytes of one write, kept for the next one.
  std::size_t segments = 0;
  std::uint64_t segment_bytes = 0; ///< Of all segment files, reserved room included.
  std::uint64_t written_bytes = 0; ///< Since the start, zeros and headers included.
  std::uint64_t syncs = 0;         ///< Since the start.
};

/// Called once, on the thread that turns the journal, when the group is durable.
using appended_fn = std::function<void(position at)>;

struct journal_group {
  position at = 0;
  std::string bytes;
};

/// A reader's place: it continues with group `next`. The other members only make the next read
/// faster, and are kept from one page to the next.
struct journal_cursor {
  position next = 1;
  std::uint64_t ordinal = 0;
  std::uint64_t offset = 0;
};

struct group_page {
  std::vector<journal_group> groups; ///< Empty: there is none after the cursor yet.
  journal_cursor cursor;             ///< For the next page.
};

class journal {
public:
  journal() = default;
  journal(const journal&) = delete;
  journal& operator=(const journal&) = delete;
  /// Groups that are not acknowledged may be lost; their completions are dropped.
  virtual ~journal() = default;

  /// Adds a group after all others. It is kept and tried again while the disk refuses. `done` may
  /// be null. A group over append_bytes_max ends the program: the caller bounds its groups.
  virtual void append(std::string group, appended_fn done) = 0;
  /// Does what can be done now. False: nothing was done; call again when the disk is ready, when
  /// something was appended, or at `wakes_at`.
  virtual bool turn() = 0;
  /// When a turn has something to do although nothing happens.
  [[nodiscard]] virtual std::optional<time_source::steady_point> wakes_at() const = 0;

  /// The position that the next group will have that is appended.
  [[nodiscard]] virtual position next() const = 0;
  /// The last acknowledged group; 0 if there is none.
  [[nodiscard]] virtual position last() const = 0;
  /// The first group that can be read; `last() + 1` if there is none.
  [[nodiscard]] virtual position first() const = 0;
  [[nodiscard]] virtual journal_status status() const = 0;

  /// Acknowledged groups from the cursor on, about `bytes_max` bytes of them, one at least. Errors:
  /// store_unreadable (the message names file and offset), invalid_params (forgotten already).
  virtual void read(const journal_cursor& from, std::size_t bytes_max,
                    std::function<void(result<group_page>)> done) = 0;

  /// Groups before this position are no longer needed. Segments that have no others are removed,
  /// unless they are pinned.
  virtual void forget(position before) = 0;
  /// Keeps groups from this position on until the pin is gone.
  [[nodiscard]] virtual std::shared_ptr<const position> pin(position from) = 0;

  /// Writes what waits, syncs all of it and closes the files. `done` (may be null) gets false
  /// if the disk refused: what was not synced may be lost. No call but `turn` follows.
  virtual void close(std::function<void(bool is_safe)> done) = 0;
};

/// What is wrong with the files of a journal.
struct finding {
  std::string file;
  std::uint64_t offset = 0;
  std::string problem; ///< A sentence without file and offset.
};

/// The files of a journal as they were read.
struct inspection {
  bool is_new = false; ///< There is no journal yet.
  std::uint64_t journal_id = 0;
  std::uint64_t oldest = 0; ///< Ordinals of the segments.
  std::uint64_t newest = 0;
  std::vector<segment_header> segments; ///< In order; those that can be read.
  position first = 1;                   ///< Of the groups that were read.
  position last = 0;
  position safe = 0; ///< Groups after it may not have been acknowledged.
  std::vector<journal_group> behind_safe;
  /// A journal with damage is not opened: something that was acknowledged is missing.
  std::vector<finding> damage;
  /// Readable groups behind the first damage, in all segments; 0 if the manifest cannot be read.
  std::uint64_t groups_behind = 0;
  std::vector<finding> repaired;      ///< Writes that were cut short; nothing acknowledged is gone.
  std::vector<std::string> leftovers; ///< Files that no longer belong to the journal.
};

/// How far a follower of a journal has come, such as tables that are derived from it.
struct follower_mark {
  std::uint64_t journal_id = 0;
  position at = 0; ///< It has all groups up to this one.
  /// Groups up to this one were synced in the journal then. Less than `at` only without sync.
  position safe = 0;

  friend bool operator==(const follower_mark&, const follower_mark&) = default;
};

/// Reads the files and changes nothing. Of segments that have no group after `from`, only the
/// headers are read. Errors: store_unreadable (the disk failed).
[[nodiscard]] result<inspection> inspect(disk& files, position from = 0);

/// One line for each finding: file, offset, problem.
[[nodiscard]] std::string describe(const std::vector<finding>& findings);
/// The same for the damage, and how many groups behind it can be read.
[[nodiscard]] std::string describe_damage(const inspection& found);

/// A sentence if the files do not have what the follower lacks, or are not those of its journal;
/// else empty. Of a journal without damage.
[[nodiscard]] std::string describe_misfit(const inspection& found, const follower_mark& follower);

/// Why a journal as it was found is not opened for that follower; nothing: it may be opened.
/// `advice`: journal_options::damage_advice.
[[nodiscard]] std::optional<error> refusal_of(const inspection& found,
                                              const std::optional<follower_mark>& follower,
                                              const std::string& advice);

struct opened_journal {
  std::unique_ptr<journal> opened;
  std::uint64_t journal_id = 0;
  std::vector<finding> repaired;
};

/// Opens the journal in the directory of `files`, or begins one. Groups that may not have been
/// acknowledged are synced first. `journal_id`: random, for a new journal. `follower`: the one
/// that the journal is kept for; nothing if there is none yet. The groups that it has are not read.
/// Without sync a power failure may leave it ahead of the journal, which then continues after it.
/// `inspected`: what `inspect` found for that follower, if nothing has changed since; else the
/// files are read here. Errors: store_failed (damage; or journal and follower do not fit together;
/// or the disk refuses: the message names file, offset and reason), store_unreadable. Nothing is
/// changed if there is damage. `files` and `time` outlive the journal.
[[nodiscard]] result<opened_journal>
open_journal(disk& files, const time_source& time, std::uint64_t journal_id,
             const journal_options& options = {},
             const std::optional<follower_mark>& follower = std::nullopt,
             std::optional<inspection> inspected = std::nullopt);

} // namespace troupe::journal
