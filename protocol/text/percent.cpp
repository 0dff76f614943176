#include "protocol/text/percent.hpp"

#include <boost/url/pct_string_view.hpp>

namespace troupe {

namespace {

std::optional<std::string> decoded(std::string_view text, boost::urls::encoding_opts how) {
  const auto encoded = boost::urls::make_pct_string_view({text.data(), text.size()});
  return encoded ? std::optional{encoded->decode(how)} : std::nullopt;
}

} // namespace

std::optional<std::string> percent_decoded(std::string_view text) {
  return decoded(text, {});
}

std::optional<std::string> query_decoded(std::string_view text) {
  constexpr bool space_as_plus = true;
  return decoded(text, {space_as_plus});
}

} // namespace troupe
