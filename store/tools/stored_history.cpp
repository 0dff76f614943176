#include "store/tools/stored_history.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/record/record.hpp"
#include "store/directory_lock.hpp"
#include "store/journal/file_disk.hpp"
#include "store/journal/journal.hpp"
#include "store/journal/readable_groups.hpp"
#include "store/long_changes.hpp"
#include "store/rocksdb/rocksdb_open.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/rocksdb/rocksdb_scan.hpp"
#include "store/rocksdb/rocksdb_store.hpp"
#include "store/tools/read_only.hpp"

#include <algorithm>
#include <cstdint>
#include <filesystem>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <utility>
#include <variant>

namespace troupe {

namespace {

error needs_check(const std::string& directory, const std::string& problem) {
  return make_error(errc::store_failed, "The data directory " + directory + " is damaged: "
                                            + problem + " `troupe store check --data " + directory
                                            + "` says more, and docs/store.md what to do.");
}

/// A change as the journal has it, for a stream that the tables do not have to the end.
struct late_change {
  std::uint64_t sequence = 0;
  std::string row;
};

using late_changes = std::map<std::string, std::vector<late_change>>;

} // namespace

struct stored_history::impl {
  std::string directory;
  std::unique_ptr<directory_lock> lock;
  read_tables tables;
  late_changes late;  ///< By kind and id.
  long_changes parts; ///< While the journal is read.

  static std::string stream_name(rows::stream_kind kind, std::string_view id) {
    return static_cast<char>(kind) + std::string{id};
  }

