#include "store/tools/stat.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/record/record.hpp"
#include "store/journal/file_disk.hpp"
#include "store/rocksdb/rocksdb_open.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/rocksdb/rocksdb_scan.hpp"
#include "store/tools/list_key.hpp"
#include "store/tools/read_only.hpp"

#include <filesystem>
#include <optional>
#include <system_error>

namespace troupe {

namespace {

namespace fs = std::filesystem;

class table_counter {
public:
  table_counter(rocksdb::DB& db, store_stat& into) : db_(db), out_(into) {}

  result<void> run() {
    if (const auto read = each("x", [&](auto key, auto) { count_listed(key); }); !read)
      return read;
    if (const auto read = each("y", [&](auto key, auto) { count_listed(key); }); !read)
      return read;
    if (const auto read = each(rows::push_prefix, [&](auto, auto) { ++out_.push_configs; }); !read)
      return read;
    std::string prefix;
    rows::live_prefix(prefix, rows::stream_kind::lone_task);
    if (const auto read = each(prefix, [&](auto, auto) { ++out_.lone_tasks; }); !read)
      return read;
    out_.live_tasks = out_.lone_tasks;
    rows::live_prefix(prefix, rows::stream_kind::objective);
    std::optional<error> failed;
    const auto read = each(prefix, [&](auto key, auto) {
      ++out_.live_objectives;
      if (const auto counted = count_tasks(key.substr(prefix.size())); !counted && !failed)
        failed = counted.error();
    });
    return read && failed ? result<void>{*failed} : read;
  }

private:
  template<class Visit>
  result<void> each(std::string_view prefix, Visit visit) {
    const auto read = scan(db_, prefix, [&](std::string_view key, std::string_view value) {
      visit(key, value);
      return true;
    });
    return read.ok() ? result<void>{}
                     : result<void>{make_error(errc::store_failed, "The tables cannot be read ("
                                                                       + read.ToString() + ").")};
  }

  void count_listed(std::string_view key) {
    const auto where = read_list_key(key);
    if (!where || !where->state)
      return;
    const auto state = static_cast<std::size_t>(*where->state - '0');
    if (where->kind == list_kind::tasks_by_state && state < out_.ended_tasks.size())
      ++out_.ended_tasks[state];
    if (where->kind == list_kind::objectives_by_state && state < out_.sealed_objectives.size())
      ++out_.sealed_objectives[state];
  }

  /// Of a live objective: each task that begins and does not end.
  result<void> count_tasks(std::string_view objective) {
    std::string prefix;
    rows::history_prefix(prefix, rows::stream_kind::objective, objective);
    std::optional<error> failed;
    const auto read = each(prefix, [&](std::string_view key, std::string_view value) {
      const auto sequence = rows::history_sequence(key, prefix);
      if (!sequence || failed)
        return;
      const auto change = record::read_change(value, objective, *sequence);
      if (!change) {
        failed = change.error();
        return;
      }
      if (created_record(*change))
        ++out_.live_tasks;
      if (!change->task.id.empty() && ends_task(*change))
        --out_.live_tasks;
    });
    return failed ? result<void>{*failed} : read;
  }

  rocksdb::DB& db_;
  store_stat& out_;
};

result<void> read_journal(const std::string& path,
                          const std::optional<journal::follower_mark>& mark, store_stat& out) {
  std::error_code unknown;
  if (!fs::exists(path, unknown)) {
    out.journal_problem = mark ? "The journal is missing." : "";
    return {};
  }
  const auto files = journal::make_file_disk(path);
  const auto found = journal::inspect(*files, mark ? mark->at : 0);
  if (!found)
    return found.error();
  out.first = found->first;
  out.last = found->last;
  out.safe = found->safe;
  out.segments = found->segments.size();
  for (const auto& each : found->segments)
    out.journal_bytes += each.size;
  if (!found->damage.empty())
    out.journal_problem = describe_damage(*found);
  else if (mark)
    out.journal_problem = journal::describe_misfit(*found, *mark);
  return {};
}

} // namespace

result<store_stat> stat_store(const std::string& directory) {
  const auto locked = lock_to_read(directory);
  if (!locked)
    return locked.error();
  const auto tables = open_tables_to_read(directory);
  if (!tables)
    return tables.error();
  store_stat out;
  out.format = tables->format;
  out.mark = tables->mark ? tables->mark->at : 0;
  if (const auto read = table_counter{*tables->db, out}.run(); !read)
    return read.error();
  std::error_code failure;
  for (const auto& entry : fs::directory_iterator{directory, failure})
    if (entry.path().extension() == ".sst") {
      ++out.table_files;
      std::error_code unknown;
      const auto bytes = entry.file_size(unknown);
      out.table_bytes += unknown ? 0 : bytes;
    }
  const auto path = journal_path(directory);
  if (const auto read = read_journal(path, tables->mark, out); !read)
    return read.error();
  return out;
}

} // namespace troupe
