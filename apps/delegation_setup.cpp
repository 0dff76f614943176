#include "apps/delegation_setup.hpp"

#include "apps/remote/targets.hpp"
#include "apps/text_file.hpp"
#include <troupe/protocol/ids.hpp>

#include <cstdlib>
#include <filesystem>
#include <memory>
#include <system_error>
#include <utility>

namespace troupe {

namespace {

const char* variable_of_process(const char* name) {
  return std::getenv(name);
}

/// `proxy`: of targets without one.
std::vector<delegation_target> with_their_credentials(const std::vector<known_target>& targets,
                                                      const std::string& proxy) {
  std::vector<delegation_target> out;
  for (auto each : targets) {
    if (each.proxy.empty())
      each.proxy = proxy;
    target_limits limits;
    if (each.open_max > 0)
      limits.open_max = each.open_max;
    limits.rate_max = each.rate_max;
    out.push_back({each.alias, with_credentials(each, variable_of_process), limits});
  }
  return out;
}

} // namespace

result<net::proxy_rules> delegation_proxies(const std::string& proxy) {
  auto read = net::proxy_rules::read(proxy, variable_of_process);
  if (!read)
    return make_error(read.error().code, "agents.a2a-proxy: " + read.error().message);
  return read;
}

result<std::vector<delegation_target>> delegation_targets(const config_text& config,
                                                          const std::string& proxy) {
  const auto rows = read_target_rows(config.text, config.name);
  if (!rows)
    return rows.error();
  const auto targets = targets_from(*rows, config.name);
  if (!targets)
    return targets.error();
  return with_their_credentials(*targets, proxy);
}

std::string server_id_in(const std::string& directory) {
  const auto path = directory + "/server-id";
  std::error_code failed;
  if (std::filesystem::exists(path, failed))
    if (auto text = read_text(path)) {
      while (text->ends_with('\n'))
        text->pop_back();
      if (is_acceptable_id(*text))
        return std::move(*text);
    }
  auto made = thread_id_source().next("server");
  static_cast<void>(write_text(path, made + "\n"));
  return made;
}

void register_own_delegation(agent_registry& into) {
  delegation_options options;
  options.allow_private = true;
  if (const auto targets = own_targets())
    options.targets = with_their_credentials(*targets, {});
  else
    options.no_targets = targets.error();
  into.add("a2a", std::make_shared<a2a_agent>(std::move(options)));
}

} // namespace troupe
