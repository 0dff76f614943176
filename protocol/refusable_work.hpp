// Work that can be refused when the system has no memory left: a request that is being read, an
// answer that is being written. Everything else waits for memory: commits, actors, the disk
// (apps/process_memory.hpp).
#pragma once

#include <troupe/protocol/errc.hpp>

#include <new>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

/// While one lives, an allocation of this thread that finds no memory throws std::bad_alloc soon.
class refusable_work {
public:
  refusable_work() noexcept : before_(std::exchange(is_here_, true)) {}
  refusable_work(const refusable_work&) = delete;
  refusable_work& operator=(const refusable_work&) = delete;
  ~refusable_work() { is_here_ = before_; }

  [[nodiscard]] static bool is_here() noexcept { return is_here_; }

private:
  static inline thread_local constinit bool is_here_ = false;
  const bool before_;
};

/// What `work` returns, a result; errc::overloaded if the system has no memory for `something`.
template<class Work>
[[nodiscard]] auto refusable(std::string_view something, Work work) -> decltype(work()) {
  try {
    const refusable_work here;
    return work();
  } catch (const std::bad_alloc&) {
    return make_error(errc::overloaded, "the system has no memory for " + std::string(something)
                                            + " (limits.memory); try again later");
  }
}

} // namespace troupe
