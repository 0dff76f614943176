// Words that say that not all steps of a text are to be done, or not in the order in which they
// stand there. They are refused above a list and in prose.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "planner/tokens.hpp"

namespace troupe::planner {

enum class choice_place : std::uint8_t { above_list, in_prose };

/// A phrase at the beginning of `words` that says so; empty: none. "Choose" alone is one above a
/// list only: in prose it may be a task.
[[nodiscard]] std::string choice_at(std::span<const token> words, choice_place where);

/// Whether `words[at]` says that something is done already, unlike "to be done" and "get it done".
[[nodiscard]] bool says_done(std::span<const token> words, std::size_t at);

} // namespace troupe::planner
