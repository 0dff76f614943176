// The service's side of push notifications: where configurations are kept and checked. The server
// has one (net/push/push_service.hpp). Thread-safe. Whose the task is has been asked already; a
// configuration of another client is as one that does not exist.
#pragma once

#include "actors/service/answer.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/push_config.hpp>

namespace troupe {

class push_configurations {
public:
  virtual ~push_configurations() = default;

  /// errc::push_not_supported if notifications are off.
  [[nodiscard]] virtual result<void> is_offered() const = 0;

  virtual void create(create_push_config command, reply<push_config> done) = 0;
  [[nodiscard]] virtual result<push_config> get(const get_push_config& query) const = 0;
  [[nodiscard]] virtual result<push_config_page> list(const list_push_configs& query) const = 0;
  virtual void erase(delete_push_config command, reply<void> done) = 0;

  // -- a configuration that comes with a message --------------------------------------------------

  /// Before the message is handed on. Returns the error that `create` would return. If the task
  /// belongs to the caller (`is_theirs`), it also checks whether there is room.
  [[nodiscard]] virtual result<void> check(const push_config& config, bool is_theirs) const = 0;
  /// Once it is known which task took the message (`config.task`); `is_new`: the message made it.
  virtual void attach(push_config config, bool is_new, reply<push_config> done) = 0;
  /// The same for a message that came before: the process may have died after it had taken the
  /// message and before it kept the configuration. Nothing is made if there is one with the same id
  /// (or, without an id, the same URL and token), or if the task has ended.
  virtual void attach_again(push_config config, bool is_new, reply<push_config> done) = 0;
};

} // namespace troupe
