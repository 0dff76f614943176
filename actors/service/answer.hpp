// What operations of the service answer with, and how an answer finds the request that waits for
// it.
#pragma once

#include "actors/feed/feed.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/objective.hpp>
#include <troupe/protocol/plan_change.hpp>
#include <troupe/protocol/push_config.hpp>
#include <troupe/store/store.hpp>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <variant>
#include <vector>

namespace troupe {

/// A plan as it stands: in its objective, at `index`.
struct placed_plan {
  objective_ptr objective;
  std::size_t index = 0;

  [[nodiscard]] const plan_view& plan() const { return objective->plans[index]; }
};

/// Plans of one objective as it stands.
struct plan_page {
  objective_ptr objective;
  std::vector<std::uint32_t> plans; ///< Their positions, in order.
  std::string next_page_token;      ///< Empty on the last page.
  std::uint64_t total_size = 0;     ///< On all pages.
};

/// One change of a plan's structure.
struct plan_revision {
  std::uint64_t revision = 0;
  change_ptr change; ///< Has its time and its caller.
  std::size_t event =
      0; ///< plan_added, plan_edited, plan_changed, objective_changed or tasks_renewed.
};

struct plan_history_page {
  placed_plan plan; ///< As it stands.
  std::vector<plan_revision> changes{};
  std::string next_page_token{}; ///< Empty on the last page.
  bool is_complete = true;       ///< Else the store no longer keeps the first ones.
  /// The plan as it was at the revision that was asked for; then there are no changes.
  std::optional<plan_view> past{};
};

/// One change of an objective's structure, or of its plans'.
struct objective_revision {
  std::uint64_t revision = 0;
  change_ptr change;     ///< Has its time and its caller.
  std::size_t first = 0; ///< Its events from here on,
  std::size_t last = 0;  ///< to this one.
};

struct objective_history_page {
  objective_ptr objective; ///< As it stands.
  std::vector<objective_revision> changes{};
  std::string next_page_token{}; ///< Empty on the last page.
  bool is_complete = true;       ///< Else the store no longer keeps the first ones.
  /// The objective as it was at the revision that was asked for; then there are no changes.
  std::optional<objective_view> past{};
};

/// A question of a task, open or closed.
struct shown_input {
  task_ptr task;        ///< As it stands.
  std::string question; ///< Its id within the task, which knows it.
  std::optional<input_claim> claim{};
};

/// A page of open questions, with their claims.
struct shown_input_page : input_page {
  std::vector<std::optional<input_claim>> claims{}; ///< In the order of the tasks.
};

struct push_config_page {
  std::vector<push_config> configs; ///< By id.
  std::string next_page_token;      ///< Empty on the last page.
};

/// What a send led to.
struct send_result {
  task_ptr task; ///< As it stands. Null if the agent answered with a message.
  objective_ptr
      objective;      ///< The objective the task stands for, as it stands; null if there is none.
  message_ptr answer; ///< The agent answered with this message instead of taking a task.
};

/// What a stream begins with.
struct stream_start {
  task_id task; ///< Empty if the agent answered with a message.
  /// The task's, with its snapshot or from its first change on: nothing was taken from it. Null if
  /// the agent answered with a message.
  std::shared_ptr<feed> source;
  objective_ptr objective;   ///< The objective the task stands for; null if there is none.
  message_ptr answer;        ///< The agent answered with this message instead of taking a task.
  timestamp status_before{}; ///< As in `sent`.
};

/// Every type of result that the table of operations (actors/service/operation.hpp) has, and those
/// of the steps between.
using service_answer =
    std::variant<result<void>, result<task_ptr>, result<task_page>, result<stream_start>,
                 result<sent>, result<objective_ptr>, result<objective_page>, result<placed_plan>,
                 result<plan_page>, result<change_report>, result<replan_report>,
                 result<plan_history_page>, result<objective_history_page>,
                 result<shown_input_page>, result<shown_input>, result<push_config>,
                 result<push_config_page>>;

/// Names a request among all that a gateway actor has had. 0: none.
using request_number = std::uint64_t;

} // namespace troupe
