#include "protocol/text/percent.hpp"

#include "protocol/text/text.hpp"

#include <boost/url/pct_string_view.hpp>

#include <algorithm>

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

std::string percent_encoded(std::string_view text, std::string_view plain) {
  constexpr std::string_view digits = "0123456789ABCDEF";
  std::string out;
  out.reserve(text.size());
  for (const char c : text) {
    const char letter = ascii_lower(c);
    const auto byte = static_cast<unsigned char>(c);
    if ((letter >= 'a' && letter <= 'z') || (c >= '0' && c <= '9')
        || plain.find(c) != std::string_view::npos)
      out.push_back(c);
    else
      out.append({'%', digits[byte >> 4U], digits[byte & 15U]});
  }
  return out;
}

std::string percent_encoded(std::string_view text) {
  return percent_encoded(text, "-._~");
}

std::string form_encoded(std::string_view text) {
  auto out = percent_encoded(text, "-._* ");
  std::ranges::replace(out, ' ', '+');
  return out;
}

} // namespace troupe
