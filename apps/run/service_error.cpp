#include "apps/run/service_error.hpp"

#include "protocol/a2a/errc_wire.hpp"

#include <string_view>

namespace troupe {

std::string with_options(std::string message) {
  constexpr std::string_view in_json = "\"override\": true";
  if (const auto at = message.find(in_json); at != std::string::npos)
    message.replace(at, in_json.size(), "--override");
  return message;
}

std::string explained_here(const error& why) {
  const auto advice = wire_of(why.code).advice;
  const bool says_what_to_do = why.message.find("; ") != std::string::npos;
  return with_options(why.message
                      + (says_what_to_do || advice.empty() ? "" : "; " + std::string(advice)));
}

} // namespace troupe
