#include "protocol/text/media_type.hpp"

#include "protocol/text/blanks.hpp"
#include "protocol/text/text.hpp"

#include <algorithm>
#include <array>
#include <utility>

namespace troupe {

namespace {

/// Type and subtype; a missing subtype is any.
std::pair<std::string_view, std::string_view> halves(std::string_view text) noexcept {
  text = without_blanks(text.substr(0, text.find(';')), " \t");
  const auto slash = text.find('/');
  if (slash == std::string_view::npos)
    return {text, "*"};
  return {text.substr(0, slash), text.substr(slash + 1)};
}

bool halves_meet(std::string_view a, std::string_view b) noexcept {
  if (a == "*" || b == "*")
    return true;
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return ascii_lower(x) == ascii_lower(y); });
}

/// What a file with such an ending is.
constexpr auto types_by_ending = std::to_array<std::pair<std::string_view, std::string_view>>({
    {".csv", "text/csv"},
    {".gif", "image/gif"},
    {".html", "text/html"},
    {".jpeg", "image/jpeg"},
    {".jpg", "image/jpeg"},
    {".json", "application/json"},
    {".md", "text/markdown"},
    {".pdf", "application/pdf"},
    {".png", "image/png"},
    {".svg", "image/svg+xml"},
    {".txt", "text/plain"},
    {".xml", "application/xml"},
    {".yaml", "application/yaml"},
    {".yml", "application/yaml"},
    {".zip", "application/zip"},
});

} // namespace

bool media_types_meet(std::string_view a, std::string_view b) noexcept {
  const auto [type_a, subtype_a] = halves(a);
  const auto [type_b, subtype_b] = halves(b);
  return halves_meet(type_a, type_b) && halves_meet(subtype_a, subtype_b);
}

bool any_media_types_meet(const std::vector<std::string>& a,
                          const std::vector<std::string>& b) noexcept {
  if (a.empty() || b.empty())
    return true;
  return std::any_of(a.begin(), a.end(), [&](const std::string& one) {
    return std::any_of(b.begin(), b.end(),
                       [&](const std::string& other) { return media_types_meet(one, other); });
  });
}

std::string_view media_type_of(const part& part) noexcept {
  if (!part.media_type.empty())
    return part.media_type;
  if (std::holds_alternative<text_content>(part.content))
    return "text/plain";
  if (std::holds_alternative<data_content>(part.content))
    return "application/json";
  return {};
}

std::string_view media_type_of_name(std::string_view name) {
  const auto dot = name.rfind('.');
  const auto slash = name.rfind('/');
  if (dot == std::string_view::npos || (slash != std::string_view::npos && slash > dot))
    return {};
  const auto ending = ascii_lower(name.substr(dot));
  const auto found = std::ranges::find(types_by_ending, ending,
                                       &std::pair<std::string_view, std::string_view>::first);
  return found == types_by_ending.end() ? std::string_view{} : found->second;
}

} // namespace troupe
