// Brings what other threads have to say to the thread that draws and asks: replies of the gateway,
// and that there is news. Any thread puts in, one takes out; a file descriptor becomes readable
// when there is something, so that it fits into poll.
#pragma once

#include <functional>
#include <mutex>
#include <vector>

namespace troupe {

class inbox final {
public:
  inbox();
  ~inbox();
  inbox(const inbox&) = delete;
  inbox& operator=(const inbox&) = delete;

  /// `call` runs on the taking thread.
  void post(std::function<void()> call);
  /// Only makes the descriptor readable.
  void wake() noexcept;

  /// Readable while something waits.
  [[nodiscard]] int descriptor() const noexcept { return descriptor_; }

  /// Everything that waits; never blocks.
  [[nodiscard]] std::vector<std::function<void()>> take();

private:
  int descriptor_ = -1;
  std::mutex mutex_;
  std::vector<std::function<void()>> posted_;
};

} // namespace troupe
