#include "protocol/fold/apply.hpp"
#include "protocol/fold/limits.hpp"
#include "protocol/fold/operation_errors.hpp"
#include "protocol/fold/shape_decider.hpp"
#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

namespace {

/// Tasks that a message names.
constexpr std::size_t names_shown_max = 3;

} // namespace

result<shape_decision> shape_decider::run(const change_plan& command) {
  out_.author = command.by_task.empty() ? owner_of(command.who) : command.by_task.str();
  out_.reason = command.reason;
  auto done = check_operation_count(command.operations.size());
  searches_until_ = shape_.looked_at() + cycle_searches_looks_max;
  for (at_ = 0; done && at_ < command.operations.size(); ++at_) {
    done = check_kind(command.operations[at_]);
    if (done)
      done = std::visit([this](const auto& wanted) { return apply_one(wanted); },
                        command.operations[at_]);
  }
  if (done && !unsearched_.empty())
    done = check_unsearched();
  if (done)
    done = bring_back();
  if (done && shape_.tasks() == 0)
    done = make_error(errc::invalid_params,
                      "the change leaves the plan without a task; end the plan instead",
                      "/operations");
  if (done && terms_.check_references)
    done = check_references();
  if (done)
    done = check_readers();
  if (done && plan_.state == plan_state::failed)
    done = check_failed();
  if (done && terms_.check_cycles && adds_dependencies_)
    done = terms_.check_cycles(*plan_.spec);
  if (done)
    report(command.dry_run);
  if (done && !command.dry_run)
    return shape_decision{std::move(out_), std::move(report_)};
  for (auto each = out_.operations.rbegin(); each != out_.operations.rend(); ++each)
    shape_.revert(*plan_.spec, *each);
  take_back_names();
  if (!done)
    return done.error();
  return shape_decision{std::move(out_), std::move(report_)};
}

error shape_decider::refuse(errc code, const std::string& why, std::string_view member) const {
  return operation_error(at_, code, why, member);
}

const std::string& shape_decider::label(std::uint32_t task) const {
  const auto& of = spec(task);
  if (!of.key.empty())
    return of.key;
  return of.name.empty() ? of.id.str() : of.name;
}

std::string shape_decider::named(std::uint32_t task) const {
  return "task " + quoted(label(task));
}

result<std::uint32_t> shape_decider::find(const std::string& name, std::string_view member) const {
  if (const auto alias = aliases_.find(name); alias != aliases_.end())
    return alias->second;
  if (const auto found = shape_.find(name))
    return *found;
  if (const auto found = find_renewed(name))
    return *found;
  const auto named = find_named(name, errc::unknown_dependency, member);
  if (!named)
    return named.error();
  if (!*named)
    return refuse(errc::unknown_dependency, "the plan has no task " + quoted(name), member);
  return **named;
}

std::optional<std::uint32_t> shape_decider::find_renewed(const std::string& id) const {
  const auto suffix = id.rfind(".r");
  if (suffix == std::string::npos)
    return std::nullopt;
  const auto found = shape_.find(id.substr(0, suffix));
  return found && plan_.task_at(*found).str() == id ? found : std::nullopt;
}

result<std::optional<std::uint32_t>>
shape_decider::find_named(const std::string& name, errc if_several, std::string_view member) const {
  const auto& names = shape_.by_name(*plan_.spec);
  const auto count = names.count(name);
  if (count == 0)
    return std::optional<std::uint32_t>{};
  if (count > 1)
    return refuse(if_several,
                  std::to_string(count) + " tasks of the plan have the name " + quoted(name)
                      + "; use an id",
                  member);
  return std::optional{names.only(name)};
}

task_run shape_decider::run_of(std::uint32_t task) const {
  return terms_.run_of && task < first_added() && !renewed_.contains(task) ? terms_.run_of(task)
                                                                           : task_run::none;
}

result<change_effect> shape_decider::effect_of(change_kind kind, std::uint32_t task,
                                               std::string_view member) const {
  const auto stage = stage_of(summary(task), run_of(task));
  const auto rule = rule_of(kind, stage);
  if (rule.effect != change_effect::refuse)
    return rule.effect;
  const auto state = std::string{summary_state(summary(task))};
  switch (rule.refusal) {
    case errc::already_started:
      return refuse(rule.refusal,
                    named(task)
                        + (stage == task_stage::queued ? " waits for a slot"
                                                       : " has begun and stays as it is"),
                    member);
    case errc::nothing_to_retry:
      return refuse(rule.refusal,
                    named(task) + (stage == task_stage::working ? " is working" : " is " + state)
                        + " and has not failed",
                    member);
    case errc::dependency_failed:
      return refuse(
          rule.refusal,
          named(task) + " has " + state + ", so that what depends on it would never begin", member);
    default: return refuse(rule.refusal, named(task) + " has " + state, member);
  }
}

result<std::uint32_t> shape_decider::find_for(change_kind kind, const std::string& name) const {
  auto found = find(name);
  if (!found)
    return found;
  if (const auto effect = effect_of(kind, *found); !effect)
    return effect.error();
  return found;
}

result<void> shape_decider::check_reachable(std::uint32_t on, std::string_view member) const {
  if (const auto effect = effect_of(change_kind::depends_on, on, member); !effect)
    return effect.error();
  return {};
}

