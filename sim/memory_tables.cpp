#include "sim/memory_tables.hpp"

#include "store/rocksdb/rocksdb_scan.hpp"

#include <rocksdb/utilities/stackable_db.h>
#include <rocksdb/write_batch.h>

#include <utility>

namespace troupe::sim {

using rocksdb::ColumnFamilyHandle;
using rocksdb::Iterator;
using rocksdb::ReadOptions;
using rocksdb::Slice;
using rocksdb::Status;

namespace {

Status disk_error() {
  return Status::IOError("the disk of the tables refuses");
}

} // namespace

/// Goes through both maps in the order of their keys; of a key that both have, the recent row
/// counts.
class memory_tables::cursor final : public Iterator {
public:
  cursor(const memory_tables& of, const ReadOptions& how)
      : of_(of), bound_(how.iterate_upper_bound), flushed_(of.flushed_.end()),
        recent_(of.recent_.end()) {}

  [[nodiscard]] bool Valid() const override {
    return !is_refused_ && !is_at_end() && (bound_ == nullptr || key().compare(*bound_) < 0);
  }
  void SeekToFirst() override { Seek({}); }
  void Seek(const Slice& target) override {
    is_refused_ = of_.fails_to_read();
    flushed_ = of_.flushed_.lower_bound(text_of(target));
    recent_ = of_.recent_.lower_bound(text_of(target));
    skip_deleted();
  }
  void Next() override {
    step();
    skip_deleted();
  }
  [[nodiscard]] Slice key() const override {
    return is_at_recent() ? recent_->first : flushed_->first;
  }
  [[nodiscard]] Slice value() const override {
    return is_at_recent() ? *recent_->second : flushed_->second;
  }
  [[nodiscard]] Status status() const override { return is_refused_ ? disk_error() : Status::OK(); }

  // The store only reads forward.
  void SeekToLast() override { is_refused_ = true; }
  void SeekForPrev(const Slice&) override { is_refused_ = true; }
  void Prev() override { is_refused_ = true; }

private:
  [[nodiscard]] bool is_at_end() const {
    return flushed_ == of_.flushed_.end() && recent_ == of_.recent_.end();
  }
  [[nodiscard]] bool is_at_recent() const {
    return recent_ != of_.recent_.end()
           && (flushed_ == of_.flushed_.end() || recent_->first <= flushed_->first);
  }
  void step() {
    const bool has_both = recent_ != of_.recent_.end() && flushed_ != of_.flushed_.end()
                          && recent_->first == flushed_->first;
    const bool moves_recent = is_at_recent();
    if (moves_recent)
      ++recent_;
    if (!moves_recent || has_both)
      ++flushed_;
  }
  void skip_deleted() {
    while (is_at_recent() && !recent_->second)
      step();
  }

  const memory_tables& of_;
  const Slice* bound_;
  flushed_rows::const_iterator flushed_;
  recent_rows::const_iterator recent_;
  bool is_refused_ = false;
};

class memory_tables::adder final : public rocksdb::WriteBatch::Handler {
public:
  explicit adder(recent_rows& to) : to_(to) {}
  Status PutCF(std::uint32_t, const Slice& key, const Slice& value) override {
    to_.insert_or_assign(key.ToString(), value.ToString());
    return Status::OK();
  }
  Status DeleteCF(std::uint32_t, const Slice& key) override {
    to_.insert_or_assign(key.ToString(), std::nullopt);
    return Status::OK();
  }

private:
  recent_rows& to_;
};

/// Stands on no other database: a call that is not here ends the program.
class memory_tables::opened final : public rocksdb::StackableDB {
public:
  explicit opened(memory_tables& of) : StackableDB(static_cast<rocksdb::DB*>(nullptr)), of_(of) {}

  [[nodiscard]] ColumnFamilyHandle* DefaultColumnFamily() const override { return nullptr; }

  using DB::Get;
  Status Get(const ReadOptions& how, ColumnFamilyHandle*, const Slice& key,
             rocksdb::PinnableSlice* value) override {
    const auto recent = of_.recent_.find(text_of(key));
    if (recent != of_.recent_.end() && how.read_tier != rocksdb::kPersistedTier)
      return recent->second ? found(*recent->second, value) : Status::NotFound();
    if (how.read_tier == rocksdb::kBlockCacheTier && !of_.flushed_.empty())
      return Status::Incomplete();
    if (of_.fails_to_read())
      return disk_error();
    const auto flushed = of_.flushed_.find(text_of(key));
    return flushed != of_.flushed_.end() ? found(flushed->second, value) : Status::NotFound();
  }
  using DB::NewIterator;
  Iterator* NewIterator(const ReadOptions& how, ColumnFamilyHandle*) override {
    return std::make_unique<cursor>(of_, how).release();
  }
  Status Write(const rocksdb::WriteOptions&, rocksdb::WriteBatch* rows) override {
    if (of_.is_frozen_)
      return disk_error();
    adder each(of_.recent_);
    return rows->Iterate(&each);
  }
  using DB::Flush;
  Status Flush(const rocksdb::FlushOptions&, ColumnFamilyHandle*) override {
    if (of_.is_frozen_)
      return disk_error();
    for (auto& [key, value] : of_.recent_)
      if (value)
        of_.flushed_.insert_or_assign(key, std::move(*value));
      else
        of_.flushed_.erase(key);
    of_.recent_.clear();
    return Status::OK();
  }
  Status Resume() override { return Status::OK(); }

private:
  static Status found(const std::string& row, rocksdb::PinnableSlice* value) {
    value->PinSelf(row);
    return Status::OK();
  }

  memory_tables& of_;
};

std::unique_ptr<rocksdb::DB> memory_tables::open() {
  is_frozen_ = false;
  recent_.clear();
  return std::make_unique<opened>(*this);
}

} // namespace troupe::sim
