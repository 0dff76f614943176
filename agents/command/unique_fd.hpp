// Owns one file descriptor. Used where processes are started and watched. No program inherits a
// leaked descriptor (all are close-on-exec), but it would count against the process's limit for
// ever.
#pragma once

#include <utility>

#include <unistd.h>

namespace troupe {

class unique_fd {
public:
  unique_fd() = default;
  explicit unique_fd(int fd) noexcept : fd_(fd) {}
  unique_fd(unique_fd&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  unique_fd& operator=(unique_fd&& other) noexcept {
    if (this != &other) {
      reset();
      fd_ = std::exchange(other.fd_, -1);
    }
    return *this;
  }
  ~unique_fd() { reset(); }

  void reset() noexcept {
    if (fd_ >= 0)
      ::close(std::exchange(fd_, -1));
  }

  [[nodiscard]] int get() const noexcept { return fd_; }
  explicit operator bool() const noexcept { return fd_ >= 0; }

private:
  int fd_ = -1;
};

} // namespace troupe
