// One change of a plan or an objective, as JSON.
#include "protocol/opt/codec_opt.hpp"
#include "protocol/opt/plan_operations.hpp"

#include <boost/json/object.hpp>

namespace troupe::opt {

namespace {

void write_edits(json_writer& out, const edits& edited) {
  out.optional_member("name", edited.name).optional_member("description", edited.description);
  if (!edited.metadata.empty())
    out.key("metadata").value(edited.metadata);
}

/// Deadline and priority, of an objective or a plan.
template<class Edit>
void write_urgency_edit(json_writer& out, const Edit& edited) {
  if (edited.deadline && edited.deadline->at)
    out.key("deadline").time(*edited.deadline->at);
  else if (edited.deadline)
    out.key("deadline").null();
  if (edited.priority)
    out.key("priority").number(std::int64_t{*edited.priority});
}

/// Closes the object that was begun.
void write_plan_edit(json_writer& out, const edit_plan& edited) {
  write_edits(out, edited.edited);
  if (edited.parallel_max)
    out.key("maxParallel").number(*edited.parallel_max);
  if (edited.failure)
    out.member("onFailure", *edited.failure == on_failure::keep_going ? "continue" : "failFast");
  write_urgency_edit(out, edited);
  out.end_object();
}

/// Without the note that nobody gave it an id: its id is then ours, and says nothing of it.
task_spec as_given(task_spec spec) {
  if (spec.key.empty())
    spec.key = spec.id.str();
  return spec;
}

/// An operation as it was applied, in the words of plans/modify.
struct applied_writer {
  json_writer& out;
  const plan_spec& plan;
  bool names_plan = false; ///< Each operation says which plan it is about.

  json_writer& begin(std::string_view op) const {
    out.begin_object().member("op", op);
    return names_plan ? out.member("plan", plan.id.str()) : out;
  }
  json_writer& begin(std::string_view op, std::uint32_t task) const {
    return begin(op).member("task", id(task));
  }
  [[nodiscard]] std::string id(std::uint32_t task) const {
    return task < plan.tasks.size() ? plan.tasks[task].id.str() : "task-" + std::to_string(task);
  }

  void operator()(const add_task& added) const {
    begin("addTask").member("task", added.spec.id.str()).key("with");
    write_spec(out, as_given(added.spec));
    out.end_object();
  }
  void operator()(const remove_task<std::uint32_t>& removed) const {
    begin("removeTask", removed.task).end_object();
  }
  void operator()(const add_dependency<std::uint32_t>& added) const {
    begin("addDependency", added.task).member("on", id(added.on)).end_object();
  }
  void operator()(const remove_dependency<std::uint32_t>& removed) const {
    begin("removeDependency", removed.task).member("on", id(removed.on)).end_object();
  }
  void operator()(const rename_task<std::uint32_t>& renamed) const {
    begin("renameTask", renamed.task).member("name", renamed.name).end_object();
  }
  void operator()(const set_deadline<std::uint32_t>& set) const {
    begin("setDeadline", set.task);
    if (set.deadline)
      out.key("deadline").time(*set.deadline);
    out.end_object();
  }
  void operator()(const set_priority<std::uint32_t>& set) const {
    begin("setPriority", set.task).key("priority").number(std::int64_t{set.priority}).end_object();
  }
  void operator()(const put_task<std::uint32_t>& put) const {
    begin("replaceTask", put.task).key("with");
    write_spec(out, as_given(put.spec));
    out.end_object();
  }
  void operator()(const skip_task<std::uint32_t>& skipped) const {
    begin("skipTask", skipped.task).end_object();
  }
  void operator()(const complete_task<std::uint32_t>& completed) const {
    begin("completeTask", completed.task).end_object();
  }
  void operator()(const retry_task<std::uint32_t>& retried) const {
    begin("retryTask", retried.task).end_object();
  }
  void operator()(const edit_plan& edited) const {
    begin("setPlan");
    write_plan_edit(out, edited);
  }
};

/// The same in the words of objectives/modify. Wanted operations name plans, applied ones have
/// their positions in `plans`.
struct objective_operation_writer {
  json_writer& out;
  const std::vector<plan_spec_ptr>& plans;

  [[nodiscard]] std::string id(std::uint32_t plan) const {
    return plan < plans.size() ? plans[plan]->id.str() : "plan-" + std::to_string(plan);
  }
  [[nodiscard]] static const std::string& id(const std::string& plan) { return plan; }
  template<class Plan>
  json_writer& begin(std::string_view op, const Plan& plan) const {
    return out.begin_object().member("op", op).member("plan", id(plan));
  }

