// The named limits of feeds: what each bounds, why, and what happens there.
#pragma once

#include <cstddef>

namespace troupe {

/// Bytes of the changes that wait in all feeds together (bytes_of), counted for each feed that
/// holds one. Above it a feed takes no more in and reads what it missed from the history.
inline constexpr std::size_t feed_bytes_total_max = std::size_t{512} << 20;

/// Changes that wait before chunks of one artifact are joined. Below it readers that keep up share
/// a chunk, and the text that was made of it.
inline constexpr std::size_t chunks_apart_max = 16;

/// Bytes up to which chunks are joined; the next one begins anew. A reader's window is about as
/// large.
inline constexpr std::size_t joined_chunk_bytes_max = std::size_t{256} << 10;

/// Streams of which a feed of many has missed a part that it has not read yet. Above: all that it
/// has missed is lost, and it begins anew (feed_state::lost).
inline constexpr std::size_t missed_parts_max = 10'000;
/// What such a part counts for.
inline constexpr std::size_t missed_part_bytes = 384;

/// Frames a second of a folded feed: what a person's eye, or a page, has use for.
inline constexpr std::size_t folded_frames_per_second = 10;

} // namespace troupe
