// Where push configurations are kept, and how far each one's notifications have got. Part of a store (store.hpp): a configuration
// is acknowledged, and visible, once it is as durable as everything else; progress is written along with whatever comes next, so
// that after a crash the last notifications may be sent again, and none is left out.
//
// Thread-safe throughout.
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "protocol/errc.hpp"
#include "protocol/push_row.hpp"

namespace troupe {

class push_configs {
public:
  virtual ~push_configs() = default;

  /// Called once, when it is visible, on the thread that made it so; must not block.
  using saved_fn = std::function<void(result<push_row>)>;
  using erased_fn = std::function<void()>;

  /// Keeps `what`, in place of one with the same id on the same task if there is one. It begins at `from`. Errors: limit_exceeded
  /// (push_configs_per_task_max, push_configs_max).
  virtual void save(push_config what, push_progress from, saved_fn then) = 0;
  /// Forgets one; nothing happens if there is none. With a `serial` other than 0 only if it is still that one.
  virtual void erase(const task_id& task, const std::string& id, std::uint64_t serial, erased_fn then) = 0;
  /// Nothing happens if it was replaced or erased meanwhile. Seen by `find` soon, durable later.
  virtual void note(const task_id& task, const std::string& id, std::uint64_t serial, push_progress progress) = 0;

  /// Whether `save` would have room for one of that id (empty: a new one) now; somebody else may be faster. Errors: limit_exceeded.
  [[nodiscard]] virtual result<void> has_room(const task_id& task, const std::string& id) const = 0;
  [[nodiscard]] virtual std::optional<push_row> find(const task_id& task, const std::string& id) const = 0;
  /// By id.
  [[nodiscard]] virtual std::vector<push_row> list(const task_id& task) const = 0;
  [[nodiscard]] virtual std::vector<push_row> all() const = 0;
};

} // namespace troupe
