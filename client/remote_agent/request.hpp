// A request to `remote_agent`: one flat JSON object, read and checked as a whole. Everything that
// is wrong with it is said at once, in the words of JSON Schema validators. Plain values.
#pragma once

#include "client/remote_agent/fault.hpp"
#include "client/remote_agent/settings.hpp"
#include <troupe/protocol/message.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace troupe::remote_agent {

enum class action : std::uint8_t { list_targets, send, watch, status, cancel };

[[nodiscard]] std::string_view to_string(action which) noexcept;

/// What an earlier result returned as `summary.continuation`.
struct continuation {
  std::string target_url;
  std::string card_path;
  std::vector<std::string> preferred_transports;
  std::string target_alias; ///< For people; empty: none.
  std::string task_id;      ///< Empty: it has no task.
  std::string task_handle;  ///< May be empty.
  std::string context_id;   ///< Empty: it has no conversation.
};

/// A push configuration as the request has it.
struct push_wish {
  std::string url;
  std::string id;
  std::string token;
  std::vector<std::string> schemes;
  std::string credentials;
};

struct request {
  action which = action::list_targets;
  std::string target_alias;
  std::string target_url;
  std::string task_handle;
  std::string task_id;
  std::string context_id;
  std::optional<continuation> continued;
  std::vector<part> parts;
  std::string message_id; ///< Empty: a new one is made.
  std::vector<std::string> reference_task_ids;
  bool needs_task = false; ///< `task_requirement` is `required`.
  bool follows = false;    ///< `follow_updates`
  std::optional<std::vector<std::string>> accepted_output_modes;
  std::optional<bool> blocking;
  std::optional<std::int64_t> history_length;
  std::optional<push_wish> push;
  std::optional<std::chrono::milliseconds> timeout;
  std::vector<std::pair<std::string, std::string>> service_parameters;
  boost::json::object metadata;
};

/// The `action` of an answer to `from`: its text, or `unknown`.
[[nodiscard]] std::string action_text(const boost::json::value& from);

/// `known`: which aliases there are, and whether there is a default. The failure is a
/// VALIDATION_ERROR with all that is wrong.
[[nodiscard]] outcome<request> read_request(const boost::json::value& from, const settings& known);

} // namespace troupe::remote_agent
