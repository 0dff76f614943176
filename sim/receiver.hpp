// A simulated receiver of notifications at the other end of the connections that the server makes:
// it writes down what is posted, and takes it, refuses it, or answers late or never. It outlives
// the server's processes.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/connection.hpp"
#include "sim/world.hpp"

namespace troupe::sim {

/// Receivers of a world: "n0", "n1", ...
inline constexpr std::size_t receivers_max = 3;

[[nodiscard]] std::string receiver_name(std::size_t number);
/// Where the server finds it.
[[nodiscard]] std::string receiver_url(std::size_t number);

class receiver {
public:
  receiver(world& in, std::size_t number);
  receiver(const receiver&) = delete;
  receiver& operator=(const receiver&) = delete;

  void accept(const std::shared_ptr<connection>& from);

private:
  struct line {
    std::shared_ptr<connection> to;
    std::string unread;
  };
  using line_ptr = std::shared_ptr<line>;

  void read(const line_ptr& from);
  /// Writes down what was posted.
  void note(notification posted);
  void answer(const line_ptr& to);
  void say(const line_ptr& to, std::string_view status);

  world& in_;
  const std::size_t number_;
  dice chance_;
  nanoseconds slowness_{};
  std::vector<line_ptr> lines_;
  std::optional<notification> held_; ///< By a planted bug.
};

} // namespace troupe::sim
