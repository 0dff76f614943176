#include "net/content_type.hpp"

#include "net/http_request.hpp"
#include "net/http_response.hpp"

namespace troupe::net {

namespace {

std::string_view without_parameters(std::string_view value) noexcept {
  return trimmed(value.substr(0, value.find(';')));
}

} // namespace

bool is_json(std::string_view content_type) noexcept {
  return equal_ignoring_case(without_parameters(content_type), json_type);
}

bool is_json_like(std::string_view content_type) noexcept {
  const auto type = without_parameters(content_type);
  constexpr std::string_view suffix = "+json";
  return is_json(type) || (type.size() > suffix.size() && equal_ignoring_case(type.substr(type.size() - suffix.size()), suffix));
}

bool names_a2a_type(std::string_view accept) noexcept {
  while (!accept.empty())
    if (equal_ignoring_case(without_parameters(take_list_item(accept)), a2a_json_type))
      return true;
  return false;
}

} // namespace troupe::net
