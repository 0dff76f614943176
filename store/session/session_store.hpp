// Stores with session files (docs/sessions.md): beside any store, or as the store itself.
#pragma once

#include "store/rocksdb/rocksdb_store.hpp"
#include "store/session/session_follower.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/store/session_status.hpp>
#include <troupe/store/store.hpp>

#include <chrono>
#include <memory>
#include <string>

namespace troupe {

/// Of a store of the kind session-jsonl, in its directory. The name is part of `origin_marker`.
inline constexpr const char* session_store_directory = "sessions";

/// How long a store that closes waits for its session files. What they lack then is added after the
/// next start.
inline constexpr std::chrono::milliseconds sessions_end_max{5000};

/// Where session files are kept, and how; a test changes how.
using session_keeping = sessions::session_follower::options;

/// A memory store beside which session files are kept. Errors of all: store_failed (OpenClaw's
/// database is there), store_locked, unavailable (the directory cannot be written).
[[nodiscard]] result<std::unique_ptr<store>>
open_memory_store_with_sessions(const memory_bounds& bounds, session_keeping how);

/// A RocksDB store beside which session files are kept. Errors also: those of open_rocksdb_store.
[[nodiscard]] result<std::unique_ptr<store>>
open_rocksdb_store_with_sessions(const rocksdb_options& options, session_keeping how,
                                 rocksdb_internals internals = {});

/// The session files are the store: with the journal before them, in which groups are durable, and
/// tables in memory, which are made of the files at each start. `options.directory`: of the whole.
/// `how.directory` is set by this function. Errors also: store_failed (a session file is damaged;
/// the message says in which line).
[[nodiscard]] result<std::unique_ptr<store>> open_session_store(const rocksdb_options& options,
                                                                rocksdb_internals internals = {},
                                                                session_keeping how = {});

} // namespace troupe
