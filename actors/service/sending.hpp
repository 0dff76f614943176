// What the two forms of sending a message share: what it asks for, and how its answer is judged.
#pragma once

#include "actors/service/service.hpp"

#include <functional>
#include <optional>

namespace troupe {

/// What a message asks for beside a task: none or one of these.
struct service::new_work {
  std::optional<create_objective> objective{};
  bool is_to_be_planned = false;     ///< The planner is to make the plan of `objective`.
  std::optional<create_plan> plan{}; ///< For the objective of its context.
  std::optional<sent> known{};       ///< It has joined the objective that it brings.
  message_ptr answer{};              ///< Instead of a task.
};

/// The planner has made an objective of it, and its sender does not wait for that.
[[nodiscard]] bool is_planned_at_once(const send_request& request);

/// A new task in the context of an objective of its sender's that goes on is one of its tasks.
[[nodiscard]] bool may_join(const message& sent);

/// The objective that the text was for takes no more: then it is a task of its own, also if the
/// message wished for an objective without a document of one.
[[nodiscard]] bool has_just_ended(const result<sent>& joined, const send_request& request);

} // namespace troupe
