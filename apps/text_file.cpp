#include "apps/text_file.hpp"

#include <array>
#include <cerrno>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace troupe {

namespace {

error failed(const std::string& path, std::string_view text) {
  return make_error(errc::unavailable, name_of_file(path) + ": cannot be " + std::string(text)
                                           + ": " + std::generic_category().message(errno));
}

/// All that `descriptor` gives.
result<std::string> read_all(int descriptor, const std::string& path, std::size_t bytes_max) {
  std::string text;
  std::array<char, 64 * 1024> bytes;
  while (true) {
    const auto got = ::read(descriptor, bytes.data(), bytes.size());
    if (got == 0)
      return text;
    if (got < 0) {
      if (errno == EINTR)
        continue;
      return failed(path, "read");
    }
    text.append(bytes.data(), static_cast<std::size_t>(got));
    if (text.size() > bytes_max)
      return make_error(errc::limit_exceeded, name_of_file(path) + ": larger than "
                                                  + std::to_string(bytes_max)
                                                  + " bytes, the limit for such a file");
  }
}

} // namespace

result<std::string> read_text(const std::string& path, std::size_t bytes_max) {
  if (path == "-")
    return read_all(STDIN_FILENO, path, bytes_max);
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0)
    return failed(path, "opened");
  auto text = read_all(descriptor, path, bytes_max);
  ::close(descriptor);
  return text;
}

result<void> write_text(const std::string& path, std::string_view text) {
  const int to = path == "-" ? ::dup(STDOUT_FILENO)
                             : ::open(path.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  bool written = to >= 0;
  while (written && !text.empty()) {
    const auto some = ::write(to, text.data(), text.size());
    written = some >= 0 || errno == EINTR;
    text.remove_prefix(some > 0 ? static_cast<std::size_t>(some) : 0);
  }
  auto out = written ? result<void>{} : result<void>{failed(path, "written")};
  if (to >= 0)
    ::close(to);
  return out;
}

std::string name_of_file(const std::string& path) {
  return path == "-" ? "standard input" : path;
}

} // namespace troupe
