// Only in TSan builds: the heap tells ThreadSanitizer that a block is freed after it was allocated.
// That goes without saying, but the pointer may have travelled through a library that is not
// instrumented (CAF, RocksDB), where TSan does not see how.
#include <cstdlib>
#include <new>
#include <sanitizer/tsan_interface.h>

void* operator new(std::size_t bytes) {
  void* block = std::malloc(bytes == 0 ? 1 : bytes);
  if (block == nullptr) {
    throw std::bad_alloc();
  }
  __tsan_release(block);
  return block;
}

void operator delete(void* block) noexcept {
  if (block != nullptr) {
    __tsan_acquire(block);
    std::free(block);
  }
}

void operator delete(void* block, std::size_t) noexcept {
  operator delete(block);
}
