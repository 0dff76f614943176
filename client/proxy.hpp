// Which proxy stands before a server: a URL for all, or what the environment says. Plain values.
// Every connection through a proxy is a tunnel (CONNECT, RFC 9110 section 9.3.6), so that the proxy
// sees no request. Our own checks of addresses do not see what the proxy connects to.
#pragma once

#include "protocol/text/http_url.hpp"
#include <troupe/protocol/errc.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace troupe::net {

struct proxy {
  std::string host;
  std::uint16_t port = 80;
  std::string authorization; ///< The value of `Proxy-Authorization`; empty: none. Secret.

  friend bool operator==(const proxy&, const proxy&) = default;
};

class proxy_rules {
public:
  /// The value of a variable; null if it is unset.
  using variable_reader = std::function<const char*(const char* name)>;

  /// No proxy.
  proxy_rules() = default;
  /// `setting`: empty for none; `env` for `https_proxy`, `http_proxy`, `all_proxy` and `no_proxy`
  /// (also in capitals, but for `HTTP_PROXY`, which a CGI program may have from its client); else
  /// the URL of a proxy, `http://[USER:PASSWORD@]HOST[:PORT]`. Errors: invalid_params, which does
  /// not repeat the URL.
  [[nodiscard]] static result<proxy_rules> read(std::string_view setting,
                                                const variable_reader& variables);

  /// Null: the server is connected to directly.
  [[nodiscard]] const proxy* find(const http_url& to) const noexcept;
  [[nodiscard]] bool empty() const noexcept { return !of_https_ && !of_http_; }

private:
  [[nodiscard]] bool is_excepted(const http_url& to) const noexcept;

  std::optional<proxy> of_https_;
  std::optional<proxy> of_http_;
  std::vector<std::string> excepted_; ///< Of `no_proxy`: names and their subdomains; `*`: all.
};

} // namespace troupe::net
