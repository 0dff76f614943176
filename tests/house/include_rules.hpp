// Who may include whom: the arrows between the rooms and the doors of the libraries, as one table each. docs/architecture.md tells
// the reasons. A new arrow or library is a decision: change the table in the commit that needs it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::house {

/// `room` may include "`header`..." of another room: a whole room ("store/") or one header of it.
struct arrow {
  std::string_view room;
  std::string_view header;
};

/// Besides these, every room may include itself.
inline constexpr auto arrows = std::to_array<arrow>({
    {"store", "protocol/"},
    {"actors", "protocol/"},
    {"actors", "store/"},
    {"agents", "protocol/"},
    {"agents", "actors/agent.hpp"},
    {"net", "protocol/"},
    {"net", "store/"},
    {"net", "actors/agent.hpp"},
    {"net", "actors/gateway.hpp"},
    {"apps", "protocol/"},
    {"apps", "store/"},
    {"apps", "actors/"},
    {"apps", "agents/"},
    {"apps", "net/"},
});

/// `<prefix...>` may be included in these rooms, separated by spaces. The first row that fits decides.
struct door {
  std::string_view prefix;
  std::string_view rooms;
};

inline constexpr auto doors = std::to_array<door>({
    {"caf/", "actors"},
    {"sanitizer/", "actors"},
    {"boost/beast", "net"},
    {"boost/asio", "net"},
    {"boost/json", "protocol store actors agents net apps"},
    {"boost/system/", "protocol store actors agents net apps"},
    {"boost/", "store actors agents net apps"},
    {"rocksdb/", "store"},
    {"openssl/", "net"},
    {"spdlog/", "apps"},
    {"CLI/", "apps"},
    {"toml++/", "apps"},
    {"zlib.h", ""},
    {"catch2/", ""},
    {"jemalloc/", ""},
});

/// Why the file at `path` may not include `target` (with its quotes or brackets); nothing if it may. `tests/ROOM` may include what ROOM
/// may, every room's headers and Catch2; `bench`, `examples`, `tests/support`, `tests/house` and `tests/fuzz` may include everything.
[[nodiscard]] std::optional<std::string> refuse_include(std::string_view path, std::string_view target);

/// The target of an `#include` line with its quotes or brackets; nothing if `line` is none.
[[nodiscard]] std::optional<std::string_view> include_of(std::string_view line);

} // namespace troupe::house
