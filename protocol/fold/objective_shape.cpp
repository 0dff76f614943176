#include "protocol/fold/objective_shape.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/fold/limits.hpp"
#include "protocol/fold/operation_errors.hpp"
#include "protocol/json/quoted.hpp"
#include <troupe/protocol/message.hpp>

#include <algorithm>
#include <charconv>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <utility>

namespace troupe {

namespace {

/// A change that does not make the metadata larger is always allowed: an objective may be created
/// with more than the limit.
std::optional<error> check_metadata(const boost::json::object& metadata, const edits& wanted) {
  if (wanted.metadata.empty())
    return std::nullopt;
  auto merged = metadata;
  merge_metadata(merged, wanted.metadata);
  const auto size = bytes_of(merged);
  if (size <= edited_metadata_bytes_max || size <= bytes_of(metadata))
    return std::nullopt;
  return make_error(errc::limit_exceeded,
                    "the metadata would have more than " + std::to_string(edited_metadata_bytes_max)
                        + " bytes (edited_metadata_bytes_max)",
                    "metadata");
}

/// Refuses a new name that would change which plan another plan depends on, now or after a restart.
std::optional<error> check_new_name(const objective_view& view, std::uint32_t plan,
                                    const std::string& name) {
  const auto& spec = *view.plans[plan].spec;
  if (name.empty() || name == spec.name)
    return std::nullopt;
  const bool name_is_id = spec.name == spec.key || spec.name == spec.id.str();
  for (const auto& other : view.plans)
    for (const auto* names : {&other.spec->dependencies, &other.spec->alternatives})
      for (const auto& written : *names)
        if ((written == spec.name && !name_is_id) || written == name)
          return make_error(errc::invalid_params,
                            "plan " + quoted(other.spec->name) + " names a plan " + quoted(written)
                                + ", and the new name would change which one it means",
                            "name");
  return std::nullopt;
}

/// The position in `plan-3`.
std::optional<std::uint32_t> plan_position(std::string_view text, std::size_t plans) {
  constexpr std::string_view prefix = "plan-";
  if (!text.starts_with(prefix))
    return std::nullopt;
  text.remove_prefix(prefix.size());
  std::uint32_t out = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), out);
  const bool is_number = failed == std::errc{} && end == text.data() + text.size();
  return is_number && out < plans ? std::optional{out} : std::nullopt;
}

/// Applies one wanted operation after the other to a copy of the objective, which shares with it
/// what stays as it is.
class objective_operation_decider {
public:
  objective_operation_decider(const objective_view& view, const plan_order& order,
                              const std::vector<plan_relations>& added, timestamp now)
      : view_(view), order_(order), added_(added) {
    where_.at = now;
    out_.changed.revision = view.revision + 1;
  }

  result<objective_shape_decision> run(const modify_objective& command,
                                       const relate_plans& relate) {
    out_.changed.author = command.author.empty() ? owner_of(command.who) : command.author;
    out_.changed.reason = command.reason;
    if (auto ok = check_operation_count(command.operations.size()); !ok)
      return ok.error();
    for (at_ = 0; at_ < command.operations.size(); ++at_)
      if (auto ok = std::visit([this](const auto& wanted) { return apply_one(wanted); },
                               command.operations[at_]);
          !ok)
        return ok.error();
    if (!relates_)
      return std::move(out_);
    std::vector<plan_spec_ptr> plans;
    for (const auto& plan : view_.plans)
      plans.push_back(plan.spec);
    auto related = relate(plans);
    at_ = *relates_;
    if (!related)
      return refuse(related.error().code, related.error().message, "/dependencies");
    out_.relations = std::move(*related);
    return std::move(out_);
  }

private:
  [[nodiscard]] error refuse(errc code, const std::string& why,
                             std::string_view member = "") const {
    return operation_error(at_, code, why, member);
  }
  [[nodiscard]] error refuse(const error& of_member) const {
    return refuse(of_member.code, of_member.message, "/" + of_member.field);
  }

  [[nodiscard]] std::string named(std::uint32_t plan) const {
    return "plan " + quoted(view_.plans[plan].spec->name);
  }

  /// By id, by key, by position, or by the name that only one plan has.
  [[nodiscard]] result<std::uint32_t> find(const std::string& name,
                                           std::string_view member = "/plan") const {
    std::optional<std::uint32_t> known;
    std::size_t count = 0;
    for (std::uint32_t p = 0; p < view_.plans.size(); ++p) {
      const auto& spec = *view_.plans[p].spec;
      if (spec.is_removed)
        continue;
      if (spec.id.str() == name || (!spec.key.empty() && spec.key == name))
        return p;
      if (spec.name != name)
        continue;
      known = p;
      ++count;
    }
    if (count > 1)
      return refuse(errc::invalid_params,
                    std::to_string(count) + " plans have the name " + quoted(name) + "; use an id",
                    member);
    if (!known)
      known = plan_position(name, view_.plans.size());
    if (!known || view_.plans[*known].spec->is_removed)
      return refuse(errc::unknown_dependency, "the objective has no plan " + quoted(name), member);
    return *known;
  }

