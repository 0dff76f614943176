#include "sim/table_files.hpp"

#include <rocksdb/env.h>
#include <rocksdb/file_system.h>

#include <cstdint>
#include <map>
#include <mutex>
#include <optional>
#include <string>
#include <utility>

namespace troupe::sim {

namespace {

using rocksdb::DataVerificationInfo;
using rocksdb::DirFsyncOptions;
using rocksdb::FileOptions;
using rocksdb::FSDirectory;
using rocksdb::FSWritableFile;
using rocksdb::IODebugContext;
using rocksdb::IOOptions;
using rocksdb::IOStatus;
using rocksdb::Slice;

IOStatus refused() {
  return IOStatus::IOError("the process has died");
}

/// What a name led to when names were synced last; nothing: no file.
using old_content = std::optional<std::string>;

} // namespace

struct table_files::state {
  /// Calls with the name's content as it was before, if it is the first change of that name since
  /// names were synced.
  template<class Read>
  void note_name(const std::string& name, Read read) {
    if (!unsynced_names.contains(name))
      unsynced_names.emplace(name, read());
  }

  std::mutex guard; ///< RocksDB has threads.
  bool is_frozen = false;
  std::map<std::string, std::uint64_t> synced_bytes; ///< Of files that were written.
  std::map<std::string, old_content> unsynced_names;
};

/// RocksDB only appends to its files.
class table_files::kept_file final : public rocksdb::FSWritableFileOwnerWrapper {
public:
  kept_file(std::unique_ptr<FSWritableFile>&& file, std::string name, std::shared_ptr<state> in)
      : FSWritableFileOwnerWrapper(std::move(file)), name_(std::move(name)), in_(std::move(in)) {}

  IOStatus Append(const Slice& data, const IOOptions& how, IODebugContext* debug) override {
    const std::lock_guard lock(in_->guard);
    return in_->is_frozen ? refused() : FSWritableFileOwnerWrapper::Append(data, how, debug);
  }
  IOStatus Append(const Slice& data, const IOOptions& how, const DataVerificationInfo&,
                  IODebugContext* debug) override {
    return Append(data, how, debug);
  }
  IOStatus Truncate(std::uint64_t size, const IOOptions& how, IODebugContext* debug) override {
    const std::lock_guard lock(in_->guard);
    return in_->is_frozen ? refused() : FSWritableFileOwnerWrapper::Truncate(size, how, debug);
  }
  IOStatus Sync(const IOOptions& how, IODebugContext* debug) override {
    const std::lock_guard lock(in_->guard);
    if (in_->is_frozen)
      return refused();
    in_->synced_bytes[name_] = GetFileSize(how, debug);
    return FSWritableFileOwnerWrapper::Sync(how, debug);
  }
  IOStatus Fsync(const IOOptions& how, IODebugContext* debug) override { return Sync(how, debug); }

private:
  const std::string name_; // RocksDB renames only what it has closed.
  const std::shared_ptr<state> in_;
};

class table_files::kept_directory final : public rocksdb::FSDirectoryWrapper {
public:
  kept_directory(std::unique_ptr<FSDirectory>&& directory, std::shared_ptr<state> in)
      : FSDirectoryWrapper(std::move(directory)), in_(std::move(in)) {}

  IOStatus Fsync(const IOOptions& how, IODebugContext* debug) override {
    return FsyncWithDirOptions(how, debug, {});
  }
  IOStatus FsyncWithDirOptions(const IOOptions& how, IODebugContext* debug,
                               const DirFsyncOptions& which) override {
    const std::lock_guard lock(in_->guard);
    if (in_->is_frozen)
      return refused();
    in_->unsynced_names.clear(); // The tables have one directory.
    return FSDirectoryWrapper::FsyncWithDirOptions(how, debug, which);
  }

private:
  const std::shared_ptr<state> in_;
};

class table_files::kept_file_system final : public rocksdb::FileSystemWrapper {
public:
  kept_file_system(const std::shared_ptr<rocksdb::FileSystem>& base, std::shared_ptr<state> in)
      : FileSystemWrapper(base), in_(std::move(in)) {}

