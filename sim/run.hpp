// One seed from its beginning to its end: the world is made, lives, is left to rest, and its
// history is held against the checkers.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "sim/settings.hpp"

namespace troupe::sim {

struct failure {
  std::string checker; ///< Also those of world_failure.hpp; "run": an exception.
  std::string sentence;
  std::vector<std::string> story; ///< The last lines about the task concerned.
};

struct outcome {
  std::optional<failure> failed;                         ///< By the first checker.
  std::map<std::string, std::string, std::less<>> found; ///< Of each checker, its sentence.
  std::uint64_t hash = 0;                                ///< Of everything that happened.
  std::uint64_t steps = 0;
  std::uint64_t calls = 0; ///< That were answered.
  std::size_t crashes = 0;
  std::chrono::nanoseconds virtual_time{};
  std::map<std::string, std::uint64_t, std::less<>> situations;
  std::vector<std::string> operations; ///< Of clients, that were done.
};

/// Called with each line of the story, and the step in which it was written.
using line_fn = std::function<void(std::uint64_t step, const std::string& line)>;

/// `on_line` may be empty.
[[nodiscard]] outcome run(const settings& how, line_fn on_line = nullptr);

} // namespace troupe::sim
