#include "actors/planning/planned_objective.hpp"

#include "actors/planning/asking.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/owner_parts.hpp"
#include <troupe/protocol/ids.hpp>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

namespace troupe {

namespace {

constexpr std::uint32_t planner_attempts_max = 2;

constexpr const char* attempt_key = "attempt"; ///< There as long as the planner is asked.
constexpr const char* prefers_key = "prefersObjective";

boost::json::object asked_note(const planning_query& query) {
  boost::json::object out;
  out["who"] = planner::to_string(planner::decider::model);
  out[attempt_key] = std::int64_t{query.attempt};
  if (query.request.prefers_objective == true)
    out[prefers_key] = true;
  return out;
}

/// From the question to the planner to the objective that works.
class objective_planning : public std::enable_shared_from_this<objective_planning> {
public:
  objective_planning(gateway& to, principal who, objective_id id, planning_query query)
      : to_(to), who_(std::move(who)), id_(std::move(id)), query_(std::move(query)) {}

  void ask() {
    ask_about(to_, id_, query_,
              [self = shared_from_this()](const result<planned_message_ptr>& planned) {
                self->on_planned(planned);
              });
  }

private:
  void on_planned(const result<planned_message_ptr>& planned) {
    if (!planned && planned.error().code == errc::unavailable)
      return; // The objective has ended, or the process does: then it is taken up again.
    if (!planned) {
      note_["who"] = planner::to_string(planner::decider::nobody);
      note_["problem"] = planned.error().message;
    } else {
      note_ = (*planned)->note();
      used_ = (*planned)->used;
      const auto& made = (*planned)->made;
      if (made.outcome == planner::decision::objective && made.objective) {
        name_ = made.objective->name;
        plans_ = plans_to_add(*made.objective, {});
      }
      if ((*planned)->answer)
        answer_ = (*planned)->answer;
    }
    if (plans_.empty() && planner::is_blank_text(query_.request.text))
      return give_up(make_error(errc::invalid_params, "the message has no text; send one"));
    if (plans_.empty()) {
      auto only = plan_of_text(query_.request.text);
      only.id = plan_id{thread_id_source().next("planned")};
      plans_.push_back(std::move(only));
    }
    add();
  }

  void add() {
    if (added_ == plans_.size())
      return answer_ ? complete() : start();
    create_plan command;
    command.who = who_;
    command.objective = id_;
    command.spec = std::move(plans_[added_++]);
    last_ = command.spec.id;
    to_.create(std::move(command), [self = shared_from_this()](const result<plan_id>& made) {
      if (made)
        self->add();
      else
        self->give_up(made.error());
    });
  }

  /// The planner's answer is what the only task has made.
  void complete() {
    change_plan command;
    command.who = who_;
    command.id = last_;
    complete_task<std::string> answered{"task-0", false, {}};
    answered.artifacts.push_back(std::make_shared<const artifact>(answer_as_artifact(*answer_)));
    command.operations.emplace_back(std::move(answered));
    command.reason = "the planner has answered";
    to_.change(std::move(command), [self = shared_from_this()](const result<change_report>& done) {
      if (done)
        self->start();
      else
        self->give_up(done.error());
    });
  }

  void start() {
    update_objective command;
    command.who = who_;
    command.id = id_;
    command.state = objective_state::working;
    if (query_.request.suggested_name.empty() && !name_.empty())
      command.edited.name = name_;
    command.edited.metadata[planner::planner_key] = note_;
    command.used = used_;
    to_.update(std::move(command), [self = shared_from_this()](const result<objective_ptr>& begun) {
      if (!begun)
        self->give_up(begun.error());
    });
  }

  /// Ends the objective with the error. If it has ended meanwhile, there is nothing to do.
  void give_up(const error& why) {
    if (why.code == errc::invalid_transition || why.code == errc::unavailable)
      return;
    update_objective command;
    command.who = who_;
    command.id = id_;
    command.state = objective_state::failed;
    note_["problem"] = why.message;
    command.edited.metadata[planner::planner_key] = note_;
    command.used = used_;
    to_.update(std::move(command), [](const result<objective_ptr>&) {});
  }

