// Starts one child process: own process group, pipes for its standard streams, nothing else
// inherited. Used by process_reactor alone, on its thread.
#pragma once

#include "agents/command/unique_fd.hpp"
#include <troupe/protocol/text_pieces.hpp>

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include <sys/types.h>

namespace troupe {

/// What to run and how to treat it.
struct process_spec {
  std::vector<std::string>
      argv; ///< Not empty. Without a slash, argv[0] is looked up in `PATH` of `environment`.
  std::string directory;                ///< Empty: ours.
  std::vector<std::string> environment; ///< All of it, as `NAME=value`.
  std::optional<std::uint64_t>
      open_files_max; ///< Its soft limit (`ulimit -n`), at most our hard one; none: ours.
  /// Written to its stdin, read piece by piece as the program reads; none: stdin is empty
  /// (/dev/null).
  std::optional<text_pieces> input;
  bool outlives_us = false;     ///< It is not killed by the kernel when we die.
  bool keep_input_open = false; ///< More may be written; else stdin is closed after `input`.
  std::size_t output_bytes_max = std::size_t{8} << 20;           ///< More on stdout ends it.
  std::chrono::nanoseconds kill_after = std::chrono::seconds{2}; ///< From SIGTERM to SIGKILL.
};

struct spawned_process {
  pid_t pid = -1;   ///< Also its process group.
  unique_fd input;  ///< Non-blocking; not open if the spec has no input.
  unique_fd output; ///< Non-blocking.
  unique_fd errors; ///< Non-blocking.
};

struct spawn_failure {
  std::string reason; ///< For people; names the program.
  bool retry = false; ///< It may work later: too many processes or open files, no memory.
};

/// The child dies with the *calling thread* (PR_SET_PDEATHSIG is per thread): call from one that
/// lives as long as its children. All signals must be blocked in it. Returns once the program runs
/// or could not be started.
[[nodiscard]] std::variant<spawned_process, spawn_failure> spawn(const process_spec& spec);

} // namespace troupe
