// What `--trace` and `--timeline` ask for: when tasks waited and ran, as files.
#pragma once

#include "apps/options.hpp"
#include "apps/run/run_timing.hpp"
#include <troupe/protocol/errc.hpp>

#include <string>
#include <vector>

namespace troupe {

/// Whether the files can be written, as far as that is known before anything runs. Errors:
/// invalid_params, with the option, what is wrong with its file, and what to do.
[[nodiscard]] result<void> check_timing_files(const timing_files& files);

/// Writes them. False, after a line on standard error, if one cannot be written.
[[nodiscard]] bool write_timing_files(const timing_files& files,
                                      const std::vector<timed_task>& timing,
                                      const std::string& name);

} // namespace troupe
