// Which files may include which headers: one table for the rooms (arrows), one for the libraries.
// docs/architecture.md tells the reasons. A new arrow or library is a decision: change the table in
// the commit that needs it.
#pragma once

#include <array>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::house {

/// Files below `place` (a room, a subdirectory of it, or a room's public headers: "troupe/store/")
/// may include what begins with `header`.
struct arrow {
  std::string_view place;
  std::string_view header;
};

/// Besides these, every file may include its own folder, the files at the root of its own room, and
/// its room's public headers. A public header includes public headers only.
inline constexpr auto arrows = std::to_array<arrow>({
    // between rooms
    {"troupe/store/", "troupe/protocol/"},
    {"troupe/actors/", "troupe/protocol/"},
    {"troupe/actors/", "troupe/store/"},
    {"troupe/agents/", "troupe/protocol/"},
    {"troupe/agents/", "troupe/actors/"},
    {"troupe/client/", "troupe/protocol/"},
    {"troupe/net/", "troupe/protocol/"},
    {"troupe/net/", "troupe/actors/"},
    {"store/", "troupe/protocol/"},
    {"store/", "protocol/"},
    {"client/", "troupe/protocol/"},
    {"client/", "protocol/"},
    {"actors/", "troupe/protocol/"},
    {"actors/", "protocol/"},
    {"actors/", "troupe/store/"},
    {"actors/", "store/"},
    {"actors/", "planner/"},
    {"agents/", "troupe/protocol/"},
    {"agents/", "protocol/"},
    {"agents/", "troupe/actors/"},
    {"agents/a2a/", "client/"},
    {"agents/llm/", "client/"},
    {"net/", "troupe/protocol/"},
    {"net/", "protocol/"},
    {"net/", "troupe/actors/"},
    {"net/", "actors/feed/"},
    {"net/", "actors/service/"},
    {"net/", "actors/loop/"},
    {"net/", "client/"},
    {"planner/", "troupe/protocol/"},
    {"planner/", "protocol/"},
    {"apps/", "troupe/"},
    {"apps/", "planner/"},
    {"apps/", "protocol/"},
    {"apps/", "store/"},
    {"apps/", "actors/"},
    {"apps/", "agents/"},
    {"apps/", "client/"},
    {"apps/", "net/"},
    // between the subdirectories of one room
    {"protocol/", "protocol/text/"},
    {"protocol/", "protocol/json/quoted"}, // all messages quote alike
    {"protocol/opt/", "protocol/json/"},
    {"protocol/opt/", "protocol/fold/"},
    {"protocol/opt/", "protocol/a2a/codec_v1_0"}, // artifacts of completeTask
    {"protocol/a2a/", "protocol/json/"},
    {"protocol/a2a/", "protocol/opt/"},
    {"protocol/record/", "protocol/json/"},
    {"protocol/record/", "protocol/opt/"},
    {"protocol/record/", "protocol/fold/"},
    {"protocol/record/", "protocol/a2a/"},
    {"store/rocksdb/", "store/memory/"},
    {"store/rocksdb/", "store/journal/"},
    {"store/tools/", "store/rocksdb/"},
    {"store/tools/", "store/journal/"},
    {"store/tools/", "store/session/"},
    {"store/session/", "store/journal/"},
    {"store/session/", "store/rocksdb/"}, // session files as a store: over its journal and tables
    {"actors/service/", "actors/feed/"},
    {"actors/service/", "actors/planning/"},
    {"actors/service/", "actors/commands/"},
    {"actors/service/", "actors/objective/"},
    {"actors/loop/", "actors/service/"},
    {"actors/gateway/", "actors/"},
    {"actors/objective/", "actors/plan/"},
    {"actors/objective/", "actors/task/"},
    {"actors/objective/", "actors/commands/"},
    {"actors/objective/", "actors/graph/"},
    {"actors/objective/", "actors/slots/"},
    {"actors/plan/", "actors/task/"},
    {"actors/plan/", "actors/commands/"},
    {"actors/plan/", "actors/graph/"},
    {"actors/plan/", "actors/slots/"},
    {"actors/task/", "actors/commands/"},
    {"actors/task/", "actors/slots/"},
    {"actors/planning/", "actors/commands/"},
    {"actors/planning/", "actors/graph/"},
    {"actors/planning/", "actors/objective/"},
    {"actors/planning/", "actors/task/"},
    {"net/", "troupe/store/session_status"}, // for /readyz
    {"client/remote_agent/", "client/a2a/"},
    {"net/a2a/", "net/http/"},
    {"net/a2a/", "net/push/"},
    {"net/a2a/", "net/card/"},
    {"net/card/", "net/http/"},
    {"net/http/", "store/short_time_slices"}, // loops wait for the processor as the store does
    {"net/push/", "troupe/store/"}, // bindings reach the store through the service layer only
    {"apps/", "apps/terminal/"},
    {"apps/run/", "apps/draw/"},
    {"apps/run/", "apps/plan/"}, // files that a person names
    {"apps/runs/", "apps/plan/"},
    {"apps/remote/", "apps/plan/"},
    {"apps/card/", "apps/plan/"},
    {"apps/serve/", "apps/plan/"},
    {"apps/plan/", "apps/draw/"},
    {"apps/runs/", "apps/run/"},
    {"apps/remote/", "apps/run/"},
    {"apps/remote/", "apps/runs/"},
    {"apps/remote/", "apps/settings/"},
    {"apps/card/", "apps/settings/"},
    {"apps/card/", "apps/serve/"},
    {"apps/serve/", "apps/settings/"},
});

