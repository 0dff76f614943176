// Text for a terminal: cleaned of everything that could drive the terminal, measured in columns,
// cut and padded to fit. Used by the views; plain functions without state, no locale involved.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// `text` as one line of valid UTF-8: newlines and tabs become a space, other control characters
/// and bidirectional overrides vanish, invalid bytes become U+FFFD.
[[nodiscard]] std::string clean_line(std::string_view text);

/// The same, and its newlines stay.
[[nodiscard]] std::string clean_lines(std::string_view text);

/// The first line of `text`, cleaned, with ` ...` behind it if there are more.
[[nodiscard]] std::string first_line(std::string_view text);

/// `text` with every invalid byte replaced by U+FFFD; nothing else is changed.
[[nodiscard]] std::string valid_utf8(std::string_view text);

/// `word` as a shell takes it for one word: in quotes if it has characters that mean something
/// there.
[[nodiscard]] std::string shell_word(std::string_view word);

/// Columns that `text` (cleaned) takes: East Asian wide characters and emoji two, combining marks
/// none.
[[nodiscard]] std::size_t display_width(std::string_view text);

/// The longest prefix of at most `columns` columns; ends in `ellipsis` if something was cut off.
[[nodiscard]] std::string cut_to(std::string_view text, std::size_t columns,
                                 std::string_view ellipsis);

/// Cut and padded with spaces to exactly `columns`.
[[nodiscard]] std::string fit_to(std::string_view text, std::size_t columns,
                                 std::string_view ellipsis);

/// The lines of `text`, without their newlines. What stands behind the last newline is one, unless
/// it is empty.
[[nodiscard]] std::vector<std::string_view> lines_in(std::string_view text);

/// What happens to a word that is wider than the line.
enum class wide_word : std::uint8_t {
  stays, ///< It has a line of its own, which is too wide: a path or URL can be copied whole.
  breaks,
};

/// A line, broken at blanks into lines of at most `columns`; those behind the first one are
/// indented. At least one. A command between backquotes stays on one line; if it is wider than
/// that, its lines end with a backslash, so that a shell takes what is copied.
[[nodiscard]] std::vector<std::string> wrapped(std::string_view line, std::size_t columns,
                                               std::size_t indent = 0,
                                               wide_word rule = wide_word::stays);

/// Lines, each with its newline. One that is wider than `columns` is broken at blanks, and goes on
/// indented by two more columns.
[[nodiscard]] std::string fit_lines(std::string_view text, std::size_t columns);

/// Every character outside ASCII replaced by `?`.
[[nodiscard]] std::string to_ascii(std::string_view text);

/// `0.12s`, `9.81s`, `42.3s`, `3m07s`, `2h05m`, `4d03h`.
[[nodiscard]] std::string format_duration(std::chrono::milliseconds span);

/// Whether an environment with these values (`LC_ALL`, `LC_CTYPE`, `LANG`; null if unset) writes
/// UTF-8.
[[nodiscard]] bool is_utf8_locale(const char* lc_all, const char* lc_ctype, const char* lang);

enum class style : std::uint8_t { plain, bold, dim, red, green, yellow, blue, cyan };

/// A run of text in one style.
struct span {
  std::string text;
  style look = style::plain;
};

/// A line out of spans, cut to `columns`. Colours are ANSI SGR sequences, each span closed again.
/// The words of a span that has right-to-left characters are isolated (U+2068 and U+2069, Unicode
/// Standard Annex #9): they reorder nothing beside them.
[[nodiscard]] std::string render_line(const std::vector<span>& spans, std::size_t columns,
                                      bool colour, std::string_view ellipsis);

/// `--color auto|always|never`. Auto means: `NO_COLOR` unset or empty (https://no-color.org), and
/// either `CLICOLOR_FORCE` set and not 0 (https://bixense.com/clicolors), or a terminal whose
/// `TERM` is not `dumb`.
enum class colour_choice : std::uint8_t { automatic, always, never };

/// Whether a terminal of this `TERM` can move its cursor: unset and `dumb` cannot.
[[nodiscard]] bool can_draw(const char* term);

/// The environment variables that say something about colours; null if unset.
struct colour_variables {
  const char* no_color = nullptr;
  const char* clicolor_force = nullptr;
  const char* term = nullptr;
};

/// Those of this process.
[[nodiscard]] colour_variables own_colour_variables();

[[nodiscard]] bool use_colour(colour_choice choice, bool is_terminal,
                              const colour_variables& variables);

} // namespace troupe
