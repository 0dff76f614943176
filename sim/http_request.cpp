#include "sim/http_request.hpp"

#include <algorithm>
#include <charconv>

namespace troupe::sim {

std::string http_request::header(std::string_view name) const {
  const std::string_view lines = head;
  for (auto at = lines.find("\r\n"); at != std::string_view::npos;
       at = lines.find("\r\n", at + 2)) {
    const auto line = lines.substr(at + 2, lines.find("\r\n", at + 2) - at - 2);
    const auto is_same = [](char a, char b) { return (a | 0x20) == (b | 0x20); };
    if (line.size() > name.size() && line[name.size()] == ':'
        && std::ranges::equal(line.substr(0, name.size()), name, is_same))
      return std::string(line.substr(std::min(name.size() + 2, line.size())));
  }
  return {};
}

std::optional<http_request> take_http_request(std::string& bytes) {
  const auto end = bytes.find("\r\n\r\n");
  if (end == std::string::npos)
    return std::nullopt;
  http_request out;
  out.head = bytes.substr(0, end);
  std::size_t length = 0;
  const auto text = out.header("Content-Length");
  std::from_chars(text.data(), text.data() + text.size(), length);
  const auto begin = end + 4;
  if (bytes.size() < begin + length)
    return std::nullopt;
  out.body = bytes.substr(begin, length);
  bytes.erase(0, begin + length);
  return out;
}

} // namespace troupe::sim
