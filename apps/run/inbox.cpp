#include "apps/run/inbox.hpp"

#include <cerrno>
#include <cstdint>
#include <system_error>
#include <utility>

#include <sys/eventfd.h>
#include <unistd.h>

namespace troupe {

inbox::inbox() : descriptor_(::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)) {
  if (descriptor_ < 0)
    throw std::system_error(errno, std::generic_category(), "eventfd");
}

inbox::~inbox() {
  ::close(descriptor_);
}

void inbox::post(std::function<void()> call) {
  {
    const std::lock_guard lock(mutex_);
    posted_.push_back(std::move(call));
  }
  wake();
}

void inbox::wake() noexcept {
  // An eventfd refuses a write only when its counter is full: then it is readable anyway.
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(descriptor_, &one, sizeof one);
}

std::vector<std::function<void()>> inbox::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(descriptor_, &count, sizeof count);
  const std::lock_guard lock(mutex_);
  return std::exchange(posted_, {});
}

} // namespace troupe
