#include "store/journal/frame.hpp"
#include "tests/support/catch.hpp"

#include <string>

using namespace troupe;
using namespace troupe::journal;

namespace {

constexpr std::size_t file_bytes = 16384;

segment_header some_segment() {
  return {0x1234, 3, 10, file_bytes};
}

/// A file with groups 10 ... 12; each frame says that the groups before it are safe.
std::string some_file() {
  std::string out;
  append_segment_header(out, some_segment());
  append_frame(out, some_segment(), {10, 9}, "first");
  append_frame(out, some_segment(), {11, 10}, "");
  append_frame(out, some_segment(), {12, 11}, std::string(1000, 'x'));
  out.resize(file_bytes);
  return out;
}

} // namespace

TEST_CASE("A segment is read as it was written", "[journal]") {
  const auto file = some_file();
  CHECK(read_segment_header(file).header == some_segment());
  const auto scan = scan_segment(file, some_segment(), 0, std::nullopt);
  CHECK(scan.end == segment_end::clean);
  CHECK(scan.last == 12);
  CHECK(scan.safe == 11);
  REQUIRE(scan.groups.size() == 3);
  CHECK(file.substr(scan.groups[0].offset, scan.groups[0].length) == "first");
  CHECK(scan.groups[1].length == 0);
  CHECK(file.substr(scan.groups[2].offset, scan.groups[2].length) == std::string(1000, 'x'));
}

TEST_CASE("A group that was written and not finished is no damage", "[journal]") {
  auto file = some_file();
  const auto whole = scan_segment(file, some_segment(), 0, std::nullopt);
  const auto& last = whole.groups.back();
  // The end of the last group did not reach the disk.
  for (std::size_t kept = 0; kept < frame_header_bytes + last.length; kept += 100) {
    auto torn = file;
    const auto begin = last.offset - frame_header_bytes + kept;
    std::fill(torn.begin() + static_cast<std::ptrdiff_t>(begin), torn.end(), '\0');
    const auto scan = scan_segment(torn, some_segment(), 11, std::nullopt);
    CHECK(scan.last == 11);
    CHECK(scan.end == (kept == 0 ? segment_end::clean : segment_end::torn));
    // The same bytes are damage if the group is known to have been safe.
    CHECK(scan_segment(torn, some_segment(), 12, std::nullopt).end == segment_end::damaged);
  }
}

TEST_CASE("Damage with readable groups behind it says where it is and how many they are",
          "[journal]") {
  auto file = some_file();
  const auto whole = scan_segment(file, some_segment(), 0, std::nullopt);
  SECTION("in a payload") {
    file[whole.groups[0].offset] ^= 1;
  }
  SECTION("in a header") {
    file[whole.groups[0].offset - frame_header_bytes] ^= 1;
  }
  const auto scan = scan_segment(file, some_segment(), 0, std::nullopt);
  CHECK(scan.end == segment_end::damaged);
  CHECK(scan.end_offset == segment_header_bytes);
  REQUIRE(scan.behind.size() == 2);
  CHECK(scan.last == 9);
}

TEST_CASE("No flipped bit of a group that was safe goes unseen", "[journal]") {
  const auto file = some_file();
  const auto whole = scan_segment(file, some_segment(), 12, std::nullopt);
  const auto end = whole.end_offset;
  for (std::size_t at = segment_header_bytes; at < end; ++at)
    for (int bit = 0; bit < 8; ++bit) {
      auto flipped = file;
      flipped[at] = static_cast<char>(flipped[at] ^ (1 << bit));
      const auto scan = scan_segment(flipped, some_segment(), 12, std::nullopt);
      // Bytes between two frames mean nothing.
      if (scan.end == segment_end::damaged)
        continue;
      REQUIRE(scan.groups.size() == 3);
      for (const auto& each : scan.groups)
        REQUIRE(flipped.substr(each.offset, each.length) == file.substr(each.offset, each.length));
    }
}

TEST_CASE("A segment that is too short is damaged, wherever it was cut", "[journal]") {
  const auto file = some_file();
  for (std::size_t size = segment_header_bytes; size < file.size(); size += 300)
    CHECK(scan_segment(std::string_view{file}.substr(0, size), some_segment(), 0, std::nullopt).end
          == segment_end::damaged);
}

TEST_CASE("A damaged first block of a segment is refused with the reason", "[journal]") {
  auto file = some_file();
  CHECK(read_segment_header(file.substr(0, 100)).problem == "it is cut off in its first block");
  SECTION("a flipped bit") {
    file[33] ^= 4;
    CHECK(read_segment_header(file).problem == "its first block is damaged");
  }
  SECTION("another file") {
    file[0] = 'x';
    CHECK(read_segment_header(file).problem == "it does not begin like a journal");
  }
}

TEST_CASE("The next segment ends the one before it", "[journal]") {
  const auto file = some_file();
  const auto scan = scan_segment(file, some_segment(), 0, 12);
  CHECK(scan.end == segment_end::clean);
  CHECK(scan.last == 11);
  CHECK(scan_segment(file, some_segment(), 0, 13).end == segment_end::clean);
  const auto missing = scan_segment(file, some_segment(), 0, 14);
  CHECK(missing.end == segment_end::damaged);
  CHECK(missing.problem == "group 13 is not there");
}

TEST_CASE("A frame of another segment is no frame", "[journal]") {
  auto other = some_segment();
  other.ordinal = 4;
  const auto file = some_file();
  CHECK(scan_segment(file, other, 0, std::nullopt).groups.empty());
}

TEST_CASE("One of the two copies of the safe position is enough", "[journal]") {
  auto file = write_safe_copy(7, 100);
  file.resize(safe_copy_bytes);
  file += write_safe_copy(7, 101);
  CHECK(read_safe_copies(file, 7) == 101);
  CHECK(read_safe_copies(file, 8) == 0);
  file.back() ^= 1;
  CHECK(read_safe_copies(file, 7) == 100);
  CHECK(read_safe_copies({}, 7) == 0);
}
