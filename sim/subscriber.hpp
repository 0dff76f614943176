// A client that watches objectives: it subscribes to one, reads its stream, leaves it or goes on
// where it broke, and takes another one. What it is shown goes into the history.
#pragma once

#include <cstddef>
#include <string>

#include "sim/caller.hpp"
#include "sim/world.hpp"

namespace troupe::sim {

class subscriber {
public:
  subscriber(world& in, const std::string& name);

  /// Draws an objective and subscribes to it; then to the next one, until the world is calm.
  void begin();
  /// Gives up what it reads.
  void stop();

private:
  void attempt();
  void on_event(const std::string& data);
  void on_end(caller::end how);
  void on_loss();
  void think();
  [[nodiscard]] objective_stream& read() { return in_.seen.objective_streams[stream_]; }

  world& in_;
  const std::string name_;
  dice chance_;
  caller caller_;
  std::string objective_;
  std::string detail_; ///< "states"; empty: not asked for.
  std::size_t per_second_ = 0;
  binding how_ = binding::json_rpc;
  std::size_t stream_ = 0; ///< In the history.
  std::string cursor_;     ///< Of the last event.
  int tries_left_ = 0;
  bool has_failed_ = false; ///< The stream has ended with an error.
  bool is_stopped_ = false;
};

} // namespace troupe::sim
