#include "apps/process_memory.hpp"

#include "protocol/refusable_work.hpp"

#include <atomic>
#include <cstddef>
#include <cstdlib>
#include <new>
#include <string_view>
#include <thread>

#include <pthread.h>
#include <unistd.h>

/// jemalloc's, in programs that link it (cmake/allocator.cmake); else null.
extern "C" [[gnu::weak]] int mallctl(const char* name, void* old_value, std::size_t* old_size,
                                     void* new_value, std::size_t new_size);

namespace troupe {

namespace {

using namespace std::chrono_literals;

/// Of each thread, instead of the 8 MiB that Linux gives: stacks are a large part of a small
/// address space. The deepest things here, trees of JSON, have a hundred levels.
constexpr std::size_t stack_bytes = std::size_t{1} << 20;

/// For work that cannot be refused.
constexpr std::size_t reserve_bytes = std::size_t{32} << 20;

/// An allocation that fails again does so at once.
constexpr auto again_within = 1ms;

std::atomic<void*> reserve{nullptr};

/// What the allocator keeps for later goes back to the system.
void purge_allocator() noexcept {
  if (::mallctl != nullptr) // 4096 is MALLCTL_ARENAS_ALL.
    static_cast<void>(::mallctl("arena.4096.purge", nullptr, nullptr, nullptr, 0));
}

[[noreturn]] void end_without_memory() noexcept {
  static constexpr std::string_view words =
      "troupe: the system has had no memory for ten seconds; the process ends (what was "
      "acknowledged is safe). Give it more memory or address space, or lower limits.memory.\n";
  [[maybe_unused]] const auto written = ::write(STDERR_FILENO, words.data(), words.size());
  std::abort();
}

/// The new-handler: returns if the allocation is worth another attempt. It must not allocate.
void find_memory() {
  static thread_local constinit memory_search search;
  switch (search.next(system_time().steady(), refusable_work::is_here())) {
    case memory_step::try_again: break;
    case memory_step::refuse: throw std::bad_alloc();
    case memory_step::take_reserve: std::free(reserve.exchange(nullptr)); break;
    case memory_step::wait: std::this_thread::sleep_for(memory_search::pause); break;
    case memory_step::end: end_without_memory();
  }
  purge_allocator();
  search.returns(system_time().steady());
}

} // namespace

memory_step memory_search::next(time_source::steady_point now, bool is_refusable) noexcept {
  const bool is_again = now - returned_ < again_within;
  if (!is_again) {
    since_ = now;
    has_reserve_ = false;
    return memory_step::try_again;
  }
  if (is_refusable)
    return memory_step::refuse;
  if (!has_reserve_) {
    has_reserve_ = true;
    return memory_step::take_reserve;
  }
  return now - since_ < wait_max ? memory_step::wait : memory_step::end;
}

void set_up_memory() {
  pthread_attr_t how;
  if (::pthread_attr_init(&how) == 0) {
    ::pthread_attr_setstacksize(&how, stack_bytes);
    ::pthread_setattr_default_np(&how);
    ::pthread_attr_destroy(&how);
  }
  if (bool in_background = true; ::mallctl != nullptr) // Threads that sleep give nothing back.
    static_cast<void>(
        ::mallctl("background_thread", nullptr, nullptr, &in_background, sizeof in_background));
  static_cast<void>(system_time().steady()); // Made before it is needed.
  std::set_new_handler(find_memory);
}

void keep_memory_reserve() {
  if (reserve.load() != nullptr)
    return;
  void* expected = nullptr;
  void* fresh = std::malloc(reserve_bytes); // Nothing touches it, so it is addresses only.
  if (!reserve.compare_exchange_strong(expected, fresh))
    std::free(fresh);
}

} // namespace troupe
