#include "bench/http_send/journal_use.hpp"

#include "bench/support/harness.hpp"
#include "store/journal/frame.hpp"
#include "store/journal/layout.hpp"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace troupe::bench {

namespace {

/// Empty if the server has removed the file meanwhile.
std::string read_whole(const std::filesystem::path& path) {
  std::ifstream in{path, std::ios::binary};
  return {std::istreambuf_iterator<char>(in), {}};
}

void add_segment(const std::string& bytes, std::uint64_t since, journal_use& use) {
  const auto read = journal::read_segment_header(bytes);
  if (!read.header)
    return;
  // `safe` is 0: a group that is being written ends the scan without a complaint.
  const auto scan = journal::scan_segment(bytes, *read.header, 0, std::nullopt);
  use.last_group = std::max(use.last_group, scan.last);
  for (const auto& group : scan.groups)
    if (group.at > since) {
      ++use.groups;
      use.bytes += group.length;
    }
}

} // namespace

journal_use read_journal_use(const std::string& directory, std::uint64_t since) {
  journal_use use;
  const auto folder = std::filesystem::path(directory) / "journal";
  check(std::filesystem::is_directory(folder), directory + " has no journal");
  for (const auto& entry : std::filesystem::directory_iterator(folder))
    if (journal::segment_ordinal(entry.path().filename().string()))
      add_segment(read_whole(entry.path()), since, use);
  return use;
}

} // namespace troupe::bench