  [[nodiscard]] const char* Name() const override { return "troupe.kept"; }

  IOStatus NewWritableFile(const std::string& name, const FileOptions& how,
                           std::unique_ptr<FSWritableFile>* file, IODebugContext* debug) override {
    const std::lock_guard lock(in_->guard);
    if (in_->is_frozen)
      return refused();
    in_->note_name(name, [&] { return content(name); });
    auto out = FileSystemWrapper::NewWritableFile(name, how, file, debug);
    if (!out.ok())
      return out;
    in_->synced_bytes[name] = 0;
    *file = std::make_unique<kept_file>(std::move(*file), name, in_);
    return out;
  }
  IOStatus NewDirectory(const std::string& name, const IOOptions& how,
                        std::unique_ptr<FSDirectory>* directory, IODebugContext* debug) override {
    auto out = FileSystemWrapper::NewDirectory(name, how, directory, debug);
    if (out.ok())
      *directory = std::make_unique<kept_directory>(std::move(*directory), in_);
    return out;
  }
  IOStatus RenameFile(const std::string& from, const std::string& to, const IOOptions& how,
                      IODebugContext* debug) override {
    const std::lock_guard lock(in_->guard);
    if (in_->is_frozen)
      return refused();
    in_->note_name(to, [&] { return content(to); });
    auto out = FileSystemWrapper::RenameFile(from, to, how, debug);
    if (out.ok())
      if (auto moved = in_->synced_bytes.extract(from)) {
        in_->synced_bytes.erase(to);
        moved.key() = to;
        in_->synced_bytes.insert(std::move(moved));
      }
    return out;
  }
  IOStatus DeleteFile(const std::string& name, const IOOptions& how,
                      IODebugContext* debug) override {
    const std::lock_guard lock(in_->guard);
    if (in_->is_frozen)
      return refused();
    in_->synced_bytes.erase(name);
    in_->unsynced_names.erase(name);
    return FileSystemWrapper::DeleteFile(name, how, debug);
  }

  [[nodiscard]] old_content content(const std::string& name) {
    std::string out;
    return rocksdb::ReadFileToString(target(), name, &out).ok() ? old_content(std::move(out))
                                                                : std::nullopt;
  }
  void set_content(const std::string& name, const old_content& bytes) {
    target()->DeleteFile(name, {}, nullptr).PermitUncheckedError();
    if (bytes)
      rocksdb::WriteStringToFile(target(), *bytes, name).PermitUncheckedError();
  }

private:
  const std::shared_ptr<state> in_;
};

table_files::table_files()
    : state_(std::make_shared<state>()), memory_(rocksdb::NewMemEnv(rocksdb::Env::Default())),
      env_(rocksdb::NewCompositeEnv(
          std::make_shared<kept_file_system>(memory_->GetFileSystem(), state_))) {}

table_files::~table_files() = default;

void table_files::freeze() noexcept {
  const std::lock_guard lock(state_->guard);
  state_->is_frozen = true;
}

void table_files::thaw() noexcept {
  const std::lock_guard lock(state_->guard);
  state_->is_frozen = false;
}

void table_files::lose_power(dice& chance) {
  const std::lock_guard lock(state_->guard);
  kept_file_system files(memory_->GetFileSystem(), state_);
  for (const auto& [name, synced] : state_->synced_bytes)
    if (auto content = files.content(name); content && content->size() > synced) {
      content->resize(synced + chance.below(content->size() - synced + 1));
      files.set_content(name, content);
    }
  for (const auto& [name, before] : state_->unsynced_names)
    if (chance.chance(0.5))
      files.set_content(name, before);
  state_->synced_bytes.clear();
  state_->unsynced_names.clear();
}

} // namespace troupe::sim
