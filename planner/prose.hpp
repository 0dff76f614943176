// Prose without a list: "First search papers, then summarize them. Finally, write a report."
#pragma once

#include <string_view>

#include "planner/text_reading.hpp"

namespace troupe::planner {

/// Reads `text` into tasks in stages. Problems: a word of order that is not between tasks, a
/// condition or choice, a clause that is not known to be a task (planner/prose_words.hpp), an end
/// that may be none (planner/prose_sentences.hpp).
[[nodiscard]] text_reading read_prose(std::string_view text, guesses rule);

} // namespace troupe::planner
