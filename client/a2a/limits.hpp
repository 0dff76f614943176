// The limits of the A2A client, with their units and reasons. Above one of the bytes the exchange
// fails with errc::too_large.
#pragma once

#include <chrono>
#include <cstddef>

namespace troupe::a2a {

/// Of a card: the longest that is known has some 100 KB.
inline constexpr std::size_t card_bytes_max = std::size_t{4} << 20;
/// Of an answer: a task with 64 MiB of messages and as much of artifacts.
/// The same of one event of a stream: a snapshot may be as long as an answer.
inline constexpr std::size_t answer_bytes_max = std::size_t{256} << 20;

/// For one exchange. A blocking send waits for its task, so it is long.
inline constexpr std::chrono::milliseconds exchange_timeout{60'000};
/// A stream that sends nothing for so long is taken for broken. Many servers send no comments
/// while nothing happens, so it is long; to subscribe again costs little.
inline constexpr std::chrono::milliseconds stream_silence{120'000};

} // namespace troupe::a2a
