#include "tests/house/include_rules.hpp"

#include <algorithm>

namespace troupe::house {
namespace {

constexpr auto rooms = std::to_array<std::string_view>(
    {"protocol", "planner", "store", "client", "actors", "agents", "net", "apps"});
constexpr auto free_folders = std::to_array<std::string_view>(
    {"bench/", "examples/", "sim/", "tests/attack/", "tests/bench/", "tests/fuzz/", "tests/house/",
     "tests/models/", "tests/sim/", "tests/support/"});
/// Headers of the operating system; all others without a dot are the standard library's.
constexpr auto system_headers = std::to_array<std::string_view>(
    {"sys/", "unistd.h", "fcntl.h", "signal.h", "poll.h", "termios.h", "spawn.h", "pthread.h",
     "netinet/", "arpa/", "netdb.h", "dirent.h", "pwd.h", "malloc.h", "time.h", "sched.h",
     "linux/"});

bool is_room(std::string_view name) {
  return std::ranges::find(rooms, name) != rooms.end();
}

bool has_word(std::string_view words, std::string_view word) {
  while (!words.empty()) {
    const auto end = std::min(words.find(' '), words.size());
    if (words.substr(0, end) == word) {
      return true;
    }
    words.remove_prefix(std::min(end + 1, words.size()));
  }
  return false;
}

std::string_view first_folder(std::string_view path) {
  return path.substr(0, std::min(path.find('/'), path.size()));
}

/// The folder part of a path, with its slash.
std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.rfind('/') + 1);
}

constexpr std::string_view public_root = "include/";

/// `place` is where the file stands: its folder, for a public header without "include/".
std::optional<std::string> refuse_own(std::string_view place, std::string_view header) {
  const auto folder = folder_of(header);
  const auto from_public = place.starts_with("troupe/");
  const auto room = first_folder(from_public ? place.substr(7) : place);
  const auto own_root = std::string(room) + "/";
  const auto own_public = "troupe/" + own_root;
  if (folder == place || folder == own_public || (!from_public && folder == own_root))
    return std::nullopt;
  if (place == own_root && header.starts_with(own_root)
      && std::ranges::find(rooms_put_together_at_root, room) != rooms_put_together_at_root.end())
    return std::nullopt;
  const auto allowed = [&](const arrow& a) {
    return place.starts_with(a.place) && header.starts_with(a.header);
  };
  if (std::ranges::any_of(arrows, allowed))
    return std::nullopt;
  return "is no arrow from " + std::string(place);
}

std::optional<std::string> refuse_library(std::string_view room, bool test,
                                          std::string_view header) {
  const auto fits = [&](std::string_view prefix) { return header.starts_with(prefix); };
  if (std::ranges::any_of(system_headers, fits)) {
    return room == "protocol" && !test
               ? std::optional<std::string>("is the operating system's, and protocol/ holds values")
               : std::nullopt;
  }
  if (header.find_first_of("./") == std::string_view::npos) {
    return std::nullopt;
  }
  if (test && header.starts_with("catch2/")) {
    return std::nullopt;
  }
  const auto row = std::ranges::find_if(libraries, fits, &library::prefix);
  if (row == libraries.end()) {
    return "is of a library without a row in tests/house/include_rules.hpp";
  }
  if (has_word(row->rooms, room)) {
    return std::nullopt;
  }
  return "is only for: " + std::string(row->rooms);
}

} // namespace

std::optional<std::string> refuse_include(std::string_view path, std::string_view target) {
  if (std::ranges::any_of(free_folders,
                          [&](std::string_view folder) { return path.starts_with(folder); })) {
    return std::nullopt;
  }
  const auto header = target.substr(1, target.size() - 2);
  const bool quoted = target.front() == '"';
  const bool own = quoted || header.starts_with("troupe/");
  if (path.starts_with("tests/")) {
    const auto room = first_folder(path.substr(6));
    if (!is_room(room))
      return "is in a file outside the rooms";
    if (!own)
      return refuse_library(room, true, header);
    const auto other = first_folder(header);
    return !quoted || is_room(other) || other == "tests"
               ? std::nullopt
               : std::optional<std::string>("is not written from the root (\"ROOM/file.hpp\")");
  }
  const auto place =
      folder_of(path.starts_with(public_root) ? path.substr(public_root.size()) : path);
  const auto room = first_folder(place.starts_with("troupe/") ? place.substr(7) : place);
  if (!is_room(room))
    return "is in a file outside the rooms";
  const auto is_refused = [&](const arrow& a) {
    return place.starts_with(a.place) && header.starts_with(a.header);
  };
  if (std::ranges::any_of(no_arrows, is_refused))
    return "is refused for " + std::string(place);
  if (!own)
    return refuse_library(room, false, header);
  if (quoted && !is_room(first_folder(header)))
    return "is not written from the root (\"ROOM/file.hpp\")";
  return refuse_own(place, header);
}

std::optional<std::string_view> include_of(std::string_view line) {
  const auto skip_blanks = [&] {
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
  };
  skip_blanks();
  if (!line.starts_with('#')) {
    return std::nullopt;
  }
  line.remove_prefix(1);
  skip_blanks();
  if (!line.starts_with("include")) {
    return std::nullopt;
  }
  line.remove_prefix(7);
  skip_blanks();
  if (line.empty() || (line.front() != '"' && line.front() != '<')) {
    return std::nullopt;
  }
  const auto end = line.find(line.front() == '"' ? '"' : '>', 1);
  return end == std::string_view::npos ? std::nullopt : std::optional(line.substr(0, end + 1));
}

} // namespace troupe::house