  gateway& to_;
  const principal who_;
  const objective_id id_;
  const planning_query query_;
  boost::json::object note_;
  model_usage used_;
  std::string name_;
  message_ptr answer_;
  std::vector<plan_spec> plans_;
  std::size_t added_ = 0;
  plan_id last_;
};

void begin_planning(gateway& to, const principal& who, const objective_view& objective,
                    planning_query query) {
  std::make_shared<objective_planning>(to, who, objective.id, std::move(query))->ask();
}

} // namespace

void limit_attempts(planning_query& query, std::uint32_t attempt) {
  query.attempt = attempt;
  if (attempt > planner_attempts_max)
    query.planner_problem = "the process has ended each time that the planner was asked";
}

void count_used(gateway& to, const objective_id& id, const model_usage& used) {
  if (used.calls == 0)
    return;
  to.records().read_objective(id, [&to, used](const result<objective_ptr>& now) {
    if (!now || !*now)
      return;
    update_objective command;
    command.who = principal_of((*now)->owner);
    command.id = (*now)->id;
    command.used = used;
    to.update(std::move(command), [](const result<objective_ptr>&) {});
  });
}

artifact answer_as_artifact(const message& said) {
  artifact out;
  out.artifact_id = "answer";
  out.name = "answer";
  out.parts = said.parts;
  return out;
}

plan_spec plan_of_text(const std::string& text, std::string name) {
  plan_spec plan;
  if (planner::is_blank_text(text))
    return plan;
  task_spec only;
  only.description = text;
  only.name = name.empty() ? planner::name_of_text(text) : std::move(name);
  plan.name = only.name;
  plan.tasks.push_back(std::move(only));
  return plan;
}

std::vector<plan_spec> plans_to_add(const objective_spec& from, const boost::json::object& note) {
  std::vector<plan_spec> out;
  std::map<std::string, std::string> ids;
  for (const auto& plan : from.plans) {
    auto added = *plan;
    added.id = plan_id{thread_id_source().next("planned")};
    ids["plan-" + std::to_string(out.size())] = added.id.str();
    for (const auto& name : {plan->id.str(), plan->key, plan->name})
      if (!name.empty())
        ids.emplace(name, added.id.str());
    if (!note.empty())
      added.metadata[planner::planner_key] = note;
    out.push_back(std::move(added));
  }
  const auto rename = [&](std::vector<std::string>& names) {
    for (auto& name : names)
      if (const auto found = ids.find(name); found != ids.end())
        name = found->second;
  };
  for (auto& plan : out) {
    rename(plan.dependencies);
    rename(plan.alternatives);
  }
  return out;
}

void create_planning(gateway& to, create_objective command, planning_query query,
                     reply<objective_ptr> done) {
  command.start = false;
  command.spec.metadata[planner::planner_key] = asked_note(query);
  const auto who = command.who;
  to.create(std::move(command), nullptr,
            [&to, who, query = std::move(query),
             done = std::move(done)](const result<objective_ptr>& made) {
              if (!made)
                return done(made.error());
              update_objective move;
              move.who = who;
              move.id = (*made)->id;
              move.state = objective_state::planning;
              to.update(std::move(move),
                        [&to, who, query, done](const result<objective_ptr>& moved) {
                          if (moved)
                            begin_planning(to, who, **moved, query);
                          done(moved);
                        });
            });
}

bool is_being_planned(const objective_view& objective) {
  if (is_settled(objective.state) || objective.root_task.empty())
    return false;
  const auto* note = objective.metadata.if_contains(planner::planner_key);
  return note != nullptr && note->is_object() && note->get_object().contains(attempt_key);
}

void take_up_planning(gateway& to, const objective_view& left) {
  if (left.plans.size() > 0) { // The end of the process came while they were added.
    update_objective command;
    command.who = principal_of(left.owner);
    command.id = left.id;
    command.state = objective_state::working;
    command.edited.metadata[planner::planner_key] = boost::json::object{
        {"who", planner::to_string(planner::decider::model)},
        {"problem", "the process ended while the plans were added; some may be missing"}};
    return to.update(std::move(command), [](const result<objective_ptr>&) {});
  }
  planning_query query;
  const auto& note = left.metadata.at(planner::planner_key).get_object();
  const auto* attempt = note.at(attempt_key).if_int64();
  limit_attempts(query, attempt != nullptr ? static_cast<std::uint32_t>(*attempt) + 1 : 2);
  query.request.is_active = true;
  query.request.suggested_name = left.name;
  if (note.contains(prefers_key))
    query.request.prefers_objective = true;
  const auto who = principal_of(left.owner);
  const auto id = left.id;
  // The text is what the root task was asked for.
  to.records().read_task(
      left.root_task, [&to, who, id, query](const result<task_ptr>& root) mutable {
        if (root && *root)
          for (const auto& said : (*root)->history)
            if (said->from == role::user && query.request.text.empty())
              query.request.text = text_of(said->parts);
        update_objective command;
        command.who = who;
        command.id = id;
        command.state = objective_state::planning;
        command.edited.metadata[planner::planner_key] = asked_note(query);
        to.update(std::move(command), [&to, who, query](const result<objective_ptr>& noted) {
          if (noted)
            begin_planning(to, who, **noted, query);
        });
      });
}

} // namespace troupe
