#include "protocol/text/url_reference.hpp"

#include <boost/url/parse.hpp>
#include <boost/url/url.hpp>

namespace troupe {

namespace urls = boost::urls;

std::optional<std::string> resolve_reference(std::string_view base, std::string_view reference) {
  const auto from = urls::parse_uri({base.data(), base.size()});
  const auto to = urls::parse_uri_reference({reference.data(), reference.size()});
  if (!from || !to)
    return std::nullopt;
  urls::url out;
  if (!urls::resolve(*from, *to, out))
    return std::nullopt;
  return std::string(out.buffer().data(), out.buffer().size());
}

std::string without_end_slashes(std::string url) {
  while (url.ends_with('/'))
    url.pop_back();
  return url;
}

} // namespace troupe
