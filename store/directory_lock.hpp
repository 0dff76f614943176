// A data directory belongs to one process at a time.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <memory>
#include <string>

namespace troupe {

inline constexpr const char* lock_name = "troupe.lock";

/// Holds the directory until it is destroyed. The lock is one of the file, whatever path leads to
/// it, and ends with the process.
class directory_lock {
public:
  /// Errors: store_locked, store_failed (the file cannot be made; the message says why).
  [[nodiscard]] static result<std::unique_ptr<directory_lock>> take(const std::string& directory);

  /// For tools that only read: several may hold it, and no process that writes. Null if there is no
  /// lock file: no process of this version has ever used the directory, and none is made. Errors:
  /// store_locked, store_failed.
  [[nodiscard]] static result<std::unique_ptr<directory_lock>>
  take_shared(const std::string& directory);

  ~directory_lock();
  directory_lock(const directory_lock&) = delete;
  directory_lock& operator=(const directory_lock&) = delete;

private:
  explicit directory_lock(int file) : file_(file) {}

  const int file_;
};

/// errc::store_locked, with what to do.
[[nodiscard]] error already_in_use(const std::string& directory);

} // namespace troupe
