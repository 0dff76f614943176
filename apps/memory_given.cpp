#include "apps/memory_given.hpp"

#include <algorithm>
#include <charconv>
#include <fstream>
#include <limits>
#include <sstream>
#include <string_view>

#include <sys/resource.h>

namespace troupe {

namespace {

constexpr auto no_limit = std::numeric_limits<std::uint64_t>::max();

/// Of a text that begins with a number; anything else, such as `max`, is no limit.
std::uint64_t bytes_in(std::string_view text) {
  std::uint64_t out = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), out);
  return ec == std::errc{} ? out : no_limit;
}

/// The least of the limits of a group and of the groups around it. In a container the path may be
/// that of the host: then only the root is there.
std::uint64_t least_of_group(const file_reader& read, const std::string& root, std::string path,
                             const std::string& file) {
  auto out = no_limit;
  for (;;) {
    while (path.ends_with('/'))
      path.pop_back();
    if (const auto text = read(root + path + '/' + file))
      out = std::min(out, bytes_in(*text));
    if (path.empty())
      return out;
    path.resize(path.find_last_of('/') == std::string::npos ? 0 : path.find_last_of('/'));
  }
}

/// Lines `hierarchy:controllers:path` (cgroups(7)); version 2 is `0::path`.
std::uint64_t least_of_groups(const file_reader& read) {
  auto out = no_limit;
  std::istringstream lines{read("/proc/self/cgroup").value_or("")};
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = first == std::string::npos ? first : line.find(':', first + 1);
    if (second == std::string::npos)
      continue;
    const auto controllers = ',' + line.substr(first + 1, second - first - 1) + ',';
    const auto path = line.substr(second + 1);
    if (controllers == ",,")
      out = std::min(out, least_of_group(read, "/sys/fs/cgroup", path, "memory.max"));
    else if (controllers.find(",memory,") != std::string::npos)
      out = std::min(out,
                     least_of_group(read, "/sys/fs/cgroup/memory", path, "memory.limit_in_bytes"));
  }
  return out;
}

/// `MemTotal:       16384 kB` (proc(5)).
std::uint64_t machine_bytes(const file_reader& read) {
  const auto text = read("/proc/meminfo").value_or("");
  constexpr std::string_view label = "MemTotal:";
  const auto found = text.find(label);
  if (found == std::string::npos)
    return no_limit;
  const auto number = text.find_first_not_of(' ', found + label.size());
  const auto kib =
      number == std::string::npos ? no_limit : bytes_in(std::string_view{text}.substr(number));
  return kib > no_limit / 1024 ? no_limit : kib * 1024;
}

std::uint64_t resource_limit(int which) {
  rlimit found{};
  return ::getrlimit(static_cast<__rlimit_resource_t>(which), &found) == 0
                 && found.rlim_cur != RLIM_INFINITY
             ? found.rlim_cur
             : no_limit;
}

} // namespace

std::uint64_t memory_given(const file_reader& read, std::uint64_t limits) {
  return std::min({limits, least_of_groups(read), machine_bytes(read)});
}

std::uint64_t memory_given() {
  const auto read = [](const std::string& path) -> std::optional<std::string> {
    std::ifstream file{path};
    if (!file)
      return std::nullopt;
    std::ostringstream out;
    out << file.rdbuf();
    return std::move(out).str();
  };
  return memory_given(read, std::min(resource_limit(RLIMIT_AS), resource_limit(RLIMIT_DATA)));
}

std::size_t memory_limit(std::size_t chosen, std::uint64_t given) noexcept {
  if (chosen != 0)
    return chosen;
  return given == no_limit ? std::numeric_limits<std::size_t>::max() : given / 100 * memory_percent;
}

} // namespace troupe
