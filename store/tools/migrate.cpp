#include "store/tools/migrate.hpp"

#include "store/rocksdb/old_log.hpp"
#include "store/rocksdb/rocksdb_open.hpp"
#include "store/rocksdb/rocksdb_rows.hpp"
#include "store/tools/read_only.hpp"

#include <utility>

namespace troupe {

namespace {

result<std::uint32_t> format_of(const std::string& directory) {
  const auto locked = lock_to_read(directory);
  if (!locked)
    return locked.error();
  const auto tables = open_tables_to_read(directory);
  return tables ? result<std::uint32_t>{tables->format} : tables.error();
}

} // namespace

result<migration> migrate_store(const std::string& directory) {
  const auto format = format_of(directory);
  if (!format)
    return format.error();
  migration out{*format, rows::format_version, {}};
  if (out.from == out.to)
    return out;
  if (const auto owned = require_owner(directory); !owned)
    return owned.error();
  const auto converted = make_rocksdb_store({.directory = directory}, rocksdb_internals{});
  if (!converted)
    return converted.error();
  auto found = (*converted)->recover();
  if (!found)
    return found.error();
  out.repaired = std::move(found->repaired);
  return out;
}

} // namespace troupe
