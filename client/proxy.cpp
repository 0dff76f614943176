#include "client/proxy.hpp"

#include "protocol/json/base64.hpp"
#include "protocol/text/percent.hpp"
#include "protocol/text/text.hpp"

#include <algorithm>

namespace troupe::net {

namespace {

error wrong_proxy(std::string_view reason) {
  return make_error(errc::invalid_params, "the proxy must be `env` or a URL like "
                                          "http://USER:PASSWORD@HOST:PORT: "
                                              + std::string(reason));
}

/// Without a scheme it is `http://`, as in the variables of many.
result<proxy> read_proxy_url(std::string_view text) {
  constexpr std::string_view scheme = "http://";
  const auto begin = text.find("://");
  if (begin != std::string_view::npos && !ascii_lower(text).starts_with(scheme))
    return wrong_proxy("it is spoken to over http");
  auto rest = begin == std::string_view::npos ? text : text.substr(begin + 3);
  proxy out;
  const auto end = rest.find('/');
  if (const auto at = rest.substr(0, end).rfind('@'); at != std::string_view::npos) {
    const auto user = percent_decoded(rest.substr(0, at));
    if (!user)
      return wrong_proxy("its user or password has a wrong %");
    out.authorization = "Basic " + to_base64(*user);
    rest.remove_prefix(at + 1);
  }
  const auto url = parse_http_url(std::string(scheme) + std::string(rest));
  if (!url)
    return wrong_proxy(url.error().message);
  if (url->target != "/")
    return wrong_proxy("it has no path");
  out.host = url->host;
  out.port = url->port;
  return out;
}

/// The first of the variables that is set, and not empty.
std::string_view value_of(const proxy_rules::variable_reader& variables,
                          std::initializer_list<const char*> names) {
  for (const auto* name : names)
    if (const auto* value = variables(name); value != nullptr && *value != '\0')
      return value;
  return {};
}

} // namespace

result<proxy_rules> proxy_rules::read(std::string_view setting, const variable_reader& variables) {
  proxy_rules out;
  if (setting.empty())
    return out;
  auto of_https = setting;
  auto of_http = setting;
  if (setting == "env") {
    of_https = value_of(variables, {"https_proxy", "HTTPS_PROXY", "all_proxy", "ALL_PROXY"});
    of_http = value_of(variables, {"http_proxy", "all_proxy", "ALL_PROXY"});
    auto names = value_of(variables, {"no_proxy", "NO_PROXY"});
    while (!names.empty()) {
      auto name = names.substr(0, names.find(','));
      names.remove_prefix(std::min(name.size() + 1, names.size()));
      while (name.starts_with(' ') || name.starts_with('.'))
        name.remove_prefix(1);
      while (name.ends_with(' '))
        name.remove_suffix(1);
      if (!name.empty())
        out.excepted_.push_back(ascii_lower(name));
    }
  }
  for (const auto& [text, to] : {std::pair{of_https, &out.of_https_}, {of_http, &out.of_http_}}) {
    if (text.empty())
      continue;
    auto read = read_proxy_url(text);
    if (!read)
      return read.error();
    *to = std::move(*read);
  }
  return out;
}

const proxy* proxy_rules::find(const http_url& to) const noexcept {
  const auto& found = to.tls ? of_https_ : of_http_;
  return found && !is_excepted(to) ? &*found : nullptr;
}

bool proxy_rules::is_excepted(const http_url& to) const noexcept {
  const std::string_view host = to.host;
  return std::ranges::any_of(excepted_, [&](std::string_view name) {
    return name == "*" || host == name
           || (host.size() > name.size() && host.ends_with(name)
               && host[host.size() - name.size() - 1] == '.');
  });
}

} // namespace troupe::net
