// How much memory this process may use: the least of what its control groups, its resource limits
// and the machine give.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace troupe {

/// Gives the text of a file; nothing if it cannot be read.
using file_reader = std::function<std::optional<std::string>(const std::string& path)>;

/// In bytes. `read` is asked for `/proc/self/cgroup`, `/proc/meminfo` and the files of the control
/// groups (version 2: `memory.max`, version 1: `memory.limit_in_bytes`), from the group of the
/// process up to the root. `limits`: those of the process (RLIMIT_AS, RLIMIT_DATA), the least of
/// them. Without any of them: the largest number.
[[nodiscard]] std::uint64_t memory_given(const file_reader& read, std::uint64_t limits);
/// Of this process.
[[nodiscard]] std::uint64_t memory_given();

/// The part of it that `limits.memory` has by default. The rest is for what is not counted: stacks,
/// code, buffers of the tables and of connections, and memory that the allocator keeps.
inline constexpr std::uint64_t memory_percent = 60;

/// `chosen`, or if it is 0 the default.
[[nodiscard]] std::size_t memory_limit(std::size_t chosen, std::uint64_t given) noexcept;

} // namespace troupe
