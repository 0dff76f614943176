#include "net/http/content_type.hpp"

#include "net/http/http_request.hpp"
#include "net/http/http_response.hpp"
#include "protocol/json/quoted.hpp"

namespace troupe::net {

namespace {

std::string_view without_parameters(std::string_view value) noexcept {
  return trimmed(value.substr(0, value.find(';')));
}

/// Whether a media range says `q=0`: not this one (RFC 9110 12.4.2).
bool is_refused(std::string_view range) noexcept {
  while (!range.empty()) {
    const auto end = range.find(';');
    const auto one = trimmed(range.substr(0, end));
    range = end == std::string_view::npos ? std::string_view{} : range.substr(end + 1);
    if (one.size() > 2 && equal_ignoring_case(one.substr(0, 2), "q="))
      return one.find_first_not_of("0.", 2) == std::string_view::npos;
  }
  return false;
}

} // namespace

bool is_json(std::string_view content_type) noexcept {
  return equal_ignoring_case(without_parameters(content_type), json_type);
}

bool is_json_like(std::string_view content_type) noexcept {
  const auto type = without_parameters(content_type);
  constexpr std::string_view suffix = "+json";
  return is_json(type)
         || (type.size() > suffix.size()
             && equal_ignoring_case(type.substr(type.size() - suffix.size()), suffix));
}

error not_json(std::string_view content_type) {
  return make_error(errc::content_type_not_supported, "send `Content-Type: application/json`, not "
                                                          + troupe::quoted(shown(content_type)));
}

bool names_a2a_type(std::string_view accept) noexcept {
  while (!accept.empty()) {
    const auto one = take_list_item(accept);
    if (equal_ignoring_case(without_parameters(one), a2a_json_type))
      return !is_refused(one);
  }
  return false;
}

} // namespace troupe::net
