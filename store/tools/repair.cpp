#include "store/tools/repair.hpp"

#include "protocol/record/record.hpp"
#include "store/journal/blocking.hpp"
#include "store/journal/file_disk.hpp"
#include "store/journal/layout.hpp"
#include "store/journal/readable_groups.hpp"
#include "store/journal/rewrite.hpp"
#include "store/long_changes.hpp"
#include "store/once_table.hpp"
#include "store/rocksdb/rocksdb_open.hpp"
#include "store/tools/copy_directory.hpp"
#include "store/tools/read_only.hpp"
#include <troupe/protocol/push_row.hpp>

#include <algorithm>
#include <filesystem>
#include <map>
#include <optional>
#include <utility>

namespace troupe {

namespace {

namespace fs = std::filesystem;

error cannot_help(const std::string& why) {
  return make_error(errc::store_failed,
                    why
                        + " A repair of the journal cannot help; restore the data directory from "
                          "a backup.");
}

struct plan {
  repair_report report;
  journal::follower_mark mark;
  std::vector<std::string> kept; ///< The groups after the mark.
};

/// Divides the readable groups into those that are kept and those that are lost.
class group_sorter {
public:
  group_sorter(plan& into, const lost_change_fn& on_lost) : plan_(into), on_lost_(on_lost) {
    plan_.report.mark = plan_.report.last = seen_ = plan_.mark.at;
  }

  void take(const journal::readable_group& group) {
    const auto items = read_group(group.bytes);
    const auto whole = items ? parts_.take(group.at, *items) : whole_group{};
    if (group.at <= seen_)
      return;
    seen_ = group.at;
    const bool follows = group.at == plan_.report.last + 1 && plan_.report.lost_groups == 0;
    const bool is_good = items && is_understood(whole.entries);
    if (follows && is_good && whole.lacking.empty()) {
      plan_.report.last = group.at;
      plan_.kept.push_back(kept_bytes(group, *items, whole.entries));
      return;
    }
    const auto name = "Group " + std::to_string(group.at);
    if (follows && is_good)
      for (const auto& each : whole.lacking)
        plan_.report.damage += name + " has change " + std::to_string(each.sequence) + " of "
                               + std::string{each.stream} + ", and parts of it are damaged. ";
    else if (follows)
      plan_.report.damage += name
                             + " is whole, but it cannot be understood. Perhaps a newer version of "
                               "this program wrote it. ";
    ++plan_.report.lost_groups;
    for (const auto& entry : whole.entries)
      std::visit([&](const auto& each) { lose(group.at, each); }, entry);
    for (const auto& each : whole.lacking)
      note_lost(each.stream, record::is_row_of_lone_task(each.head), each.sequence);
  }

  /// `safe`: groups up to this are known to have been acknowledged.
  void finish(journal::position safe) {
    const auto end = std::max(seen_, safe);
    plan_.report.unreadable_groups = end - plan_.report.last - plan_.report.lost_groups;
  }

private:
  /// Groups up to the mark go, so a change of which they have parts is whole in its group.
  [[nodiscard]] std::string kept_bytes(const journal::readable_group& group,
                                       const std::vector<group_item>& items,
                                       const std::vector<group_entry>& entries) const {
    const auto is_before = [&](const parts_id& id) { return id.first <= plan_.mark.at; };
    const bool is_needed = std::ranges::any_of(items, [&](const group_item& item) {
      const auto* change = std::get_if<group_long_change>(&item);
      return change != nullptr && is_before(change->id);
    });
    if (!is_needed)
      return std::string{group.bytes};
    std::string out;
    auto entry = entries.begin();
    for (const auto& item : items) {
      if (const auto* part = std::get_if<group_part>(&item)) {
        add_entry(out, *part);
      } else if (const auto* ended = std::get_if<group_parts_end>(&item)) {
        add_entry(out, *ended);
      } else if (const auto* change = std::get_if<group_long_change>(&item);
                 change != nullptr && !is_before(change->id)) {
        add_entry(out, *change);
        ++entry;
      } else {
        add_entry(out, *entry++);
      }
    }
    return out;
  }

  static bool is_understood(const std::vector<group_entry>& entries) {
    return std::ranges::all_of(entries, [](const group_entry& entry) {
      if (const auto* change = std::get_if<group_change>(&entry))
        return record::read_change(change->row, change->stream, change->sequence).has_value();
      if (const auto* came = std::get_if<group_once>(&entry))
        return read_once_row(came->key, came->row).has_value();
      const auto& push = std::get<group_push>(entry);
      return !push.row || record::read_push_row(*push.row, push.task, push.config).has_value();
    });
  }

