#include "sim/teller.hpp"

#include <troupe/protocol/ids.hpp>

#include <algorithm>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::sim {

namespace {

constexpr std::uint64_t all_of_it = 1'000'000;
/// Of a task that has not completed.
constexpr std::uint64_t reached_max = 990'000;

std::string text_in(const std::vector<part>& parts) {
  std::string out;
  for (const auto& each : parts)
    if (const auto* text = std::get_if<text_content>(&each.content))
      out += text->text;
  return out;
}

/// "completed", as an objective shows it.
std::string short_name(task_state state) {
  return std::string(to_string(state));
}

/// The mean of the trackers that have a total, unless the all_of_it has one. In millionths.
std::uint32_t reached_by(const progress_report& report) {
  const auto share = [](const std::optional<double>& progress, double total) {
    return total <= 0
               ? std::uint64_t{0}
               : static_cast<std::uint64_t>(std::clamp(progress.value_or(0) / total, 0.0, 1.0)
                                            * static_cast<double>(all_of_it));
  };
  std::uint64_t sum = 0;
  std::uint64_t count = 0;
  for (const auto& each : report.trackers)
    if (each.total) {
      sum += share(each.progress, *each.total);
      ++count;
    }
  if (report.aggregate && report.aggregate->total) {
    sum = share(report.aggregate->progress, *report.aggregate->total);
    count = 1;
  }
  return static_cast<std::uint32_t>(std::min(count == 0 ? 0 : sum / count, reached_max));
}

} // namespace

std::string wire_name(task_state state) {
  switch (state) {
    case task_state::submitted: return "TASK_STATE_SUBMITTED";
    case task_state::working: return "TASK_STATE_WORKING";
    case task_state::completed: return "TASK_STATE_COMPLETED";
    case task_state::failed: return "TASK_STATE_FAILED";
    case task_state::canceled: return "TASK_STATE_CANCELED";
    case task_state::input_required: return "TASK_STATE_INPUT_REQUIRED";
    case task_state::rejected: return "TASK_STATE_REJECTED";
    case task_state::auth_required: return "TASK_STATE_AUTH_REQUIRED";
    case task_state::unspecified: break;
  }
  return "TASK_STATE_UNSPECIFIED";
}

/// The facts of one event of an objective.
struct teller::telling {
  teller& me;
  const change& from;
  std::vector<objective_fact>& out;

  objective_fact& add(fact_kind kind, std::uint32_t plan = 0, std::uint32_t task = 0) const {
    auto& fact = out.emplace_back();
    fact.kind = kind;
    fact.at = from.at.time_since_epoch().count();
    fact.plan = plan;
    fact.task = task;
    fact.change = from.sequence;
    return fact;
  }
  void edge(fact_kind kind, std::uint32_t plan, std::uint32_t task, std::uint32_t on) const {
    add(kind, plan, task).on = on;
  }
  [[nodiscard]] std::map<place, std::uint32_t>& attempts() const {
    return me.attempts_[from.context];
  }
  [[nodiscard]] place here() const { return {from.task.plan_index, from.task.task_index}; }

  void add_task_of(std::uint32_t plan, std::uint32_t index, const task_spec& spec) const {
    add(fact_kind::task_added, plan, index).text = spec.name;
    if (!spec.id.empty())
      me.bases_[from.context][{plan, index}] = spec.id.str();
    for (const auto on : spec.dependency_indexes)
      if (on != elsewhere)
        edge(fact_kind::edge_added, plan, index, on);
  }
  void add_plan(std::uint32_t index, const plan_spec& spec) const {
    auto& added = add(fact_kind::plan_added, index);
    added.text = spec.name;
    added.id = spec.id.str();
    for (std::uint32_t i = 0; i < spec.tasks.size(); ++i)
      add_task_of(index, i, spec.tasks[i]);
    if (spec.dependencies.empty())
      return;
    std::vector<std::uint32_t> others;
    for (const auto& name : spec.dependencies)
      for (const auto& each : out)
        if (each.kind == fact_kind::plan_added && each.text == name)
          others.push_back(each.plan);
    add(fact_kind::plan_after, index).others = std::move(others);
  }
  [[nodiscard]] std::uint32_t count(fact_kind kind, std::uint32_t plan) const {
    return static_cast<std::uint32_t>(std::ranges::count_if(out, [&](const objective_fact& each) {
      return each.kind == kind && (kind == fact_kind::plan_added || each.plan == plan);
    }));
  }

