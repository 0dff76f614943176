// SendMessage as the service takes it: the message, and what comes with it.
#pragma once

#include <troupe/protocol/command.hpp>
#include <troupe/protocol/push_config.hpp>
#include <troupe/protocol/spec.hpp>

#include <memory>
#include <optional>
#include <string>

namespace troupe {

/// An objective that a message asks for, in the words of its metadata (OPT). With neither
/// `objective` nor `plan` it is a hint: the client would like an objective for the message's text.
/// The hint is ignored if the message names a context, so that the answer does not tell whether
/// somebody else has an objective of that id.
struct objective_wish {
  std::optional<objective_spec> objective;
  std::optional<plan_spec> plan; ///< With `objective`: one more plan of it.
  std::string name;              ///< Suggested; may be empty.
};

/// What a message says about planning, beside its text (docs/planner.md).
struct planning_wishes {
  std::optional<bool> prefers_objective;
  std::string name;           ///< Suggested; may be empty.
  std::string template_name;  ///< Empty: none is asked for.
  boost::json::object params; ///< For that template.
  /// If it is planned, the answer does not wait for the end.
  bool answers_at_once = false;
};

struct planned_message;

struct send_request {
  send_message command;
  bool waits = false; ///< The answer comes when the task ends or asks; else when the message is
                      ///< accepted (A2A 1.0 section 3.2.2).
  std::optional<push_config> push;
  std::shared_ptr<objective_wish> objective; ///< Null: none.
  /// The same, without `push`: another message may make its objective at the same moment, and then
  /// it joins that. Null: its objective has no id.
  std::shared_ptr<send_request> if_known{};
  std::shared_ptr<planning_wishes> planning{}; ///< Null: it is not planned.
  /// What became of it (actors/planning/planning_desk.hpp). Null: not planned.
  std::shared_ptr<const planned_message> planned{};
};

} // namespace troupe
