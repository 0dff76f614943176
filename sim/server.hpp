// The product in a world: store, gateway, service and one loop, put together without a thread and
// without a listener. The world takes all their turns, in an order that its dice choose.
#pragma once

#include "client/a2a/call_loop.hpp"
#include "net/http/loop.hpp"
#include "net/server_state.hpp"
#include "store/rocksdb/rocksdb_store.hpp"
#include <troupe/actors/gateway.hpp>
#include <troupe/store/store.hpp>

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "sim/connection.hpp"
#include "sim/disk.hpp"
#include "sim/outbound.hpp"
#include "sim/world.hpp"

namespace troupe::sim {

/// What a second server that is started on these files is told; nothing: it has opened them.
[[nodiscard]] std::optional<error> refusal_of_rival(const world& in, disk& files);

class server {
public:
  /// Opens the store, or begins with an empty one in memory, and goes on with what it has. `files`:
  /// null for a store in memory. Throws if the store refuses to start.
  server(world& in, disk* files, const agent_registry& agents);
  /// Unless it was closed, the process dies: what it had begun is not finished, and nothing more
  /// reaches a client or the disk.
  ~server();
  server(const server&) = delete;
  server& operator=(const server&) = delete;

  /// One turn of one part, drawn by chance; false if no part has anything to do now.
  bool step();
  /// When something is due by its clocks; nothing if nothing is.
  [[nodiscard]] std::optional<nanoseconds> next_due() const;
  /// Every 100 ms.
  void turn_housekeeper();
  void accept(const std::shared_ptr<connection>& client);
  /// As the process does at SIGTERM: no new work is taken, and connections end soon.
  void drain();
  [[nodiscard]] bool is_draining() const;
  /// Whether anybody is connected.
  [[nodiscard]] bool has_connections() const;
  /// The end of a drain: connections that are left are cut, and what was begun is written.
  void close();
  /// Writes down all changes of these tasks and objectives, from the store.
  void tell_journal(const std::vector<std::string>& lone_tasks,
                    const std::vector<std::string>& objectives);
  /// Writes down which configurations of notifications are left.
  void tell_push_configs();
  /// The first counter that is above its limit, as text; empty: none is.
  [[nodiscard]] std::string over_limit() const;
  [[nodiscard]] bool is_disk_behind() const;
  [[nodiscard]] gateway& main_gateway() noexcept { return *gateway_; }
  [[nodiscard]] const service& operations() const noexcept { return state_->operations; }
  /// What is counted while something is under way, and is not zero; at rest this is empty.
  [[nodiscard]] std::string left_over();

private:
  class recorder;

  [[nodiscard]] bool calls_others() const noexcept;
  /// What goes to remote agents and receivers, and what comes from them.
  bool turn_calls();
  /// The agent for tasks that others do, with the loop that asks them.
  void add_delegation();
  void end_sessions();

  world& in_;
  disk* files_;
  dice order_;
  /// Outlives all that counts in it.
  const memory_budget_ptr memory_ = std::make_shared<memory_budget>();
  std::unique_ptr<store> records_;
  turned_store* durable_ = nullptr; ///< The same, or behind it; null: it is in memory.
  std::shared_ptr<recorder> recorder_;
  outbound outbound_;
  std::shared_ptr<a2a::call_loop> asking_; ///< Null: nothing is delegated.
  agent_registry agents_;
  std::optional<gateway> gateway_;
  std::shared_ptr<net::server_state> state_;
  std::optional<net::loop> home_;
  std::vector<std::weak_ptr<connection>> connections_;
  bool is_closed_ = false;
};

} // namespace troupe::sim
