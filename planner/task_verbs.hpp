// Verbs with which a task may begin.
#pragma once

#include <span>
#include <string_view>

#include "planner/tokens.hpp"

namespace troupe::planner {

/// For places where only a verb shows that a task begins: "and write", "- First buy". Few words of
/// it are nouns as well. Sorted.
[[nodiscard]] std::span<const std::string_view> task_verbs() noexcept;

/// Whether `words` begins with one of task_verbs().
[[nodiscard]] bool begins_with_task_verb(std::span<const token> words);

/// Whether `words` begins with one of task_verbs() or of many further verbs, also behind "please"
/// or "carefully": for places where a mark shows that something begins, and it may be no task.
[[nodiscard]] bool begins_like_task(std::span<const token> words);

} // namespace troupe::planner
