// What shows before the checkers look: the world cannot go on.
#pragma once

#include <stdexcept>
#include <string>
#include <utility>

namespace troupe::sim {

/// `checker`: under which name it is reported. "starts": a server does not start on what the one
/// before has left. "ends": time stands still, or the world does not end.
class world_failure final : public std::runtime_error {
public:
  world_failure(std::string checker, const std::string& sentence)
      : std::runtime_error(sentence), checker_(std::move(checker)) {}

  [[nodiscard]] const std::string& checker() const noexcept { return checker_; }

private:
  std::string checker_;
};

} // namespace troupe::sim
