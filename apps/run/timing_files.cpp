#include "apps/run/timing_files.hpp"

#include "apps/terminal/console.hpp"
#include "apps/text_file.hpp"

#include <cerrno>
#include <filesystem>
#include <string_view>
#include <system_error>

#include <fcntl.h>
#include <unistd.h>

namespace troupe {

namespace {

namespace fs = std::filesystem;

bool is_page(const fs::path& file) {
  return file.extension() == ".html" || file.extension() == ".htm";
}

/// Only an attempt shows it: root may write wherever it has a folder, and yet not in /proc.
int reason_not_to_write(const std::string& file) {
  const int fresh = ::open(file.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (fresh >= 0) {
    ::close(fresh);
    ::unlink(file.c_str());
    return 0;
  }
  if (errno != EEXIST)
    return errno;
  // A pipe has its reader later.
  const int there = ::open(file.c_str(), O_WRONLY | O_NONBLOCK | O_CLOEXEC);
  if (there < 0)
    return errno == ENXIO ? 0 : errno;
  ::close(there);
  return 0;
}

result<void> check_place(std::string_view option, const std::string& file) {
  if (file.empty() || file == "-")
    return {};
  const auto refused = [&](const std::string& why) {
    return make_error(errc::invalid_params, std::string(option) + " " + file + ": " + why);
  };
  std::error_code failed;
  if (fs::is_directory(file, failed))
    return refused("this is a folder; name a file in it");
  const auto folder =
      fs::path(file).has_parent_path() ? fs::path(file).parent_path() : fs::path(".");
  if (!fs::is_directory(folder, failed))
    return refused("there is no folder " + folder.string() + "; make it, or name another one");
  if (const int reason = reason_not_to_write(file); reason != 0)
    return refused(std::generic_category().message(reason) + "; name a file that may be written");
  return {};
}

} // namespace

result<void> check_timing_files(const timing_files& files) {
  if (auto fine = check_place("--trace", files.trace); !fine)
    return fine;
  if (auto fine = check_place("--timeline", files.timeline); !fine)
    return fine;
  const fs::path timeline(files.timeline);
  if (!timeline.empty() && timeline != "-" && timeline.extension() != ".svg" && !is_page(timeline))
    return make_error(errc::invalid_params,
                      "--timeline " + files.timeline
                          + ": the name must end with .svg, for a drawing, or .html, for a page");
  return {};
}

bool write_timing_files(const timing_files& files, const std::vector<timed_task>& timing,
                        const std::string& name) {
  result<void> done;
  if (!files.trace.empty())
    done = write_text(files.trace, draw_trace(timing));
  if (done && !files.timeline.empty())
    done = write_text(files.timeline, is_page(files.timeline) ? draw_timeline_page(timing, name)
                                                              : draw_timeline(timing, name));
  if (!done)
    complain(done.error().message);
  return done.has_value();
}

} // namespace troupe
