// What a line above a list may say that is not read there. A line that says nothing about the order
// and the choice of the steps is a name or an introduction.
#pragma once

#include <string>
#include <string_view>

#include "planner/step_names.hpp"

namespace troupe::planner {

/// A word or phrase of `sentence`, which stands above a list and is no order that is understood,
/// that may say something about the order of `steps`, or which of them are done, or that none of
/// them is to be done. Empty: none. "How to eat only rice" is a title.
[[nodiscard]] std::string unread_above_list(std::string_view sentence, const step_names& steps);

/// Whether `sentence` asks about the list below it: "Is this right?" "Can you do these?" asks for
/// it.
[[nodiscard]] bool asks_about_list(std::string_view sentence);

} // namespace troupe::planner
