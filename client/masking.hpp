// A server may repeat the credentials that it was sent. They are taken out of what it says before
// anybody reads it, so that they are never shown, stored or logged.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::net {

/// Shorter secrets are left alone: a text has them by chance.
inline constexpr std::size_t masked_bytes_min = 8;

/// Each `secret` in `text` becomes `***`.
inline void mask(std::string& text, std::string_view secret) {
  if (secret.size() < masked_bytes_min)
    return;
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at))
    text.replace(at, secret.size(), "***");
}

} // namespace troupe::net
