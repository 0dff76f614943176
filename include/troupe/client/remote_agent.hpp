// The tool `remote_agent` as a function: a request in, an answer out, both JSON as
// docs/remote-agent.md says. For programs that let a model speak to other agents, or do so
// themselves.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// How the agent of one target knows the program: a token, or a key.
struct remote_agent_key {
  std::string alias; ///< Of the target.
  std::string bearer{};
  std::string api_key{};
  std::string api_key_header{}; ///< Empty: as the agent's card says, else `X-API-Key`.
};

class remote_agent_tool {
public:
  /// Hears what happens on the way to an answer: objects with `"phase": "update"`.
  using update_handler = std::function<void(const boost::json::object&)>;

  /// `settings`: the JSON document of the tool. It has no `auth`: the program itself has the keys.
  /// Errors: invalid_document, whose field is the path.
  [[nodiscard]] static result<remote_agent_tool> make(const boost::json::object& settings,
                                                      std::vector<remote_agent_key> keys = {});
  ~remote_agent_tool();
  remote_agent_tool(remote_agent_tool&&) noexcept;
  remote_agent_tool& operator=(remote_agent_tool&&) noexcept;

  /// The answer; a failure is one with `"ok": false`. Waits for it. From any thread; calls take
  /// turns. `on_update` is called on the same thread.
  [[nodiscard]] boost::json::object call(boost::json::object request,
                                         const update_handler& on_update = {});

private:
  struct parts;
  explicit remote_agent_tool(std::unique_ptr<parts> made);

  std::unique_ptr<parts> parts_;
};

} // namespace troupe
