#include "client/replace_file.hpp"

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe {

namespace {

/// A descriptor that is closed at the end of its life; below 0: none.
struct open_file {
  explicit open_file(int opened) : descriptor(opened) {}
  ~open_file() {
    if (descriptor >= 0)
      ::close(descriptor);
  }
  open_file(const open_file&) = delete;
  open_file& operator=(const open_file&) = delete;

  int descriptor;
};

bool write_all(int file, std::string_view text) {
  while (!text.empty()) {
    const auto written = ::write(file, text.data(), text.size());
    if (written < 0 && errno == EINTR)
      continue;
    if (written <= 0)
      return false;
    text.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

bool write_beside(const std::string& fresh, std::string_view text, sync_call sync) {
  const open_file file(
      ::open(fresh.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, S_IRUSR | S_IWUSR));
  return file.descriptor >= 0 && write_all(file.descriptor, text) && sync(file.descriptor) == 0;
}

bool sync_directory_of(const std::string& path, sync_call sync) {
  const auto parent = std::filesystem::path(path).parent_path();
  const open_file directory(
      ::open(parent.empty() ? "." : parent.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  return directory.descriptor >= 0 && sync(directory.descriptor) == 0;
}

} // namespace

result<void> replace_file(const std::string& path, std::string_view text) {
  return replace_file(path, text, ::fsync);
}

result<void> replace_file(const std::string& path, std::string_view text, sync_call sync) {
  const auto fresh = path + ".new";
  const bool is_written = write_beside(fresh, text, sync);
  const bool is_replaced = is_written && ::rename(fresh.c_str(), path.c_str()) == 0;
  if (is_replaced && sync_directory_of(path, sync))
    return {};
  const auto reason = std::generic_category().message(errno);
  if (!is_replaced)
    ::unlink(fresh.c_str());
  return make_error(errc::unavailable, path + ": cannot be written: " + reason);
}

} // namespace troupe
