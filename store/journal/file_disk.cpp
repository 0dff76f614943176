#include "store/journal/file_disk.hpp"

#include "store/short_time_slices.hpp"

#include <algorithm>
#include <cerrno>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include <dirent.h>
#include <fcntl.h>
#include <pthread.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe::journal {

namespace {

std::error_code from_errno(int number) {
  return {number, std::generic_category()};
}

/// Calls `attempt` again while a signal interrupts it.
template<class Attempt>
auto uninterrupted(Attempt attempt) {
  for (;;) {
    const auto done = attempt();
    if (done >= 0 || errno != EINTR)
      return done;
  }
}

std::error_code outcome(int returned) {
  return returned < 0 ? from_errno(errno) : std::error_code{};
}

/// A file without a name is lost with the process, however well it takes writes.
std::error_code if_removed(int file) {
  struct stat facts {};
  if (::fstat(file, &facts) < 0)
    return from_errno(errno);
  return facts.st_nlink == 0 ? from_errno(ENOENT) : std::error_code{};
}

std::error_code write_all(int file, std::string_view bytes, std::uint64_t offset) {
  if (const auto failed = if_removed(file))
    return failed;
  while (!bytes.empty()) {
    const auto written = uninterrupted(
        [&] { return ::pwrite(file, bytes.data(), bytes.size(), static_cast<off_t>(offset)); });
    if (written < 0)
      return from_errno(errno);
    if (written == 0)
      return from_errno(EIO);
    bytes.remove_prefix(static_cast<std::size_t>(written));
    offset += static_cast<std::uint64_t>(written);
  }
  return {};
}

std::error_code read_all(int file, std::uint64_t offset, std::size_t size, std::string& into) {
  into.resize(size);
  std::size_t filled = 0;
  while (filled < size) {
    const auto got = uninterrupted([&] {
      return ::pread(file, into.data() + filled, size - filled,
                     static_cast<off_t>(offset + filled));
    });
    if (got < 0)
      return from_errno(errno);
    if (got == 0)
      break;
    filled += static_cast<std::size_t>(got);
  }
  into.resize(filled);
  return {};
}

std::error_code reserve(int file, std::uint64_t size) {
  const auto length = static_cast<off_t>(size);
  if (uninterrupted([&] { return ::fallocate(file, 0, 0, length); }) == 0)
    return {};
  if (errno != EOPNOTSUPP && errno != ENOSYS)
    return from_errno(errno);
  return outcome(uninterrupted([&] { return ::ftruncate(file, length); }));
}

std::error_code make_safe(int file) {
  if (const auto failed = if_removed(file))
    return failed;
  return outcome(uninterrupted([&] { return ::fdatasync(file); }));
}

class directory_disk final : public file_disk {
public:
  explicit directory_disk(std::string directory)
      : directory_(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)),
        unopened_(outcome(directory_)) {}

  ~directory_disk() override {
    if (thread_.joinable()) {
      {
        const std::lock_guard lock{guard_};
        is_stopping_ = true;
      }
      has_calls_.notify_one();
      thread_.join();
    }
    for (const auto file : files_)
      if (file >= 0)
        ::close(file);
    if (directory_ >= 0)
      ::close(directory_);
  }

  void start(std::function<void()> ready) override {
    ready_ = std::move(ready);
    thread_ = std::thread{[this] { run(); }};
  }

  void hand_over() override {
    {
      const std::lock_guard lock{guard_};
      if (is_handed_over_ || calls_.empty())
        return;
      is_handed_over_ = true;
    }
    has_calls_.notify_one();
  }

  bool carry_out() override {
    std::unique_lock lock{guard_};
    if (is_handed_over_ || calls_.empty())
      return false;
    while (!calls_.empty())
      carry_out_next(lock);
    return true;
  }

  void open(const std::string& name, open_mode how, disk_read_done<file_id> done) override {
    submit([this, name, how, done = std::move(done)]() mutable {
      const int flags = O_CLOEXEC | (how == open_mode::reading ? O_RDONLY : O_RDWR)
                        | (how == open_mode::emptied ? O_CREAT | O_TRUNC : 0);
      const int file =
          uninterrupted([&] { return ::openat(directory_, name.c_str(), flags, 0600); });
      const auto failed = outcome(file);
      const auto id = failed ? file_id{} : keep(file);
      return [done = std::move(done), failed, id] { done(failed, id); };
    });
  }

  void close(file_id file) override {
    submit([this, file]() -> completion {
      ::close(std::exchange(files_[static_cast<std::size_t>(file)], -1));
      return nullptr;
    });
  }

  void allocate(file_id file, std::uint64_t size, disk_done done) override {
    submit_status([this, file, size] { return reserve(at(file), size); }, std::move(done));
  }

  void write(file_id file, std::uint64_t offset, std::string_view bytes, disk_done done) override {
    submit_status([this, file, offset, bytes] { return write_all(at(file), bytes, offset); },
                  std::move(done));
  }

  void sync(file_id file, disk_done done) override {
    submit_status([this, file] { return make_safe(at(file)); }, std::move(done));
  }

  void read(file_id file, std::uint64_t offset, std::size_t size,
            disk_read_done<std::string> done) override {
    submit([this, file, offset, size, done = std::move(done)]() mutable {
      std::string bytes;
      const auto failed = read_all(at(file), offset, size, bytes);
      return [done = std::move(done), failed, bytes = std::move(bytes)]() mutable {
        done(failed, std::move(bytes));
      };
    });
  }

