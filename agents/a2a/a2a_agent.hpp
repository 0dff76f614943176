// The agent `a2a`: a task of ours is done by another A2A agent. What it reports, asks and makes is
// shown as if the task were done here (docs/delegation.md).
#pragma once

#include "agents/a2a/cancel_outbox.hpp"
#include "agents/a2a/delegation.hpp"
#include "agents/a2a/limits.hpp"
#include "agents/a2a/own_traces.hpp"
#include "agents/a2a/target_gate.hpp"
#include "client/a2a/call_loop.hpp"
#include "client/a2a/target.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/actors/request_gate.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/memory_budget.hpp>
#include <troupe/protocol/time_source.hpp>

#include <chrono>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

namespace troupe {

/// An agent that plans may name.
struct delegation_target {
  std::string alias;
  /// With its credentials; or why there are none (a file that cannot be read).
  result<a2a::target> to;
  target_limits limits{};
};

struct delegation_options {
  std::vector<delegation_target> targets;
  /// The alias of the target of messages without a plan, and of tasks that name none. Empty: these
  /// are rejected.
  std::string default_target{};
  /// Why they are not known, for the task that names one; no code: they are.
  error no_targets;
  /// Tasks may name a URL whose host has an address that is not public. Targets always may.
  bool allow_private = false;
  /// Of URLs that plans name; a proxy's connections are not checked by `allow_private`.
  net::proxy_rules proxies{};
  /// The id of this server in the paths of requests; asked for with the first task. Null: a new id
  /// for each process.
  std::function<std::string()> server_id;
  /// Servers through which a task may go, this one included.
  std::size_t hops_max = 8;
  /// Delegations that are open at once, at all targets together; at least 1. Others wait.
  std::size_t open_max = delegations_open_max;
  /// Without `target` and `unsure`, which the input says.
  delegation_terms terms;
  /// Where cancels that are not settled are written down (cancel_outbox); asked for with the first
  /// task. Null: nowhere.
  std::function<std::string()> cancels_file{};
  /// Where requests that are sent and answers that are read are counted
  /// (memory_account::remote_exchanges); null: nowhere.
  memory_budget_ptr memory{};
  /// Takes a line for the log: what an agent does wrong. Called on the loop. Null: nobody hears.
  std::function<void(const std::string&)> warn{};
};

class delegation_lines;

class a2a_agent final : public agent, public request_gate {
public:
  /// `loop`: one that was started, or whose turns the caller takes; null: one of its own, started
  /// with the first task. `time` outlives the agent.
  explicit a2a_agent(delegation_options options, std::shared_ptr<a2a::call_loop> loop = nullptr,
                     const time_source& time = system_time());
  ~a2a_agent() override;

  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  /// Before the first task: where cancels that are not settled are written down, in place of
  /// delegation_options::cancels_file.
  void keep_cancels(std::string path);
  /// Delivers the cancels that an earlier process has left; starts the loop if there are any.
  void deliver_cancels();
  [[nodiscard]] bool goes_on(const std::string& note) const override;
  [[nodiscard]] result<void> admit(const std::vector<std::string>& path,
                                   const std::string& traceparent) override;
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override;
  [[nodiscard]] result<void> check_planned(const boost::json::object& input,
                                           const planned_check& other) const override;
  [[nodiscard]] bool takes_value_at(std::string_view pointer) const override;
  [[nodiscard]] std::vector<std::string> output_modes() const override { return {"*/*"}; }
  [[nodiscard]] std::string description() const override;

private:
  using line_ptr = std::shared_ptr<const a2a::line_options>;

  /// The target of that alias, or if there is none the one at that URL, by its place in the
  /// options.
  [[nodiscard]] std::optional<std::size_t> place_of(const std::string& target,
                                                    const std::string& url) const;
  [[nodiscard]] result<line_ptr> line_to(const std::string& target, const std::string& url) const;
  [[nodiscard]] target_limits limits_of(const std::string& target) const;
  [[nodiscard]] std::shared_ptr<a2a::call_loop> loop();
  [[nodiscard]] std::string server_id();
  [[nodiscard]] std::shared_ptr<cancel_outbox> outbox();

  delegation_options options_;
  /// Of `options_.targets`, in their order; all delegations to a target share its.
  std::vector<result<line_ptr>> target_lines_;
  const time_source& time_;
  std::shared_ptr<delegation_lines> lines_;
  const std::shared_ptr<own_traces> traces_ = std::make_shared<own_traces>();
  std::string server_id_;
  std::shared_ptr<cancel_outbox> outbox_; ///< For the loop's thread, once it is made.
  std::mutex mutex_;                      // guards loop_, server_id_ and outbox_
  std::shared_ptr<a2a::call_loop> loop_;  // ends first: its thread uses the lines
};

} // namespace troupe
