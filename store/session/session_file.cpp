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
  return make_error(errc::unavailable,
                    path + " cannot be written (" + failed.message() + "); "
                        + (is_disk_full(failed) ? "make room on its disk and try again."
                                                : "correct its permissions or name another "
                                                  "directory."));
}

/// An open file that closes itself.
class descriptor {
public:
  descriptor(file_calls& calls, int file) : calls_(calls), file_(file) {}
  ~descriptor() {
    if (file_ >= 0)
      calls_.close(file_);
  }
  descriptor(const descriptor&) = delete;
  descriptor& operator=(const descriptor&) = delete;
  [[nodiscard]] int get() const noexcept { return file_; }

private:
  file_calls& calls_;
  int file_;
};

/// 0, or why not all was written.
int write_all(file_calls& calls, int file, std::string_view bytes, std::uint64_t at) {
  while (!bytes.empty()) {
    const auto count = calls.pwrite(file, bytes.data(), bytes.size(), static_cast<::off_t>(at));
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return errno;
    at += static_cast<std::uint64_t>(count);
    bytes.remove_prefix(static_cast<std::size_t>(count));
  }
  return 0;
}

std::string parent_of(const std::string& path) {
  const auto out = fs::path{path}.parent_path().string();
  return out.empty() ? "." : out;
}

} // namespace

int file_calls::open(const char* path, int flags, ::mode_t mode) {
  return ::open(path, flags, mode);
}
int file_calls::close(int file) {
  return ::close(file);
}
::ssize_t file_calls::pwrite(int file, const void* bytes, std::size_t count, ::off_t at) {
  return ::pwrite(file, bytes, count, at);
}
int file_calls::truncate(int file, ::off_t bytes) {
  return ::ftruncate(file, bytes);
}
int file_calls::sync(int file) {
  return ::fsync(file);
}
int file_calls::sync_all(int file) {
  return ::syncfs(file);
}
int file_calls::rename(const char* from, const char* to) {
  return ::rename(from, to);
}
int file_calls::unlink(const char* path) {
  return ::unlink(path);
}

file_calls& system_file_calls() {
  static file_calls calls;
  return calls;
}

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
  const descriptor file{system_file_calls(),
                        ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK)};
  if (file.get() < 0 && errno == ENOENT)
    return std::string{};
  std::string out;
  std::array<char, 65536> block;
  for (;;) {
    const auto count = file.get() < 0 ? -1 : ::read(file.get(), block.data(), block.size());
    if (count < 0 && errno == EINTR)
      continue;
    if (count < 0)
      return make_error(errc::store_unreadable,
                        path + " cannot be read (" + std::generic_category().message(errno) + ").");
    if (count == 0)
      return out;
    out.append(block.data(), static_cast<std::size_t>(count));
  }
}

result<void> sync_names(const std::string& directory, file_calls& calls) {
  const descriptor names{calls,
                         calls.open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)};
  if (names.get() < 0 || calls.sync(names.get()) != 0)
    return refuse_write(directory, errno);
  return {};
}

result<void> sync_folder(const std::string& directory, file_calls& calls) {
  const descriptor names{calls,
                         calls.open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC, 0)};
  if (names.get() < 0 || calls.sync_all(names.get()) != 0)
    return refuse_write(directory, errno);
  return {};
}

result<void> replace_file(const std::string& path, std::string_view bytes, file_calls& calls) {
  const auto part = path + ".part";
  int failed = 0;
  {
    const descriptor file{calls, calls.open(part.c_str(),
                                            O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOFOLLOW,
                                            owner_only)};
    if (file.get() < 0)
      return refuse_write(part, errno);
    failed = write_all(calls, file.get(), bytes, 0);
    if (failed == 0 && calls.sync(file.get()) != 0)
      failed = errno;
  }
  if (failed == 0 && calls.rename(part.c_str(), path.c_str()) != 0)
    failed = errno;
  if (failed == 0)
    return sync_names(parent_of(path), calls);
  calls.unlink(part.c_str());
  return refuse_write(path, failed);
}

result<void> rename_file(const std::string& from, const std::string& to, file_calls& calls) {
  struct stat ignored {};
  if (::lstat(to.c_str(), &ignored) == 0)
    return refuse_write(to, EEXIST);
  if (calls.rename(from.c_str(), to.c_str()) != 0)
    return refuse_write(to, errno);
  return {};
}

result<std::unique_ptr<growing_file>> growing_file::open(std::string path, std::uint64_t bytes,
                                                         file_calls& calls) {
  std::unique_ptr<growing_file> out{new growing_file{std::move(path), bytes, calls}};
  if (auto ok = out->make_ready(); !ok)
    return ok.error();
  return out;
}

growing_file::~growing_file() {
  release();
}

void growing_file::release() noexcept {
  if (file_ >= 0)
    calls_.close(std::exchange(file_, -1));
}

result<void> growing_file::make_ready() {
  if (file_ < 0)
    file_ = calls_.open(path_.c_str(), O_WRONLY | O_CREAT | O_CLOEXEC | O_NOFOLLOW, owner_only);
  if (file_ < 0)
    return refuse_write(path_, errno);
  if (must_cut_ && calls_.truncate(file_, static_cast<::off_t>(bytes_)) != 0)
    return refuse_write(path_, errno);
  must_cut_ = false;
  return {};
}

void growing_file::cut(std::uint64_t bytes) {
  waiting_.clear();
  if (bytes >= bytes_)
    return;
  bytes_ = bytes;
  must_cut_ = true;
}

result<void> growing_file::append(std::string_view bytes) {
  waiting_.append(bytes);
  return waiting_.size() < append_block_bytes ? result<void>{} : write_out();
}

result<void> growing_file::write_out() {
  if (waiting_.empty() && !must_cut_)
    return {};
  const auto waiting = std::exchange(waiting_, {});
  if (auto ok = make_ready(); !ok)
    return ok;
  must_cut_ = true; // Until all is there.
  const int failed = write_all(calls_, file_, waiting, bytes_);
  if (failed == 0) {
    bytes_ += waiting.size();
    must_cut_ = false;
    return {};
  }
  // What is there of it is a line that was cut, at worst: readers leave it out.
  must_cut_ = calls_.truncate(file_, static_cast<::off_t>(bytes_)) != 0;
  return refuse_write(path_, failed);
}

result<void> growing_file::sync() {
  if (auto ok = write_out(); !ok)
    return ok;
  if (auto ok = make_ready(); !ok)
    return ok;
  if (calls_.sync(file_) != 0)
    return refuse_write(path_, errno);
  return {};
}

} // namespace troupe::sessions
