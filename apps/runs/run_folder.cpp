#include "apps/runs/run_folder.hpp"

#include "apps/runs/run_choice.hpp"
#include "apps/terminal/text.hpp"
#include "apps/text_file.hpp"
#include "client/replace_file.hpp"
#include <troupe/protocol/ids.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <optional>
#include <system_error>

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

constexpr const char* hold_file = "run.lock";
constexpr std::size_t entry_bytes_max = std::size_t{1} << 20;

error unusable(const std::string& path, int reason) {
  return make_error(errc::unavailable,
                    path + ": cannot be used: " + std::generic_category().message(reason));
}

struct flock whole_file() {
  struct flock out {};
  out.l_type = F_WRLCK;
  out.l_whence = SEEK_SET;
  return out;
}

} // namespace

result<std::string> runs_folder(const char* xdg_state_home, const char* home) {
  fs::path state;
  // A relative XDG_STATE_HOME is to be ignored, the specification says.
  if (xdg_state_home != nullptr && fs::path(xdg_state_home).is_absolute())
    state = xdg_state_home;
  else if (home != nullptr && *home != '\0')
    state = fs::path(home) / ".local" / "state";
  else
    return make_error(
        errc::unavailable,
        "neither XDG_STATE_HOME nor HOME is set; name a directory for the record with "
        "--data DIR, or use --store memory");
  return (state / "troupe" / "runs").string();
}

result<std::string> own_runs_folder() {
  return runs_folder(std::getenv("XDG_STATE_HOME"), std::getenv("HOME"));
}

std::string new_run_id() {
  constexpr std::string_view digits = "0123456789abcdefghjkmnpqrstvwxyz";
  constexpr std::size_t length = 8;
  auto random = thread_id_source().next_random();
  std::string out;
  for (std::size_t i = 0; i < length; ++i, random /= digits.size())
    out += digits[random % digits.size()];
  return out;
}

result<std::string> make_run_directory(const std::string& folder, const std::string& id) {
  std::error_code failed;
  const auto before = ::umask(0077);
  fs::create_directories(folder, failed);
  const auto directory = (fs::path(folder) / id).string();
  const int made = failed ? -1 : ::mkdir(directory.c_str(), 0700);
  const int reason = failed ? failed.value() : errno;
  ::umask(before);
  if (made != 0)
    return make_error(errc::unavailable,
                      directory + ": cannot be made: " + std::generic_category().message(reason)
                          + " (choose another place with --data DIR, or use --store memory)");
  return directory;
}

result<run_entry> run_in(const std::string& directory) {
  auto text = read_text((fs::path(directory) / run_entry_file).string(), entry_bytes_max);
  auto entry = text ? read_entry(*text) : result<run_entry>(text.error());
  if (!entry)
    return make_error(errc::objective_not_found, "no run is recorded in " + directory);
  entry->directory = directory;
  entry->is_running = run_hold::is_taken(directory);
  return entry;
}

namespace {

/// A run whose entry is there, and cannot be read: it is listed, so that it can be removed.
std::optional<run_entry> damaged_run(const fs::path& directory) {
  struct stat about {};
  if (::stat((directory / run_entry_file).c_str(), &about) != 0)
    return std::nullopt;
  run_entry out;
  out.id = directory.filename().string();
  out.name = std::string("(") + run_entry_file + " cannot be read)";
  out.started = timestamp(std::chrono::seconds(about.st_mtim.tv_sec));
  out.ended = out.started;
  out.directory = directory.string();
  out.is_running = run_hold::is_taken(out.directory);
  out.is_damaged = true;
  return out;
}

} // namespace

std::vector<run_entry> list_runs(const std::string& folder) {
  std::vector<run_entry> out;
  std::error_code failed;
  for (fs::directory_iterator it(folder, failed), end; !failed && it != end; it.increment(failed))
    if (auto entry = run_in(it->path().string()))
      out.push_back(std::move(*entry));
    else if (auto damaged = damaged_run(it->path()))
      out.push_back(std::move(*damaged));
  std::ranges::sort(out, [](const run_entry& a, const run_entry& b) {
    return a.started != b.started ? a.started > b.started : a.id > b.id;
  });
  return out;
}

result<run_entry> named_run(const std::string& folder, const std::string& name) {
  return name.find('/') != std::string::npos ? run_in(name) : find_run(list_runs(folder), name);
}

std::string run_command_for(const std::string& how, const run_entry& entry) {
  const auto folder = own_runs_folder();
  const bool is_own = folder && fs::path(entry.directory).parent_path() == fs::path(*folder);
  return "troupe run " + how + " " + (is_own ? entry.id : "--data " + shell_word(entry.directory));
}

result<void> keep_entry(const run_entry& entry) {
  const auto path = (fs::path(entry.directory) / run_entry_file).string();
  return replace_file(path, write_entry(entry));
}

result<void> remove_run(const run_entry& entry) {
  const auto hold = run_hold::take(entry.directory);
  if (!hold)
    return hold.error();
  if (*hold == nullptr)
    return make_error(errc::store_locked, "the run " + entry.id + " is running");
  std::error_code failed;
  fs::remove(fs::path(entry.directory) / run_entry_file, failed); // nobody finds it any more
  if (!failed)
    fs::remove_all(entry.directory, failed);
  if (failed)
    return make_error(errc::unavailable,
                      entry.directory + ": cannot be removed: " + failed.message());
  return {};
}

// -- hold -----------------------------------------------------------------------------------------

// A lock of the open file, so that another process can ask for it without taking it.
result<std::unique_ptr<run_hold>> run_hold::take(const std::string& directory) {
  const auto path = (fs::path(directory) / hold_file).string();
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0600);
  if (file < 0)
    return unusable(path, errno);
  auto lock = whole_file();
  if (::fcntl(file, F_OFD_SETLK, &lock) == 0)
    return std::unique_ptr<run_hold>(new run_hold(file));
  const int reason = errno;
  ::close(file);
  if (reason == EAGAIN || reason == EACCES)
    return std::unique_ptr<run_hold>();
  return unusable(path, reason);
}

bool run_hold::is_taken(const std::string& directory) {
  const auto path = (fs::path(directory) / hold_file).string();
  const int file = ::open(path.c_str(), O_RDWR | O_CLOEXEC);
  if (file < 0)
    return false;
  auto lock = whole_file();
  const bool asked = ::fcntl(file, F_OFD_GETLK, &lock) == 0;
  ::close(file);
  return asked && lock.l_type != F_UNLCK;
}

run_hold::~run_hold() {
  ::close(file_);
}

} // namespace troupe
