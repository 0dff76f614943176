// Commands that may come once and are under way in this process. One with the same key that comes
// meanwhile waits, also with another content: whether the first was done is not known yet. What was
// done is known to the store, which also decides (change::conditions); the desk makes sure that no
// work is begun twice before that.
//
// Thread-safe.
#pragma once

#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/protocol/once.hpp>
#include <troupe/protocol/time.hpp>
#include <troupe/store/store.hpp>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

namespace troupe {

/// What an actor answers when the store has refused its change, since it came before
/// (commit_outcome::conflict). The gateway then answers with what came before.
[[nodiscard]] const error& came_before();

class once_desk {
public:
  /// The store outlives the desk. Commands that wait count in `memory` (live_work).
  once_desk(store& records, std::function<timestamp()> now, memory_budget_ptr memory = nullptr);
  ~once_desk();
  once_desk(const once_desk&) = delete;
  once_desk& operator=(const once_desk&) = delete;

  /// Called once, on any thread, with one of these:
  /// - an error: the same key came with another content, and that was done (errc::invalid_params,
  ///   errc::duplicate_request, errc::idempotency_key_reused), the store does not answer, or there
  ///   is no room to wait for the first (errc::overloaded; once_waits_max, live_work).
  /// - what came before, and was done.
  /// - null, and `mine`: it is new, and under way until `leave`, or until all copies of `mine` are
  ///   gone. If one of several conditions came before, the command is not new.
  using next_fn = std::function<void(result<once_ptr> before, once_conditions mine)>;
  /// `bytes`: what `next` holds of the command, while it waits.
  void enter(std::vector<once> wanted, std::size_t bytes, next_fn next);
  /// What was done is durable. Of those that wait, each gets its answer.
  void leave(const once_conditions& done);
  /// The server ends: those that wait, and all that come, are refused (errc::unavailable).
  void close();
  /// What came before with one of the conditions; null: nothing.
  void find(const once_conditions& wanted, std::function<void(result<once_ptr>)> done) const;

private:
  struct state;
  std::shared_ptr<state> state_;
};

} // namespace troupe