  /// A plan that has not ended.
  [[nodiscard]] result<std::uint32_t> find_open(const std::string& name) const {
    auto plan = find(name);
    if (plan && (is_settled(state(*plan)) || is_skipped(*plan)))
      return refuse(errc::already_ended, named(*plan) + " is " + state_name(*plan), "/plan");
    return plan;
  }

  [[nodiscard]] plan_state state(std::uint32_t plan) const { return view_.plans[plan].state; }
  [[nodiscard]] bool has_begun(std::uint32_t plan) const {
    return state(plan) != plan_state::pending;
  }
  /// By an operation before.
  [[nodiscard]] bool is_skipped(std::uint32_t plan) const {
    return std::ranges::find(skipped_, plan) != skipped_.end();
  }
  [[nodiscard]] std::string state_name(std::uint32_t plan) const {
    return std::string{to_string(is_skipped(plan) ? plan_state::skipped : state(plan))};
  }

  void done(applied_objective_operation operation) {
    apply(view_, where_, objective_changed{{operation}, {}, {}, out_.changed.revision});
    out_.changed.operations.push_back(std::move(operation));
  }

  // -- operations ---------------------------------------------------------------------------------

  result<void> apply_one(const edit_objective& wanted) {
    if (auto wrong = check_edits(view_, wanted.edited))
      return refuse(*wrong);
    if (auto wrong = check_deadline(wanted.deadline, where_.at))
      return refuse(*wrong);
    if (wanted.parallel_max && *wanted.parallel_max > 0 && view_.parallel_max == 0
        && std::ranges::any_of(view_.plans,
                               [](const plan_view& plan) { return is_running(plan.state); }))
      return refuse(errc::already_started,
                    "an objective without \"maxParallel\" gets one only while none of its plans "
                    "runs",
                    "/maxParallel");
    done(wanted);
    return {};
  }

  result<void> apply_one(const edit_plan_of<std::string>& wanted) {
    const auto plan = find_open(wanted.plan);
    if (!plan)
      return plan.error();
    if (auto wrong = check_edits(view_, *plan, wanted.edit.edited))
      return refuse(*wrong);
    if (auto wrong = check_deadline(wanted.edit.deadline, where_.at))
      return refuse(*wrong);
    done(edit_plan_of<std::uint32_t>{*plan, wanted.edit});
    return {};
  }

  result<void> apply_one(const skip_plan<std::string>& wanted) {
    const auto plan = find_open(wanted.plan);
    if (!plan)
      return plan.error();
    if (has_begun(*plan) && !wanted.cancel)
      return refuse(errc::already_started,
                    named(*plan) + " has begun; send \"cancel\": true to stop it", "/plan");
    skipped_.push_back(*plan);
    order_.set_state(*plan, plan_state::skipped);
    done(skip_plan<std::uint32_t>{*plan});
    return {};
  }

  result<void> apply_one(const set_plan_dependencies<std::string>& wanted) {
    const auto plan = find_open(wanted.plan);
    if (!plan)
      return plan.error();
    if (has_begun(*plan))
      return refuse(errc::already_started, named(*plan) + " has begun and waits for no other",
                    "/plan");
    set_plan_dependencies<std::uint32_t> applied{*plan, {}};
    for (const auto& name : wanted.on) {
      const auto on = find(name, "/dependencies");
      if (!on)
        return on.error();
      if (std::ranges::find(applied.on, *on) != applied.on.end())
        return refuse(errc::invalid_params, "it depends on " + named(*on) + " twice",
                      "/dependencies");
      if (!order_.may_be_met(*on))
        return refuse(errc::dependency_failed,
                      named(*on) + " is " + state_name(*on)
                          + ", so that what depends on it would never begin",
                      "/dependencies");
      applied.on.push_back(*on);
    }
    relates_ = at_;
    dependencies_set_[*plan] = applied.on;
    done(std::move(applied));
    return {};
  }

  result<void> apply_one(const new_plan& wanted) {
    const auto& relations = added_[out_.added.size()];
    if (auto ok = check_relations(*wanted.spec, relations); !ok)
      return ok;
    plan_added added{wanted.spec, wanted.start, out_.changed.revision};
    apply(view_, where_, added);
    order_.add(relations);
    out_.added.push_back(std::move(added));
    return {};
  }

