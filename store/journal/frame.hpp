// The bytes of a segment file: a header of one block, then frames, then zeros up to the size that
// the header names. Values only; nothing here reads a file.
//
// A frame is a group with a header. The header has its own checksum, so that the length is
// reliable where the payload is damaged, and the frames after the damage are found and counted.
// Numbers are little-endian.
//
// The file `safe` beside the segments names the last synced group. It is written after each sync
// and is not synced itself: it outlives the process, and after a power failure it may be old.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::journal {

/// The number of a group: 1, 2, 3 ... over the whole life of a journal; 0: before the first.
using position = std::uint64_t;

/// The version of this format. A reader refuses a newer one.
inline constexpr std::uint32_t format_version = 1;

/// The first frame begins here. A block of its own, so that writing frames never touches the
/// header.
inline constexpr std::size_t segment_header_bytes = 4096;
inline constexpr std::size_t frame_header_bytes = 40;
/// Frames begin at multiples of this.
inline constexpr std::size_t frame_alignment = 8;

/// The header of a segment.
struct segment_header {
  std::uint64_t journal_id = 0; ///< Random, one for all segments of a journal.
  std::uint64_t ordinal = 0;    ///< 1, 2, 3 ...; segments follow each other without a gap.
  position first = 1;           ///< Of its first group. Ends the segment before it.
  std::uint64_t size = 0;       ///< Of the file in bytes, zeros included.

  friend bool operator==(const segment_header&, const segment_header&) = default;
};

struct frame_header {
  position at = 0; ///< Of the group.
  /// Groups up to this were synced when the frame was written. Damage to one of them is
  /// never taken for a write that was cut short.
  position safe = 0;
};

/// Bytes from the begin of a frame to the begin of the next.
[[nodiscard]] std::size_t frame_bytes(std::size_t payload) noexcept;

/// One block.
void append_segment_header(std::string& out, const segment_header& header);

struct segment_header_read {
  std::optional<segment_header> header;
  std::string problem; ///< Why there is none.
};
[[nodiscard]] segment_header_read read_segment_header(std::string_view bytes);

/// The payload has less than 4 GiB.
void append_frame(std::string& out, const segment_header& segment, const frame_header& header,
                  std::string_view payload);

struct frame_view {
  frame_header header;
  std::string_view payload; ///< In the bytes that were read.
};

/// How many bytes the frame at the front of `bytes` has, by its header; nothing if there is no
/// whole and undamaged header.
[[nodiscard]] std::optional<std::size_t> frame_size(std::string_view bytes,
                                                    const segment_header& segment);
/// The frame at the front of `bytes`; nothing if it is not whole or is damaged.
[[nodiscard]] std::optional<frame_view> read_frame(std::string_view bytes,
                                                   const segment_header& segment);

/// Where a group is in its segment.
struct group_place {
  position at = 0;
  std::size_t offset = 0; ///< Of the payload in the file.
  std::size_t length = 0;
};

/// How the frames of a segment end.
enum class segment_end : std::uint8_t {
  clean,   ///< Only zeros follow.
  torn,    ///< A write that was cut short; nothing that was synced is there.
  damaged, ///< Something that was synced is not readable.
};

struct segment_scan {
  std::vector<group_place> groups; ///< Readable, in order, without a gap.
  position last = 0;               ///< Of the last of them; `first - 1` if there are none.
  /// Groups up to this are known to have been synced.
  position safe = 0;
  segment_end end = segment_end::clean;
  std::size_t end_offset = 0;      ///< Of the first byte that is not part of a readable frame.
  std::string problem;             ///< What was found there, unless `clean`.
  std::vector<group_place> behind; ///< Readable groups after `end_offset`, in order.
};

/// Reads the frames in `bytes`, which is the whole file. `safe`: groups up to this are known from
/// elsewhere to be synced. `until`: the first group of the next segment, if there is one; it ends
/// this one, and all groups before it were synced.
[[nodiscard]] segment_scan scan_segment(std::string_view bytes, const segment_header& header,
                                        position safe, std::optional<position> until);

/// The content of the file `safe` has two copies, which are written in turn, so that one is whole.
inline constexpr std::size_t safe_copy_bytes = 512;
[[nodiscard]] std::string write_safe_copy(std::uint64_t journal_id, position safe);
/// The greater of what the copies say; 0 if neither is of this journal and whole.
[[nodiscard]] position read_safe_copies(std::string_view bytes, std::uint64_t journal_id);

} // namespace troupe::journal
