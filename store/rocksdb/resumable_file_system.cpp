#include "store/rocksdb/resumable_file_system.hpp"

#include <string>
#include <utility>

namespace troupe {

namespace {

using rocksdb::DataVerificationInfo;
using rocksdb::FileOptions;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

/// A failure as one that may pass, with the words it came with. "No space" loses its code as well:
/// RocksDB has a plan of its own for that one, which demands room for a whole write buffer.
IOStatus may_pass(IOStatus status) {
  if (status.ok() || !(status.IsIOError() || status.IsNoSpace()))
    return status;
  const auto* words = status.getState();
  auto out = IOStatus::IOError(words ? words : status.ToString());
  out.SetRetryable(true);
  return out;
}

/// Files are only appended to.
class resumable_file final : public rocksdb::FSWritableFileOwnerWrapper {
public:
  resumable_file(std::unique_ptr<FSWritableFile>&& file, std::shared_ptr<write_patience> patience)
      : FSWritableFileOwnerWrapper(std::move(file)), patience_(std::move(patience)) {}

  IOStatus Append(const Slice& data, const IOOptions& how, IODebugContext* debug) override {
    auto status =
        is_doubtful_ ? put(data, how, debug) : FSWritableFileOwnerWrapper::Append(data, how, debug);
    bool has_waited = false;
    while (!status.ok() && !is_merge() && patience_->wait(status)) {
      has_waited = true;
      status = put(data, how, debug);
    }
    if (has_waited)
      patience_->forget();
    if (status.ok())
      size_ += data.size();
    return may_pass(std::move(status));
  }
  IOStatus Append(const Slice& data, const IOOptions& how, const DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, how, debug);
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions& how, IODebugContext* debug) override {
    size_ = size;
    return may_pass(FSWritableFileOwnerWrapper::Truncate(size, how, debug));
  }
  IOStatus Close(const IOOptions& how, IODebugContext* debug) override {
    return may_pass(FSWritableFileOwnerWrapper::Close(how, debug));
  }
  IOStatus Flush(const IOOptions& how, IODebugContext* debug) override {
    return may_pass(FSWritableFileOwnerWrapper::Flush(how, debug));
  }
  IOStatus Sync(const IOOptions& how, IODebugContext* debug) override {
    return may_pass(FSWritableFileOwnerWrapper::Sync(how, debug));
  }
  IOStatus Fsync(const IOOptions& how, IODebugContext* debug) override {
    return may_pass(FSWritableFileOwnerWrapper::Fsync(how, debug));
  }
  IOStatus RangeSync(std::uint64_t offset, std::uint64_t bytes, const IOOptions& how,
                     IODebugContext* debug) override {
    return may_pass(FSWritableFileOwnerWrapper::RangeSync(offset, bytes, how, debug));
  }
  IOStatus Allocate(std::uint64_t offset, std::uint64_t bytes, const IOOptions& how,
                    IODebugContext* debug) override {
    return may_pass(FSWritableFileOwnerWrapper::Allocate(offset, bytes, how, debug));
  }

private:
  /// Where a write that failed may have written a part. The file then ends after `data`; RocksDB's
  /// file takes the begin of a positioned write for that end.
  IOStatus put(const Slice& data, const IOOptions& how, IODebugContext* debug) {
    is_doubtful_ = true;
    auto status = FSWritableFileOwnerWrapper::PositionedAppend(data, size_, how, debug);
    return status.ok() ? FSWritableFileOwnerWrapper::Truncate(size_ + data.size(), how, debug)
                       : status;
  }

  /// True for a table that a compaction makes of others. The others stay until it is whole, so it
  /// can be given up and made again later; on a full disk this frees its room. While RocksDB holds
  /// writers up, it does not say which files are made so.
  [[nodiscard]] bool is_merge() { return GetIOPriority() == rocksdb::Env::IO_LOW; }

  const std::shared_ptr<write_patience> patience_;
  std::uint64_t size_ = 0;   ///< Of what was written well.
  bool is_doubtful_ = false; ///< A write has failed.
};

class resumable_directory final : public rocksdb::FSDirectoryWrapper {
public:
  using FSDirectoryWrapper::FSDirectoryWrapper;

  IOStatus Fsync(const IOOptions& how, IODebugContext* debug) override {
    return may_pass(FSDirectoryWrapper::Fsync(how, debug));
  }
  IOStatus FsyncWithDirOptions(const IOOptions& how, IODebugContext* debug,
                               const rocksdb::DirFsyncOptions& why) override {
    return may_pass(FSDirectoryWrapper::FsyncWithDirOptions(how, debug, why));
  }
};

class resumable_file_system final : public rocksdb::FileSystemWrapper {
public:
  resumable_file_system(const std::shared_ptr<rocksdb::FileSystem>& base,
                        std::shared_ptr<write_patience> patience)
      : FileSystemWrapper(base), patience_(std::move(patience)) {}

  [[nodiscard]] const char* Name() const override { return "troupe.resumable"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& how,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* debug) override {
    return wrap(FileSystemWrapper::NewWritableFile(name, how, file, debug), file);
  }
  IOStatus NewDirectory(const std::string& name, const IOOptions& how,
                        std::unique_ptr<rocksdb::FSDirectory>* out,
                        IODebugContext* debug) override {
    auto status = FileSystemWrapper::NewDirectory(name, how, out, debug);
    if (status.ok())
      *out = std::make_unique<resumable_directory>(std::move(*out));
    return may_pass(std::move(status));
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& how,
                      IODebugContext* debug) override {
    return may_pass(FileSystemWrapper::RenameFile(from, to, how, debug));
  }

private:
  IOStatus wrap(IOStatus status, std::unique_ptr<FSWritableFile>* file) {
    if (status.ok())
      *file = std::make_unique<resumable_file>(std::move(*file), patience_);
    return may_pass(std::move(status));
  }

  const std::shared_ptr<write_patience> patience_;
};

} // namespace

void write_patience::begin() {
  const std::lock_guard lock{guard_};
  is_patient_ = true;
}

void write_patience::end() {
  {
    const std::lock_guard lock{guard_};
    is_patient_ = false;
  }
  ended_.notify_all();
}

bool write_patience::wait(const rocksdb::Status& refusal) {
  std::unique_lock lock{guard_};
  if (!is_patient_ || !(refusal.IsIOError() || refusal.IsNoSpace()))
    return false;
  refusal_ = refusal;
  return !ended_.wait_for(lock, interval_, [&] { return !is_patient_; });
}

void write_patience::forget() {
  const std::lock_guard lock{guard_};
  refusal_ = {};
}

rocksdb::Status write_patience::refusal() const {
  const std::lock_guard lock{guard_};
  return refusal_;
}

std::shared_ptr<rocksdb::FileSystem>
make_resumable(const std::shared_ptr<rocksdb::FileSystem>& base,
               const std::shared_ptr<write_patience>& patience) {
  return std::make_shared<resumable_file_system>(base, patience);
}

} // namespace troupe
