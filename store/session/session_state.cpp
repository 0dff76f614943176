#include "store/session/session_state.hpp"

#include "protocol/fold/apply.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/record/record.hpp"

#include <boost/json/array.hpp>
#include <boost/json/serialize.hpp>
#include <boost/json/value.hpp>
#include <boost/json/value_to.hpp>

#include <algorithm>
#include <exception>
#include <string_view>
#include <type_traits>
#include <utility>
#include <variant>

namespace troupe::sessions {

namespace json = boost::json;

namespace {

error does_not_follow(std::string why) {
  return make_error(errc::store_failed, std::move(why));
}

bool is_whole(const objective_spec_ptr& spec) {
  return spec && std::ranges::all_of(spec->plans, [](const plan_spec_ptr& plan) {
           return plan != nullptr;
         });
}

/// Rows may say `null` where the store never does.
bool is_whole(const event& one) {
  return std::visit(
      [](const auto& kind) {
        using kind_type = std::remove_cvref_t<decltype(kind)>;
        if constexpr (std::is_same_v<kind_type, objective_created>)
          return is_whole(kind.spec);
        else if constexpr (std::is_same_v<kind_type, plan_added>)
          return kind.spec != nullptr;
        else if constexpr (std::is_same_v<kind_type, task_created>)
          return kind.record != nullptr;
        else if constexpr (std::is_same_v<kind_type, task_artifact>)
          return kind.artifact != nullptr;
        else if constexpr (std::is_same_v<kind_type, tasks_withdrawn>)
          return std::ranges::all_of(kind.artifacts,
                                     [](const artifact_ptr& each) { return each != nullptr; });
        else
          return true;
      },
      one);
}

bool is_whole(const objective_view& view) {
  return std::ranges::all_of(view.plans,
                             [](const plan_view& plan) { return plan.spec != nullptr; });
}

bool has_created(const change& news) {
  return std::ranges::any_of(
      news.events, [](const event& one) { return std::holds_alternative<objective_created>(one); });
}

void read_changed(const json::array& from, objective_view& view) {
  for (std::size_t p = 0; p < view.plans.size(); ++p) {
    const auto& numbers = from.at(p).as_array();
    auto& plan = view.plans.edit(p);
    for (std::size_t t = 0; t < plan.tasks.size(); ++t)
      plan.tasks.edit(t).changed_ms = numbers.at(t).to_number<std::uint32_t>();
  }
}

template<class Read>
auto read_part(const json::value& from, Read read) {
  auto out = read(json::serialize(from));
  if (!out)
    throw error_exception{out.error()};
  return *std::move(out);
}

} // namespace

result<void> session_state::check(const change& news) const {
  const bool is_root = !news.task.id.empty() && news.task.lone;
  const auto last = is_root ? root_sequence_ : sequence_;
  const auto name = "change " + std::to_string(news.sequence) + " of " + shown(news.stream());
  if (!std::ranges::all_of(news.events, [](const event& one) { return is_whole(one); }))
    return does_not_follow(name + " is not whole");
  if (!view_ && (is_root || !has_created(news)))
    return does_not_follow(name + " comes before the objective was created");
  if (view_ && has_created(news))
    return does_not_follow(name + " creates the objective once more");
  if (view_ && news.context != view_->id.str())
    return does_not_follow(name + " is not of this objective");
  if (is_root && news.task.id != view_->root_task)
    return does_not_follow(name + " is of a task of no plan, and not of the root task");
  if (news.sequence != last + 1)
    return does_not_follow(name + " follows change " + std::to_string(last));
  return {};
}

result<void> session_state::take(const change& news) {
  if (auto ok = check(news); !ok)
    return ok;
  const bool is_root = !news.task.id.empty() && news.task.lone;
  if (!view_)
    view_ = std::make_shared<objective_view>();
  if (!is_root)
    apply(*view_, news);
  (is_root ? root_sequence_ : sequence_) = news.sequence;
  at_ = std::max(at_, news.at);
  if (!news.task.id.empty())
    take_task(news);
  return {};
}

void session_state::take_task(const change& news) {
  const auto& id = news.task.id.str();
  auto found = tasks_.find(id);
  if (const auto* created = created_record(news)) {
    auto record = std::make_shared<task>(**created); // The change may be somebody else's, too.
    const auto& where = news.task;
    if (!where.lone && where.plan_index < view_->plans.size()
        && where.task_index < view_->plans[where.plan_index].spec->tasks.size())
      record->origin = {view_->plans[where.plan_index].spec, where.plan_index, where.task_index};
    if (found != tasks_.end() && !is_terminal(found->second->status.state))
      --live_;
    found = tasks_.insert_or_assign(id, std::move(record)).first;
    if (!is_terminal(found->second->status.state))
      ++live_;
  }
  if (found == tasks_.end() || is_terminal(found->second->status.state))
    return;
  apply(*found->second, news);
  if (is_terminal(found->second->status.state))
    --live_;
}

bool session_state::is_over() const noexcept {
  return view_ && is_settled(view_->state) && live_ == 0
         && (view_->root_task.empty() || root_sequence_ > 0);
}

// {"sequence", "rootSequence", "at", "view": <record>, "changed": [[...], ...], "tasks": [<record>,
// ...]}. `changed`: for each task of each plan what task_summary::changed_ms says; records of older
// programs leave it out.
void session_state::write(std::string& out) const {
  json_writer to{out};
  std::string row;
  to.begin_object().key("sequence").number(sequence_).key("rootSequence").number(root_sequence_);
  to.key("at").number(std::int64_t{at_.time_since_epoch().count()}).key("view");
  record::write(row, *view_);
  to.raw(row).key("changed").begin_array();
  for (const auto& plan : view_->plans) {
    to.begin_array();
    for (const auto& summary : plan.tasks)
      to.number(summary.changed_ms);
    to.end_array();
  }
  to.end_array().key("tasks").begin_array();
  for (const auto& [id, each] : tasks_) {
    row.clear();
    record::write(row, *each);
    to.raw(row);
  }
  to.end_array().end_object();
}

result<session_state> session_state::read(const json::object& snapshot) {
  try {
    session_state out;
    out.sequence_ = snapshot.at("sequence").to_number<std::uint64_t>();
    out.root_sequence_ = snapshot.at("rootSequence").to_number<std::uint64_t>();
    out.at_ = timestamp{std::chrono::milliseconds{snapshot.at("at").to_number<std::int64_t>()}};
    out.view_ = std::make_shared<objective_view>(
        read_part(snapshot.at("view"), [](auto row) { return record::read_objective(row); }));
    if (!is_whole(*out.view_))
      return does_not_follow("the snapshot is not whole");
    read_changed(snapshot.at("changed").as_array(), *out.view_);
    for (const auto& each : snapshot.at("tasks").as_array()) {
      auto record =
          std::make_shared<task>(read_part(each, [](auto row) { return record::read_task(row); }));
      if (!is_terminal(record->status.state))
        ++out.live_;
      auto id = record->id.str();
      if (!out.tasks_.emplace(std::move(id), std::move(record)).second)
        return does_not_follow("the snapshot has a task twice");
    }
    return out;
  } catch (const std::exception& why) {
    return does_not_follow(std::string{"the snapshot cannot be read ("} + why.what() + ")");
  }
}

} // namespace troupe::sessions
