// Files of a directory of sessions as this process writes them: appended to, replaced, renamed.
// Errors are whole sentences with the file, the reason and what to do.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

#include <sys/types.h>

namespace troupe::sessions {

/// The calls of the operating system that change files. As in POSIX: -1 and errno. A test makes
/// them fail, or wait.
class file_calls {
public:
  file_calls() = default;
  file_calls(const file_calls&) = delete;
  file_calls& operator=(const file_calls&) = delete;
  virtual ~file_calls() = default;

  virtual int open(const char* path, int flags, ::mode_t mode);
  virtual int close(int file);
  virtual ::ssize_t pwrite(int file, const void* bytes, std::size_t count, ::off_t at);
  virtual int truncate(int file, ::off_t bytes);
  virtual int sync(int file);
  /// All files of the file system on which `file` is.
  virtual int sync_all(int file);
  virtual int rename(const char* from, const char* to);
  virtual int unlink(const char* path);
};

/// Those of the operating system.
[[nodiscard]] file_calls& system_file_calls();

/// Keeps other writers out of the directory while it lives.
class folder_lock {
public:
  /// Makes the directory if it is missing. Errors: unavailable (it cannot be made or written);
  /// store_locked (another process writes sessions there).
  [[nodiscard]] static result<std::unique_ptr<folder_lock>> take(const std::string& directory);
  ~folder_lock();
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;

private:
  explicit folder_lock(int directory) : directory_(directory) {}

  const int directory_;
};

/// The bytes of a file; none if it does not exist. Errors: store_unreadable.
[[nodiscard]] result<std::string> read_small_file(const std::string& path);
/// A new file takes its place, and is safe then. Errors: unavailable; then the old one is there.
[[nodiscard]] result<void> replace_file(const std::string& path, std::string_view bytes,
                                        file_calls& calls = system_file_calls());
/// The new name is safe after `sync_names`. Errors: unavailable; also if `to` exists.
[[nodiscard]] result<void> rename_file(const std::string& from, const std::string& to,
                                       file_calls& calls = system_file_calls());
/// Makes the names in the directory safe. Errors: unavailable.
[[nodiscard]] result<void> sync_names(const std::string& directory,
                                      file_calls& calls = system_file_calls());
/// Makes everything safe that was written to the file system of the directory: one visit to the
/// disk, however many files there are. Errors: unavailable.
[[nodiscard]] result<void> sync_folder(const std::string& directory, file_calls& calls);

/// A file that grows at its end. What did not get there whole is cut off again. It is open only
/// while it is written.
class growing_file {
public:
  /// Makes the file if it is missing; cuts off what is behind the first `bytes`. `calls` outlives
  /// it. Errors: unavailable.
  [[nodiscard]] static result<std::unique_ptr<growing_file>>
  open(std::string path, std::uint64_t bytes, file_calls& calls = system_file_calls());
  ~growing_file();
  growing_file(const growing_file&) = delete;
  growing_file& operator=(const growing_file&) = delete;

  /// Written soon, or by `write_out`. Errors: unavailable.
  [[nodiscard]] result<void> append(std::string_view bytes);
  /// What was appended survives this process. Errors: unavailable; then it is not there.
  [[nodiscard]] result<void> write_out();
  /// What was appended is safe, but perhaps not the name of a new file. Errors: unavailable.
  [[nodiscard]] result<void> sync();
  /// Takes no place among the open files, until it is needed again.
  void release() noexcept;
  /// Leaves the first `bytes` only, at the latest before something is written again.
  void cut(std::uint64_t bytes);
  /// With those that are not written out.
  [[nodiscard]] std::uint64_t size() const noexcept { return bytes_ + waiting_.size(); }

private:
  growing_file(std::string path, std::uint64_t bytes, file_calls& calls)
      : path_(std::move(path)), calls_(calls), bytes_(bytes) {}
  [[nodiscard]] result<void> make_ready();

  const std::string path_;
  file_calls& calls_;
  int file_ = -1;
  bool must_cut_ = true; ///< There may be something behind `bytes_`.
  std::uint64_t bytes_;  ///< In the file, without `waiting_`.
  std::string waiting_;
};

} // namespace troupe::sessions
