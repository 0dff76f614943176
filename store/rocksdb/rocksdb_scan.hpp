// Reading rows in the order of their keys. The status is returned, so that a disk that cannot be
// read is not taken for an end of rows.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>
#include <string_view>

namespace troupe {

[[nodiscard]] inline std::string_view text_of(const rocksdb::Slice& slice) noexcept {
  return {slice.data(), slice.size()};
}

[[nodiscard]] inline rocksdb::Slice slice_of(std::string_view text) noexcept {
  return {text.data(), text.size()};
}

/// For a scan of one stream's history that begins at a whole key: table files that have nothing of
/// the stream are not read. A start with 1,300 live streams and twenty files took 47 s without it,
/// because the block at the place of a stream can be one with megabytes of another.
[[nodiscard]] inline rocksdb::ReadOptions reads_one_stream() {
  rocksdb::ReadOptions how;
  how.prefix_same_as_start = true;
  return how;
}

/// The first key after all keys that begin with `prefix`; empty: there is none.
[[nodiscard]] inline std::string end_of(std::string_view prefix) {
  std::string end{prefix};
  while (!end.empty() && end.back() == '\xff')
    end.pop_back();
  if (!end.empty())
    ++end.back();
  return end;
}

/// Calls `visit(key, value)` with each row whose key begins with `prefix`, beginning at the key
/// `from`, until it returns false.
template<class Visit>
[[nodiscard]] rocksdb::Status scan_from(rocksdb::DB& db, std::string_view prefix,
                                        std::string_view from, Visit visit,
                                        rocksdb::ReadOptions how = {}) {
  // Without a bound the block behind the prefix is uncompressed, too, in each file.
  const auto end = end_of(prefix);
  const auto bound = slice_of(end);
  if (!end.empty())
    how.iterate_upper_bound = &bound;
  how.total_order_seek = !how.prefix_same_as_start; // Filters know no other prefixes.
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
