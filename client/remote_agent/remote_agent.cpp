#include "client/remote_agent/settings.hpp"
#include "client/remote_agent/tool.hpp"
#include "protocol/json/quoted.hpp"
#include <troupe/client/remote_agent.hpp>

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

bool names_anything(const remote_agent::credential_names& names) {
  return !(names.bearer_env + names.bearer_file + names.api_key_env + names.api_key_file
           + names.api_key_header + names.certificate_file + names.key_file + names.ca_file)
              .empty();
}

result<void> add_keys(remote_agent::settings& to, std::vector<remote_agent_key> keys) {
  for (auto& key : keys) {
    const auto found = std::ranges::find(to.targets, key.alias, &remote_agent::peer::alias);
    if (found == to.targets.end())
      return make_error(errc::invalid_document,
                        "there is a key for " + quoted(key.alias) + ", and no such target",
                        "targets");
    found->how.authentication.bearer = std::move(key.bearer);
    found->how.authentication.api_key = std::move(key.api_key);
    found->how.authentication.api_key_header = std::move(key.api_key_header);
  }
  return {};
}

} // namespace

struct remote_agent_tool::parts {
  explicit parts(remote_agent::settings known) : tool(std::move(known)) {}
  remote_agent::blocking_tool tool;
};

result<remote_agent_tool> remote_agent_tool::make(const boost::json::object& settings,
                                                  std::vector<remote_agent_key> keys) {
  auto known = remote_agent::read_settings(settings, remote_agent::spelling::camel);
  if (!known)
    return known.error();
  for (std::size_t i = 0; i < known->targets.size(); ++i)
    if (names_anything(known->targets[i].names))
      return make_error(errc::invalid_document,
                        "\"auth\" names variables and files, which a program reads itself; give "
                        "the key beside the settings",
                        "targets[" + std::to_string(i) + "].auth");
  if (auto complete = remote_agent::complete(*known); !complete)
    return complete.error();
  if (auto added = add_keys(*known, std::move(keys)); !added)
    return added.error();
  if (!known->enabled)
    return make_error(errc::invalid_document, "the tool is not enabled", "enabled");
  return remote_agent_tool(std::make_unique<parts>(std::move(*known)));
}

remote_agent_tool::remote_agent_tool(std::unique_ptr<parts> made) : parts_(std::move(made)) {}
remote_agent_tool::~remote_agent_tool() = default;
remote_agent_tool::remote_agent_tool(remote_agent_tool&&) noexcept = default;
remote_agent_tool& remote_agent_tool::operator=(remote_agent_tool&&) noexcept = default;

boost::json::object remote_agent_tool::call(boost::json::object request,
                                            const update_handler& on_update) {
  return parts_->tool.call(std::move(request), on_update);
}

} // namespace troupe
