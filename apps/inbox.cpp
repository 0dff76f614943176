#include "apps/inbox.hpp"

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

void inbox::on_change(const change_ptr& what) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = content_.changes.empty() && content_.posted.empty();
    content_.changes.push_back(what);
  }
  if (first)
    wake();
}

void inbox::post(std::function<void()> what) {
  bool first = false;
  {
    const std::lock_guard lock(mutex_);
    first = content_.changes.empty() && content_.posted.empty();
    content_.posted.push_back(std::move(what));
  }
  if (first)
    wake();
}

void inbox::wake() {
  // An eventfd refuses a write only when its counter is full: then it is readable anyway.
  const std::uint64_t one = 1;
  [[maybe_unused]] const auto written = ::write(descriptor_, &one, sizeof one);
}

inbox::content inbox::take() {
  std::uint64_t count = 0;
  [[maybe_unused]] const auto got = ::read(descriptor_, &count, sizeof count);
  const std::lock_guard lock(mutex_);
  return std::exchange(content_, {});
}

} // namespace troupe
