// Reading rows in the order of their keys. The status is returned, so that a disk that cannot be
// read is not taken for an end of rows.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string_view>

namespace troupe {

[[nodiscard]] inline std::string_view text_of(const rocksdb::Slice& slice) noexcept {
  return {slice.data(), slice.size()};
}

[[nodiscard]] inline rocksdb::Slice slice_of(std::string_view text) noexcept {
  return {text.data(), text.size()};
}

/// Calls `visit(key, value)` with each row whose key begins with `prefix`, beginning at the key
/// `from`, until it returns false. `rows` is moved: it may be used for the next prefix.
template<class Visit>
[[nodiscard]] rocksdb::Status scan_from(rocksdb::Iterator& rows, std::string_view prefix,
                                        std::string_view from, Visit visit) {
  for (rows.Seek(slice_of(from)); rows.Valid() && text_of(rows.key()).starts_with(prefix);
       rows.Next())
    if (!visit(text_of(rows.key()), text_of(rows.value())))
      break;
  return rows.status();
}

/// The same with an iterator of its own.
template<class Visit>
[[nodiscard]] rocksdb::Status scan_from(rocksdb::DB& db, std::string_view prefix,
                                        std::string_view from, Visit visit,
                                        const rocksdb::ReadOptions& how = {}) {
  const std::unique_ptr<rocksdb::Iterator> rows{db.NewIterator(how)};
  return scan_from(*rows, prefix, from, visit);
}

/// The same with all rows of `prefix`.
template<class Visit>
[[nodiscard]] rocksdb::Status scan(rocksdb::DB& db, std::string_view prefix, Visit visit,
                                   const rocksdb::ReadOptions& how = {}) {
  return scan_from(db, prefix, prefix, visit, how);
}

} // namespace troupe
