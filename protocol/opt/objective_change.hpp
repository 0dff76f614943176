// What a subscriber of an objective is shown of each change (`objectives/subscribe`): the params of
// the subscription, and a change as JSON.
#pragma once

#include "protocol/json/json_writer.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/principal.hpp>
#include <troupe/protocol/spec.hpp>

#include <boost/json/value.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::opt {

/// Each shows what those before it show, too.
enum class change_detail : std::uint8_t {
  states, ///< The states of the objective and of its plans, changes of structure, tasks that ask.
  tasks,  ///< The states of tasks, and their progress.
  full,   ///< Their outputs and messages.
};

/// More changes a second than anybody has use for.
inline constexpr std::uint32_t changes_per_second_max = 100;

/// objectives/subscribe.
struct subscribe_to_objective {
  principal who;
  objective_id id;
  change_detail detail = change_detail::tasks;
  /// `maxPerSecond`: so many events at most, each with the latest of what changed. 0: each change
  /// is an event.
  std::uint32_t per_second = 0;
};

[[nodiscard]] result<subscribe_to_objective>
read_subscribe_to_objective(const boost::json::value& params);

/// How far a subscriber has got: the change, and the revision of the objective after it.
struct objective_cursor {
  std::uint64_t sequence = 0;
  std::uint64_t revision = 0;

  friend bool operator==(const objective_cursor&, const objective_cursor&) = default;
};

/// `17-3`
[[nodiscard]] std::string to_string(const objective_cursor& at);
/// Nothing if `text` is none.
[[nodiscard]] std::optional<objective_cursor>
parse_objective_cursor(std::string_view text) noexcept;

/// Whether anything of the change is shown.
[[nodiscard]] bool is_shown(const change& news, change_detail detail) noexcept;

/// Writes an event of a task as A2A does, or returns false.
using a2a_event_writer =
    std::function<bool(json_writer& out, const change& where, const event& happened)>;

/// Those changes as one object: `cursor`, `revision`, the time of the last change, how far the
/// objective is then, and `events`. `plans`: the plans of the objective, for the ids of their
/// tasks. `write_a2a` writes what stands as `update` in an event of a task at `full`.
void write_changes(json_writer& out, std::span<const change_ptr> changes,
                   const objective_cursor& at, change_detail detail,
                   const std::vector<plan_spec_ptr>& plans, const a2a_event_writer& write_a2a);

} // namespace troupe::opt
