// Calls of files that a test makes fail, or wait.
#pragma once

#include "store/session/session_file.hpp"

#include <cerrno>
#include <cstddef>
#include <functional>
#include <string>

namespace troupe::testing {

enum class file_call { open, write, truncate, sync, sync_all, rename };

class faulty_files final : public sessions::file_calls {
public:
  /// Asked before each call; a number refuses it with that errno. Of a refused write a part is
  /// there.
  std::function<int(file_call)> refuse;
  std::size_t calls = 0; ///< That were asked for.
  std::size_t syncs = 0; ///< That were carried out.

  int open(const char* path, int flags, ::mode_t mode) override {
    return is_refused(file_call::open) ? -1 : file_calls::open(path, flags, mode);
  }
  ::ssize_t pwrite(int file, const void* bytes, std::size_t count, ::off_t at) override {
    if (!is_refused(file_call::write))
      return file_calls::pwrite(file, bytes, count, at);
    const auto why = errno;
    file_calls::pwrite(file, bytes, count / 2, at);
    errno = why;
    return -1;
  }
  int truncate(int file, ::off_t bytes) override {
    return is_refused(file_call::truncate) ? -1 : file_calls::truncate(file, bytes);
  }
  int sync(int) override {
    if (is_refused(file_call::sync))
      return -1;
    ++syncs;
    return 0; // What a power failure leaves is no question here.
  }
  int sync_all(int) override {
    if (is_refused(file_call::sync_all))
      return -1;
    ++syncs;
    return 0;
  }
  int rename(const char* from, const char* to) override {
    return is_refused(file_call::rename) ? -1 : file_calls::rename(from, to);
  }

private:
  bool is_refused(file_call call) {
    ++calls;
    const int why = refuse ? refuse(call) : 0;
    if (why != 0)
      errno = why;
    return why != 0;
  }
};

} // namespace troupe::testing
