// Writes the changes of a store into the history: for each task what its streams show, for each
// objective and question what happened to it. The only part of the world that reads the product's
// events.
#pragma once

#include <troupe/protocol/event.hpp>

#include <map>
#include <string>
#include <utility>

#include "sim/history.hpp"

namespace troupe::sim {

/// "TASK_STATE_WORKING".
[[nodiscard]] std::string wire_name(task_state state);

class teller {
public:
  /// `into` outlives it.
  explicit teller(history& into) : into_(into) {}

  /// The next change of its stream.
  void tell(const change& from);

private:
  using place = std::pair<std::uint32_t, std::uint32_t>; ///< Plan and task.

  struct telling;

  void tell_task(const change& from, const event& one, std::uint32_t index);
  void tell_objective(const change& from, const event& one);
  void tell_question(const change& from, const event& one);
  [[nodiscard]] std::string id_of(const std::string& objective, place task) const;

  history& into_;
  /// By objective: how often another task was put in a place.
  std::map<std::string, std::map<place, std::uint32_t>> generations_;
  std::map<std::string, std::map<place, std::uint32_t>> attempts_; ///< Of the task in the place.
  std::map<std::string, std::map<place, std::string>> bases_; ///< The id of the first task there.
};

} // namespace troupe::sim
