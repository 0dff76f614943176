// A server may repeat the credentials that it was sent. They are taken out of what it says before
// anybody reads it, so that they are never shown, stored or logged.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace troupe::net {

/// Of a secret in JSON: a shorter one may stand there by chance, and be a part of its syntax.
inline constexpr std::size_t masked_bytes_min = 8;

/// Each `secret` in `text` becomes `***`, unless it is shorter than `bytes_min`.
inline void mask(std::string& text, std::string_view secret,
                 std::size_t bytes_min = masked_bytes_min) {
  if (secret.empty() || secret.size() < bytes_min)
    return;
  for (auto at = text.find(secret); at != std::string::npos; at = text.find(secret, at))
    text.replace(at, secret.size(), "***");
}

} // namespace troupe::net
