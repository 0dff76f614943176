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
/// `from`, until it returns false.
template<class Visit>
[[nodiscard]] rocksdb::Status scan_from(rocksdb::DB& db, std::string_view prefix,
                                        std::string_view from, Visit visit,
                                        const rocksdb::ReadOptions& how = {}) {
  const std::unique_ptr<rocksdb::Iterator> each{db.NewIterator(how)};
  for (each->Seek(slice_of(from)); each->Valid() && text_of(each->key()).starts_with(prefix);
       each->Next())
    if (!visit(text_of(each->key()), text_of(each->value())))
      break;
  return each->status();
}

/// The same with all rows of `prefix`.
template<class Visit>
[[nodiscard]] rocksdb::Status scan(rocksdb::DB& db, std::string_view prefix, Visit visit,
                                   const rocksdb::ReadOptions& how = {}) {
  return scan_from(db, prefix, prefix, visit, how);
}

} // namespace troupe
