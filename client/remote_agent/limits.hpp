// The limits of `remote_agent`, with their units and reasons. Above one of them a request is
// refused by name, or a call fails; docs/remote-agent.md says which.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>

namespace troupe::remote_agent {

/// Of a request: the text parts and files of a message stand in it.
inline constexpr std::size_t request_bytes_max = std::size_t{16} << 20;
/// Of one answer, and of one event of a stream: what a program that calls a tool can use.
inline constexpr std::size_t tool_answer_bytes_max = std::size_t{16} << 20;
/// Of the events of one call, which are all in its result. Then the call fails; the task goes on.
inline constexpr std::size_t events_max = 10'000;
/// Of these events, as they were sent. As many as the result of a call may hold.
inline constexpr std::size_t events_bytes_max = std::size_t{32} << 20;
/// The longest time-out, in milliseconds: what a 32-bit timer of a caller can hold.
inline constexpr std::int64_t timeout_ms_max = 2'147'483'647;
/// Of a remote task's history, as A2A writes it (int32).
inline constexpr std::int64_t history_length_max = 2'147'483'647;
/// Of the table of handles that is kept in a file.
inline constexpr std::size_t handles_file_bytes_max = std::size_t{16} << 20;
/// Of the table of handles, whatever the settings say: some 500 bytes each.
inline constexpr std::int64_t handles_entries_max = 1'000'000;

} // namespace troupe::remote_agent
