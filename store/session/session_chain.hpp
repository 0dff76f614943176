// A session with all of its files: a retry begins a new file, which names the one that it
// continues.
#pragma once

#include "store/session/session_reader.hpp"
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/ids.hpp>

#include <map>
#include <optional>
#include <string>
#include <vector>

namespace troupe::sessions {

/// The files of one session in a directory.
struct session_files {
  bool is_growing = false; ///< The file itself is there.
  std::string archive;     ///< The name of the last archive; empty: there is none.
};
/// Of all sessions in the directory, by the name of the file. Errors: store_unreadable.
[[nodiscard]] result<std::map<std::string, session_files>>
list_sessions(const std::string& directory);

/// Whether a file has nothing but the beginning of its first line: its writer was interrupted.
[[nodiscard]] bool is_only_begun(const std::string& path);

struct whole_session {
  objective_id id;
  std::vector<change> changes;
  std::vector<std::string> files; ///< The first one first.
  std::optional<cut_end> cut;     ///< Of the last one.
};

/// The file with those that it continues, which are beside it. Errors: store_failed (a file is
/// damaged or missing; the message says which, and where), store_unreadable.
[[nodiscard]] result<whole_session> read_chain(const std::string& file);

/// The end of a file that is left out, in words.
[[nodiscard]] std::string describe_cut(const std::string& file, const cut_end& cut);

} // namespace troupe::sessions
