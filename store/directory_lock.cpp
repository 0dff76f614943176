#include "store/directory_lock.hpp"

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

result<std::unique_ptr<directory_lock>> directory_lock::take(const std::string& directory) {
  const auto path = directory + "/" + lock_name;
  const auto refuse = [&] {
    const auto reason = errno;
    const auto remedy = reason == ENOSPC || reason == EDQUOT
                            ? std::string{"make room on its disk and start again."}
                            : "correct the permissions of " + path + " or name another.";
    return make_error(errc::store_failed, "The data directory " + directory + " cannot be locked ("
                                              + std::generic_category().message(reason) + "); "
                                              + remedy);
  };
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    return refuse();
  if (::flock(file, LOCK_EX | LOCK_NB) == 0)
    return std::unique_ptr<directory_lock>{new directory_lock{file}};
  auto out = errno == EWOULDBLOCK ? already_in_use(directory) : refuse();
  ::close(file);
  return out;
}

directory_lock::~directory_lock() {
  ::close(file_);
}

} // namespace troupe
