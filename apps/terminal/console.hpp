// Saying things to people and scripts: one place for how error lines look.
#pragma once

#include "apps/terminal/terminal.hpp"
#include "apps/terminal/text.hpp"
#include <troupe/protocol/errc.hpp>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// `troupe: <text>`, cleaned, in lines of at most `columns`.
[[nodiscard]] std::vector<std::string> complaint(std::string_view text, std::size_t columns);

/// The same on standard error, as wide as the terminal if it is one.
void complain(std::string_view text);

/// exit_usage, after the error's message on standard error.
[[nodiscard]] int refuse_usage(const error& why);

/// Writes out what `out` holds. False, after a line on standard error, if any of it was lost; a
/// reader that has gone (EPIPE) is no error.
[[nodiscard]] bool all_written(output& out);

/// `text` on standard output as it is; as `all_written`.
bool say(std::string_view text);

/// `code`, but exit_failed for exit_ok if not all was `written`: lost output is not taken for a
/// success.
[[nodiscard]] int exit_code_of(int code, bool written);

/// Whether standard output gets colours.
[[nodiscard]] bool stdout_colour(colour_choice choice);
/// Of standard output, if it is a terminal; else no line is cut.
[[nodiscard]] std::size_t stdout_width();

/// `{"error": {"code", "message", "field"}}` as a line on standard output.
void say_json_error(const error& why);

} // namespace troupe
