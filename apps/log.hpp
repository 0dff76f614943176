// Where log lines of the process go and how they look. Lines are written by a thread of their own,
// never on the hot path.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

enum class log_format : std::uint8_t {
  text, ///< `2026-01-02T03:04:05.678Z info  listening on ...`
  json  ///< `{"time":"...","level":"info","message":"..."}`
};

enum class log_level : std::uint8_t { debug, info, warn, error, off };

struct log_options {
  log_level level = log_level::info;
  log_format format = log_format::text;
};

/// Replaces the process's logger; lines go to standard error. Call once, before any thread logs.
void set_up_log(const log_options& options);
/// Writes what is still queued.
void shut_down_log();
/// From now on.
void set_log_level(log_level level);

void log_debug(std::string_view message);

void log_info(std::string_view message);
void log_warn(std::string_view message);
void log_error(std::string_view message);

} // namespace troupe
