#include "store/rocksdb/rocksdb_pushes.hpp"

#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/rocksdb/rocksdb_scan.hpp"

#include <string>
#include <string_view>

namespace troupe {

namespace {

error unreadable(const std::string& why) {
  return make_error(errc::store_failed, "A push notification configuration cannot be read (" + why
                                            + "); restore the data directory from a backup.");
}

} // namespace

result<void> read_pushes(rocksdb::DB& db, push_table& into) {
  std::string damage;
  const auto read = scan(db, rows::push_prefix, [&](std::string_view key, std::string_view value) {
    const auto parts = rows::push_key_parts(key);
    if (!parts) {
      damage = "its key is malformed";
      return false;
    }
    auto row = record::read_push_row(value, parts->first, parts->second);
    if (row)
      into.restore(std::move(*row));
    else
      damage = row.error().message;
    return row.has_value();
  });
  if (!damage.empty())
    return unreadable(damage);
  if (!read.ok())
    return unreadable(read.ToString());
  return {};
}

void put_pushes(rocksdb::WriteBatch& batch, const push_table& from) {
  std::string key;
  std::string value;
  for (const auto& [which, row] : from.staged()) {
    rows::push_key(key, which.first, which.second);
    if (!row) {
      batch.Delete(key);
      continue;
    }
    value.clear();
    record::write(value, *row);
    batch.Put(key, value);
  }
}

void add_pushes(std::string& group, const push_table& from) {
  std::string value;
  for (const auto& [which, row] : from.staged()) {
    group_push entry{which.first, which.second, std::nullopt};
    if (row) {
      value.clear();
      record::write(value, *row);
      entry.row = value;
    }
    add_entry(group, entry);
  }
}

result<void> stage_push(push_table& into, const group_push& entry) {
  const push_table::key which{entry.task, entry.config};
  if (!entry.row) {
    into.stage(which, std::nullopt);
    return {};
  }
  auto row = record::read_push_row(*entry.row, entry.task, entry.config);
  if (!row)
    return unreadable(row.error().message);
  into.stage(which, std::move(*row));
  return {};
}

} // namespace troupe
