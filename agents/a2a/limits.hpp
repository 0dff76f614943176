// The limits of the agent `a2a`, with their units and reasons.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace troupe {

/// Delegations that are open at once at one target without `max-open`, or at one URL: from their
/// turn to their end, also while they wait for a person. Above: they wait in line. Each may have a
/// connection; and what is open is what a restart goes on with at once.
inline constexpr std::size_t target_open_max = 1'000;
/// The same at all targets together.
inline constexpr std::size_t delegations_open_max = 10'000;

/// Events of one stream within `idle_frames_window` that bring nothing new: of other tasks, or
/// without text. One more fails the attempt: it would cost time for ever. An agent that only says
/// again that it works sends one in a second.
inline constexpr std::uint32_t idle_frames_max = 10'000;
inline constexpr std::chrono::minutes idle_frames_window{1};
/// A long one counts as several: as one more for so many bytes. So does what a long one with news
/// has beside its news.
inline constexpr std::size_t idle_frame_bytes = std::size_t{4} << 10;
/// So many of a stream within the window are read as they come: ten in a second. Behind them no
/// more are read in a second than `idle_frames_per_second` of all streams of one target, and
/// `idle_frames_per_second_of_all`: what floods us delays itself. At 20 us each that is at most a
/// twenty-fifth and a fifth of the loop's time.
inline constexpr std::uint32_t idle_frames_at_once = 600;
inline constexpr std::uint32_t idle_frames_per_second = 2'000;
inline constexpr std::uint32_t idle_frames_per_second_of_all = 10'000;

/// Tries in a row without an answer that can be used, after which the task says so: a break that is
/// over within a second is not worth a message.
inline constexpr unsigned troubles_told = 3;

/// Answers in a row to the same message or cancel that say nothing clear (HTTP 500, -32603, no
/// JSON). After so many it counts as refused: an agent that always has a fault is not asked for
/// ever.
inline constexpr unsigned faults_max = 3;

/// An agent that lists no task of ours is asked once more after so long, before the list is
/// believed: a request whose connection broke may be on its way still, and no task of it in the
/// list yet.
inline constexpr std::chrono::milliseconds empty_list_wait{2'000};

/// Tasks whose agents go on though they were canceled, kept so that no other attempt begins beside
/// them. The oldest is forgotten for one more.
inline constexpr std::size_t refused_cancels_max = 1'000;

} // namespace troupe
