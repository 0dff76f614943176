// What the disk alone can do: the baseline of whatever is durable.
#pragma once

#include <cstdint>
#include <string>

namespace troupe::bench {

/// Seconds for appends of one thread to a new file in `directory`, each followed by fdatasync:
/// `times` of them, `bytes` in all.
[[nodiscard]] double append_durably(const std::string& directory, std::uint64_t times,
                                    std::uint64_t bytes);

/// Seconds in which one thread makes `files` new files in `directory`, `bytes` in all: 64 of them
/// are written, and synced with one syncfs(2).
[[nodiscard]] double write_files_durably(const std::string& directory, std::uint64_t files,
                                         std::uint64_t bytes);

} // namespace troupe::bench
