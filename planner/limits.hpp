// How much text the planner reads. What goes over a limit is not understood, and the reason names
// the limit; nothing is cut off silently.
#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe::planner {

inline constexpr std::size_t text_bytes_max = std::size_t{64} << 10; ///< Of one text.
inline constexpr std::size_t tasks_max = 1000;
inline constexpr std::size_t edges_max = 10'000;
/// Of a task's name; a longer step is its description, and the name is its beginning.
inline constexpr std::size_t task_name_bytes_max = 200;
/// Of what is named as not understood; a longer sentence is cut, with "..." behind it.
inline constexpr std::size_t problem_text_bytes_max = 200;
/// Each names its sentence, so their number is bounded, too: further ones add nothing.
inline constexpr std::size_t problems_max = 100;
/// A longer name is found in a sentence only within quotes.
inline constexpr std::size_t unquoted_name_words_max = 32;
inline constexpr std::size_t quoted_name_words_max = 256; ///< A longer name is not found at all.
inline constexpr std::size_t placeholder_bytes_max =
    200; ///< What one placeholder of a template's pattern takes.
inline constexpr std::size_t template_bytes_max = std::size_t{1} << 20; ///< Of one, as a file.
/// Templates of a server: each message is held against the patterns of all.
inline constexpr std::size_t templates_max = 1000;

static_assert(tasks_max <= edges_max);

} // namespace troupe::planner