  /// What the journal has after the mark.
  result<void> read_journal();
  result<void> take_group(const journal::readable_group& group);
  /// Calls `visit` with each change of the stream, in order, until it returns false. The number of
  /// changes.
  result<std::uint64_t> for_each_change(rows::stream_kind kind, const std::string& id,
                                        const stored_change_fn& visit) const;
};

result<void> stored_history::impl::take_group(const journal::readable_group& group) {
  const auto whole = parts.take(group.at, group.bytes);
  if (group.at <= (tables.mark ? tables.mark->at : 0))
    return {}; // It may have parts of a later one.
  if (!whole)
    return needs_check(directory, "group " + std::to_string(group.at) + " cannot be understood.");
  if (const auto& lacking = whole->lacking; !lacking.empty())
    return needs_check(directory, "parts of change " + std::to_string(lacking.front().sequence)
                                      + " of " + std::string{lacking.front().stream}
                                      + " are missing.");
  for (const auto& entry : whole->entries) {
    const auto* one = std::get_if<group_change>(&entry);
    if (one == nullptr)
      continue;
    const auto change = record::read_change(one->row, one->stream, one->sequence);
    if (!change)
      return needs_check(directory, change.error().message);
    const bool is_lone = !change->task.id.empty() && change->task.lone;
    const auto kind = is_lone ? rows::stream_kind::lone_task : rows::stream_kind::objective;
    late[stream_name(kind, one->stream)].push_back({one->sequence, std::string{one->row}});
  }
  return {};
}

result<void> stored_history::impl::read_journal() {
  const auto path = journal_path(directory);
  std::error_code unknown;
  if (!std::filesystem::exists(path, unknown))
    return tables.mark ? needs_check(directory, "The journal is missing.") : result<void>{};
  const auto files = journal::make_file_disk(path);
  const auto found = journal::inspect(*files);
  if (!found)
    return found.error();
  if (!found->damage.empty())
    return needs_check(directory, found->damage.front().file + ", byte "
                                      + std::to_string(found->damage.front().offset) + ": "
                                      + found->damage.front().problem + ".");
  if (tables.mark)
    if (const auto why = journal::describe_misfit(*found, *tables.mark); !why.empty())
      return needs_check(directory, why);
  const auto mark = tables.mark ? tables.mark->at : 0;
  if (found->last <= mark)
    return {};
  result<void> out;
  const auto id = tables.mark ? std::optional{tables.mark->journal_id} : std::nullopt;
  if (auto read = journal::for_each_readable_group(*files, id,
                                                   [&](const journal::readable_group& group) {
                                                     if (out)
                                                       out = take_group(group);
                                                   });
      !read)
    return read;
  parts.clear();
  return out;
}

result<std::uint64_t> stored_history::impl::for_each_change(rows::stream_kind kind,
                                                            const std::string& id,
                                                            const stored_change_fn& visit) const {
  std::uint64_t last = 0;
  std::optional<error> damage;
  bool goes_on = true;
  const auto take = [&](std::uint64_t sequence, std::string_view row) {
    if (sequence != last + 1) {
      damage = needs_check(directory, "The history of " + id + " lacks change "
                                          + std::to_string(last + 1) + ".");
      return false;
    }
    auto change = record::read_change(row, id, sequence);
    if (!change) {
      damage = needs_check(directory, "Change " + std::to_string(sequence) + " of " + id
                                          + " cannot be read (" + change.error().message + ").");
      return false;
    }
    last = sequence;
    goes_on = visit(std::move(*change));
    return goes_on;
  };
  std::string prefix;
  std::string first;
  rows::history_prefix(prefix, kind, id);
  rows::history_key(first, kind, id, 0);
  auto how = reads_one_stream();
  how.fill_cache = false;
  const auto read = scan_from(
      *tables.db, prefix, first,
      [&](std::string_view key, std::string_view row) {
        const auto sequence = rows::history_sequence(key, prefix);
        return !sequence || take(*sequence, row);
      },
      how);
  if (damage)
    return *damage;
  if (!read.ok())
    return make_error(errc::store_unreadable,
                      "The history of " + id + " cannot be read (" + read.ToString() + ").");
  if (const auto more = late.find(stream_name(kind, id)); more != late.end())
    for (const auto& each : more->second)
      if (!goes_on || !take(each.sequence, each.row))
        break;
  if (damage)
    return *damage;
  return last;
}

stored_history::stored_history(std::unique_ptr<impl> opened) : impl_(std::move(opened)) {}
stored_history::~stored_history() = default;

result<std::unique_ptr<stored_history>> stored_history::open(const std::string& directory) {
  auto opened = std::make_unique<impl>();
  opened->directory = directory;
  auto locked = lock_to_read(directory);
  if (!locked)
    return locked.error();
  opened->lock = std::move(*locked);
  auto tables = open_tables_to_read(directory);
  if (!tables)
    return tables.error();
  if (tables->format != 0 && tables->format != rows::format_version)
    return make_error(errc::store_failed, "The data directory " + directory
                                              + " has an older format; convert it first, with "
                                                "`troupe store migrate --data "
                                              + directory + "`.");
  opened->tables = std::move(*tables);
  if (auto ok = opened->read_journal(); !ok)
    return ok.error();
  return std::unique_ptr<stored_history>{new stored_history{std::move(opened)}};
}

result<std::vector<objective_id>> stored_history::objectives() const {
  std::set<std::string> ids;
  std::string prefix;
  rows::history_prefix(prefix, rows::stream_kind::objective, {});
  prefix.pop_back(); // The slash behind the id.
  const auto head_bytes = prefix.size();
  rocksdb::ReadOptions how;
  how.total_order_seek = true;
  how.fill_cache = false;
  const std::unique_ptr<rocksdb::Iterator> row{impl_->tables.db->NewIterator(how)};
  std::string next;
  for (row->Seek(slice_of(prefix)); row->Valid() && text_of(row->key()).starts_with(prefix);) {
    const auto stream = rows::stream_prefix_of(text_of(row->key()));
    if (stream.size() <= head_bytes + 1) {
      row->Next();
      continue;
    }
    const auto id = stream.substr(head_bytes, stream.size() - head_bytes - 1);
    ids.emplace(id);
    rows::history_key(next, rows::stream_kind::objective, std::string{id},
                      std::numeric_limits<std::uint64_t>::max());
    row->Seek(slice_of(next));
    if (row->Valid() && text_of(row->key()) == next)
      row->Next();
  }
  if (!row->status().ok())
    return make_error(errc::store_unreadable,
                      "The objectives cannot be listed (" + row->status().ToString() + ").");
  for (const auto& [stream, changes] : impl_->late)
    if (stream.front() == static_cast<char>(rows::stream_kind::objective))
      ids.insert(stream.substr(1));
  std::vector<objective_id> out;
  for (const auto& id : ids)
    out.emplace_back(id);
  return out;
}

result<void> stored_history::read(const objective_id& id, const stored_change_fn& visit) const {
  std::vector<change> root; // A handful, however long the objective takes.
  std::size_t next = 0;
  std::optional<error> failed;
  bool goes_on = true;
  const auto take_root = [&](std::optional<timestamp> before) {
    while (goes_on && next < root.size() && (!before || root[next].at < *before))
      goes_on = visit(std::move(root[next++]));
    return goes_on;
  };
  const auto read =
      impl_->for_each_change(rows::stream_kind::objective, id.str(), [&](change&& news) {
        if (const auto* created = created_objective(news);
            created != nullptr && !created->root_task.empty()) {
          const auto of_root = impl_->for_each_change(
              rows::stream_kind::lone_task, created->root_task.str(), [&](change&& moved) {
                root.push_back(std::move(moved));
                return true;
              });
          if (!of_root) {
            failed = of_root.error();
            return false;
          }
        } else if (!take_root(news.at)) {
          return false;
        }
        goes_on = visit(std::move(news));
        return goes_on;
      });
  if (failed)
    return *failed;
  if (!read)
    return read.error();
  if (*read == 0)
    return unknown_objective(id.str());
  take_root(std::nullopt);
  return {};
}

} // namespace troupe
