#include "sim/text_files.hpp"

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <system_error>

#include <unistd.h>

namespace troupe::sim {

namespace {

struct file_closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};
using open_file = std::unique_ptr<std::FILE, file_closer>;

error failed_with(const std::string& path, const char* action) {
  return make_error(errc::invalid_params,
                    path + " cannot be " + action + ": " + std::strerror(errno));
}

} // namespace

result<std::string> read_text(const std::string& path) {
  const open_file file(std::fopen(path.c_str(), "rb"));
  if (!file)
    return failed_with(path, "read");
  std::string out;
  char buffer[4096];
  for (std::size_t count = 0; (count = std::fread(buffer, 1, sizeof buffer, file.get())) > 0;)
    out.append(buffer, count);
  if (std::ferror(file.get()) != 0)
    return failed_with(path, "read");
  return out;
}

result<void> write_text(const std::string& path, const std::string& text) {
  const open_file file(std::fopen(path.c_str(), "wb"));
  if (!file || std::fwrite(text.data(), 1, text.size(), file.get()) != text.size()
      || std::fflush(file.get()) != 0)
    return failed_with(path, "written");
  return {};
}

result<void> check_writable(const std::string& path) {
  const bool was_there = ::access(path.c_str(), F_OK) == 0;
  if (const open_file file(std::fopen(path.c_str(), "ab")); !file)
    return failed_with(path, "written");
  if (!was_there)
    ::unlink(path.c_str());
  return {};
}

void print(const std::string& text) {
  if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0)
    throw std::system_error(errno, std::generic_category(), "the output cannot be written");
}

} // namespace troupe::sim
