// The names of a journal's files, and the manifest, which names the first and the last segment. The
// manifest is replaced as a whole when a segment is added or removed.
#pragma once

#include "store/journal/frame.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::journal {

inline constexpr const char* manifest_name = "manifest";
inline constexpr const char* new_manifest_name = "manifest.new";
inline constexpr const char* new_segment_name = "segment.new"; ///< Of a rewrite that goes on.
inline constexpr const char* safe_name = "safe";

struct manifest {
  std::uint64_t journal_id = 0;
  std::uint64_t oldest = 1; ///< Ordinals of segments that the journal has; none is missing between.
  std::uint64_t newest = 1;
  std::uint64_t format = format_version; ///< Of the whole journal.

  friend bool operator==(const manifest&, const manifest&) = default;
};

[[nodiscard]] std::string segment_name(std::uint64_t ordinal);
/// Nothing for other files.
[[nodiscard]] std::optional<std::uint64_t> segment_ordinal(std::string_view name);

/// Four lines of text and a checksum.
[[nodiscard]] std::string write_manifest(const manifest& content);
/// Nothing if the text is not a whole and undamaged manifest.
[[nodiscard]] std::optional<manifest> read_manifest(std::string_view text);

} // namespace troupe::journal
