// The parts of an owner's text (owner_of, include/troupe/protocol/principal.hpp).
#pragma once

#include <troupe/protocol/principal.hpp>

#include <charconv>
#include <cstddef>
#include <string>
#include <string_view>

namespace troupe {

/// The tenant of an owner; empty: none, or the text is no owner's.
[[nodiscard]] inline std::string_view tenant_of(std::string_view owner) noexcept {
  std::size_t length = 0;
  const auto* const end = owner.data() + owner.size();
  const auto [at, ec] = std::from_chars(owner.data(), end, length);
  if (ec != std::errc{} || at == end || *at != ':')
    return {};
  const auto rest = owner.substr(static_cast<std::size_t>(at - owner.data()) + 1);
  return length <= rest.size() ? rest.substr(0, length) : std::string_view{};
}

/// Whose it is, with all scopes: the inverse of owner_of. A text that is no owner's is the
/// anonymous principal's.
[[nodiscard]] inline principal principal_of(std::string_view owner) {
  principal out;
  const auto colon = owner.find(':');
  if (colon == std::string_view::npos)
    return out;
  out.tenant = tenant_of(owner);
  out.id = owner.substr(colon + 1 + out.tenant.size());
  return out;
}

} // namespace troupe
