// A data directory that is only read: the tools look at it while no server runs on it.
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

} // namespace troupe
