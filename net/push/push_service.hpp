// Push notifications: configurations, and the sender behind them (A2A 1.0 section 4.3). The server
// owns one; what it does stands in docs/push.md. Who may ask about which task has been decided
// already (actors/service/service.hpp).
//
// Thread-safe. Every function answers errc::push_not_supported if notifications are off.
#pragma once

#include "actors/feed/budget.hpp"
#include "actors/service/push_configurations.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/net/push_options.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/push_config.hpp>
#include <troupe/protocol/time_source.hpp>
#include <troupe/store/store.hpp>

#include <memory>
#include <string>
#include <vector>

namespace troupe::net {

struct push_seams; // net/push/push_sender.hpp

class push_service final : public push_configurations {
public:
  /// `records` outlives the service. `feeds`: what the feeds of all configurations count in.
  /// `seams`: network, name look-up and time.
  push_service(store& records, push_options options, feed_budget_ptr feeds, push_seams seams);
  ~push_service() override;
  push_service(const push_service&) = delete;
  push_service& operator=(const push_service&) = delete;

  /// Goes on with what the store has; call after `store::recover`. Starts no thread: `turn` posts.
  /// errc::invalid_params, unavailable: the signing key cannot be used.
  [[nodiscard]] result<void> open();
  /// The same if that was not done yet, and from now on a thread takes the turns.
  [[nodiscard]] result<void> start();
  /// See push_sender; a service that is not enabled does nothing.
  bool turn();
  [[nodiscard]] std::optional<time_source::steady_point> next_due() const;

  [[nodiscard]] bool is_enabled() const noexcept;
  [[nodiscard]] result<void> is_offered() const override;

  // -- methods ------------------------------------------------------------------------------------
  // Another client's configuration is as one that does not exist. Replies are called once, on any
  // thread.

  /// Replies with the configuration once it is durable; with an id made here if it has none.
  /// Events from now on are sent; on a task that has ended it is kept, and sends nothing. Errors:
  /// task_not_found, invalid_params (URL, id, token, scheme), limit_exceeded.
  void create(create_push_config command, reply<push_config> done) override;
  /// Errors: task_not_found, also for an unknown configuration.
  [[nodiscard]] result<push_config> get(const get_push_config& query) const override;
  /// Errors: task_not_found, invalid_params (page size, page token).
  [[nodiscard]] result<push_config_page> list(const list_push_configs& query) const override;
  /// Succeeds if there is none. Errors: task_not_found.
  void erase(delete_push_config command, reply<void> done) override;

  // -- a configuration inside SendMessage ---------------------------------------------------------

  /// `config.task`: the task the message names; empty if it is to make one.
  [[nodiscard]] result<void> check(const push_config& config, bool is_theirs = true) const override;
  /// Once it is known which task took the message (`config.task`). `is_new`: the message made it,
  /// and every event of it is sent from its creation on; else the task as it is comes first. What
  /// goes wrong now is also said to the operator (push_options::warn): the message was taken, so
  /// its sender is answered with the task.
  void attach(push_config config, bool is_new, reply<push_config> done) override;
  /// See push_configurations.
  void attach_again(push_config config, bool is_new, reply<push_config> done) override;

private:
  struct impl;
  std::shared_ptr<impl> impl_; ///< A read that is under way may outlive the service.
};

} // namespace troupe::net
