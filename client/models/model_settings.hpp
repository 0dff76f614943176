// What an operator says about a model: `[models.NAME]` in the configuration. Plain values.
#pragma once

#include "client/models/budget.hpp"
#include "client/models/limits.hpp"
#include "client/models/server_kind.hpp"
#include "protocol/text/http_url.hpp"
#include <troupe/protocol/errc.hpp>

#include <boost/json/object.hpp>

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>

namespace troupe::models {

struct model_timeouts {
  std::chrono::milliseconds connect = connect_timeout;
  std::chrono::milliseconds first_byte = first_byte_timeout;
  std::chrono::milliseconds idle = idle_timeout;
  std::chrono::milliseconds whole = whole_timeout;
};

struct model_settings {
  std::string name;                       ///< As tasks and settings call it.
  std::string url;                        ///< Below which `path` is: `https://api.example.org/v1`.
  std::string path = "/chat/completions"; ///< With a query, if the server wants one.
  std::string model;                      ///< As the server calls it.
  server_kind kind = server_kind::generic;
  std::string key; ///< Secret: never stored, logged or shown. Empty: none.
  /// Why there is none although one is wanted; no code: all is well. Calls fail with it.
  error no_key{};
  bool allow_http = false;    ///< The key may be sent without TLS to other computers.
  bool allow_private = false; ///< The host's name may lead to addresses that are not public.
  std::string trusted_pem;    ///< Certificates believed beside the system's.
  bool streams = true;
  std::size_t calls_max = calls_at_once_max; ///< At once; others wait.
  bool logs_prompts = false;                 ///< Else only their sizes are.
  std::optional<std::uint32_t> answer_tokens_max{};
  std::optional<double> temperature{};
  std::optional<std::int64_t> seed{};
  boost::json::object extra{}; ///< Further members of each request.
  model_timeouts timeouts;
  price_list prices;
  budget_limits budgets{};
};

/// Where requests go. Errors: invalid_params (the URL is none), forbidden (the key would go to
/// another computer without TLS).
[[nodiscard]] result<http_url> request_url(const model_settings& settings);

/// Whether the host is written as an address.
[[nodiscard]] bool is_address(const std::string& host);

} // namespace troupe::models
