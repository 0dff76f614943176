// The limits of the A2A client, with their units and reasons. Above one of the bytes the exchange
// fails with errc::too_large.
#pragma once

#include <chrono>
#include <cstddef>

namespace troupe::a2a {

/// Of a card: the longest that is known has some 100 KB.
inline constexpr std::size_t card_bytes_max = std::size_t{4} << 20;
/// A card whose server does not say how long it holds is asked for again after so long, by a
/// program that goes on for days. Its `ETag` makes that cheap.
inline constexpr std::chrono::minutes card_kept{5};
/// Of an answer: a task with 64 MiB of messages and as much of artifacts.
/// The same of one event of a stream: a snapshot may be as long as an answer.
inline constexpr std::size_t answer_bytes_max = std::size_t{256} << 20;

/// For one exchange. A blocking send waits for its task, and a server may wait a minute for its
/// planner (objectives/replan), so it is long.
inline constexpr std::chrono::milliseconds exchange_timeout{90'000};
/// A stream that sends nothing for so long is taken for broken. Many servers send no comments
/// while nothing happens, so it is long; to subscribe again costs little.
inline constexpr std::chrono::milliseconds stream_silence{120'000};

/// An event that has begun comes at this rate at least, on the average and after a time for its
/// beginning; a slower stream is broken. A slow agent sends its events late, not in drops.
inline constexpr std::size_t event_bytes_per_second_min = 1024;
inline constexpr std::chrono::seconds event_begins_in{30};

/// Bytes of a stream since its last event that are of no event: comments, mostly. Then it counts as
/// broken (errc::unavailable), and is taken up again after a pause. A server that sends a short
/// comment each second needs most of a day for that.
inline constexpr std::size_t idle_stream_bytes_max = std::size_t{1} << 20;
/// What one agent may send of answers and events that are not whole, of comments and of heads of
/// chunks: so many bytes are read at once (of a client that reads longer answers: two of the
/// longest), and then in a second. An answer or event that becomes whole counts no more, and
/// neither do the first 64 KiB of each, and of each connection (net::paced_block_bytes). An answer
/// of 16 MiB takes a tenth of a second of the loop's time.
inline constexpr std::size_t unfinished_bytes_at_once = std::size_t{32} << 20;
inline constexpr std::size_t unfinished_bytes_per_second = std::size_t{4} << 20;
/// Events of other tasks in a row in the stream of one; then it ends with
/// errc::invalid_agent_response. A server that mixes up its streams sends a few.
inline constexpr unsigned foreign_events_max = 1'000;

/// Redirects of a card; one more is not followed.
inline constexpr int card_redirects_max = 3;

} // namespace troupe::a2a
