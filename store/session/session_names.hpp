// How the sessions of objectives are called: their keys, files and ids, as OpenClaw calls its own.
// Plain functions; docs/sessions.md describes them.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/time.hpp>

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace troupe::sessions {

/// In a directory of sessions: key to entry (session_index.hpp).
inline constexpr std::string_view index_name = "sessions.json";

/// A longer name is cut, and gets a hash. With its endings a name stays below the 255 bytes that
/// file systems take.
inline constexpr std::size_t stem_bytes_max = 120;

/// `agent:main:a2a:obj:<id>`
[[nodiscard]] std::string key_of(const objective_id& id);
/// The objective of such a key; nothing if `key` is another one.
[[nodiscard]] std::optional<objective_id> objective_of(std::string_view key);

/// `a2a_obj_<id>.jsonl`: the key without `agent:main:`, with `_` for its colons. Of the id, all but
/// ASCII letters, digits, `.`, `_` and `-` is written as `%XX`.
[[nodiscard]] std::string file_name_of(const objective_id& id);
/// `<file>.archived.<time>`, as RFC 3339 with `-` for `:`.
[[nodiscard]] std::string archive_name_of(std::string_view file, timestamp at);
/// The time of the name of an archive of `file`; nothing if `name` is none.
[[nodiscard]] std::optional<timestamp> archive_time_of(std::string_view name,
                                                       std::string_view file);

/// The file to which a name in the directory belongs: itself, or that of which it is an archive.
/// Empty: it is no file of an objective.
[[nodiscard]] std::string_view session_file_of(std::string_view name);

/// The id of a session, a UUID of version 8 (RFC 9562): the same for the same key and `parent`, the
/// name of the file that it continues. So an export that is repeated writes the same bytes.
[[nodiscard]] std::string session_id_of(std::string_view key, std::string_view parent);

/// Whether session files may be written in `directory`. Since its release 2026.8 OpenClaw keeps its
/// sessions in a database and calls a file beside it a fault. errc::store_failed: the database is
/// there; the message says where, and what to do.
[[nodiscard]] result<void> refuse_live_directory(const std::string& directory);

} // namespace troupe::sessions