  void operator()(const objective_created& created) const {
    if (created.spec)
      for (std::uint32_t p = 0; p < created.spec->plans.size(); ++p)
        add_plan(p, *created.spec->plans[p]);
  }
  void operator()(const plan_added& added) const {
    if (added.spec)
      add_plan(count(fact_kind::plan_added, 0), *added.spec);
  }
  void operator()(const plan_moved& moved) const {
    auto& fact = add(fact_kind::plan_moved, moved.plan);
    fact.text = to_string(moved.to());
    fact.reason = moved.reason;
  }
  void operator()(const pause_changed& asked) const {
    auto& fact = asked.plan ? add(fact_kind::plan_told, *asked.plan) : add(fact_kind::told);
    fact.text = asked.paused ? "blocked" : "working";
  }
  void operator()(const objective_closing& asked) const {
    add(fact_kind::told).text = to_string(asked.to);
  }
  void operator()(const objective_moved& moved) const {
    auto& fact = add(fact_kind::moved);
    fact.text = to_string(moved.to());
    fact.reason = moved.reason;
  }
  void operator()(const tasks_withdrawn& withdrawn) const {
    for (const auto task : withdrawn.tasks) {
      auto& fact = add(fact_kind::task_ended, withdrawn.plan, task);
      fact.text = short_name(withdrawn.to);
      fact.reason = withdrawn.reason;
    }
  }
  void operator()(const tasks_renewed& renewed) const {
    for (const auto task : renewed.tasks) {
      ++me.generations_[from.context][{renewed.plan, task}];
      attempts().erase({renewed.plan, task});
      add(fact_kind::task_renewed, renewed.plan, task);
    }
  }
  void operator()(const plan_changed& changed) const {
    for (const auto& one : changed.operations)
      std::visit([&](const auto& operation) { change_plan(changed.plan, operation); }, one);
  }
  void operator()(const objective_changed& changed) const {
    for (const auto& one : changed.operations)
      if (const auto* set = std::get_if<set_plan_dependencies<std::uint32_t>>(&one))
        add(fact_kind::plan_after, set->plan).others = set->on;
  }
  void operator()(const task_created& created) const {
    if (created.record && created.record->status.state != task_state::submitted)
      move(created.record->status.state, created.record->attempt, "");
  }
  void operator()(const task_moved& moved) const {
    move(moved.to, moved.attempt, moved.message ? text_in(moved.message->parts) : std::string{});
  }
  void operator()(const task_progress& news) const {
    if (news.progress)
      add(fact_kind::task_reached, here().first, here().second).on = reached_by(*news.progress);
  }
  template<class Event>
  void operator()(const Event&) const {}

private:
  void move(task_state to, std::uint32_t attempt, const std::string& reason) const {
    if (from.task.id.empty() || from.task.lone)
      return;
    // It begins with the question of the attempt before, if the end of a process left that open.
    const bool begins =
        (to == task_state::working || is_interrupted(to)) && attempts()[here()] != attempt;
    if (begins)
      attempts()[here()] = attempt;
    auto& fact = add(begins            ? fact_kind::task_begun
                     : is_terminal(to) ? fact_kind::task_ended
                                       : fact_kind::task_asks,
                     here().first, here().second);
    fact.text = short_name(to);
    fact.reason = reason;
  }

  void change_plan(std::uint32_t plan, const add_task& added) const {
    add_task_of(plan, count(fact_kind::task_added, plan), added.spec);
  }
  void change_plan(std::uint32_t plan, const remove_task<std::uint32_t>& removed) const {
    add(fact_kind::task_removed, plan, removed.task);
  }
  void change_plan(std::uint32_t plan, const add_dependency<std::uint32_t>& added) const {
    edge(fact_kind::edge_added, plan, added.task, added.on);
  }
  void change_plan(std::uint32_t plan, const remove_dependency<std::uint32_t>& removed) const {
    edge(fact_kind::edge_removed, plan, removed.task, removed.on);
  }
  void change_plan(std::uint32_t plan, const rename_task<std::uint32_t>& renamed) const {
    add(fact_kind::task_renamed, plan, renamed.task).text = renamed.name;
  }
  void change_plan(std::uint32_t plan, const skip_task<std::uint32_t>& skipped) const {
    add(fact_kind::task_skipped, plan, skipped.task);
  }
  template<class Operation>
  void change_plan(std::uint32_t, const Operation&) const {}
};

