// Keeps push configurations, and the progress of the notifications of each. Part of a store
// (store.hpp): a configuration is acknowledged, and visible, when it is as durable as every change.
// Progress is written with the next change, or alone after push_progress_wait. So after a crash the
// last notifications may be sent again, and none is left out.
//
// Thread-safe throughout.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/push_row.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

class push_configs {
public:
  virtual ~push_configs() = default;

  /// Called once, after it is visible, on the thread that published it; with an error perhaps
  /// before the call returns. Must not block.
  using saved_fn = std::function<void(result<push_row>)>;
  using erased_fn = std::function<void(result<void>)>;

  /// Keeps `config`, and replaces one with the same id on the same task. Its notifications begin at
  /// `from`. While the change waits for the disk, it counts for the client of its owner
  /// (client_of). Errors: limit_exceeded (push_configs_per_task_max, push_configs_max), overloaded
  /// (too many changes wait for the disk; the message names the limit).
  virtual void save(push_config config, push_progress from, saved_fn then) = 0;
  /// Deletes one; nothing happens if there is none. With a `serial` other than 0, only if it still
  /// has that serial. While the change waits for the disk, it counts for `client` (client_of;
  /// empty: the program itself). Errors: overloaded; never if `then` is null.
  virtual void erase(const task_id& task, const std::string& id, std::uint64_t serial,
                     erased_fn then, const std::string& client = {}) = 0;
  /// Records progress. Nothing happens if the configuration was replaced or erased meanwhile.
  /// `find` shows it once it is durable. That takes up to push_progress_wait, unless it says that
  /// the notifications have stopped.
  virtual void note(const task_id& task, const std::string& id, std::uint64_t serial,
                    push_progress progress) = 0;

  /// Whether `save` would have room for one of that id (empty: a new one) now; another call may
  /// take the room first. Errors: limit_exceeded.
  [[nodiscard]] virtual result<void> has_room(const task_id& task, const std::string& id) const = 0;
  [[nodiscard]] virtual std::optional<push_row> find(const task_id& task,
                                                     const std::string& id) const = 0;
  /// By id.
  [[nodiscard]] virtual std::vector<push_row> list(const task_id& task) const = 0;
  [[nodiscard]] virtual std::vector<push_row> all() const = 0;
};

} // namespace troupe
