// What clients ask for beyond the first order: changes of plans and objectives while they run,
// answers to questions by id, claims, pauses and further tries. Each request is drawn from dice of
// its own.
#pragma once

#include <cstddef>
#include <deque>
#include <optional>
#include <string>
#include <vector>

#include "sim/world.hpp"

namespace troupe::sim {

/// A request of this kind, as JSON-RPC has it.
struct edit_request {
  call_kind kind = call_kind::change;
  std::string method;
  std::string params;
  std::string task;                   ///< That it names; empty: none.
  std::string objective;              ///< That it changes or reads; empty: none.
  std::string message_id;             ///< Of a message; empty: it is none.
  std::vector<std::string> questions; ///< That the message answers together.
  std::string plan{};                 ///< Name of one that it moves.
  std::string to{};                   ///< The state of a move.
  bool may_repeat = false; ///< With the same ids it has no other effect when it comes twice.
  std::optional<asked_change> change{};
  std::optional<asked_input> input{};
};

/// `operation`: its name, which is in no other request. Nothing: there is nothing to change yet.
[[nodiscard]] std::optional<edit_request>
draw_edit(world& in, dice& chance, const std::string& client, const std::string& operation);

/// Of a new plan. Some have deadlines and expected times, drawn from `extra`.
[[nodiscard]] ordered_plan draw_tasks(world& in, dice& chance, dice& extra,
                                      const std::string& prefix);
/// Members of the plan as plans/create takes them, without braces.
[[nodiscard]] std::string json_of(const ordered_plan& plan, const settings& how);
/// As on the wire, or empty: none is drawn.
[[nodiscard]] std::string draw_deadline(world& in, dice& chance, const std::string& objective);

/// Clients know the plan from now on.
void learn_plan(world& in, const std::string& objective, const ordered_plan& plan);

/// Adds what is new, and forgets the oldest.
void remember(std::deque<std::string>& in, const std::string& id, std::size_t most);

} // namespace troupe::sim
