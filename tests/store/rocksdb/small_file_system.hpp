// A file system of a few MB, which a test can fill.
#pragma once

#include "tests/support/temporary_directory.hpp"

#include <filesystem>
#include <fstream>
#include <string>

#include <sys/mount.h>

namespace troupe::testing {

/// A file system in memory, if this user may mount one.
struct small_file_system {
  explicit small_file_system(const char* limits = "size=24m")
      : is_mounted(::mount("tmpfs", path.c_str(), "tmpfs", 0, limits) == 0) {}
  ~small_file_system() {
    if (is_mounted)
      ::umount2(path.c_str(), MNT_DETACH);
  }
  small_file_system(const small_file_system&) = delete;
  small_file_system& operator=(const small_file_system&) = delete;

  /// Leaves no room.
  void fill() const {
    std::ofstream out{path + "/filler", std::ios::binary | std::ios::app};
    for (std::size_t size = 1 << 20; size > 0; size /= 2) {
      const std::string bytes(size, 'f');
      while (out.write(bytes.data(), static_cast<std::streamsize>(size)).flush()) {
      }
      out.clear();
    }
  }
  void make_room() const { std::filesystem::remove(path + "/filler"); }

  temporary_directory directory;
  const std::string path = directory.path().string();
  const bool is_mounted;
};

} // namespace troupe::testing
