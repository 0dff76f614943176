// A small file that is written as a whole: after a crash it is as it was before, or as it is to be.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <string>
#include <string_view>

namespace troupe {

/// fsync(2), or what a test has in its place.
using sync_call = int (*)(int descriptor);

/// Writes `text` beside the file, as `PATH.new` that only its owner may read, and lets it take the
/// place of `path`. The file and its directory are on the disk then. One thread or process at a
/// time; blocks. Errors: unavailable, with the reason; the file is as it was, unless only the last
/// step failed.
[[nodiscard]] result<void> replace_file(const std::string& path, std::string_view text);
[[nodiscard]] result<void> replace_file(const std::string& path, std::string_view text,
                                        sync_call sync);

} // namespace troupe