void shape_decider::done(applied_operation operation) {
  out_.operations.push_back(std::move(operation));
  plan_changed one{out_.plan, {out_.operations.back()}, {}, {}, out_.revision};
  apply(plan_, where_, one);
  shape_.apply(*plan_.spec, out_.operations.back());
  note(out_.operations.back());
}

void shape_decider::note(const applied_operation& operation) {
  if (std::holds_alternative<add_task>(operation)) {
    report_.added.push_back(spec(next_task() - 1).id);
    touched_.push_back(next_task() - 1);
  } else if (const auto* removed = std::get_if<remove_task<std::uint32_t>>(&operation)) {
    report_.removed.push_back(plan_.task_at(removed->task));
  } else if (const auto* less = std::get_if<remove_dependency<std::uint32_t>>(&operation)) {
    touched_.push_back(less->task);
  } else if (const auto* skipped = std::get_if<skip_task<std::uint32_t>>(&operation)) {
    note_dependents(skipped->task);
  } else if (const auto* completed = std::get_if<complete_task<std::uint32_t>>(&operation)) {
    note_dependents(completed->task);
  } else if (const auto* retried = std::get_if<retry_task<std::uint32_t>>(&operation)) {
    touched_.push_back(retried->task);
  }
}

void shape_decider::note_dependents(std::uint32_t task) {
  const auto& all = shape_.dependents(task);
  touched_.insert(touched_.end(), all.begin(), all.end());
}

result<void> shape_decider::check_references() {
  for (const auto& [task, operation] : breaks_references_) {
    if (spec(task).is_removed)
      continue;
    const bool is_added = task >= first_added() || replaced_.contains(task);
    at_ = operation;
    if (auto ok =
            terms_.check_references(task, is_added ? nullptr : before_.spec.get(), *plan_.spec);
        ok)
      continue;
    else if (is_added)
      return refuse(ok.error().code, ok.error().message, "/task/input" + ok.error().field);
    else
      return refuse(errc::still_read, named(task) + ": " + ok.error().message);
  }
  return {};
}

std::string shape_decider::names_of(const std::vector<std::uint32_t>& tasks) const {
  std::string out;
  for (std::size_t i = 0; i < tasks.size() && i < names_shown_max; ++i)
    out += (i == 0 ? "" : ", ") + named(tasks[i]);
  if (tasks.size() > names_shown_max)
    out += " and " + std::to_string(tasks.size() - names_shown_max) + " more";
  return out;
}

result<void> shape_decider::check_kind(const wanted_operation& wanted) const {
  if (before_.state != plan_state::failed || std::holds_alternative<retry_task<std::string>>(wanted)
      || std::holds_alternative<replace_task>(wanted)
      || std::holds_alternative<skip_task<std::string>>(wanted)
      || std::holds_alternative<complete_task<std::string>>(wanted))
    return {};
  return refuse(errc::plan_failed, "a failed plan accepts only retry, replace, skip and complete");
}

result<void> shape_decider::check_readers() {
  if (!terms_.reads)
    return {};
  for (const auto& [reader, skipped] : skipped_for_) {
    const auto& [task, operation] = skipped;
    const bool begins = summary(reader).state == task_state::unspecified;
    if (!begins || spec(reader).is_removed || !terms_.reads(reader, task, *plan_.spec))
      continue;
    at_ = operation;
    return refuse(errc::still_read, "the input of " + named(reader) + " refers to " + named(task),
                  "/task");
  }
  return {};
}

result<void> shape_decider::check_failed() {
  std::vector<std::uint32_t> rest;
  for (std::uint32_t task = 0; task < plan_.tasks.size(); ++task)
    if (!spec(task).is_removed && is_lost(summary(task)))
      rest.push_back(task);
  if (rest.empty())
    return {};
  return make_error(errc::plan_failed, "the change leaves it failed: " + names_of(rest),
                    "/operations");
}

void shape_decider::report(bool dry_run) {
  report_.plan = plan_.spec->id;
  report_.revision = out_.revision;
  report_.dry_run = dry_run;
  if (before_.state != plan_state::working && before_.state != plan_state::blocked)
    return;
  std::ranges::sort(touched_);
  // Not std::ranges::unique: clang 14 cannot compile the subrange of GCC's library.
  touched_.erase(std::unique(touched_.begin(), touched_.end()), touched_.end());
  for (const auto task : touched_)
    if (is_ready(plan_, task) && !(task < first_added() && is_ready(before_, task)))
      report_.released.push_back(plan_.task_at(task));
}

bool shape_decider::is_ready(const plan_view& plan, std::uint32_t task) const {
  const auto& of = plan.spec->tasks[task];
  if (of.is_removed || plan.tasks[task].state != task_state::unspecified)
    return false;
  return std::ranges::all_of(of.dependency_indexes, [&](std::uint32_t on) {
    return on == elsewhere ? terms_.waits_outside && !terms_.waits_outside(task)
                           : is_satisfied(plan.tasks[on]);
  });
}

result<shape_decision> decide(const plan_view& plan, plan_shape& shape, const change_plan& command,
                              const shape_terms& terms) {
  return shape_decider{plan, shape, terms}.run(command);
}

} // namespace troupe
