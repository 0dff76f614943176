#include "store/rocksdb_pushes.hpp"

#include <memory>
#include <string>
#include <string_view>

#include "store/rocksdb_rows.hpp"

namespace troupe {

namespace {

std::string_view text_of(const rocksdb::Slice& slice) noexcept { return {slice.data(), slice.size()}; }

error unreadable(const std::string& why) {
  return make_error(errc::store_failed, "A push notification configuration cannot be read (" + why
                                          + "); restore the data directory from a copy.");
}

} // namespace

result<void> read_pushes(rocksdb::DB& db, push_table& into) {
  const rocksdb::Slice prefix{rows::push_prefix.data(), rows::push_prefix.size()};
  const std::unique_ptr<rocksdb::Iterator> each{db.NewIterator(rocksdb::ReadOptions{})};
  for (each->Seek(prefix); each->Valid() && each->key().starts_with(prefix); each->Next()) {
    const auto parts = rows::push_key_parts(text_of(each->key()));
    if (!parts)
      return unreadable("its key is malformed");
    auto row = record::read_push_row(text_of(each->value()), parts->first, parts->second);
    if (!row)
      return unreadable(row.error().message);
    into.restore(std::move(*row));
  }
  if (!each->status().ok())
    return unreadable(each->status().ToString());
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

} // namespace troupe
