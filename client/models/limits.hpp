// The limits of the client of models, with their units and reasons.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace troupe::models {

/// Of what an answer says, and of a body that is no stream. The longest answers of models are some
/// 100,000 tokens; above: the connection is closed, and the call fails.
inline constexpr std::size_t answer_bytes_max = std::size_t{8} << 20;
/// Of a stream from its first byte to its last: each token is an event of some 300 bytes. Nothing
/// of it is held but the answer.
inline constexpr std::size_t stream_bytes_max = std::size_t{128} << 20;
/// Of the body of a refusal.
inline constexpr std::size_t refusal_bytes_max = std::size_t{64} << 10;
/// Of one event of a stream: a piece of text, or a tool call that comes whole.
inline constexpr std::size_t event_bytes_max = std::size_t{1} << 20;
/// Of a request's body: models take some 4 MB of text.
inline constexpr std::size_t request_bytes_max = std::size_t{16} << 20;
/// A usage above that is not believed, and estimated: no request and no answer has so many tokens.
inline constexpr std::uint64_t usage_tokens_max = 1'000'000'000;
/// Calls of tools in one answer; above: the answer cannot be used.
inline constexpr std::size_t calls_per_answer_max = 64;
/// Of what a server says about its refusal, in messages for people.
inline constexpr std::size_t server_words_bytes_max = 400;

/// Of one model, unless it is set otherwise; others wait, in their order. Each has a connection,
/// and holds its request and its answer.
inline constexpr std::size_t calls_at_once_max = 64;

inline constexpr std::chrono::milliseconds connect_timeout{10'000};
/// Until the first byte of the answer's head, and then until the first event: a model that is
/// loaded into memory first takes long.
inline constexpr std::chrono::milliseconds first_byte_timeout{120'000};
/// Between two pieces of an answer.
inline constexpr std::chrono::milliseconds idle_timeout{60'000};
/// Of one try, from its beginning to the end of its answer.
inline constexpr std::chrono::milliseconds whole_timeout{600'000};

/// Tries of one call in all.
inline constexpr unsigned tries_max = 3;
/// The longest wait that a server may ask for; if it asks for more the call fails at once.
inline constexpr std::chrono::milliseconds retry_after_max{60'000};

/// What a call may cost is known only if its answer is bounded: with a budget in tokens or money,
/// and no `max-tokens`, this is asked for.
inline constexpr std::uint32_t answer_tokens_default = 4096;
/// Tasks and objectives whose spending is remembered; above, those that were quiet for the longest
/// time are forgotten.
inline constexpr std::size_t accounts_max = 20'000;
/// Objectives of a model whose spending survives the process: the file has them all, and is written
/// as a whole. Above, those that were quiet for the longest time are left out.
inline constexpr std::size_t kept_objectives_max = 2'000;

} // namespace troupe::models
