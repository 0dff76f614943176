// Settings as text, so that a failure can be kept in a file, and what can be left out of them.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <cstddef>
#include <string>
#include <vector>

#include "sim/settings.hpp"

namespace troupe::sim {

/// The seed, and each value that is not the usual one, as lines `NAME = VALUE` (TOML). Times are in
/// seconds.
[[nodiscard]] std::string write_settings(const settings& of);
/// Reads what write_settings writes; lines that begin with # are comments. errc::invalid_params:
/// the message names the line.
[[nodiscard]] result<settings> read_settings(const std::string& text);
/// The same with one thing less: a kind of fault, a squeezed limit, some clients, some time.
[[nodiscard]] std::vector<settings> simpler(const settings& than);
/// How many kinds of faults happen.
[[nodiscard]] std::size_t kinds_of_faults(const settings& in);

} // namespace troupe::sim
