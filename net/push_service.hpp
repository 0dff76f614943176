// Push notifications: the four methods about configurations, without version or binding, and the sender behind them (A2A 1.0
// section 4.3). The server owns one; what it does stands in docs/push.md.
//
// Thread-safe. Every function answers errc::push_not_supported if notifications are off.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "actors/gateway.hpp"
#include "net/push_options.hpp"
#include "protocol/errc.hpp"
#include "protocol/push_config.hpp"
#include "store/store.hpp"

namespace troupe::net {

struct push_seams; // net/push_sender.hpp

struct push_config_page {
  std::vector<push_config> configs; ///< By id.
  std::string next_page_token;      ///< Empty on the last page.
};

class push_service {
public:
  /// `records` outlives the service.
  push_service(store& records, push_options options);
  /// With doors of its own to the world; for tests.
  push_service(store& records, push_options options, push_seams seams);
  /// Stops at once; what was not delivered is after the next start, if the store is durable.
  ~push_service();
  push_service(const push_service&) = delete;
  push_service& operator=(const push_service&) = delete;

  /// Goes on with what the store has; call after `store::recover`. errc::invalid_params, unavailable: the signing key
  /// cannot be used.
  [[nodiscard]] result<void> start();

  [[nodiscard]] bool is_enabled() const noexcept;

  // -- methods -----------------------------------------------------------------------------------------------------------
  // A task or configuration of somebody else is as one that does not exist. Replies are called once, on any thread.

  /// Replies with the configuration once it is durable; with an id made here if `what` has none. Events from now on are sent; on a
  /// task that has ended it is kept, and sends nothing. Errors: task_not_found, invalid_params (URL, id, token, scheme),
  /// limit_exceeded.
  void create(create_push_config what, reply<push_config> done);
  /// Errors: task_not_found, also for an unknown configuration.
  [[nodiscard]] result<push_config> get(const get_push_config& what) const;
  /// Errors: task_not_found, invalid_params (page size, page token).
  [[nodiscard]] result<push_config_page> list(const list_push_configs& what) const;
  /// Succeeds if there is none. Errors: task_not_found.
  void erase(delete_push_config what, reply<void> done);

  // -- a configuration inside SendMessage --------------------------------------------------------------------------------

  /// Before the message is handed on: what `create` would refuse, for want of room too. `what.task`: the task the message names; empty if
  /// it is to make one.
  [[nodiscard]] result<void> check(const push_config& what) const;
  /// Once it is known which task took the message (`what.task`). `is_new`: the message made it, and every event of it is sent from
  /// its creation on; else the task as it is comes first. What goes wrong now is also said to the operator (push_options::warn): the
  /// message was taken, so its sender is answered with the task.
  void attach(push_config what, bool is_new, reply<push_config> done);

private:
  struct impl;
  std::unique_ptr<impl> impl_;
};

} // namespace troupe::net
