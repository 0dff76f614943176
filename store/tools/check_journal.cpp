#include "protocol/record/record.hpp"
#include "store/journal/journal.hpp"
#include "store/journal/readable_groups.hpp"
#include "store/long_changes.hpp"
#include "store/once_table.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/rocksdb/rocksdb_scan.hpp"
#include "store/tools/check_parts.hpp"
#include <troupe/protocol/push_row.hpp>

#include <limits>
#include <map>
#include <optional>
#include <unordered_map>
#include <utility>

namespace troupe {

namespace {

std::string place_in(std::string_view file, std::uint64_t offset) {
  return std::string{journal_directory} + "/" + std::string{file} + ", byte "
         + std::to_string(offset);
}

/// The sequence of the last change of a stream in the tables; 0 if there is none.
std::uint64_t last_sequence(rocksdb::DB& db, rows::stream_kind kind, std::string_view stream) {
  std::string prefix;
  std::string end;
  rows::history_prefix(prefix, kind, stream);
  rows::history_key(end, kind, stream, std::numeric_limits<std::uint64_t>::max());
  rocksdb::ReadOptions how;
  how.total_order_seek = true;
  const std::unique_ptr<rocksdb::Iterator> row{db.NewIterator(how)};
  row->SeekForPrev(end);
  return row->Valid() ? rows::history_sequence(text_of(row->key()), prefix).value_or(0) : 0;
}

class journal_checker {
public:
  journal_checker(const read_tables* tables, check_desk& desk) : tables_(tables), desk_(desk) {}

  void take(const journal::readable_group& group) {
    auto& counts = desk_.report.counts;
    ++counts.groups;
    desk_.advance("groups of the journal", counts.groups);
    const auto where = place_in(group.file, group.offset);
    const auto whole = parts_.take(group.at, group.bytes);
    if (first_ == 0)
      first_ = group.at;
    if (!whole) {
      desk_.find(where,
                 "Group " + std::to_string(group.at)
                     + " is whole, but it cannot be understood. Perhaps a newer version of this "
                       "program wrote it.");
      return;
    }
    if (group.at <= mark()) {
      if (group.at != understood_ + 1) // A group between may change any of them.
        pushes_.clear();
      understood_ = group.at;
    }
    for (const auto& entry : whole->entries)
      std::visit([&](const auto& each) { take(group.at, where, each); }, entry);
    for (const auto& change : whole->lacking)
      lack(group.at, where, change);
  }

  /// After the last group.
  void finish() {
    if (!tables_ || understood_ != mark())
      return;
    for (const auto& [key, value] : pushes_) {
      const auto row = find_row(key);
      if (row != value)
        desk_.find("row " + show_key(key),
                   "It differs from the last group of the journal that changes it.");
    }
  }

private:
  [[nodiscard]] journal::position mark() const {
    return tables_ && tables_->mark ? tables_->mark->at : 0;
  }

  /// Parts of a change that the tables have may be forgotten already.
  void lack(journal::position at, const std::string& where, const group_long_change& change) {
    if (at > mark() || change.id.first >= first_)
      desk_.find(where, "Group " + std::to_string(at) + ": change "
                            + std::to_string(change.sequence) + " of " + std::string{change.stream}
                            + " lacks parts, which came before it.");
  }

  void take(journal::position at, const std::string& where, const group_change& entry) {
    ++desk_.report.counts.group_changes;
    const auto name = "Group " + std::to_string(at) + ": change " + std::to_string(entry.sequence)
                      + " of " + std::string{entry.stream};
    const auto change = record::read_change(entry.row, entry.stream, entry.sequence);
    if (!change) {
      desk_.find(where, name + " cannot be read (" + change.error().message + ").");
      return;
    }
    const bool is_lone = !change->task.id.empty() && change->task.lone;
    const auto kind = is_lone ? rows::stream_kind::lone_task : rows::stream_kind::objective;
    if (at > mark())
      desk_.show({entry.stream, is_lone, entry.sequence, entry.row}, at);
    if (!tables_ || !tables_->mark)
      return;
    std::string key;
    rows::history_key(key, kind, entry.stream, entry.sequence);
    if (at > mark())
      follow(where, name, kind, entry);
    else if (find_row(key) != entry.row)
      desk_.find(where, name + " is not in the tables, or is another there.");
  }

