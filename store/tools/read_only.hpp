// What tools ask of a data directory before they read or change it. No server runs on it then.
#pragma once

#include "store/directory_lock.hpp"
#include <troupe/protocol/errc.hpp>

#include <memory>
#include <string>

namespace troupe {

/// Whether the directory can be looked at: it is there, may be read, has a store, and no process
/// uses it. Keeps writers away while it lives. Null: the directory has no lock file, because no
/// process of this version has used it. Errors: store_locked, store_failed.
[[nodiscard]] result<std::unique_ptr<directory_lock>> lock_to_read(const std::string& directory);

/// Whether this process runs as the owner of the directory. The server could not open files that
/// another user makes in it. Errors: store_failed (the message names the owner).
[[nodiscard]] result<void> require_owner(const std::string& directory);

} // namespace troupe
