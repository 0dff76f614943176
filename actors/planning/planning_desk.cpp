#include "actors/planning/planning_desk.hpp"

#include "actors/planning/planning_actor.hpp"
#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <utility>

namespace troupe {

boost::json::object planned_message::note() const {
  auto out = planner::note_of(made);
  out["seconds"] = static_cast<double>(took.count()) / 1000.0;
  return out;
}

result<template_list> read_templates(const planning_options& options) {
  const auto shipped = planner::shipped_templates();
  auto all = std::make_shared<std::vector<planner::plan_template>>(shipped.begin(), shipped.end());
  for (const auto& text : options.templates) {
    auto read = planner::read_template(text);
    if (!read)
      return read.error();
    if (std::ranges::find(*all, read->name, &planner::plan_template::name) != all->end())
      return make_error(errc::invalid_document,
                        "two templates have the name " + troupe::quoted(shown(read->name)),
                        "/template");
    all->push_back(std::move(*read));
  }
  return template_list{std::move(all)};
}

planning_desk::planning_desk(environment& env) : env_(env) {
  auto read = read_templates(env.options.planning);
  if (!read && env.options.warn)
    env.options.warn("only the templates of the program are used: " + read.error().message);
  templates_ = read ? std::move(*read) : read_templates({}).value();
}

void planning_desk::ask(planning_query query, reply<planned_message_ptr> done) {
  planning_start start;
  const auto objective = query.objective;
  start.query = std::move(query);
  start.done = {std::move(done),
                make_error(errc::unavailable, "the message could not be planned; try again")};
  const std::lock_guard lock{guard_};
  if (is_closed_)
    return; // `start` says so.
  start.templates = templates_;
  const auto number = ++last_;
  start.left = [this, number] {
    const std::lock_guard again{guard_};
    under_way_.erase(number);
  };
  // The actor may be gone before it is spawned here: its entry is made first.
  under_way_.emplace(number, entry{objective, {}});
  auto actor = spawn_actor<planning_actor>(env_.system, env_, std::move(start));
  if (const auto found = under_way_.find(number); found != under_way_.end())
    found->second.actor = std::move(actor);
}

void planning_desk::cancel(const std::string& objective) {
  const std::lock_guard lock{guard_};
  for (const auto& [number, each] : under_way_)
    if (!objective.empty() && each.objective == objective && each.actor)
      tell(each.actor, cancel_planning{});
}

void planning_desk::replace(template_list templates) {
  const std::lock_guard lock{guard_};
  templates_ = std::move(templates);
}

template_list planning_desk::templates() const {
  const std::lock_guard lock{guard_};
  return templates_;
}

void planning_desk::close() {
  const std::lock_guard lock{guard_};
  is_closed_ = true;
  for (const auto& [number, each] : under_way_)
    kill(each.actor);
}

} // namespace troupe
