// The caller of a command. A binding makes it once for each request, from the facts of the
// connection. Every command has one, and no object is looked up without one.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>

namespace troupe {

/// What a principal may do. The table of operations (actors/service/operation.hpp) says which scope
/// each operation needs.
enum class scope : std::uint8_t {
  read = 1,   ///< Get, list, subscribe.
  write = 2,  ///< Send, cancel, create, update.
  notify = 4, ///< Have notifications sent to a URL.
};

class scope_set {
public:
  constexpr scope_set() = default;
  constexpr scope_set(scope one) : bits_(static_cast<std::uint8_t>(one)) {}
  [[nodiscard]] static constexpr scope_set all() {
    return scope_set{scope::read} | scope::write | scope::notify;
  }

  [[nodiscard]] constexpr bool has(scope one) const noexcept {
    return (bits_ & static_cast<std::uint8_t>(one)) != 0;
  }
  friend constexpr scope_set operator|(scope_set a, scope_set b) {
    scope_set out;
    out.bits_ = static_cast<std::uint8_t>(a.bits_ | b.bits_);
    return out;
  }
  friend constexpr bool operator==(scope_set, scope_set) = default;

private:
  std::uint8_t bits_ = 0;
};

/// A2A 1.0 section 13.1. The default is the anonymous principal: every client of a server without
/// authentication.
struct principal {
  std::string id = "anonymous";
  std::string tenant{}; ///< Empty: none.
  scope_set scopes = scope_set::all();
  /// The address from which its request came, without the port; empty: from this program.
  std::string peer{};

  friend bool operator==(const principal&, const principal&) = default;
};

/// The owner of the objects that `who` makes: tenant and id as one text, kept with every task and
/// objective. Empty: the anonymous principal.
[[nodiscard]] inline std::string owner_of(const principal& who) {
  if (who.tenant.empty() && who.id == principal{}.id)
    return {};
  return std::to_string(who.tenant.size()) + ":" + who.tenant + who.id;
}

/// The client of a read (`client` of the store): the reads of different clients take turns. It is
/// the principal, or the address of a caller who did not say who it is. Empty: the program itself.
[[nodiscard]] inline std::string client_of(const principal& who) {
  auto owner = owner_of(who);
  return owner.empty() && !who.peer.empty() ? "@" + who.peer : owner; // no owner begins with "@"
}

/// Whether an object of this owner belongs to `who`. Owners are compared only here.
[[nodiscard]] inline bool owns(const principal& who, std::string_view owner) {
  return owner_of(who) == owner;
}

} // namespace troupe
