#include "net/a2a/missed_changes.hpp"

#include "protocol/opt/codec_opt.hpp"

#include <cstdint>
#include <utility>
#include <variant>
#include <vector>

namespace troupe::net {

namespace {

constexpr std::uint32_t missed_changes_max = 100;

} // namespace

void write_history(json_writer& out, const plan_history_page& page) {
  const auto& spec = *page.plan.plan().spec;
  std::vector<plan_spec_ptr> plans;
  for (const auto& plan : page.plan.objective->plans)
    plans.push_back(plan.spec);
  out.begin_array();
  for (const auto& each : page.changes) {
    const auto& happened = each.change->events[each.event];
    if (const auto* whole = std::get_if<objective_changed>(&happened))
      opt::write_revision(out, plans, *each.change, *whole,
                          static_cast<std::uint32_t>(page.plan.index));
    else
      opt::write_revision(out, spec, each.revision, *each.change, happened);
  }
  out.end_array();
}

void write_history(json_writer& out, const objective_history_page& page) {
  std::vector<plan_spec_ptr> plans;
  for (const auto& plan : page.objective->plans)
    plans.push_back(plan.spec);
  out.begin_array();
  for (const auto& each : page.changes)
    opt::write_objective_revision(out, plans, each.revision, *each.change, each.first, each.last);
  out.end_array();
}

error explained(error refused, const plan_history_page& missed) {
  if (missed.changes.empty())
    return refused;
  refused.details.clear();
  json_writer out(refused.details);
  out.begin_object().key("current").number(missed.plan.plan().revision).key("changes");
  write_history(out, missed);
  out.end_object();
  return refused;
}

void explain(const service& of, const get_plan_history& missed, error refused,
             const refuse_fn& refuse) {
  if (refused.code != errc::revision_mismatch)
    return refuse(std::move(refused));
  of.list(missed,
          [refused = std::move(refused), refuse](const result<plan_history_page>& found) mutable {
            refuse(found ? explained(std::move(refused), *found) : std::move(refused));
          });
}

void explain(const service& of, const get_objective_history& missed, error refused,
             const refuse_fn& refuse) {
  if (refused.code != errc::revision_mismatch)
    return refuse(std::move(refused));
  of.list(missed, [refused = std::move(refused),
                   refuse](const result<objective_history_page>& found) mutable {
    if (found && !found->changes.empty()) {
      refused.details.clear();
      json_writer out(refused.details);
      out.begin_object().key("current").number(found->objective->revision).key("changes");
      write_history(out, *found);
      out.end_object();
    }
    refuse(std::move(refused));
  });
}

namespace {

template<class Query, class Command, class Id>
Query missed_of(const Command& command, const Id& id) {
  return {
      .who = command.who, .id = id, .after = command.if_revision, .page_size = missed_changes_max};
}

} // namespace

get_objective_history missed_by(const create_plan& command) {
  return missed_of<get_objective_history>(command, command.objective);
}

get_objective_history missed_by(const update_objective& command) {
  return missed_of<get_objective_history>(command, command.id);
}

get_objective_history missed_by(const modify_objective& command) {
  return missed_of<get_objective_history>(command, command.id);
}

get_objective_history missed_by(const replan_objective& command) {
  return missed_of<get_objective_history>(command, command.id);
}

get_plan_history missed_by(const change_plan& command) {
  return missed_of<get_plan_history>(command, command.id);
}

get_plan_history missed_by(const update_plan& command) {
  return missed_of<get_plan_history>(command, command.id);
}

} // namespace troupe::net
