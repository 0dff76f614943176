// Posts notifications: a thread of its own, one attempt at a time per configuration, many configurations at once within bounds. What is to
// be posted comes from net/push_delivery.hpp, what follows from an answer from net/push_retry.hpp, and whose turn it is from
// net/turn_queue.hpp. Executing tasks is never held up.
//
// Thread-safe.
#pragma once

#include <chrono>
#include <functional>
#include <memory>
#include <string>

#include "net/http_client.hpp"
#include "net/push_delivery.hpp"
#include "net/push_options.hpp"
#include "protocol/errc.hpp"
#include "protocol/push_row.hpp"
#include "store/store.hpp"

namespace troupe::net {

/// Doors to the world, for tests; what is empty is the real thing.
struct push_seams {
  /// Runs something later, on any thread.
  std::function<void(std::chrono::milliseconds, std::function<void()>)> delay;
  std::function<result<addresses>(const std::string& host)> resolve; ///< http_client_options::resolve.
  std::function<double()> chance;                                    ///< Of [0, 1). The sender's thread only.
  std::string trusted_pem;                                           ///< http_client_options::trusted_pem.
};

class push_sender {
public:
  /// Starts the thread; `records` outlives the sender. errc::invalid_params, unavailable: the
  /// signing key (or trusted_pem) cannot be used.
  [[nodiscard]] static result<std::unique_ptr<push_sender>> make(store& records, push_options options, push_seams seams = {});
  /// Ends what is under way at once.
  ~push_sender();
  push_sender(const push_sender&) = delete;
  push_sender& operator=(const push_sender&) = delete;

  /// Watches a task for a configuration that is about to be saved, so that not even a store without journal loses what happens
  /// meanwhile. To be handed to `begin`, or let go of by `unwatch`. A null record: there is no such task.
  [[nodiscard]] push_watch watch(const task_id& task);
  void unwatch(const task_id& task, const push_watch& what);
  /// From now on this configuration is served, in place of one with the same id on the same task. Nothing if it is stopped. Without
  /// `watched` the sender watches itself, and finds the rest in the journal.
  void begin(push_row what, push_watch watched = {});
  /// The store has forgotten it.
  void drop(const task_id& task, const std::string& id);

private:
  struct impl;
  explicit push_sender(std::unique_ptr<impl> inside);
  std::unique_ptr<impl> impl_;
};

} // namespace troupe::net
