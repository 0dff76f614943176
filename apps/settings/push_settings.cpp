#include "apps/settings/push_settings.hpp"

#include "apps/settings/setting_kinds.hpp"

namespace troupe {

using namespace setting_kinds;

// A setting a line or two; clang-format 14 dies of this table.
// clang-format off
std::vector<setting> push_settings() {
  using content_types = std::array<std::pair<std::string_view, std::string>, 2>;
  return {
    truth("push.enabled", "whether clients may ask for notifications", [](auto& s) -> auto& { return s.server.push.enabled; }),
    truth("push.allow-http", "to http URLs too", [](auto& s) -> auto& { return s.server.push.address.allow_http; }),
    truth("push.allow-private", "to private, loopback and other special addresses too",
          [](auto& s) -> auto& { return s.server.push.address.allow_private; }),
    texts("push.allow-hosts", "if not empty: to these only, even if they are private; *.example.org = all below it",
          [](auto& s) -> auto& { return s.server.push.address.allow_hosts; }),
    choice<std::string, 2>("push.content-type", "of 1.0 notifications: application/a2a+json or application/json",
                           [](auto& s) -> auto& { return s.server.push.content_type; },
                           content_types{{{"application/a2a+json", "application/a2a+json"}, {"application/json", "application/json"}}}),
    text("push.proxy", "empty = none; env = what the environment says; or http://[USER:PASSWORD@]HOST:PORT; addresses are not checked then",
         [](auto& s) -> auto& { return s.server.push.proxy; }, true),
    text("push.signing-key", "file of a private key (PEM: P-256, RSA or Ed25519) that signs them; empty = unsigned",
         [](auto& s) -> auto& { return s.server.push.signing.key_file; }),
    text("push.signing-key-id", "its name in the signature (kid)", [](auto& s) -> auto& { return s.server.push.signing.key_id; }),
    text("push.issuer", "who signs (iss); empty = troupe", [](auto& s) -> auto& { return s.server.push.signing.issuer; }),
    seconds<std::chrono::milliseconds>("push.timeout", "of one attempt", [](auto& s) -> auto& { return s.server.push.timeout; }),
    seconds<std::chrono::milliseconds>("push.retry-first", "before the second attempt; doubles with each further one",
                                       [](auto& s) -> auto& { return s.server.push.retry_first; }),
    seconds<std::chrono::milliseconds>("push.retry-max", "the longest wait, also for a Retry-After",
                                       [](auto& s) -> auto& { return s.server.push.retry_max; }),
    number<std::uint32_t>("push.failures", "in a row; then a configuration is stopped",
                          [](auto& s) -> auto& { return s.server.push.failures_max; }, 1),
    number<std::size_t>("push.parallel", "attempts at once", [](auto& s) -> auto& { return s.server.push.parallel_max; }, 1),
    number<std::size_t>("push.parallel-per-host", "attempts at once to one host",
                        [](auto& s) -> auto& { return s.server.push.parallel_per_host_max; }, 1),
    seconds<std::chrono::seconds>("push.keep-stopped", "how long a configuration that sends nothing any more is kept",
                                  [](auto& s) -> auto& { return s.server.push.keep_stopped; }),
  };
}
// clang-format on

} // namespace troupe
