#include "store/rocksdb/overwriting_file_system.hpp"

#include <cstdint>
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

/// How far a journal grows ahead. Each time costs as much as the write of so many bytes.
constexpr std::size_t ahead_bytes = std::size_t{1} << 20;

/// Writes from this size on are worth their own record of the length.
constexpr std::size_t large_bytes = ahead_bytes / 4;

class overwriting_file final : public rocksdb::FSWritableFileOwnerWrapper {
public:
  using FSWritableFileOwnerWrapper::FSWritableFileOwnerWrapper;

  IOStatus Append(const Slice& data, const IOOptions& how, IODebugContext* debug) override {
    return written(data.size(),
                   FSWritableFileOwnerWrapper::PositionedAppend(data, size_, how, debug), how,
                   debug);
  }
  IOStatus Append(const Slice& data, const IOOptions& how, const DataVerificationInfo& info,
                  IODebugContext* debug) override {
    return written(data.size(),
                   FSWritableFileOwnerWrapper::PositionedAppend(data, size_, how, info, debug), how,
                   debug);
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions& how, IODebugContext* debug) override {
    size_ = ready_ = size;
    return FSWritableFileOwnerWrapper::Truncate(size, how, debug);
  }
  IOStatus Close(const IOOptions& how, IODebugContext* debug) override {
    if (ready_ != size_)
      FSWritableFileOwnerWrapper::Truncate(size_, how, debug)
          .PermitUncheckedError(); // Zeros do no harm.
    return FSWritableFileOwnerWrapper::Close(how, debug);
  }
  std::uint64_t GetFileSize(const IOOptions&, IODebugContext*) override { return size_; }

private:
  IOStatus written(std::size_t bytes, IOStatus status, const IOOptions& how,
                   IODebugContext* debug) {
    if (!status.ok())
      return status;
    size_ += bytes;
    if (size_ > ready_ && bytes < large_bytes && may_grow_)
      grow_ahead(how, debug);
    return status;
  }

  /// A disk without room for zeros is nearly full: what it has is left for records, which are
  /// appended from now on.
  void grow_ahead(const IOOptions& how, IODebugContext* debug) {
    static const std::string zeros(ahead_bytes, '\0');
    may_grow_ = FSWritableFileOwnerWrapper::PositionedAppend(zeros, size_, how, debug).ok();
    if (may_grow_)
      ready_ = size_ + ahead_bytes;
    else
      FSWritableFileOwnerWrapper::Truncate(size_, how, debug).PermitUncheckedError();
  }

  std::uint64_t size_ = 0;  ///< Bytes of records.
  std::uint64_t ready_ = 0; ///< How far zeros were written.
  bool may_grow_ = true;
};

class overwriting_file_system final : public rocksdb::FileSystemWrapper {
public:
  using FileSystemWrapper::FileSystemWrapper;

  [[nodiscard]] const char* Name() const override { return "troupe.overwriting"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& how,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* debug) override {
    auto status = FileSystemWrapper::NewWritableFile(name, how, file, debug);
    if (status.ok() && name.ends_with(".log"))
      *file = std::make_unique<overwriting_file>(std::move(*file));
    return status;
  }
};

} // namespace

std::shared_ptr<rocksdb::FileSystem>
make_overwriting(const std::shared_ptr<rocksdb::FileSystem>& base) {
  return std::make_shared<overwriting_file_system>(base);
}

} // namespace troupe
