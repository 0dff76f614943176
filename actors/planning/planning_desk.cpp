#include "actors/planning/planning_desk.hpp"

#include "actors/planning/planning_actor.hpp"
#include "actors/planning/template_check.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/opt/codec_opt.hpp"
#include <troupe/actors/limits.hpp>

#include <boost/json/parse.hpp>

#include <algorithm>
#include <utility>

#include "planner/limits.hpp"

namespace troupe {

boost::json::object usage_as_json(const model_usage& used) {
  std::string text;
  json_writer out(text);
  opt::write(out, used);
  return boost::json::parse(text).as_object();
}

boost::json::object planned_message::note() const {
  auto out = planner::note_of(made);
  out["seconds"] = static_cast<double>(took.count()) / 1000.0;
  if (used.calls > 0)
    out["tokens"] = used.prompt_tokens + used.answer_tokens;
  if (used.calls > 0)
    out["modelUsage"] = usage_as_json(used);
  return out;
}

result<template_list> read_templates(const planning_options& options) {
  const auto shipped = planner::shipped_templates();
  auto all = std::make_shared<std::vector<planner::plan_template>>(shipped.begin(), shipped.end());
  if (options.templates.size() > planner::templates_max)
    return make_error(errc::limit_exceeded,
                      std::to_string(options.templates.size()) + " templates are more than "
                          + std::to_string(planner::templates_max) + " (templates_max)");
  for (const auto& text : options.templates) {
    if (text.json.size() > planner::template_bytes_max)
      return make_error(errc::limit_exceeded, (text.from.empty() ? "a template" : text.from)
                                                  + " has more than "
                                                  + std::to_string(planner::template_bytes_max)
                                                  + " bytes (template_bytes_max)");
    auto read = planner::read_template(text.json, text.from);
    if (!read)
      return read.error();
    if (std::ranges::find(*all, read->name, &planner::plan_template::name) != all->end())
      return make_error(errc::invalid_document,
                        text.from + (text.from.empty() ? "" : ": ")
                            + "there is another template with the name "
                            + troupe::quoted(shown(read->name)),
                        "/template");
    all->push_back(std::move(*read));
  }
  return template_list{std::move(all)};
}

std::vector<template_summary> summaries_of(const template_list& templates) {
  std::vector<template_summary> out;
  for (const auto& each : *templates)
    out.push_back({each.name, each.description, each.examples});
  return out;
}

planning_desk::planning_desk(environment& env) : env_(env) {
  auto read = read_templates(env.options.planning);
  if (read)
    if (auto fine = check_templates(*read, env.agents); !fine)
      read = fine.error();
  if (!read && env.options.warn)
    env.options.warn("only the templates of the program are used: " + read.error().message);
  templates_ = read ? std::move(*read) : read_templates({}).value();
}

void planning_desk::ask(planning_query query, reply<planned_message_ptr> done) {
  const auto asked = std::make_shared<const planning_query>(std::move(query));
  begin(asked, [this, asked, done = std::move(done)](result<planned_message_ptr> planned) {
    const bool has_died = !planned && planned.error().code == errc::internal;
    if (!has_died || !asked->planner_problem.empty())
      return done(std::move(planned));
    auto again = std::make_shared<planning_query>(*asked);
    again->planner_problem = planned.error().message;
    begin(std::move(again), done);
  });
}

void planning_desk::begin(std::shared_ptr<const planning_query> query,
                          reply<planned_message_ptr> done) {
  planning_start start;
  const auto objective = query->objective;
  start.query = *query;
  start.done = {std::move(done), make_error(errc::internal, "the planning of the text has died")};
  std::unique_lock lock{guard_};
  if (is_closed_) {
    lock.unlock();
    return start.done(make_error(errc::unavailable, "the message could not be planned; try again"));
  }
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

replan_ticket planning_desk::enter_replan() {
  if (replans_->fetch_add(1) >= replans_under_way_max) {
    replans_->fetch_sub(1);
    return nullptr;
  }
  return {replans_.get(), [count = replans_](void*) { count->fetch_sub(1); }};
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
