#include "sim/table_files.hpp"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <cstdint>
#include <string>
#include <utility>

namespace troupe::sim {

namespace {

using rocksdb::DataVerificationInfo;
using rocksdb::FileOptions;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

using frost = std::shared_ptr<const std::atomic<bool>>;

IOStatus refused() {
  return IOStatus::IOError("the process has died");
}

/// RocksDB only appends to its files.
class frozen_file final : public rocksdb::FSWritableFileOwnerWrapper {
public:
  frozen_file(std::unique_ptr<FSWritableFile>&& file, frost is_frozen)
      : FSWritableFileOwnerWrapper(std::move(file)), is_frozen_(std::move(is_frozen)) {}

  IOStatus Append(const Slice& data, const IOOptions& how, IODebugContext* debug) override {
    return *is_frozen_ ? refused() : FSWritableFileOwnerWrapper::Append(data, how, debug);
  }
  IOStatus Append(const Slice& data, const IOOptions& how, const DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, how, debug);
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions& how, IODebugContext* debug) override {
    return *is_frozen_ ? refused() : FSWritableFileOwnerWrapper::Truncate(size, how, debug);
  }

private:
  const frost is_frozen_;
};

class frozen_file_system final : public rocksdb::FileSystemWrapper {
public:
  frozen_file_system(const std::shared_ptr<rocksdb::FileSystem>& base, frost is_frozen)
      : FileSystemWrapper(base), is_frozen_(std::move(is_frozen)) {}

  [[nodiscard]] const char* Name() const override { return "troupe.frozen"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& how,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* debug) override {
    if (*is_frozen_)
      return refused();
    auto out = FileSystemWrapper::NewWritableFile(name, how, file, debug);
    if (out.ok())
      *file = std::make_unique<frozen_file>(std::move(*file), is_frozen_);
    return out;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& how,
                      IODebugContext* debug) override {
    return *is_frozen_ ? refused() : FileSystemWrapper::RenameFile(from, to, how, debug);
  }
  IOStatus DeleteFile(const std::string& name, const IOOptions& how,
                      IODebugContext* debug) override {
    return *is_frozen_ ? refused() : FileSystemWrapper::DeleteFile(name, how, debug);
  }

private:
  const frost is_frozen_;
};

} // namespace

table_files::table_files()
    : is_frozen_(std::make_shared<std::atomic<bool>>(false)),
      memory_(rocksdb::NewMemEnv(rocksdb::Env::Default())),
      env_(rocksdb::NewCompositeEnv(
          std::make_shared<frozen_file_system>(memory_->GetFileSystem(), is_frozen_))) {}

table_files::~table_files() = default;

} // namespace troupe::sim
