// A directory of the operating system.
#pragma once

#include "store/journal/disk.hpp"

#include <functional>
#include <memory>
#include <string>

namespace troupe::journal {

/// Before `start`, calls are carried out by `turn`. After it, by a thread of the disk's own once
/// they are handed over, or here if the caller has nothing else to do: that saves two switches of
/// thread.
class file_disk : public disk {
public:
  /// `ready` is called on the disk's thread when `turn` has something to run; it must only wake the
  /// thread that turns.
  virtual void start(std::function<void()> ready) = 0;
  /// The disk's thread carries out the calls that wait, and those that follow until none waits.
  virtual void hand_over() = 0;
  /// Carries out the calls that wait, on this thread; then `turn` runs their completions. False if
  /// there are none, or they were handed over.
  virtual bool carry_out() = 0;
};

/// A directory that cannot be opened fails in every call, with the reason.
[[nodiscard]] std::unique_ptr<file_disk> make_file_disk(std::string directory);

} // namespace troupe::journal
