// A directory of its own for a test or a benchmark, gone when that is over.
#pragma once

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include <stdlib.h>

namespace troupe::testing {

/// An empty directory under $TMPDIR, or else /tmp; removed at the end with everything in it.
class temporary_directory {
public:
  /// Throws std::system_error if it cannot be made.
  temporary_directory() {
    auto pattern = (std::filesystem::temp_directory_path() / "troupe-test-XXXXXX").string();
    if (::mkdtemp(pattern.data()) == nullptr)
      throw std::system_error(errno, std::generic_category(), pattern);
    path_ = std::move(pattern);
  }
  ~temporary_directory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  temporary_directory(const temporary_directory&) = delete;
  temporary_directory& operator=(const temporary_directory&) = delete;

  [[nodiscard]] const std::filesystem::path& path() const noexcept { return path_; }
  [[nodiscard]] std::string operator/(const std::string& name) const {
    return (path_ / name).string();
  }

  /// Writes a file in it; the path of that. Throws std::system_error if it cannot be written.
  std::string file(const std::string& name, std::string_view text) const {
    const auto at = *this / name;
    if (!(std::ofstream(at, std::ios::binary) << text << std::flush))
      throw std::system_error(errno, std::generic_category(), at);
    return at;
  }

private:
  std::filesystem::path path_;
};

} // namespace troupe::testing
