#include "client/remote_agent/base_url.hpp"

#include "protocol/text/http_url.hpp"
#include "protocol/text/text.hpp"

#include <boost/asio/ip/address_v6.hpp>

#include <algorithm>
#include <vector>

namespace troupe::remote_agent {

namespace {

bool is_single_dot(std::string_view segment) {
  return segment == "." || ascii_lower(segment) == "%2e";
}

bool is_double_dot(std::string_view segment) {
  const auto text = ascii_lower(segment);
  return text == ".." || text == ".%2e" || text == "%2e." || text == "%2e%2e";
}

/// Without `.` and `..`; begins with a slash.
std::string plain_path(std::string_view path) {
  std::vector<std::string_view> kept;
  bool ends_open = false; ///< The last segment was a dot: the path ends with a slash.
  for (std::size_t begin = 1; begin <= path.size();) {
    const auto end = std::min(path.find('/', begin), path.size());
    const auto segment = path.substr(begin, end - begin);
    const bool is_last = end == path.size();
    if (is_double_dot(segment)) {
      if (!kept.empty())
        kept.pop_back();
      ends_open = is_last;
    } else if (is_single_dot(segment)) {
      ends_open = is_last;
    } else {
      kept.push_back(segment);
    }
    begin = end + 1;
  }
  std::string out;
  for (const auto each : kept)
    out.append("/").append(each);
  return out.empty() || ends_open ? out + "/" : out;
}

/// Without the blanks around it and the line breaks in it, `\` as `/`.
std::string tidied(std::string_view text) {
  while (!text.empty() && static_cast<unsigned char>(text.front()) <= ' ')
    text.remove_prefix(1);
  while (!text.empty() && static_cast<unsigned char>(text.back()) <= ' ')
    text.remove_suffix(1);
  const auto query = std::min(text.find('?'), text.size());
  std::string out;
  for (std::size_t i = 0; i < text.size(); ++i)
    if (const char c = text[i]; c != '\n' && c != '\r' && c != '\t')
      out.push_back(c == '\\' && i < query ? '/' : c);
  return out;
}

} // namespace

result<std::string> normal_url(std::string_view text) {
  const auto url = parse_http_url(tidied(text));
  if (!url)
    return url.error();
  auto plain = *url;
  boost::system::error_code failed;
  const auto address = boost::asio::ip::make_address_v6(plain.host, failed);
  if (!failed)
    plain.host = address.to_string();
  const auto query = plain.target.find('?');
  std::string out = (plain.tls ? "https://" : "http://") + plain.authority();
  out += plain_path(plain.target.substr(0, query));
  if (query != std::string::npos)
    out += plain.target.substr(query);
  return out;
}

} // namespace troupe::remote_agent
