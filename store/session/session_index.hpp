// `sessions.json` of a directory of sessions: which session a key has, and its file. OpenClaw and
// other programs have entries there, too; these keep their bytes.
#pragma once

#include "store/session/session_file.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/time.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace troupe::sessions {

struct index_entry {
  std::string key;          ///< key_of
  std::string session_id;   ///< session_id_of
  std::string file;         ///< Its name in the directory.
  timestamp started{};      ///< Of the first event of the file.
  timestamp updated{};      ///< Of the last one.
  std::string display_name; ///< Of the objective.
};

/// `text` with the entries in place of those of the same keys or added; of an entry that was there,
/// further members stay. Everything else keeps its bytes. An empty `text` is that of an index
/// without entries. errc::store_failed: it is not a JSON object.
[[nodiscard]] result<std::string> with_entries(std::string_view text,
                                               const std::vector<index_entry>& entries);

/// The entries of a directory's file whose keys are those of objectives. None if there is no file.
/// Errors: store_failed, store_unreadable.
[[nodiscard]] result<std::vector<index_entry>> read_index(const std::string& directory);

/// Does it in the file of `directory`, which is replaced as a whole, by a rename. Errors:
/// store_failed (it is no index), store_unreadable, unavailable (it cannot be written); the message
/// says why, and what to do; the file is as it was.
[[nodiscard]] result<void> write_index(const std::string& directory,
                                       const std::vector<index_entry>& entries,
                                       file_calls& calls = system_file_calls());

} // namespace troupe::sessions