  /// The relations of a new plan were found among the plans as they were before this change. An
  /// operation before may have removed one of these, or given its name to another.
  [[nodiscard]] result<void> check_relations(const plan_spec& spec,
                                             const plan_relations& relations) const {
    for (const auto& [names, plans, member] :
         {std::tuple{&spec.dependencies, &relations.dependencies, "/dependencies"},
          std::tuple{&spec.alternatives, &relations.alternatives, "/alternatives"}})
      for (std::size_t i = 0; i < names->size(); ++i) {
        const auto& name = (*names)[i];
        const auto where = member + ("/" + std::to_string(i));
        const auto plan = find(name, where);
        if (!plan)
          return plan.error();
        if (std::ranges::find(*plans, *plan) == plans->end())
          return refuse(errc::invalid_params,
                        "an operation before gives the name " + quoted(name)
                            + " to another plan; use an id",
                        where);
      }
    for (const auto& each : spec.outside)
      if (view_.plans[each.on_plan].spec->is_removed)
        return refuse(errc::unknown_dependency,
                      "task " + quoted(spec.tasks[each.task].name) + " depends on "
                          + quoted(each.on.str()) + ", a task of a plan that is removed before",
                      "/tasks/" + std::to_string(each.task) + "/dependencies");
    return {};
  }

  result<void> apply_one(const remove_plan<std::string>& wanted) {
    const auto plan = find_open(wanted.plan);
    if (!plan)
      return plan.error();
    if (has_begun(*plan))
      return refuse(errc::already_started,
                    named(*plan) + " has begun; skipPlan with \"cancel\": true stops it", "/plan");
    for (std::uint32_t other = 0; other < view_.plans.size(); ++other)
      if (const auto why = why_needed(*plan, other); !why.empty())
        return refuse(errc::still_needed, named(*plan) + " is needed: " + why, "/plan");
    skipped_.push_back(*plan);
    order_.set_state(*plan, plan_state::skipped);
    order_.remove(*plan);
    done(remove_plan<std::uint32_t>{*plan});
    return {};
  }

  /// Why `other` does not let `plan` go; empty: it does.
  [[nodiscard]] std::string why_needed(std::uint32_t plan, std::uint32_t other) const {
    const auto& spec = *view_.plans[other].spec;
    if (spec.is_removed || other == plan)
      return {};
    const auto& relations = order_.relations()[other];
    const auto set = dependencies_set_.find(other);
    const auto& needs = set != dependencies_set_.end() ? set->second : relations.dependencies;
    if (std::ranges::find(needs, plan) != needs.end())
      return named(other) + " depends on it";
    if (std::ranges::find(relations.alternatives, plan) != relations.alternatives.end())
      return "it is an alternative of " + named(other);
    if (relations.alternative_of == plan)
      return named(other) + " is an alternative of it";
    for (const auto& each : spec.outside)
      if (each.on_plan == plan)
        return "task " + quoted(spec.tasks[each.task].name) + " of " + named(other)
               + " depends on a task of it";
    return {};
  }

  objective_view view_; ///< As it would be.
  plan_order order_;    ///< Of the plans as they would be, with the old relations.
  change where_;
  objective_shape_decision out_{};
  std::size_t at_ = 0;
  const std::vector<plan_relations>& added_; ///< Of the new plans, in their order.
  std::vector<std::uint32_t> skipped_;       ///< Or removed.
  std::map<std::uint32_t, std::vector<std::uint32_t>> dependencies_set_; ///< By operations before.
  std::optional<std::size_t> relates_; ///< The last operation that set dependencies.
};

} // namespace

result<objective_shape_decision> decide(const objective_view& view, const plan_order& order,
                                        const modify_objective& command,
                                        const std::vector<plan_relations>& added,
                                        const relate_plans& relate, timestamp now) {
  return objective_operation_decider{view, order, added, now}.run(command, relate);
}

std::optional<error> check_edits(const objective_view& view, const edits& wanted) {
  return check_metadata(view.metadata, wanted);
}

std::optional<error> check_edits(const objective_view& view, std::uint32_t plan,
                                 const edits& wanted) {
  if (auto wrong = check_metadata(view.plans[plan].spec->metadata, wanted))
    return wrong;
  return check_new_name(view, plan, wanted.name);
}

std::optional<error> check_deadline(const std::optional<deadline_edit>& wanted, timestamp now) {
  if (!wanted || !wanted->at || *wanted->at > now)
    return std::nullopt;
  return make_error(errc::invalid_params,
                    "the deadline " + to_rfc3339(*wanted->at) + " has passed already; it is "
                        + to_rfc3339(now),
                    "deadline");
}

std::optional<timestamp> next_deadline(const objective_view& view, timestamp after) {
  std::optional<timestamp> out;
  const auto look_at = [&](const std::optional<timestamp>& deadline) {
    if (deadline && *deadline > after && (!out || *deadline < *out))
      out = deadline;
  };
  look_at(view.deadline);
  for (const auto& plan : view.plans)
    look_at(plan.spec->deadline);
  return out;
}

} // namespace troupe
