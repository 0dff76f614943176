#include "bench/support/disk.hpp"

#include "bench/support/harness.hpp"

#include <algorithm>

#include <fcntl.h>
#include <unistd.h>

namespace troupe::bench {

double append_durably(const std::string& directory, std::uint64_t times, std::uint64_t bytes) {
  const auto path = directory + "/appends";
  const int file = ::open(path.c_str(), O_CREAT | O_TRUNC | O_WRONLY | O_APPEND | O_CLOEXEC, 0600);
  check(file >= 0, "cannot write " + path);
  const std::string piece(bytes / std::max<std::uint64_t>(times, 1), 'x');
  const auto seconds = seconds_of([&] {
    for (std::uint64_t i = 0; i < times; ++i)
      check(::write(file, piece.data(), piece.size()) == static_cast<ssize_t>(piece.size())
                && ::fdatasync(file) == 0,
            "cannot write " + path);
  });
  ::close(file);
  return seconds;
}

double write_files_durably(const std::string& directory, std::uint64_t files, std::uint64_t bytes) {
  constexpr std::uint64_t synced_at_once = 64;
  const int folder = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  check(folder >= 0, "cannot open " + directory);
  const std::string piece(bytes / std::max<std::uint64_t>(files, 1), 'x');
  const auto seconds = seconds_of([&] {
    for (std::uint64_t i = 0; i < files; ++i) {
      const auto path = directory + "/file-" + std::to_string(i);
      const int file = ::open(path.c_str(), O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0600);
      check(file >= 0
                && ::write(file, piece.data(), piece.size()) == static_cast<ssize_t>(piece.size()),
            "cannot write " + path);
      ::close(file);
      if ((i + 1) % synced_at_once == 0 || i + 1 == files)
        check(::syncfs(folder) == 0, "cannot sync " + directory);
    }
  });
  ::close(folder);
  return seconds;
}

} // namespace troupe::bench
