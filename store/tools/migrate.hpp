// `troupe store migrate`: brings a data directory of an older format to the present one. The start
// of a server does the same.
#pragma once

#include <troupe/protocol/errc.hpp>

#include <cstdint>
#include <string>

namespace troupe {

struct migration {
  std::uint32_t from = 0; ///< Formats. Equal: there was nothing to do. 0: the tables were empty.
  std::uint32_t to = 0;
  std::string repaired; ///< The end of the log that was cut off, in words; empty if nothing.
};

/// Errors: store_locked, store_failed (there is no store, it is damaged, or another user owns it;
/// then nothing was changed).
[[nodiscard]] result<migration> migrate_store(const std::string& directory);

} // namespace troupe