  void size(file_id file, disk_read_done<std::uint64_t> done) override {
    submit([this, file, done = std::move(done)]() mutable {
      struct stat facts {};
      const auto failed = outcome(::fstat(at(file), &facts));
      const auto bytes = static_cast<std::uint64_t>(facts.st_size);
      return [done = std::move(done), failed, bytes] { done(failed, bytes); };
    });
  }

  void sync_directory(disk_done done) override {
    submit_status([this] { return outcome(uninterrupted([&] { return ::fsync(directory_); })); },
                  std::move(done));
  }

  void rename(const std::string& from, const std::string& to, disk_done done) override {
    submit_status(
        [this, from, to] {
          return outcome(::renameat(directory_, from.c_str(), directory_, to.c_str()));
        },
        std::move(done));
  }

  void remove(const std::string& name, disk_done done) override {
    submit_status([this, name] { return outcome(::unlinkat(directory_, name.c_str(), 0)); },
                  std::move(done));
  }

  void list(disk_read_done<std::vector<std::string>> done) override {
    submit([this, done = std::move(done)]() mutable {
      std::vector<std::string> names;
      const auto failed = list_files(names);
      return [done = std::move(done), failed, names = std::move(names)]() mutable {
        done(failed, std::move(names));
      };
    });
  }

  bool turn() override {
    if (!thread_.joinable())
      return turn_without_thread();
    std::deque<completion> ended;
    {
      const std::lock_guard lock{guard_};
      ended.swap(ended_);
    }
    for (auto& each : ended)
      each();
    return !ended.empty();
  }

  bool wait() override {
    if (!thread_.joinable())
      return !calls_.empty();
    hand_over();
    std::unique_lock lock{guard_};
    has_ended_.wait(lock, [this] { return !ended_.empty() || !is_handed_over_; });
    return !ended_.empty();
  }

private:
  using completion = std::function<void()>; ///< Null: the call has no completion.
  using call = std::function<completion()>;

  void submit(call each) {
    const std::lock_guard lock{guard_};
    calls_.push_back(std::move(each));
  }

  template<class Carry>
  void submit_status(Carry carry, disk_done done) {
    submit([carry = std::move(carry), done = std::move(done)]() mutable {
      return [done = std::move(done), failed = carry()] { done(failed); };
    });
  }

  /// One call, so that a test sees each.
  bool turn_without_thread() {
    if (calls_.empty())
      return false;
    const auto next = std::move(calls_.front());
    calls_.pop_front();
    if (const auto end = next())
      end();
    return true;
  }

  void run() {
    ::pthread_setname_np(::pthread_self(), "journal-disk");
    take_short_time_slices();
    std::unique_lock lock{guard_};
    for (;;) {
      has_calls_.wait(lock, [this] { return is_handed_over_ || is_stopping_; });
      if (calls_.empty() && is_stopping_)
        return;
      while (!calls_.empty()) {
        carry_out_next(lock);
        if (ended_.empty())
          continue;
        lock.unlock();
        ready_();
        lock.lock();
      }
      is_handed_over_ = false;
      has_ended_.notify_one();
    }
  }

  /// Without the lock meanwhile. Calls are never carried out by two threads.
  void carry_out_next(std::unique_lock<std::mutex>& lock) {
    const auto next = std::move(calls_.front());
    calls_.pop_front();
    lock.unlock();
    auto end = next();
    lock.lock();
    if (end)
      ended_.push_back(std::move(end));
    has_ended_.notify_one();
  }

  file_id keep(int file) {
    const auto free = std::ranges::find(files_, -1);
    if (free != files_.end()) {
      *free = file;
      return static_cast<file_id>(free - files_.begin());
    }
    files_.push_back(file);
    return static_cast<file_id>(files_.size() - 1);
  }

  [[nodiscard]] int at(file_id file) const { return files_[static_cast<std::size_t>(file)]; }

  std::error_code list_files(std::vector<std::string>& names) {
    if (directory_ < 0)
      return unopened_;
    const int again = ::openat(directory_, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    if (again < 0)
      return from_errno(errno);
    DIR* const entries = ::fdopendir(again);
    if (entries == nullptr) {
      const auto failed = from_errno(errno);
      ::close(again);
      return failed;
    }
    errno = 0;
    while (const auto* const entry = ::readdir(entries)) {
      const std::string name{entry->d_name};
      if (name != "." && name != "..")
        names.push_back(name);
    }
    const auto failed = errno == 0 ? std::error_code{} : from_errno(errno);
    ::closedir(entries);
    return failed;
  }

  const int directory_;
  const std::error_code unopened_; ///< Why the directory could not be opened.
  std::vector<int> files_;         ///< By file_id; -1: closed. Only where calls are carried out.
  std::thread thread_;
  std::function<void()> ready_;

  std::mutex guard_; ///< Of what follows.
  std::condition_variable has_calls_;
  std::condition_variable has_ended_;
  std::deque<call> calls_;
  std::deque<completion> ended_;
  bool is_handed_over_ = false; ///< The thread carries out the calls.
  bool is_stopping_ = false;
};

} // namespace

std::unique_ptr<file_disk> make_file_disk(std::string directory) {
  return std::make_unique<directory_disk>(std::move(directory));
}

} // namespace troupe::journal
