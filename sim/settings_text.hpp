// Settings as text, so that a failure can be kept in a file.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <string>
#include <string_view>

#include "sim/settings.hpp"

namespace troupe::sim {

/// The seed, and each value that is not the usual one, as lines `NAME = VALUE` (TOML). Times are in
/// seconds.
[[nodiscard]] std::string write_settings(const settings& of);
/// Reads what write_settings writes, and whatever else TOML allows for these names.
/// errc::invalid_params: the message names the line and what is allowed.
[[nodiscard]] result<settings> read_settings(const std::string& text);
/// errc::invalid_params: a value is out of its range, or contradicts another one.
[[nodiscard]] result<void> check(const settings& of);
/// The planted bug of that name. errc::invalid_params: there is none.
[[nodiscard]] result<mutant> read_mutant(std::string_view name);

} // namespace troupe::sim
