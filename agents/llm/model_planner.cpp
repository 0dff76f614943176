#include "agents/llm/model_planner.hpp"

#include "agents/llm/change_reply.hpp"
#include "agents/llm/plan_reply.hpp"
#include <troupe/protocol/ids.hpp>

#include <cstdint>
#include <mutex>
#include <utility>
#include <variant>

namespace troupe {

namespace {

/// Asks, and asks once more if the answer is none. On the loop, after its construction.
class model_planning : public std::enable_shared_from_this<model_planning> {
public:
  model_planning(models::model_client& client, const models::model_settings& model,
                 planning_order_ptr order, planner_port_ptr port)
      : client_(client), model_(model), order_(std::move(order)), port_(std::move(port)),
        request_(order_->replans ? change_request(*order_, thread_id_source().next("made"))
                                 : plan_request(*order_, thread_id_source().next("made"))) {}

  void ask() {
    if (is_dropped_)
      return;
    models::call_listener to;
    to.on_end = [this, self = shared_from_this()](models::call_outcome outcome) {
      take(std::move(outcome));
    };
    to.meter = meter_;
    call_ = client_.ask(model_, request_, {{}, order_->objective}, std::move(to));
  }
  void drop() {
    is_dropped_ = true;
    call_.reset();
  }
  /// With the call that is under way; from any thread.
  [[nodiscard]] model_usage used() const {
    const std::lock_guard guard(mutex_);
    auto out = used_;
    out += usage_of(meter_->so_far());
    return out;
  }

private:
  void take(models::call_outcome outcome) {
    count(outcome.cost);
    if (!outcome.answer)
      return give_up(outcome.answer.failure.message,
                     outcome.answer.failure.kind == models::failure_kind::over_budget
                         ? errc::budget_exceeded
                         : errc::planner_failed,
                     outcome.answer.failure.budget);
    auto& answer = *outcome.answer.value;
    switch (models::kind_of(answer)) {
      case models::answer_kind::text: return read(answer.content);
      case models::answer_kind::calls: return give_up("it asked for tools, and there are none");
      case models::answer_kind::too_long: return give_up("its answer was cut off at its limit");
      case models::answer_kind::refused: return give_up("it refused: " + answer.refusal);
      case models::answer_kind::filtered: return give_up("a filter took its answer away");
    }
  }

  void read(const std::string& content) {
    auto made = order_->replans ? read_change_reply(content, order_->agents, question_rule(*order_))
                                : read_plan_reply(content, order_->agents, question_rule(*order_));
    const auto usable = made ? check(*made) : result<void>(made.error());
    if (usable)
      return end(std::move(*made));
    if (std::exchange(was_repaired_, true))
      return give_up("its plan cannot be used: " + usable.error().message);
    request_.messages.push_back({models::speaker::assistant, content});
    request_.messages.push_back(
        {models::speaker::user, "That cannot be used: " + usable.error().message
                                    + ". Reply with the corrected JSON object and nothing else."});
    ask();
  }

  /// Whether it could run.
  [[nodiscard]] result<void> check(const planner_report& made) const {
    const auto placed = [](const result<void>& found) {
      return found || found.error().field.empty()
                 ? found
                 : result<void>(make_error(found.error().code,
                                           found.error().field + ": " + found.error().message,
                                           found.error().field));
    };
    if (const auto* plan = std::get_if<report_plan>(&made); plan && order_->check_plan)
      return placed(order_->check_plan(plan->objective));
    if (const auto* change = std::get_if<report_replan>(&made); change && order_->check_change)
      return placed(order_->check_change(change->operations));
    return {};
  }

  void count(const models::call_cost& cost) {
    const std::lock_guard guard(mutex_);
    used_ += usage_of(cost);
    meter_->clear();
  }

  [[nodiscard]] static model_usage usage_of(const models::call_cost& cost) {
    if (cost.tries == 0)
      return {};
    return {1,
            cost.usage.prompt_tokens,
            cost.usage.answer_tokens,
            static_cast<std::uint64_t>(cost.spent.time.count()),
            static_cast<std::uint64_t>(cost.spent.cost),
            cost.usage.is_estimated};
  }

  void give_up(const std::string& why, errc code = errc::planner_failed, std::string budget = {}) {
    end(report_no_plan{"the model " + model_.name + ": " + why, {}, code, std::move(budget)});
  }
  void end(planner_report report) {
    std::visit([this](auto& each) { each.used = used(); }, report);
    port_->report(std::move(report));
    drop();
  }

  models::model_client& client_;
  const models::model_settings& model_;
  const planning_order_ptr order_;
  const planner_port_ptr port_;
  models::chat_request request_;
  const std::shared_ptr<models::call_meter> meter_ = std::make_shared<models::call_meter>();
  mutable std::mutex mutex_; // guards used_
  model_usage used_;         ///< In all calls that have ended.
  bool was_repaired_ = false;
  bool is_dropped_ = false;
  models::call_handle call_;
};

class model_planner_run final : public planner_run {
public:
  model_planner_run(std::shared_ptr<models::model_client> client,
                    std::shared_ptr<model_planning> planning)
      : client_(std::move(client)), planning_(std::move(planning)) {
    client_->post([to = planning_] { to->ask(); });
  }
  ~model_planner_run() override {
    client_->post([to = planning_] { to->drop(); });
  }
  [[nodiscard]] model_usage used() const override { return planning_->used(); }

private:
  std::shared_ptr<models::model_client> client_;
  std::shared_ptr<model_planning> planning_;
};

} // namespace

planner_start model_planner::plan(const planning_order_ptr& order, const planner_port_ptr& port) {
  const auto* model = models_->find(model_);
  if (model == nullptr)
    return report_no_plan{"there is no model " + model_};
  if (starts_client_)
    models_->start();
  return std::make_unique<model_planner_run>(
      models_, std::make_shared<model_planning>(*models_, *model, order, port));
}

} // namespace troupe
