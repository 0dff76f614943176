// The text of `--help`, in lines that fit a terminal.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

inline constexpr std::size_t help_columns = 80;

/// The text as CLI11 makes it, with no line wider than `help_columns`, unless a single word is.
/// What is said about an option goes on below its beginning, which is in column `text_column`, what
/// is said about an example below that; every other line goes on below its own first word. A
/// command of an example that goes on ends its line with a backslash, outside of quotes.
[[nodiscard]] std::string fit_help(std::string_view text, std::size_t text_column);

} // namespace troupe
