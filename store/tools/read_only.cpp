#include "store/tools/read_only.hpp"

#include <troupe/store/store.hpp>

#include <cerrno>
#include <filesystem>
#include <system_error>

#include <fcntl.h>
#include <pwd.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

error refuse_reading(std::string why) {
  return make_error(errc::store_failed, std::move(why));
}

/// Whether a process that does not know our lock has the tables open. RocksDB locks its file
/// `LOCK`.
bool are_tables_locked(const std::string& directory) {
  const int file = ::open((directory + "/LOCK").c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  struct flock other {};
  other.l_type = F_WRLCK;
  other.l_whence = SEEK_SET;
  const bool is_held = ::fcntl(file, F_GETLK, &other) == 0 && other.l_type != F_UNLCK;
  ::close(file);
  return is_held;
}

std::string name_of(::uid_t user) {
  const auto* const entry =
      ::getpwuid(user); // Tools have one thread. NOLINT(concurrency-mt-unsafe)
  return entry != nullptr ? std::string{entry->pw_name} : std::to_string(user);
}

} // namespace

result<std::unique_ptr<directory_lock>> lock_to_read(const std::string& directory) {
  if (directory.empty())
    return refuse_reading("No data directory was given.");
  std::error_code failure;
  const auto kind = fs::status(directory, failure).type();
  if (kind == fs::file_type::not_found)
    return refuse_reading("The data directory " + directory + " does not exist.");
  if (kind == fs::file_type::none)
    return refuse_reading("The data directory " + directory + " cannot be read ("
                          + failure.message() + ").");
  if (kind != fs::file_type::directory)
    return refuse_reading("The data directory " + directory + " is a file, not a directory.");
  if (::faccessat(AT_FDCWD, directory.c_str(), R_OK | X_OK, AT_EACCESS) != 0)
    return refuse_reading("The data directory " + directory + " cannot be read ("
                          + std::generic_category().message(errno) + "); correct its permissions.");
  if (!holds_rocksdb_store(directory))
    return refuse_reading("There is no store in the directory " + directory + ".");
  if (!fs::exists(fs::path(directory) / "CURRENT", failure)
      && !fs::exists(fs::path(directory) / "IDENTITY", failure)
      && fs::is_directory(fs::path(directory) / "sessions", failure))
    return refuse_reading(
        "The records in " + directory
        + " are session files (store session-jsonl), not tables; troupe session check " + directory
        + "/sessions checks them.");
  auto locked = directory_lock::take_shared(directory);
  if (locked && are_tables_locked(directory))
    return already_in_use(directory);
  return locked;
}

result<void> require_owner(const std::string& directory) {
  struct stat facts {};
  if (::stat(directory.c_str(), &facts) != 0)
    return refuse_reading("The data directory " + directory + " cannot be read ("
                          + std::generic_category().message(errno) + ").");
  if (facts.st_uid == ::geteuid())
    return {};
  const auto owner = name_of(facts.st_uid);
  return refuse_reading(
      "The data directory " + directory + " belongs to the user " + owner
      + ", and this process runs as " + name_of(::geteuid())
      + ". The server could not open the files that it makes. Nothing was changed; run "
        "it as "
      + owner + ".");
}

} // namespace troupe
