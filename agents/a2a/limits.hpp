// The limits of the agent `a2a`, with their units and reasons.
#pragma once

#include <chrono>
#include <cstdint>

namespace troupe {

/// Events of one stream within `idle_frames_window` that bring nothing new: of other tasks, or
/// without text. One more fails the attempt: it would cost time for ever. An agent that only says
/// again that it works sends one in a second.
inline constexpr std::uint32_t idle_frames_max = 10'000;
inline constexpr std::chrono::minutes idle_frames_window{1};

} // namespace troupe
