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

class resumable_file final : public rocksdb::FSWritableFileOwnerWrapper {
public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;

  IOStatus Append(const Slice& data, const IOOptions& how, IODebugContext* debug) override {
    return may_pass(FSWritableFileOwnerWrapper::Append(data, how, debug));
  }
  IOStatus Append(const Slice& data, const IOOptions& how, const DataVerificationInfo& info,
                  IODebugContext* debug) override {
    return may_pass(FSWritableFileOwnerWrapper::Append(data, how, info, debug));
  }
  IOStatus PositionedAppend(const Slice& data, std::uint64_t offset, const IOOptions& how,
                            IODebugContext* debug) override {
    return may_pass(FSWritableFileOwnerWrapper::PositionedAppend(data, offset, how, debug));
  }
  IOStatus PositionedAppend(const Slice& data, std::uint64_t offset, const IOOptions& how,
                            const DataVerificationInfo& info, IODebugContext* debug) override {
    return may_pass(FSWritableFileOwnerWrapper::PositionedAppend(data, offset, how, info, debug));
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions& how, IODebugContext* debug) override {
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
  using FileSystemWrapper::FileSystemWrapper;

  [[nodiscard]] const char* Name() const override { return "troupe.resumable"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& how,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* debug) override {
    return wrap(FileSystemWrapper::NewWritableFile(name, how, file, debug), file);
  }
  IOStatus ReopenWritableFile(const std::string& name, const FileOptions& how,
                              std::unique_ptr<FSWritableFile>* file,
                              IODebugContext* debug) override {
    return wrap(FileSystemWrapper::ReopenWritableFile(name, how, file, debug), file);
  }
  IOStatus ReuseWritableFile(const std::string& name, const std::string& old_name,
                             const FileOptions& how, std::unique_ptr<FSWritableFile>* file,
                             IODebugContext* debug) override {
    return wrap(FileSystemWrapper::ReuseWritableFile(name, old_name, how, file, debug), file);
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
  static IOStatus wrap(IOStatus status, std::unique_ptr<FSWritableFile>* file) {
    if (status.ok())
      *file = std::make_unique<resumable_file>(std::move(*file));
    return may_pass(std::move(status));
  }
};

} // namespace

std::shared_ptr<rocksdb::FileSystem>
make_resumable(const std::shared_ptr<rocksdb::FileSystem>& base) {
  return std::make_shared<resumable_file_system>(base);
}

} // namespace troupe