std::string teller::id_of(const std::string& objective, place task) const {
  std::uint32_t generation = 0;
  if (const auto of = generations_.find(objective); of != generations_.end())
    if (const auto at = of->second.find(task); at != of->second.end())
      generation = at->second;
  auto base = make_task_id(make_plan_id(objective_id{objective}, task.first), task.second);
  if (const auto of = bases_.find(objective); of != bases_.end())
    if (const auto at = of->second.find(task); at != of->second.end())
      base = task_id{at->second};
  return renewed_id(base, generation).str();
}

void teller::tell(const change& from) {
  std::uint32_t index = 0;
  for (const auto& each : from.events) {
    if (from.task.id.empty() || !from.task.lone)
      tell_objective(from, each);
    tell_task(from, each, index++);
    tell_question(from, each);
  }
}

void teller::tell_objective(const change& from, const event& one) {
  std::visit(telling{*this, from, into_.facts[from.context]}, one);
}

void teller::tell_task(const change& from, const event& one, std::uint32_t index) {
  // The status keeps its time when a message is added.
  const auto add = [&](const std::string& task, stream_event event) {
    event.cursor = std::to_string(from.sequence) + "." + std::to_string(index);
    event.task.id = task;
    into_.journal[task].push_back(std::move(event));
  };
  stream_event out;
  const auto tell_artifact = [&](const std::string& task, const artifact& made, bool append) {
    auto of = out;
    of.kind = event_kind::artifact;
    of.artifact = made.artifact_id;
    of.text = text_in(made.parts);
    of.append = append;
    add(task, of);
  };
  if (const auto* created = std::get_if<task_created>(&one)) {
    if (created->record->status.state != task_state::submitted) {
      out.task.state = wire_name(created->record->status.state);
      add(from.task.id.str(), out);
    }
  } else if (const auto* moved = std::get_if<task_moved>(&one)) {
    out.task.state = wire_name(moved->to);
    add(from.task.id.str(), out);
  } else if (const auto* said = std::get_if<task_message>(&one); said && is_from_agent(*said)) {
    out.task.state = wire_name(said->state);
    add(from.task.id.str(), out);
  } else if (const auto* reminded = std::get_if<question_reminded>(&one)) {
    out.task.state = wire_name(reminded->state);
    add(from.task.id.str(), out);
  } else if (const auto* made = std::get_if<task_artifact>(&one)) {
    tell_artifact(from.task.id.str(), *made->artifact, made->append);
  } else if (const auto* withdrawn = std::get_if<tasks_withdrawn>(&one)) {
    out.task.state = wire_name(withdrawn->to);
    for (const auto task : withdrawn->tasks) {
      const auto id = id_of(from.context, {withdrawn->plan, task});
      for (const auto& each : withdrawn->artifacts)
        tell_artifact(id, *each, false);
      add(id, out);
    }
  }
}

void teller::tell_question(const change& from, const event& one) {
  const auto add = [&](question_turn kind, const std::string& id) -> question_fact& {
    auto& fact = into_.questions[from.task.id.str() + "." + id].emplace_back();
    fact.kind = kind;
    fact.at = from.at.time_since_epoch().count();
    return fact;
  };
  if (const auto* opened = std::get_if<question_opened>(&one)) {
    if (opened->asked)
      add(question_turn::opened, opened->asked->id);
  } else if (const auto* claimed = std::get_if<question_claimed>(&one)) {
    auto& fact = add(question_turn::claimed, claimed->id);
    fact.by = claimed->claim.by;
    fact.until = claimed->claim.until.time_since_epoch().count();
  } else if (const auto* released = std::get_if<question_released>(&one)) {
    add(question_turn::released, released->id).by = released->by;
  } else if (const auto* answered = std::get_if<question_answered>(&one)) {
    auto& fact = add(question_turn::answered, answered->id);
    fact.by = answered->by;
    fact.message = answered->message;
    fact.declines = answered->action != answer_action::accept;
  } else if (const auto* expired = std::get_if<question_expired>(&one)) {
    add(question_turn::expired, expired->id);
  } else if (const auto* withdrawn = std::get_if<question_withdrawn>(&one)) {
    add(question_turn::withdrawn, withdrawn->id);
  }
}

} // namespace troupe::sim
