// A server may repeat the credentials that it was sent. They are taken out of what it says before
// anybody reads it, so that they are never shown, stored or logged.
#pragma once

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>
#include <system_error>

namespace troupe::net {

/// Of a secret in JSON: a shorter one may stand there by chance, and be a part of its syntax.
inline constexpr std::size_t masked_bytes_min = 8;

/// The bytes at the beginning of `text` that say `secret` in a string of JSON, where a character
/// may be written with an escape (RFC 8259 section 7): some programs write `\/` for `/`, or
/// `\u002b` for `+`. 0: it does not begin with it.
[[nodiscard]] inline std::size_t bytes_of_spelling(std::string_view text, std::string_view secret) {
  constexpr std::size_t unicode_bytes = 6; // \u002b
  std::size_t at = 0;
  for (const char wanted : secret) {
    if (at >= text.size())
      return 0;
    if (text[at] == wanted && wanted != '\\') {
      ++at;
      continue;
    }
    if (text[at] != '\\' || at + 1 >= text.size())
      return 0;
    if (text[at + 1] == wanted && (wanted == '"' || wanted == '/' || wanted == '\\')) {
      at += 2;
      continue;
    }
    unsigned code = 0;
    const auto digits = text.substr(at, unicode_bytes);
    if (digits.size() < unicode_bytes || digits[1] != 'u')
      return 0;
    const auto [stop, failed] =
        std::from_chars(digits.data() + 2, digits.data() + digits.size(), code, 16);
    if (failed != std::errc{} || stop != digits.data() + digits.size()
        || code != static_cast<unsigned char>(wanted))
      return 0;
    at += unicode_bytes;
  }
  return at;
}

/// Each `secret` in `text` becomes `***`, unless it is shorter than `bytes_min`; also where it is
/// written with the escapes of JSON. Takes no longer for a text that is full of it.
inline void mask(std::string& text, std::string_view secret,
                 std::size_t bytes_min = masked_bytes_min) {
  if (secret.empty() || secret.size() < bytes_min)
    return;
  const bool has_escapes = text.find('\\') != std::string::npos;
  const char begins[] = {secret.front(), '\\', '\0'};
  const auto next = [&](std::size_t from) {
    return has_escapes ? text.find_first_of(begins, from) : text.find(secret, from);
  };
  std::string out;
  std::size_t taken = 0; // of `text`, into `out`
  for (auto at = next(0); at != std::string::npos;) {
    const auto rest = std::string_view(text).substr(at);
    const auto bytes = rest.starts_with(secret) ? secret.size() : bytes_of_spelling(rest, secret);
    if (bytes == 0) {
      at = next(at + 1);
      continue;
    }
    out.append(text, taken, at - taken).append("***");
    taken = at + bytes;
    at = next(taken);
  }
  if (taken > 0)
    text = out.append(text, taken);
}

} // namespace troupe::net
