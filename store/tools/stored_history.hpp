// The history of the objectives in a data directory that no server uses: that of the tables, and
// behind it the groups of the journal that the tables do not have yet. Changes nothing in it.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/event.hpp>
#include <troupe/protocol/ids.hpp>

#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace troupe {

/// False: no further change is wanted.
using stored_change_fn = std::function<bool(change&&)>;

class stored_history {
public:
  /// Keeps servers away while it lives. Errors: store_locked, store_failed (there is no store, it
  /// is damaged or of an older format; the message says what to do), store_unreadable.
  [[nodiscard]] static result<std::unique_ptr<stored_history>> open(const std::string& directory);
  ~stored_history();
  stored_history(const stored_history&) = delete;
  stored_history& operator=(const stored_history&) = delete;

  /// All of them, by id. Errors: store_unreadable.
  [[nodiscard]] result<std::vector<objective_id>> objectives() const;

  /// Calls `visit` with each change of the objective and of its root task: each stream in its
  /// order, both by time. Errors: objective_not_found, store_failed (a change is missing or
  /// damaged), store_unreadable.
  [[nodiscard]] result<void> read(const objective_id& id, const stored_change_fn& visit) const;

private:
  struct impl;
  explicit stored_history(std::unique_ptr<impl> opened);

  std::unique_ptr<impl> impl_;
};

} // namespace troupe
