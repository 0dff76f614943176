// Where a call of `remote_agent` goes: which agent, which task, which conversation. Decided from
// the request, the settings and the handles alone. Plain functions.
//
// The policy is one: only agents of the settings are asked, whatever named them. A URL of a
// request, of a continuation or of a handle that is none of theirs is refused, unless the settings
// allow it.
#pragma once

#include "client/remote_agent/fault.hpp"
#include "client/remote_agent/handles.hpp"
#include "client/remote_agent/request.hpp"
#include "client/remote_agent/settings.hpp"
#include <troupe/protocol/time.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace troupe::remote_agent {

/// The agent that is asked.
struct destination {
  std::string alias; ///< Empty: it is none of the settings'.
  std::string target_url;
  std::string card_path;
  std::vector<std::string> preferred_transports;
  const peer* known = nullptr; ///< Of the settings; null: a URL that the settings allow.

  [[nodiscard]] handle_target as_handle_target() const {
    return {alias, target_url, card_path, preferred_transports};
  }
};

struct route {
  destination to;
  std::string task_id;    ///< Empty: no task is continued.
  std::string context_id; ///< Empty: not known.
};

/// The agent of that alias. TARGET_RESOLUTION_ERROR `unknown_alias`.
[[nodiscard]] outcome<destination> find_alias(std::string_view alias, const settings& known);

/// Who names a URL.
enum class url_source : std::uint8_t { request, continuation };

/// The agent at that URL. `alias`: decides between several with the same URL; may be empty.
/// TARGET_RESOLUTION_ERROR: `unknown_raw_url` (no URL at all), `raw_url_disallowed_by_policy`,
/// `ambiguous_normalized_url_matches`.
[[nodiscard]] outcome<destination> find_url(std::string_view url, std::string_view alias,
                                            url_source from, const settings& known);

/// `asked` was checked (read_request). Failures: those above, VALIDATION_ERROR (two values that do
/// not agree), EXPIRED_TASK_HANDLE, UNKNOWN_TASK_HANDLE.
[[nodiscard]] outcome<route> find_route(const request& asked, const settings& known,
                                        const handles& given, timestamp now);

/// `summary.continuation.target` of it.
[[nodiscard]] boost::json::object shown_target(const handle_target& to);

} // namespace troupe::remote_agent
