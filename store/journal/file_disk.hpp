// A directory of the operating system.
#pragma once

#include "store/journal/disk.hpp"

#include <functional>
#include <memory>
#include <string>

namespace troupe::journal {

/// Calls are carried out on a thread of the disk's own after `start`, and by `turn` otherwise.
class file_disk : public disk {
public:
  /// Calls go to a thread from now on. `ready` is called on that thread when `turn` has something
  /// to run; it must only wake the thread that turns.
  virtual void start(std::function<void()> ready) = 0;
};

/// A directory that cannot be opened fails in every call, with the reason.
[[nodiscard]] std::unique_ptr<file_disk> make_file_disk(std::string directory);

} // namespace troupe::journal
