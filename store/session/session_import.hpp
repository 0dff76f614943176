// `troupe session import`: brings the history of a session into a store that no server uses
// (docs/sessions.md). The objective is there then as it was; the next server goes on with it, if it
// has not ended.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/ids.hpp>
#include <troupe/protocol/plan_state.hpp>
#include <troupe/store/store.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace troupe::sessions {

struct import_order {
  std::string file;
  std::optional<objective_id> as; ///< Its new id; nothing: it keeps its own.
};

struct import_report {
  objective_id id;
  std::uint64_t changes = 0;
  std::uint64_t tasks = 0; ///< That have begun.
  objective_state state = objective_state::submitted;
  /// The files of the session, the first one first: a retry begins a new file.
  std::vector<std::string> files;
  std::string cut; ///< The end of the last file that is left out, in words; empty: none.
};

/// Reads the files as a whole before it writes anything. `into`: recovered, and without another
/// user. `ids`: for a new root task. Errors: store_failed (a file is damaged or missing; the
/// message says where), store_unreadable, duplicate_id (an id is known; the message says which, and
/// what to do), invalid_params (`as` cannot be an id).
[[nodiscard]] result<import_report> import_session(store& into, const import_order& order,
                                                   id_source& ids);

} // namespace troupe::sessions
