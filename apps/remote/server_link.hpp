// A command's line to its server, and how what went wrong is told: the server, the cause, and what
// to do.
#pragma once

#include "apps/remote/remote_options.hpp"
#include "apps/remote/targets.hpp"
#include "apps/terminal/console.hpp"
#include "client/a2a/remote.hpp"
#include "client/a2a/target.hpp"
#include "protocol/json/text_in.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>
#include <boost/json/value.hpp>

#include <cstddef>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace troupe {

/// `SERVER: what went wrong; what to do`. A message that has a `; ` says itself what to do.
[[nodiscard]] std::string explained(const error& why, const std::string& server);

struct server_link {
  std::string name;
  std::unique_ptr<a2a::remote> client;
  std::string flag{}; ///< chosen_server::flag

  /// A command for this server as a person may type it, with the marks around it:
  /// `` `troupe watch trip --server URL` ``.
  [[nodiscard]] std::string command(const std::string& words) const;

  /// The code for the process, after a line on standard error.
  [[nodiscard]] int refuse(const error& why) const;
  /// The member of the result that has what was asked for: `objective`, `input`. Errors: those of
  /// remote::ask; invalid_agent_response.
  [[nodiscard]] result<boost::json::value> ask_for(std::string_view member, a2a::operation which,
                                                   boost::json::object params) const;
  /// The values of all pages, or of as many as have `most`: then a line on standard error says that
  /// there are more. Errors as `ask_for`.
  [[nodiscard]] result<std::vector<boost::json::value>> list(std::string_view member,
                                                             a2a::operation which,
                                                             const boost::json::object& filter,
                                                             std::size_t most) const;
  /// For commands about objectives. Errors: unsupported_operation, if the agent knows none.
  [[nodiscard]] result<void> need_objectives() const;
};

/// What says on standard error that the connection of a stream was lost, once for each break, and
/// that it stands again.
struct connection_words {
  a2a::lost_handler on_lost;
  a2a::resumed_handler on_resumed;
};
[[nodiscard]] connection_words say_breaks(const std::string& server);

/// Errors (wrong usage): those of require_server. `here`: as it takes it.
[[nodiscard]] result<server_link> link_to(const std::string& flag, const std::string& here = {});
[[nodiscard]] result<server_link> link_to(chosen_server server);

/// The objective that a person names: its id, the beginning of its id, or `@last`. Errors:
/// unsupported_operation (need_objectives), objective_not_found, invalid_params (several begin so),
/// and the server's.
[[nodiscard]] result<std::string> find_objective_id(const server_link& on, const std::string& name);

} // namespace troupe
