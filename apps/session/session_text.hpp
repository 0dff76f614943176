// What the tools of sessions found, as text for people and as JSON for programs. Plain functions.
// Text is one or several lines, JSON an object on a line, both with their line ends.
#pragma once

#include "store/session/session_import.hpp"
#include "store/session/session_reader.hpp"
#include "store/session/session_state.hpp"
#include "store/tools/export_sessions.hpp"
#include <troupe/protocol/errc.hpp>

#include <string>

namespace troupe {

[[nodiscard]] std::string text_of(const exported_session& session);
[[nodiscard]] std::string text_of(const export_report& report);
[[nodiscard]] std::string text_of(const std::string& file,
                                  const sessions::session_reading& reading);
[[nodiscard]] std::string text_of(const sessions::import_report& report);

[[nodiscard]] std::string json_of(const exported_session& session);
[[nodiscard]] std::string json_of(const export_report& report);
[[nodiscard]] std::string json_of(const std::string& file,
                                  const sessions::session_reading& reading);
[[nodiscard]] std::string json_of(const sessions::import_report& report);
/// Of a file or an objective: `member` names it.
[[nodiscard]] std::string json_of_failure(const char* member, const std::string& of,
                                          const error& why);
/// OPTSessionState: `{"objective", "plans", "tasks"}`. `{}`: there is no change yet.
[[nodiscard]] std::string json_of_state(const sessions::session_state& state);

} // namespace troupe
