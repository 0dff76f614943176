#include "store/directory_lock.hpp"

#include "store/disk_full.hpp"

#include <cerrno>
#include <system_error>

#include <fcntl.h>
#include <sys/file.h>
#include <unistd.h>

namespace troupe {

error already_in_use(const std::string& directory) {
  return make_error(errc::store_locked, "The data directory " + directory
                                            + " is in use by another process; stop that one or "
                                              "name another directory.");
}

namespace {

error not_locked(const std::string& directory, const std::string& path, int reason) {
  const auto remedy = is_disk_full({reason, std::generic_category()})
                          ? std::string{"make room on its disk and start again."}
                          : "correct the permissions of " + path + " or name another.";
  return make_error(errc::store_failed, "The data directory " + directory + " cannot be locked ("
                                            + std::generic_category().message(reason) + "); "
                                            + remedy);
}

/// The file descriptor, locked; -1 if the file does not exist and is not to be made.
result<int> open_and_lock(const std::string& directory, int how_to_open, int how_to_lock) {
  const auto path = directory + "/" + lock_name;
  const int file = ::open(path.c_str(), how_to_open | O_CLOEXEC, 0600);
  if (file < 0 && errno == ENOENT && (how_to_open & O_CREAT) == 0)
    return -1;
  if (file < 0)
    return not_locked(directory, path, errno);
  if (::flock(file, how_to_lock | LOCK_NB) == 0)
    return file;
  auto out = errno == EWOULDBLOCK ? already_in_use(directory) : not_locked(directory, path, errno);
  ::close(file);
  return out;
}

} // namespace

result<std::unique_ptr<directory_lock>> directory_lock::take(const std::string& directory) {
  const auto file = open_and_lock(directory, O_RDWR | O_CREAT, LOCK_EX);
  if (!file)
    return file.error();
  return std::unique_ptr<directory_lock>{new directory_lock{*file}};
}

result<std::unique_ptr<directory_lock>> directory_lock::take_shared(const std::string& directory) {
  const auto file = open_and_lock(directory, O_RDONLY, LOCK_SH);
  if (!file)
    return file.error();
  return *file < 0 ? nullptr : std::unique_ptr<directory_lock>{new directory_lock{*file}};
}

directory_lock::~directory_lock() {
  ::close(file_);
}

} // namespace troupe
