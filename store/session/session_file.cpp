#include "store/session/session_file.hpp"

#include "store/disk_full.hpp"

#include <array>
#include <cerrno>
#include <cstddef>
#include <filesystem>
#include <system_error>
#include <utility>

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::sessions {

namespace {

namespace fs = std::filesystem;

constexpr ::mode_t owner_only = 0600; // What agents say is nobody else's business.
constexpr std::size_t append_block_bytes = std::size_t{1} << 20;

error refuse_write(const std::string& path, int reason) {
  const std::error_code failed{reason, std::generic_category()};
  return make_error(errc::store_failed,
                    path + " cannot be written (" + failed.message() + "); "
                        + (is_disk_full(failed) ? "make room on its disk and try again."
                                                : "correct its permissions or name another "
                                                  "directory."));
}

class descriptor {
public:
  explicit descriptor(int file) : file_(file) {}
  ~descriptor() {
    if (file_ >= 0)
      ::close(file_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return file_; }

private:
  int file_;
};

/// 0, or why not all was written.
int write_all(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const auto count = ::write(file, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

/// The names in the directory of `path`.
result<void> sync_names(const std::string& path) {
  const auto directory = fs::path{path}.parent_path().string();
  const descriptor names{
      ::open(directory.empty() ? "." : directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
  if (names.get() < 0 || ::fsync(names.get()) != 0)
    return refuse_write(path, errno);
  return {};
}

} // namespace

result<std::unique_ptr<folder_lock>> folder_lock::take(const std::string& directory) {
  std::error_code failed;
  const bool is_new = fs::create_directories(directory, failed);
  if (failed)
    return refuse_write(directory, failed.value());
  if (is_new)
    fs::permissions(directory, fs::perms::owner_all, failed);
  const int names = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (names < 0)
    return refuse_write(directory, errno);
  std::unique_ptr<folder_lock> out{new folder_lock{names}};
  if (::flock(names, LOCK_EX | LOCK_NB) == 0)
    return out;
  if (errno != EWOULDBLOCK)
    return refuse_write(directory, errno);
  return make_error(errc::store_locked, "Another process writes sessions in " + directory
                                            + "; try again when it has ended.");
}

folder_lock::~folder_lock() {
  ::close(directory_);
}

result<std::string> read_small_file(const std::string& path) {
  const descriptor file{::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.get() < 0 && errno == ENOENT)
    return std::string{};
  std::string out;
  std::array<char, 65536> block;
  for (;;) {
    const auto count = file.get() < 0 ? -1 : ::read(file.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return make_error(errc::store_failed,
                        path + " cannot be read (" + std::generic_category().message(errno) + ").");
    if (count == 0)
      return out;
    out.append(block.data(), static_cast<std::size_t>(count));
  }
}

result<void> replace_file(const std::string& path, std::string_view bytes) {
  const auto part = path + ".part";
  int failed = 0;
  {
    const descriptor file{
        ::open(part.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW, owner_only)};
    if (file.get() < 0)
      return refuse_write(part, errno);
    failed = write_all(file.get(), bytes);
    if (failed == 0 && ::fsync(file.get()) != 0)
      failed = errno;
  }
  if (failed == 0 && ::rename(part.c_str(), path.c_str()) != 0)
    failed = errno;
  if (failed == 0)
    return sync_names(path);
  ::unlink(part.c_str());
  return refuse_write(path, failed);
}

result<void> rename_file(const std::string& from, const std::string& to) {
  struct stat ignored {};
  if (::lstat(to.c_str(), &ignored) == 0)
    return refuse_write(to, EEXIST);
  if (::rename(from.c_str(), to.c_str()) != 0)
    return refuse_write(to, errno);
  return sync_names(to);
}

result<std::unique_ptr<growing_file>> growing_file::open(const std::string& path,
                                                         std::uint64_t bytes) {
  const int file = ::open(path.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, owner_only);
  if (file < 0)
    return refuse_write(path, errno);
  std::unique_ptr<growing_file> out{new growing_file{path, file, bytes}};
  if (::ftruncate(file, static_cast<::off_t>(bytes)) != 0
      || ::lseek(file, static_cast<::off_t>(bytes), SEEK_SET) < 0)
    return refuse_write(path, errno);
  return out;
}

growing_file::~growing_file() {
  ::close(file_);
}

result<void> growing_file::append(std::string_view bytes) {
  waiting_.append(bytes);
  return waiting_.size() < append_block_bytes ? result<void>{} : write_out();
}

result<void> growing_file::write_out() {
  const auto written = waiting_.size();
  if (const int failed = write_all(file_, waiting_); failed != 0) {
    waiting_.clear();
    // What is there of it is a line that was cut, at worst: readers leave it out.
    [[maybe_unused]] const int ignored = ::ftruncate(file_, static_cast<::off_t>(bytes_));
    return refuse_write(path_, failed);
  }
  bytes_ += written;
  waiting_.clear();
  return {};
}

result<void> growing_file::sync() {
  if (auto ok = write_out(); !ok)
    return ok;
  if (::fsync(file_) != 0)
    return refuse_write(path_, errno);
  return sync_names(path_);
}

} // namespace troupe::sessions