/// What a file may not include in spite of an arrow, or of the row of a library.
inline constexpr auto no_arrows = std::to_array<arrow>({
    // The service layer knows no JSON: its results are values, and the bindings write them.
    {"actors/service/", "protocol/json/json_"},
    {"actors/service/", "protocol/json/object_reader"},
    {"actors/service/", "protocol/a2a/"},
    {"actors/service/", "protocol/opt/codec_opt"},
    {"actors/service/", "protocol/record/"},
    {"actors/service/", "boost/json"},
});

/// Files at the root of these rooms put the subdirectories together and may include each of them.
inline constexpr auto rooms_put_together_at_root =
    std::to_array<std::string_view>({"actors", "agents", "net", "apps"});

/// `<prefix...>` may be included in these rooms, separated by spaces. The first row that fits
/// decides.
struct library {
  std::string_view prefix;
  std::string_view rooms;
};

inline constexpr auto libraries = std::to_array<library>({
    {"caf/", "actors"},
    {"sanitizer/", "actors"},
    {"boost/beast", "client net"},
    {"boost/asio", "client net"},
    {"boost/json", "protocol planner store client actors agents net apps"},
    {"boost/url/", "protocol net"},
    {"boost/system/", "protocol planner store client actors agents net apps"},
    {"boost/", "store client actors agents net apps"},
    {"rocksdb/", "store"},
    {"xxhash.h", "store"},
    {"openssl/", "client net"},
    {"spdlog/", "apps"},
    {"CLI/", "apps"},
    {"toml++/", "apps"},
    {"utf8proc.h", "apps"},
    {"libfyaml.h", "apps"},
    {"zlib.h", ""},
    {"catch2/", ""},
    {"jemalloc/", ""},
});

/// Why the file at `path` may not include `target` (with its quotes or brackets); nothing if it
/// may. `tests/ROOM` may include what ROOM may, every room's headers and Catch2; `bench`,
/// `examples`, `sim`, and in `tests` also `attack`, `bench`, `fuzz`, `house`, `models`, `sim` and
/// `support` may include everything.
[[nodiscard]] std::optional<std::string> refuse_include(std::string_view path,
                                                        std::string_view target);

/// The target of an `#include` line with its quotes or brackets; nothing if `line` is none.
[[nodiscard]] std::optional<std::string_view> include_of(std::string_view line);

} // namespace troupe::house
