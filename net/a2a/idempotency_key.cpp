#include "net/a2a/idempotency_key.hpp"

#include <troupe/net/limits.hpp>

#include <algorithm>
#include <utility>

namespace troupe::net {

namespace {

error refuse_key(const std::string& why) {
  return make_error(errc::invalid_params, "Idempotency-Key: " + why, "Idempotency-Key");
}

bool is_printable(char each) noexcept {
  return each >= ' ' && each <= '~';
}

/// What stands between the quotes. In it `\\` stands before a quote and before itself.
result<std::string> read_quoted(std::string_view text) {
  std::string out;
  text.remove_prefix(1);
  while (!text.empty() && text.front() != '"') {
    if (text.front() == '\\') {
      text.remove_prefix(1);
      if (text.empty() || (text.front() != '"' && text.front() != '\\'))
        return refuse_key("a \\ stands before something else than \" or \\");
    }
    out.push_back(text.front());
    text.remove_prefix(1);
  }
  if (text != "\"")
    return refuse_key(text.empty() ? "the closing quote is missing"
                                   : "send one key; something follows the closing quote");
  return out;
}

} // namespace

result<std::string> read_idempotency_key(std::string_view header) {
  if (header.empty())
    return std::string{};
  if (!std::ranges::all_of(header, is_printable))
    return refuse_key("it has a character that is not printable ASCII");
  result<std::string> key = std::string{header};
  if (header.front() == '"')
    key = read_quoted(header);
  else if (header.find_first_of("\",\\ ") != std::string_view::npos)
    return refuse_key("put a key with blanks, commas, quotes or \\ into quotes; send one key");
  if (key && key->empty())
    return refuse_key("it is empty");
  if (key && key->size() > idempotency_key_bytes_max)
    return refuse_key("it has " + std::to_string(key->size()) + " bytes; at most "
                      + std::to_string(idempotency_key_bytes_max) + " are taken");
  return key;
}

error key_is_reused(const std::string& why) {
  return make_error(errc::idempotency_key_reused, "Idempotency-Key: " + why, "Idempotency-Key");
}

} // namespace troupe::net
