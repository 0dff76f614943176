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

struct send_request {
  send_message command;
  bool waits = false; ///< The answer comes when the task ends or asks; else when the message is
                      ///< accepted (A2A 1.0 section 3.2.2).
  std::optional<push_config> push;
  std::shared_ptr<objective_wish> objective; ///< Null: none.
};

} // namespace troupe