  /// A change that the tables do not have yet follows the last one.
  void follow(const std::string& where, const std::string& name, rows::stream_kind kind,
              const group_change& entry) {
    const auto stream = static_cast<char>(kind) + std::string{entry.stream};
    auto known = last_.find(stream);
    if (known == last_.end())
      known = last_.emplace(stream, last_sequence(*tables_->db, kind, entry.stream)).first;
    if (entry.sequence != known->second + 1)
      desk_.find(where, name + " does not follow: the one before it is "
                            + std::to_string(known->second) + ".");
    known->second = entry.sequence;
  }

  /// The tables may have forgotten it since.
  void take(journal::position at, const std::string& where, const group_once& entry) {
    if (!read_once_row(entry.key, entry.row))
      desk_.find(where, "Group " + std::to_string(at) + ": what may come once cannot be read.");
  }

  void take(journal::position at, const std::string& where, const group_push& entry) {
    ++desk_.report.counts.group_pushes;
    if (entry.row) {
      const auto row = record::read_push_row(*entry.row, entry.task, entry.config);
      if (!row)
        desk_.find(where, "Group " + std::to_string(at) + ": the push configuration "
                              + std::string{entry.config} + " of " + std::string{entry.task}
                              + " cannot be read (" + row.error().message + ").");
    }
    if (at > mark())
      return;
    std::string key;
    rows::push_key(key, entry.task, entry.config);
    pushes_[key] = entry.row ? std::optional{std::string{*entry.row}} : std::nullopt;
  }

  [[nodiscard]] std::optional<std::string> find_row(std::string_view key) const {
    std::string row;
    return tables_->db->Get(rocksdb::ReadOptions{}, slice_of(key), &row).ok()
               ? std::optional{std::move(row)}
               : std::nullopt;
  }

  const read_tables* tables_;
  check_desk& desk_;
  std::unordered_map<std::string, std::uint64_t> last_; ///< By kind and id.
  long_changes parts_;
  journal::position first_ = 0;      ///< Group that was read.
  journal::position understood_ = 0; ///< The last group up to the mark that was read.
  /// As the groups up to it leave them, from the last gap on; nothing: it was removed.
  std::map<std::string, std::optional<std::string>> pushes_;
};

} // namespace

result<void> check_journal(journal::disk& files, const read_tables* tables, check_desk& desk) {
  const auto found = journal::inspect(files);
  if (!found)
    return found.error();
  for (const auto& each : found->damage)
    desk.find(place_in(each.file, each.offset), "The file is damaged: " + each.problem + ".");
  for (const auto& each : found->repaired)
    desk.note(place_in(each.file, each.offset) + ": a write was cut short (" + each.problem
              + "). Nothing that was acknowledged is lost.");
  const auto mark = tables ? tables->mark : std::nullopt;
  if (mark && found->damage.empty()) {
    if (const auto why = journal::describe_misfit(*found, *mark); !why.empty())
      desk.find("journal", why);
    else if (found->last > mark->at)
      desk.note("The tables do not have the groups " + std::to_string(mark->at + 1) + " to "
                + std::to_string(found->last) + " of the journal yet. The next start adds them.");
  }
  if (tables && tables->format == 0 && found->last > 0)
    desk.find("tables", "They are empty, and the journal has groups up to "
                            + std::to_string(found->last)
                            + ". A file of theirs (MANIFEST) may have been cut.");
  journal_checker content{tables, desk};
  const auto id = mark ? std::optional{mark->journal_id} : std::nullopt;
  if (const auto read = journal::for_each_readable_group(
          files, id, [&](const journal::readable_group& group) { content.take(group); });
      !read)
    return read.error();
  content.finish();
  return {};
}

} // namespace troupe
