// The agent `llm`: a task is done by a language model (docs/models.md). What it says is shown while
// it comes; it may ask a person; what it was asked survives the process.
#pragma once

#include "agents/llm/llm_input.hpp"
#include "client/models/model_client.hpp"
#include <troupe/actors/agent.hpp>
#include <troupe/protocol/errc.hpp>
#include <troupe/protocol/memory_budget.hpp>

#include <memory>
#include <string>
#include <utility>

namespace troupe {

struct llm_options {
  std::shared_ptr<models::model_client> models; ///< Null: there are none.
  /// Why they are not known, for the task that wants one; no code: they are.
  error no_models{};
  std::string default_model; ///< Of tasks that name none; empty: the only one that there is.
  /// A short question is answered with a message, if the answer comes in time.
  bool answers_directly = false;
  /// Start the client with the first task; else the caller takes its turns.
  bool starts_client = true;
  /// Where what models are told is counted (memory_account::live_work) as long as its attempt
  /// lasts; null: nowhere. An attempt for which there is no room fails, and may be tried again.
  memory_budget_ptr memory{};
};

class llm_agent final : public agent {
public:
  explicit llm_agent(llm_options options) : options_(std::move(options)) {}

  [[nodiscard]] start_result start(const order_ptr& order, const agent_port_ptr& port) override;
  [[nodiscard]] bool goes_on(const std::string& note) const override;
  [[nodiscard]] result<void> check_input(const boost::json::object& input) const override;
  [[nodiscard]] result<void> check_planned(const boost::json::object& input,
                                           const planned_check& other) const override;
  [[nodiscard]] result<void> check_handed_on(const boost::json::object& input,
                                             const planned_check& other) const override;
  [[nodiscard]] bool takes_value_at(std::string_view pointer) const override;
  [[nodiscard]] bool answers_directly() const override { return options_.answers_directly; }
  [[nodiscard]] std::string description() const override;

private:
  [[nodiscard]] result<const models::model_settings*> model_of(const std::string& name) const;

  const llm_options options_;
};

} // namespace troupe
