#include "bench/http_send/journal_use.hpp"
#include "store/journal/frame.hpp"
#include "store/journal/layout.hpp"
#include "tests/support/catch.hpp"
#include "tests/support/temporary_directory.hpp"

#include <filesystem>
#include <stdexcept>

using namespace troupe;
using bench::read_journal_use;
using testing::temporary_directory;

namespace {

/// A segment with groups of ten bytes from `first` to `last`.
std::string segment(std::uint64_t ordinal, journal::position first, journal::position last) {
  const journal::segment_header header{0x1234, ordinal, first, 8192};
  std::string out;
  journal::append_segment_header(out, header);
  for (auto at = first; at <= last; ++at)
    journal::append_frame(out, header, {at, at - 1}, "ten bytes!");
  out.resize(8192);
  return out;
}

} // namespace

TEST_CASE("The groups after a position and their bytes are counted, in all segments",
          "[journal_use]") {
  const temporary_directory place;
  std::filesystem::create_directory(place / "journal");
  place.file("journal/" + journal::segment_name(3), segment(3, 11, 20));
  place.file("journal/" + journal::segment_name(4), segment(4, 21, 24));
  place.file("journal/manifest", "something else");
  const auto all = read_journal_use(place.path(), 0);
  CHECK(all.last_group == 24);
  CHECK(all.groups == 14);
  CHECK(all.bytes == 140);
  const auto some = read_journal_use(place.path(), 18);
  CHECK(some.last_group == 24);
  CHECK(some.groups == 6);
  CHECK(some.bytes == 60);
}

TEST_CASE("A group that is being written ends the count", "[journal_use]") {
  const temporary_directory place;
  std::filesystem::create_directory(place / "journal");
  auto text = segment(1, 1, 3);
  text[journal::segment_header_bytes + 2 * journal::frame_bytes(10)
       + journal::frame_header_bytes] ^= 1;
  place.file("journal/" + journal::segment_name(1), text);
  const auto found = read_journal_use(place.path(), 0);
  CHECK(found.last_group == 2);
  CHECK(found.groups == 2);
}

TEST_CASE("A directory without a journal is refused", "[journal_use]") {
  const temporary_directory place;
  CHECK_THROWS_AS(read_journal_use(place.path(), 0), std::runtime_error);
}
