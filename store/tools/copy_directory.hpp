// A copy of a data directory beside it, before something is changed in it.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <string>
#include <string_view>

namespace troupe {

/// Copies everything in `directory`, without `lost+found`, to `<directory>.<label>-<n>`, with the
/// first n from 1 that is free, and syncs it. Of a symbolic link, it copies what the link names.
/// The path of the copy. Errors: store_failed (no room, or the disk refuses; then nothing of the
/// copy is left).
[[nodiscard]] result<std::string> copy_directory(const std::string& directory,
                                                 std::string_view label);

} // namespace troupe