  void lose(journal::position at, const group_change& entry) {
    const auto change = record::read_change(entry.row, entry.stream, entry.sequence);
    if (!change)
      return;
    const bool is_lone = !change->task.id.empty() && change->task.lone;
    if (on_lost_)
      on_lost_({entry.stream, is_lone, entry.sequence, entry.row}, at);
    auto& of = note_lost(entry.stream, is_lone, entry.sequence);
    if (!change->task.id.empty())
      of.tasks.insert(change->task.id.str());
  }
  lost_stream& note_lost(std::string_view stream, bool is_lone, std::uint64_t sequence) {
    auto& lost = plan_.report.lost;
    const auto [known, is_new] = index_.try_emplace({is_lone, std::string{stream}}, lost.size());
    if (is_new)
      lost.push_back({std::string{stream}, is_lone, sequence, 0, 0, {}});
    auto& of = lost[known->second];
    of.last = sequence;
    ++of.changes;
    return of;
  }
  static void lose(journal::position, const group_once&) {} // With its change.
  void lose(journal::position, const group_push&) { ++plan_.report.lost_pushes; }

  plan& plan_;
  const lost_change_fn& on_lost_;
  long_changes parts_;
  journal::position seen_ = 0; ///< The last group after the mark; else the mark.
  std::map<std::pair<bool, std::string>, std::size_t> index_; ///< Of `lost`.
};

/// The caller keeps other processes away.
result<plan> make_plan(const std::string& directory, const lost_change_fn& on_lost) {
  const auto tables = open_tables_to_read(directory);
  if (!tables)
    return cannot_help(tables.error().message);
  if (!tables->mark)
    return make_error(errc::store_failed,
                      "The store in " + directory
                          + " has format 1, which has no journal of its own. `troupe store migrate "
                            "--data "
                          + directory + "` converts it.");
  plan out;
  out.mark = *tables->mark;
  group_sorter groups{out, on_lost};
  std::error_code unknown;
  if (!fs::exists(journal_path(directory), unknown)) {
    out.report.is_needed = true;
    out.report.damage = "The journal is missing.";
    return out;
  }
  const auto files = journal::make_file_disk(journal_path(directory));
  const auto found = journal::inspect(*files, out.mark.at);
  if (!found)
    return found.error();
  auto damage =
      !found->damage.empty() ? describe_damage(*found) : journal::describe_misfit(*found, out.mark);
  const bool is_other =
      found->journal_id != 0 && found->journal_id != out.mark.journal_id && !found->is_new;
  if (is_other)
    return cannot_help(damage);
  if (const auto read = journal::for_each_readable_group(
          *files, out.mark.journal_id,
          [&](const journal::readable_group& group) { groups.take(group); });
      !read)
    return read.error();
  damage += damage.empty() || out.report.damage.empty() ? "" : " ";
  out.report.damage = damage + out.report.damage;
  out.report.is_needed = !out.report.damage.empty();
  if (!out.report.is_needed)
    return out;
  const auto copies = journal::read_file(*files, journal::safe_name);
  groups.finish(copies.failed ? 0 : journal::read_safe_copies(copies.value, out.mark.journal_id));
  return out;
}

/// Whether the next start will take the journal.
result<void> check_result(journal::disk& files, const journal::follower_mark& mark) {
  const auto found = journal::inspect(files, mark.at);
  if (!found)
    return found.error();
  const auto problem =
      found->damage.empty() ? journal::describe_misfit(*found, mark) : describe_damage(*found);
  return problem.empty() ? result<void>{}
                         : result<void>{make_error(errc::store_failed,
                                                   "The journal was rewritten, but it still does "
                                                   "not match the tables: "
                                                       + problem)};
}

} // namespace

result<repair_report> plan_repair(const std::string& directory, const lost_change_fn& on_lost) {
  const auto locked = lock_to_read(directory);
  if (!locked)
    return locked.error();
  auto made = make_plan(directory, on_lost);
  if (!made)
    return made.error();
  return std::move(made->report);
}

result<repair_report> repair_store(const std::string& directory, const lost_change_fn& on_lost) {
  if (const auto usable = lock_to_read(directory); !usable) // Given up again at once.
    return usable.error();
  if (const auto owned = require_owner(directory); !owned)
    return owned.error();
  const auto locked = directory_lock::take(directory);
  if (!locked)
    return locked.error();
  auto made = make_plan(directory, on_lost);
  if (!made)
    return made.error();
  auto& report = made->report;
  if (!report.is_needed)
    return std::move(report);
  auto copy = copy_directory(directory, "before-repair");
  if (!copy)
    return copy.error();
  report.copy = std::move(*copy);
  std::error_code failure;
  fs::create_directory(journal_path(directory), failure);
  if (failure)
    return make_error(errc::store_failed, "The directory " + journal_path(directory)
                                              + " cannot be created (" + failure.message() + ").");
  const auto files = journal::make_file_disk(journal_path(directory));
  if (const auto written =
          journal::rewrite_journal(*files, made->mark.journal_id, made->mark.at + 1, made->kept);
      !written)
    return written.error();
  if (const auto fits = check_result(*files, made->mark); !fits)
    return fits.error();
  return std::move(report);
}

} // namespace troupe
