// Files of a directory of sessions as this process writes them: appended to, replaced, renamed. All
// are safe when these functions return. Errors are whole sentences with the file, the reason and
// what to do.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <utility>

namespace troupe::sessions {

/// Keeps other writers out of the directory while it lives.
class folder_lock {
public:
  /// Makes the directory if it is missing. Errors: store_failed; store_locked (another process
  /// writes sessions there).
  [[nodiscard]] static result<std::unique_ptr<folder_lock>> take(const std::string& directory);
  ~folder_lock();
  folder_lock(const folder_lock&) = delete;
  folder_lock& operator=(const folder_lock&) = delete;

private:
  explicit folder_lock(int directory) : directory_(directory) {}

  const int directory_;
};

/// The bytes of a file; none if it does not exist. Errors: store_failed.
[[nodiscard]] result<std::string> read_small_file(const std::string& path);
/// A new file takes its place. Errors: store_failed; then the old one is there.
[[nodiscard]] result<void> replace_file(const std::string& path, std::string_view bytes);
/// Errors: store_failed; also if `to` exists.
[[nodiscard]] result<void> rename_file(const std::string& from, const std::string& to);

/// A file that grows at its end. What did not get there whole is cut off again.
class growing_file {
public:
  /// Makes the file if it is missing; cuts off what is behind the first `bytes`. Errors:
  /// store_failed.
  [[nodiscard]] static result<std::unique_ptr<growing_file>> open(const std::string& path,
                                                                  std::uint64_t bytes);
  ~growing_file();
  growing_file(const growing_file&) = delete;
  growing_file& operator=(const growing_file&) = delete;

  /// Written soon, or by `sync`. Errors: store_failed.
  [[nodiscard]] result<void> append(std::string_view bytes);
  /// Errors: store_failed.
  [[nodiscard]] result<void> sync();

private:
  growing_file(std::string path, int file, std::uint64_t bytes)
      : path_(std::move(path)), file_(file), bytes_(bytes) {}
  [[nodiscard]] result<void> write_out();

  const std::string path_;
  const int file_;
  std::uint64_t bytes_; ///< In the file, without `waiting_`.
  std::string waiting_;
};

} // namespace troupe::sessions
