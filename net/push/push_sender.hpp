// Posts notifications: one attempt at a time per configuration, many configurations at once within
// bounds. A step machine: `turn` does what can be done now; after `start` a thread of its own takes
// the turns. What is to be posted comes from net/push/push_delivery.hpp, what follows from an
// answer from net/push/push_retry.hpp, and whose turn it is from net/push/turn_queue.hpp. Executing
// tasks is never held up.
//
// Thread-safe, but for `turn`.
#pragma once

#include "client/http_client.hpp"
#include "net/push/push_delivery.hpp"
#include <troupe/net/push_options.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/push_row.hpp>
#include <troupe/protocol/time_source.hpp>
#include <troupe/store/store.hpp>

#include <chrono>
#include <functional>
#include <memory>
#include <optional>
#include <string>

namespace troupe::net {

/// Replacements for tests. An empty member means the real one.
struct push_seams {
  /// Runs something later, on any thread.
  std::function<void(std::chrono::milliseconds, std::function<void()>)> delay = {};
  std::function<result<addresses>(const std::string& host)> resolve =
      {};                                                   ///< http_client_options::resolve.
  std::function<result<int>(const http_url&)> connect = {}; ///< http_client_options::connect.
  std::function<double()> chance = {};      ///< Of [0, 1). On the thread that takes the turns.
  const time_source* time = &system_time(); ///< Outlives the sender.
  std::string trusted_pem = {};             ///< http_client_options::trusted_pem.
};

class push_sender {
public:
  /// Has no thread before `start`; `records` outlives the sender. `feeds`: what the feeds of all
  /// configurations count in. errc::invalid_params, unavailable: the signing key (or trusted_pem)
  /// cannot be used.
  [[nodiscard]] static result<std::unique_ptr<push_sender>>
  make(store& records, push_options options, feed_budget_ptr feeds, push_seams seams = {});
  /// From now on a thread takes the turns.
  void start();
  /// Does what can be done without waiting, but for looking names up; false if there was nothing.
  /// For a sender without a thread: from one thread only.
  bool turn();
  /// When its next timer is due, for a sender without a thread; nothing: none is.
  [[nodiscard]] std::optional<time_source::steady_point> next_due() const;
  /// Ends what is under way at once.
  ~push_sender();
  push_sender(const push_sender&) = delete;
  push_sender& operator=(const push_sender&) = delete;

  /// A new feed for a configuration that is about to be saved: its task is watched before, so that
  /// not even a store without a history loses what happens meanwhile. To be opened and handed to
  /// `begin`, or dropped.
  [[nodiscard]] std::shared_ptr<feed> make_feed() const;
  /// From now on this configuration is served, in place of one with the same id on the same task.
  /// Nothing if it is stopped. Without `watched` the sender watches itself, and finds the rest in
  /// the history.
  void begin(push_row row, push_watch watched = {});
  /// The store has forgotten the configuration with that serial number. A later one of the same id
  /// goes on.
  void drop(const task_id& task, const std::string& id, std::uint64_t serial);

private:
  struct impl;
  explicit push_sender(std::unique_ptr<impl> inside);
  std::unique_ptr<impl> impl_;
};

} // namespace troupe::net
