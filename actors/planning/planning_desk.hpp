// What becomes of a message: the verdict of the planner (planner/verdict.hpp), with the answers of
// the agent and of the planner that it asks. Each message gets an actor of its own, so that no
// event loop reads a text, and a planner that hangs holds up nobody.
//
// Thread-safe.
#pragma once

#include "actors/environment.hpp"
#include "actors/reply_port.hpp"
#include <troupe/protocol/message.hpp>
#include <troupe/protocol/model_usage.hpp>
#include <troupe/protocol/principal.hpp>

#include <boost/json/object.hpp>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "planner/verdict.hpp"

namespace troupe {

/// In the metadata of a direct answer: what models have used for it.
inline constexpr std::string_view planning_usage_key = "troupe/v1/modelUsage";

/// `{"calls": 1, "promptTokens": 310, ...}`, as a task has it (docs/models.md).
[[nodiscard]] boost::json::object usage_as_json(const model_usage& used);

/// What is asked about a message.
struct planning_query {
  planner::planning_request request;
  /// Whether the text planner is asked; else decision::ask_model is an answer.
  bool asks_planner = false;
  std::string objective; ///< As in planning_order.
  std::uint32_t attempt = 1;
  /// Why the planner is not asked. Empty: it may be.
  std::string planner_problem{};
  // As in planning_order.
  std::shared_ptr<const objective_so_far> so_far{};
  bool replans = false;
  std::vector<planner_exchange> said{};
  /// The planner may ask a person: something can be changed that asks.
  bool may_ask = true;
  /// For the agent that answers directly; null: none is asked.
  message_ptr message;
  std::vector<std::string> accepted_output_modes{};
};

struct planned_message {
  planner::verdict made;
  message_ptr answer{}; ///< With decision::direct_answer: of the agent or the planner.
  /// The objective that was made only asks a person what the planner wants to know.
  bool asks_person = false;
  /// With decision::objective and without an objective: what `so_far` is to become.
  std::vector<wanted_objective_operation> operations{};
  timestamp at{};
  std::chrono::milliseconds took{0};
  model_usage used{}; ///< By models of the planner, and of the agent that answers directly.
  errc planner_problem = errc::planner_failed; ///< As in report_no_plan.
  bool has_failed_row = false; ///< A template, a planner or an agent was asked in vain.
  std::string budget{};        ///< The same.

  /// For the metadata of what is made of it: planner::note_of, `seconds`, and if a model was asked,
  /// `tokens` and `modelUsage`.
  [[nodiscard]] boost::json::object note() const;
};

using planned_message_ptr = std::shared_ptr<const planned_message>;
/// Of one objective that is planned anew, as long as it lives.
using replan_ticket = std::shared_ptr<void>;
using template_list = std::shared_ptr<const std::vector<planner::plan_template>>;

/// The templates of the program, then those of the options. errc::invalid_document: one cannot be
/// read, or has the name of another.
[[nodiscard]] result<template_list> read_templates(const planning_options& options);

/// What clients are told of them.
[[nodiscard]] std::vector<template_summary> summaries_of(const template_list& templates);

class planning_desk {
public:
  explicit planning_desk(environment& env);
  planning_desk(const planning_desk&) = delete;
  planning_desk& operator=(const planning_desk&) = delete;

  [[nodiscard]] bool is_on() const noexcept { return env_.options.planning.is_on; }
  [[nodiscard]] bool has_planner() const noexcept {
    return env_.options.planning.planner != nullptr;
  }
  /// A planning that dies is begun anew without the planner: the next row decides. Errors: those of
  /// planner::decide; unavailable (canceled, or the process ends); internal (it has died twice).
  void ask(planning_query query, reply<planned_message_ptr> done);
  /// Null: replans_under_way_max are under way.
  [[nodiscard]] replan_ticket enter_replan();
  /// Nobody waits any more for what was asked about this objective.
  void cancel(const std::string& objective);
  /// For the messages that come from now on.
  void replace(template_list templates);
  [[nodiscard]] template_list templates() const;
  /// Ends all plannings.
  void close();

private:
  struct entry {
    std::string objective;
    planning_handle actor;
  };

  void begin(std::shared_ptr<const planning_query> query, reply<planned_message_ptr> done);

  environment& env_;
  mutable std::mutex guard_;
  template_list templates_;
  bool is_closed_ = false;
  std::uint64_t last_ = 0;
  const std::shared_ptr<std::atomic<std::size_t>> replans_ =
      std::make_shared<std::atomic<std::size_t>>(0);
  std::unordered_map<std::uint64_t, entry> under_way_;
};

} // namespace troupe