  void operator()(const edit_objective& edited) const {
    out.begin_object().member("op", "setObjective");
    write_edits(out, edited.edited);
    if (edited.parallel_max)
      out.key("maxParallel").number(*edited.parallel_max);
    write_urgency_edit(out, edited);
    out.end_object();
  }
  template<class Plan>
  void operator()(const edit_plan_of<Plan>& edited) const {
    begin("setPlan", edited.plan);
    write_plan_edit(out, edited.edit);
  }
  template<class Plan>
  void operator()(const skip_plan<Plan>& skipped) const {
    begin("skipPlan", skipped.plan);
    if (skipped.cancel)
      out.key("cancel").boolean(true);
    out.end_object();
  }
  template<class Plan>
  void operator()(const remove_plan<Plan>& removed) const {
    begin("removePlan", removed.plan).end_object();
  }
  template<class Plan>
  void operator()(const set_plan_dependencies<Plan>& set) const {
    begin("setPlanDependencies", set.plan).key("dependencies").begin_array();
    for (const auto& on : set.on)
      out.string(id(on));
    out.end_array().end_object();
  }
  void operator()(const new_plan& added) const {
    out.begin_object().member("op", "addPlan").optional_member("as", added.as);
    if (added.start)
      out.key("start").boolean(true);
    write_members(out, *added.spec);
    out.end_object();
  }
};

/// The change of the objective that brought the plan; null: none did.
const objective_changed* changed_with(const change& where, const event& happened) {
  if (!std::holds_alternative<plan_added>(happened))
    return nullptr;
  for (const auto& each : where.events)
    if (const auto* whole = std::get_if<objective_changed>(&each))
      return whole;
  return nullptr;
}

} // namespace

void write_operations(json_writer& out, const std::vector<wanted_objective_operation>& operations) {
  const std::vector<plan_spec_ptr> none;
  out.begin_array();
  for (const auto& each : operations)
    std::visit(objective_operation_writer{out, none}, each);
  out.end_array();
}

void write_revision(json_writer& out, const plan_spec& plan, std::uint64_t revision,
                    const change& where, const event& happened) {
  const auto* changed = std::get_if<plan_changed>(&happened);
  const auto* whole = changed_with(where, happened);
  out.begin_object().key("revision").number(revision).key("at").time(where.at);
  out.optional_member("author", changed ? changed->author : where.by.value_or(""));
  if (changed || whole)
    out.optional_member("reason", changed ? changed->reason : whole->reason);
  out.key("operations").begin_array();
  const applied_writer writer{out, plan};
  if (changed) {
    for (const auto& each : changed->operations)
      std::visit(writer, each);
  } else if (const auto* edited = std::get_if<plan_edited>(&happened)) {
    writer.begin("setPlan");
    write_edits(out, edited->edited);
    out.end_object();
  } else if (const auto* renewed = std::get_if<tasks_renewed>(&happened)) {
    for (const auto task : renewed->tasks)
      writer(retry_task<std::uint32_t>{task});
  } else if (std::holds_alternative<plan_added>(happened)) {
    writer.begin("addPlan").end_object();
  }
  out.end_array().end_object();
}

namespace {

/// What one event of a revision has changed, as operations.
struct event_operations_writer {
  json_writer& out;
  const std::vector<plan_spec_ptr>& plans;
  bool skips_renewals = false; ///< They are operations of a change that follows.

  [[nodiscard]] const plan_spec& plan_at(std::uint32_t plan) const {
    static const plan_spec unknown;
    return plan < plans.size() ? *plans[plan] : unknown;
  }
  void operator()(const objective_edited& edited) const {
    if (edited.edited.empty())
      return;
    out.begin_object().member("op", "setObjective");
    write_edits(out, edited.edited);
    out.end_object();
  }
  void operator()(const plan_added& added) const {
    out.begin_object().member("op", "addPlan");
    if (added.spec)
      out.member("plan", added.spec->id.str()).member("name", added.spec->name);
    out.end_object();
  }
  void operator()(const plan_edited& edited) const {
    const applied_writer writer{out, plan_at(edited.plan), true};
    writer.begin("setPlan");
    write_edits(out, edited.edited);
    out.end_object();
  }
  void operator()(const tasks_renewed& renewed) const {
    if (skips_renewals)
      return;
    for (const auto task : renewed.tasks)
      applied_writer{out, plan_at(renewed.plan), true}(retry_task<std::uint32_t>{task});
  }
  void operator()(const plan_changed& changed) const {
    for (const auto& each : changed.operations)
      std::visit(applied_writer{out, plan_at(changed.plan), true}, each);
  }
  void operator()(const objective_changed& changed) const {
    for (const auto& each : changed.operations)
      std::visit(objective_operation_writer{out, plans}, each);
  }
  template<class Event>
  void operator()(const Event&) const {}
};

} // namespace

void write_objective_revision(json_writer& out, const std::vector<plan_spec_ptr>& plans,
                              std::uint64_t revision, const change& where, std::size_t first,
                              std::size_t last) {
  std::string author = where.by.value_or("");
  std::string reason;
  event_operations_writer writer{out, plans};
  for (auto i = first; i <= last; ++i) {
    if (const auto* changed = std::get_if<plan_changed>(&where.events[i])) {
      author = changed->author;
      reason = changed->reason;
      writer.skips_renewals = true;
    } else if (const auto* whole = std::get_if<objective_changed>(&where.events[i])) {
      author = whole->author;
      reason = whole->reason;
    }
  }
  out.begin_object().key("revision").number(revision).key("at").time(where.at);
  out.optional_member("author", author).optional_member("reason", reason);
  out.key("operations").begin_array();
  for (auto i = first; i <= last; ++i)
    std::visit(writer, where.events[i]);
  out.end_array().end_object();
}

void write_revision(json_writer& out, const std::vector<plan_spec_ptr>& plans, const change& where,
                    const objective_changed& changed, std::optional<std::uint32_t> only) {
  out.begin_object().key("revision").number(changed.revision).key("at").time(where.at);
  out.optional_member("author", changed.author).optional_member("reason", changed.reason);
  out.key("operations").begin_array();
  for (const auto& each : changed.operations)
    if (!only || plan_of(each) == only)
      std::visit(objective_operation_writer{out, plans}, each);
  out.end_array().end_object();
}

} // namespace troupe::opt
