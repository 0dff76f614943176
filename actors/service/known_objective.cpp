#include "actors/service/known_objective.hpp"

#include "actors/commands/message_rules.hpp"
#include "actors/commands/placing.hpp"
#include "actors/service/objective_of_message.hpp"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

namespace troupe {

namespace {

error has_ended(const objective_view& objective) {
  return make_error(errc::invalid_transition,
                    "the objective is " + std::string{to_string(objective.state)}
                        + " and takes no more plans",
                    "message.metadata");
}

bool has_plan(const objective_view& objective, const plan_spec& wanted) {
  return std::any_of(objective.plans.begin(), objective.plans.end(), [&](const plan_view& plan) {
    return wanted.id.empty() ? plan.spec->name == wanted.name : plan.spec->id == wanted.id;
  });
}

/// The plans of one message, added in one change.
class joining : public std::enable_shared_from_this<joining> {
public:
  joining(gateway& to, store& records, std::shared_ptr<push_configurations> pushes,
          std::shared_ptr<send_request> request, reply<sent> done)
      : to_(to), records_(records), pushes_(std::move(pushes)), request_(std::move(request)),
        id_(named_objective(*request_)), done_(std::move(done)) {}

  void begin() {
    read([self = shared_from_this()](const objective_view& now) { self->choose(now); });
  }

private:
  [[nodiscard]] const principal& who() const { return request_->command.who; }

  template<class Next>
  void read(Next next) {
    records_.read_objective(
        id_,
        [self = shared_from_this(), next = std::move(next)](const result<objective_ptr>& now) {
          if (!now)
            return self->done_(now.error());
          next(**now);
        },
        client_of(who()));
  }

  void choose(const objective_view& now) {
    if (is_settled(now.state))
      return done_(has_ended(now));
    auto& wish = *request_->objective;
    const auto want = [&](plan_spec plan) {
      const bool is_wanted = std::any_of(plans_.begin(), plans_.end(), [&](const plan_spec& other) {
        return !plan.id.empty() && other.id == plan.id;
      });
      // What was just planned is new, whatever it is called.
      if ((request_->planned || !has_plan(now, plan)) && !is_wanted)
        plans_.push_back(std::move(plan));
    };
    for (const auto& plan : wish.objective->plans)
      want(*plan);
    if (wish.plan)
      want(std::move(*wish.plan));
    wish.objective.reset();
    wish.plan.reset();
    if (plans_.empty() && now.plans.empty())
      if (auto said = plan_of_message(*request_))
        plans_.push_back(std::move(said->spec));
    if (auto ok = check(); !ok)
      return done_(ok.error());
    if (!plans_.empty() || now.state != objective_state::submitted)
      return add();
    update_objective start;
    start.who = who();
    start.id = id_;
    start.state = objective_state::working;
    to_.update(std::move(start), [self = shared_from_this()](const result<objective_ptr>& begun) {
      if (!begun)
        return self->done_(begun.error());
      self->show();
    });
  }

  /// The rules of a plan that a message adds (service::join).
  [[nodiscard]] result<void> check() const {
    const auto& text = request_->command.message;
    if (!plans_.empty() && !text.reference_task_ids.empty())
      return refers_to_tasks();
    const auto& agents = to_.agents();
    const auto agent = agents.find(agents.default_name());
    for (const auto& plan : plans_)
      if (agent && is_for_default_agent(plan, agents))
        if (auto ok = check_media_types(text, request_->command.accepted_output_modes, *agent); !ok)
          return ok;
    return {};
  }

  /// All of them, or none.
  void add() {
    if (plans_.empty())
      return show();
    modify_objective command;
    command.who = who();
    command.id = id_;
    command.starts = true;
    if (request_->planned)
      command.author = planner_author;
    command.conditions = request_->command.conditions;
    for (auto& plan : plans_)
      command.operations.emplace_back(
          new_plan{std::make_shared<plan_spec>(std::move(plan)), true, {}});
    to_.change(std::move(command), [self = shared_from_this()](const result<change_report>& made) {
      if (!made)
        return self->done_(made.error());
      self->last_ = made->plans_added.back();
      self->show();
    });
  }

  /// Answers with the task that stands for the objective.
  void show() {
    read([self = shared_from_this()](const objective_view& now) {
      auto task = now.root_task;
      for (const auto& plan : now.plans)
        if (now.root_task.empty() && !plan.spec->tasks.empty()
            && (task.empty() || plan.spec->id == self->last_))
          task = plan.task_at(0);
      if (task.empty())
        return self->done_(make_error(errc::invalid_params,
                                      "the objective in the message has no task that could answer",
                                      "message.metadata"));
      self->answer(std::move(task), now.id.str());
    });
  }

  void answer(task_id task, std::string context) {
    sent out;
    out.task = std::move(task);
    out.context = std::move(context);
    out.repeated = true;
    out.objective = id_;
    if (!request_->push)
      return done_(std::move(out));
    request_->push->task = out.task;
    pushes_->attach(
        std::move(*request_->push), false,
        [self = shared_from_this(), out](const result<push_config>&) { self->done_(out); });
  }

  gateway& to_;
  store& records_;
  const std::shared_ptr<push_configurations> pushes_;
  const std::shared_ptr<send_request> request_;
  const objective_id id_;
  const reply<sent> done_;
  std::vector<plan_spec> plans_; ///< To be added.
  plan_id last_{};
};

} // namespace

objective_id named_objective(const send_request& request) {
  const auto& context = request.command.message.context_id;
  const auto& wish = request.objective;
  if (!wish || !wish->objective)
    return {};
  const auto& id = wish->objective->id;
  if (id.empty())
    return objective_id{context};
  return context.empty() || context == id.str() ? id : objective_id{};
}

void join_known(gateway& to, store& records, std::shared_ptr<push_configurations> pushes,
                std::shared_ptr<send_request> request, reply<sent> done) {
  std::make_shared<joining>(to, records, std::move(pushes), std::move(request), std::move(done))
      ->begin();
}

void explain_duplicate(const store& records, const principal& who, const objective_id& id,
                       error refused, reply<objective_ptr> done) {
  records.read_objective(
      id,
      [who, refused = std::move(refused),
       done = std::move(done)](const result<objective_ptr>& now) {
        if (now && owns(who, (*now)->owner) && is_settled((*now)->state))
          return done(has_ended(**now));
        done(refused);
      },
      client_of(who));
}

} // namespace troupe
