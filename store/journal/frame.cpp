#include "store/journal/frame.hpp"

#include "store/journal/checksum.hpp"

#include <algorithm>
#include <array>
#include <cstring>

namespace troupe::journal {

namespace {

constexpr std::string_view segment_magic{"troupe journal\n\0", 16};
/// The first word of a frame. It is not UTF-8.
constexpr std::uint32_t frame_magic = 0xf1a37e01;

template<class Number>
void append_number(std::string& out, Number value) {
  std::array<char, sizeof(Number)> bytes{};
  for (auto& each : bytes) {
    each = static_cast<char>(value & 0xff);
    value = static_cast<Number>(value >> 8);
  }
  out.append(bytes.data(), bytes.size());
}

template<class Number>
Number read_number(std::string_view bytes, std::size_t offset) {
  Number value = 0;
  for (std::size_t i = sizeof(Number); i-- > 0;)
    value = static_cast<Number>((value << 8) | static_cast<unsigned char>(bytes[offset + i]));
  return value;
}

/// A frame that was copied from another segment or journal does not fit here.
std::uint64_t seed_of(const segment_header& segment) {
  return segment.journal_id + segment.ordinal * 0x9e3779b97f4a7c15;
}

constexpr std::size_t aligned(std::size_t bytes) noexcept {
  return (bytes + frame_alignment - 1) / frame_alignment * frame_alignment;
}

struct found_frame {
  frame_header header;
  std::uint32_t length = 0; ///< Bytes of the payload.
  std::uint64_t payload_checksum = 0;
};

/// The header of the frame at `offset`, if a whole and undamaged one is there.
std::optional<found_frame> find_frame(std::string_view bytes, std::size_t offset,
                                      const segment_header& segment) {
  if (offset + frame_header_bytes > bytes.size()
      || read_number<std::uint32_t>(bytes, offset) != frame_magic)
    return std::nullopt;
  const auto summed = bytes.substr(offset, frame_header_bytes - sizeof(std::uint64_t));
  if (checksum(summed, seed_of(segment))
      != read_number<std::uint64_t>(bytes, offset + summed.size()))
    return std::nullopt;
  return found_frame{{read_number<std::uint64_t>(bytes, offset + 8),
                      read_number<std::uint64_t>(bytes, offset + 16)},
                     read_number<std::uint32_t>(bytes, offset + 4),
                     read_number<std::uint64_t>(bytes, offset + 24)};
}

bool is_payload_whole(std::string_view bytes, std::size_t offset, const found_frame& frame,
                      const segment_header& segment) {
  const auto begin = offset + frame_header_bytes;
  return begin + frame.length <= bytes.size()
         && checksum(bytes.substr(begin, frame.length), seed_of(segment)) == frame.payload_checksum;
}

bool is_zero(std::string_view bytes) {
  return bytes.empty()
         || (bytes.front() == '\0'
             && std::memcmp(bytes.data(), bytes.data() + 1, bytes.size() - 1) == 0);
}

/// Looks after the end of the readable frames for evidence that more was synced.
void look_behind(std::string_view bytes, const segment_header& segment, segment_scan& scan) {
  auto offset = aligned(scan.end_offset);
  while (offset + frame_header_bytes <= bytes.size()) {
    const auto frame = find_frame(bytes, offset, segment);
    if (!frame) {
      offset += frame_alignment;
      continue;
    }
    scan.safe = std::max(scan.safe, frame->header.safe);
    const bool is_whole = is_payload_whole(bytes, offset, *frame, segment);
    if (is_whole && frame->header.at > scan.last)
      scan.behind.push_back({frame->header.at, offset + frame_header_bytes, frame->length});
    offset += is_whole ? frame_bytes(frame->length) : frame_alignment;
  }
}

} // namespace

std::size_t frame_bytes(std::size_t payload) noexcept {
  return aligned(frame_header_bytes + payload);
}

void append_segment_header(std::string& out, const segment_header& header) {
  const auto begin = out.size();
  out += segment_magic;
  append_number(out, format_version);
  append_number(out, std::uint32_t{0});
  append_number(out, header.journal_id);
  append_number(out, header.ordinal);
  append_number(out, header.first);
  append_number(out, header.size);
  append_number(out, checksum(std::string_view{out}.substr(begin)));
  out.resize(begin + segment_header_bytes);
}

segment_header_read read_segment_header(std::string_view bytes) {
  constexpr std::size_t summed = 56;
  if (bytes.size() < segment_header_bytes)
    return {std::nullopt, "it is cut off in its first block"};
  if (!bytes.starts_with(segment_magic))
    return {std::nullopt, "it does not begin like a journal"};
  if (checksum(bytes.substr(0, summed)) != read_number<std::uint64_t>(bytes, summed))
    return {std::nullopt, "its first block is damaged"};
  if (const auto version = read_number<std::uint32_t>(bytes, 16); version != format_version)
    return {std::nullopt, "its format is version " + std::to_string(version)
                              + ", and this program reads version "
                              + std::to_string(format_version)};
  return {
      segment_header{read_number<std::uint64_t>(bytes, 24), read_number<std::uint64_t>(bytes, 32),
                     read_number<std::uint64_t>(bytes, 40), read_number<std::uint64_t>(bytes, 48)},
      {}};
}

void append_frame(std::string& out, const segment_header& segment, const frame_header& header,
                  std::string_view payload) {
  const auto begin = out.size();
  append_number(out, frame_magic);
  append_number(out, static_cast<std::uint32_t>(payload.size()));
  append_number(out, header.at);
  append_number(out, header.safe);
  append_number(out, checksum(payload, seed_of(segment)));
  append_number(out, checksum(std::string_view{out}.substr(begin), seed_of(segment)));
  out += payload;
  out.resize(begin + frame_bytes(payload.size()));
}

std::optional<std::size_t> frame_size(std::string_view bytes, const segment_header& segment) {
  const auto found = find_frame(bytes, 0, segment);
  return found ? std::optional{frame_bytes(found->length)} : std::nullopt;
}

std::optional<frame_view> read_frame(std::string_view bytes, const segment_header& segment) {
  const auto found = find_frame(bytes, 0, segment);
  if (!found || !is_payload_whole(bytes, 0, *found, segment))
    return std::nullopt;
  return frame_view{found->header, bytes.substr(frame_header_bytes, found->length)};
}

segment_scan scan_segment(std::string_view bytes, const segment_header& header, position safe,
                          std::optional<position> until) {
  segment_scan out;
  out.last = header.first - 1;
  out.safe = std::max({safe, out.last, until ? *until - 1 : 0});
  auto offset = segment_header_bytes;
  const auto is_wanted = [&] { return !until || out.last + 1 < *until; };
  std::optional<found_frame> frame;
  while (is_wanted() && (frame = find_frame(bytes, offset, header))) {
    if (frame->header.at != out.last + 1 || !is_payload_whole(bytes, offset, *frame, header))
      break;
    out.last = frame->header.at;
    out.safe = std::max(out.safe, frame->header.safe);
    out.groups.push_back({out.last, offset + frame_header_bytes, frame->length});
    offset += frame_bytes(frame->length);
  }
  out.end_offset = offset;
  if (!is_wanted())
    return out;
  const bool is_short = bytes.size() < header.size;
  const bool is_over = is_zero(bytes.substr(std::min(offset, bytes.size())));
  if (!is_over)
    look_behind(bytes, header, out);
  if (until)
    std::erase_if(out.behind, [&](const group_place& each) { return each.at >= *until; });
  if (is_short)
    out.problem = "the file has " + std::to_string(bytes.size()) + " bytes instead of "
                  + std::to_string(header.size);
  else if (!is_over || out.safe > out.last)
    out.problem =
        "group " + std::to_string(out.last + 1) + (frame ? " is damaged" : " is not there");
  else
    return out;
  out.end = is_short || out.safe > out.last ? segment_end::damaged : segment_end::torn;
  return out;
}

std::string write_safe_copy(std::uint64_t journal_id, position safe) {
  std::string out;
  append_number(out, journal_id);
  append_number(out, safe);
  append_number(out, checksum(out));
  return out;
}

position read_safe_copies(std::string_view bytes, std::uint64_t journal_id) {
  constexpr std::size_t summed = 16;
  position out = 0;
  for (std::size_t begin = 0; begin + summed + sizeof(std::uint64_t) <= bytes.size();
       begin += safe_copy_bytes)
    if (read_number<std::uint64_t>(bytes, begin) == journal_id
        && read_number<std::uint64_t>(bytes, begin + summed)
               == checksum(bytes.substr(begin, summed)))
      out = std::max(out, read_number<std::uint64_t>(bytes, begin + sizeof(std::uint64_t)));
  return out;
}

} // namespace troupe::journal
