#include "store/tools/copy_directory.hpp"

#include <cstdint>
#include <filesystem>
#include <system_error>

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

std::uint64_t bytes_in(const fs::path& directory) {
  std::uint64_t out = 0;
  for (const auto& entry : fs::recursive_directory_iterator{directory})
    if (entry.is_regular_file())
      out += entry.file_size();
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
    const auto needed = bytes_in(from) + spare_bytes;
    if (room < needed)
      return refuse(directory, "the copy needs " + std::to_string(needed >> 20) + " MiB, and "
                                   + from.parent_path().string() + " has room for "
                                   + std::to_string(room >> 20) + " MiB. Make room there.");
    fs::path to;
    for (int number = 1; to.empty() || fs::exists(to); ++number)
      to = from.string() + "." + std::string{label} + "-" + std::to_string(number);
    part = to.string() + ".part";
    fs::remove_all(part); // Of a copy that was interrupted.
    fs::copy(from, part, fs::copy_options::recursive | fs::copy_options::copy_symlinks);
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
