// How much of a thing a client may send (docs/a2a.md, "Limits"). Beyond a limit the answer is
// errc::invalid_params and names it. The length of an id is limited in
// include/troupe/protocol/ids.hpp (`id_bytes_max`), that of a URL in protocol/text/http_url.hpp,
// that of progress in include/troupe/protocol/progress.hpp.
#pragma once

#include <cstddef>
#include <cstdint>

namespace troupe {

inline constexpr std::size_t message_parts_max = 64; ///< Parts of one message or artifact chunk.
inline constexpr std::size_t metadata_depth_max =
    64; ///< Levels of nesting in `metadata` and in a data part.
inline constexpr std::size_t message_names_max =
    256; ///< Entries of `referenceTaskIds`, of `extensions`, of output modes.
inline constexpr std::uint32_t list_page_size_max = 100; ///< ListTasks (A2A 1.0 section 3.1.4).
inline constexpr std::uint32_t list_history_default =
    100; ///< Messages of each task in a list that does not say `historyLength`.

// A push configuration. Token, scheme and credentials go out in a header of every post; a scheme is
// bounded like credentials.
inline constexpr std::size_t push_token_bytes_max = 4096;
inline constexpr std::size_t push_credentials_bytes_max = 4096;
inline constexpr std::uint32_t push_page_size_max = 100; ///< ListTaskPushNotificationConfigs.

} // namespace troupe
