// `troupe session export`: writes the sessions of a data directory's objectives as files
// (docs/sessions.md). What a session has already is left as it is; only later changes are added.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/ids.hpp>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace troupe {

/// Of a data directory, if no other is named.
inline constexpr const char* sessions_directory = "sessions";

struct export_order {
  std::string data;                     ///< The data directory.
  std::string directory;                ///< Of the sessions; made if missing.
  std::vector<objective_id> objectives; ///< Empty: all.
};

/// One session that was written.
struct exported_session {
  objective_id id;
  std::string key;
  std::string file;        ///< Its path.
  std::uint64_t added = 0; ///< Changes that it did not have before.
  std::string cut; ///< What was cut off the end of the file before, in words; empty: nothing.
};

/// Called while it goes on. May be null.
struct export_watch {
  std::function<void(const exported_session&)> on_session;
  /// One objective cannot be exported; the others are.
  std::function<void(const objective_id&, const error&)> on_failure;
};

struct export_report {
  std::uint64_t sessions = 0;
  std::uint64_t added = 0;
  std::uint64_t failed = 0;
};

/// Errors: those of stored_history::open; store_failed (the directory of the sessions cannot be
/// written, or OpenClaw's database is there; nothing was written, or nothing but whole sessions);
/// store_locked (another process writes there).
[[nodiscard]] result<export_report> export_sessions(const export_order& order,
                                                    const export_watch& watch);

} // namespace troupe
