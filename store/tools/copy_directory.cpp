#include "store/tools/copy_directory.hpp"

#include <cstdint>
#include <filesystem>
#include <system_error>
#include <vector>

#include <fcntl.h>
#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

/// So much stays free beside the copy, for what the repair itself writes.
constexpr std::uint64_t spare_bytes = std::uint64_t{16} << 20;

error refuse(const std::string& directory, const std::string& why) {
  return make_error(errc::store_failed, "The data directory " + directory + " cannot be copied: "
                                            + why + " Nothing was changed.");
}

/// All but what belongs to a file system that is mounted there.
std::vector<fs::directory_entry> entries_in(const fs::path& directory) {
  std::vector<fs::directory_entry> out;
  for (const auto& entry : fs::directory_iterator{directory})
    if (entry.path().filename() != "lost+found")
      out.push_back(entry);
  return out;
}

std::uint64_t bytes_in(const fs::directory_entry& entry) {
  if (!entry.is_directory())
    return entry.is_regular_file() ? entry.file_size() : 0;
  std::uint64_t out = 0;
  for (const auto& each : fs::recursive_directory_iterator{
           entry.path(), fs::directory_options::follow_directory_symlink})
    if (each.is_regular_file())
      out += each.file_size();
  return out;
}

void sync_file_system(const fs::path& directory) {
  const int file = ::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  const bool is_safe = file >= 0 && ::syncfs(file) == 0;
  const std::error_code reason{errno, std::generic_category()};
  if (file >= 0)
    ::close(file);
  if (!is_safe)
    throw fs::filesystem_error{"it cannot be synced", directory, reason};
}

} // namespace

result<std::string> copy_directory(const std::string& directory, std::string_view label) {
  fs::path part;
  try {
    const auto from = fs::canonical(directory);
    const auto room = fs::space(from.parent_path()).available;
    const auto entries = entries_in(from);
    auto needed = spare_bytes;
    for (const auto& entry : entries)
      needed += bytes_in(entry);
    if (room < needed)
      return refuse(directory, "the copy needs " + std::to_string(needed >> 20) + " MiB, and "
                                   + from.parent_path().string() + " has room for "
                                   + std::to_string(room >> 20) + " MiB. Make room there.");
    fs::path to;
    for (int number = 1; to.empty() || fs::exists(to); ++number)
      to = from.string() + "." + std::string{label} + "-" + std::to_string(number);
    part = to.string() + ".part";
    fs::remove_all(part); // Of a copy that was interrupted.
    fs::create_directory(part);
    for (const auto& entry : entries) // A link is followed: what it names is changed, too.
      fs::copy(entry.path(), part / entry.path().filename(), fs::copy_options::recursive);
    fs::permissions(part, fs::status(from).permissions());
    sync_file_system(part);
    fs::rename(part, to);
    sync_file_system(to.parent_path());
    return to.string();
  } catch (const fs::filesystem_error& failure) {
    std::error_code ignored;
    if (!part.empty())
      fs::remove_all(part, ignored);
    return refuse(directory, std::string{failure.what()} + ".");
  }
}

} // namespace troupe
