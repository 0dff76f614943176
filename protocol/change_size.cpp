#include "protocol/change_size.hpp"

#include <algorithm>
#include <variant>

namespace troupe {

namespace {

/// What a change costs before any text.
constexpr std::size_t change_bytes = 256;

} // namespace

namespace {

std::size_t bytes_of_artifacts(const std::vector<artifact_ptr>& all) noexcept {
  std::size_t sum = 0;
  for (const auto& each : all)
    sum += bytes_of(*each);
  return sum;
}

} // namespace

std::size_t bytes_of(const change& of) noexcept {
  std::size_t sum = change_bytes;
  for (const auto& each : of.events) {
    sum += sizeof(event);
    if (const auto* made = std::get_if<task_artifact>(&each); made && made->artifact)
      sum += bytes_of(*made->artifact);
    else if (const auto* said = std::get_if<task_message>(&each); said && said->message)
      sum += bytes_of(*said->message);
    else if (const auto* moved = std::get_if<task_moved>(&each); moved && moved->message)
      sum += bytes_of(*moved->message);
    else if (const auto* reminded = std::get_if<question_reminded>(&each);
             reminded && reminded->message)
      sum += bytes_of(*reminded->message);
    else if (const auto* progress = std::get_if<task_progress>(&each);
             progress && progress->progress)
      sum += progress->progress->trackers.size() * change_bytes;
    else if (const auto* withdrawn = std::get_if<tasks_withdrawn>(&each))
      sum += withdrawn->tasks.size() * sizeof(std::uint32_t)
             + bytes_of_artifacts(withdrawn->artifacts);
    else if (const auto* changed = std::get_if<plan_changed>(&each))
      sum += bytes_of(changed->operations) + changed->reason.size();
    else if (const auto* modified = std::get_if<objective_changed>(&each))
      sum += bytes_of(modified->operations) + modified->reason.size();
    else if (const auto* renewed = std::get_if<tasks_renewed>(&each))
      sum += renewed->tasks.size() * sizeof(std::uint32_t);
  }
  return sum;
}

std::size_t made_bytes_of(const event& fact) noexcept {
  if (const auto* made = std::get_if<task_artifact>(&fact))
    return made->artifact ? bytes_of(*made->artifact) : 0;
  if (const auto* withdrawn = std::get_if<tasks_withdrawn>(&fact))
    return bytes_of_artifacts(withdrawn->artifacts);
  if (const auto* said = std::get_if<task_message>(&fact))
    return is_from_agent(*said) ? bytes_of(*said->message) : 0;
  if (const auto* moved = std::get_if<task_moved>(&fact))
    return moved->message ? bytes_of(*moved->message) : 0;
  if (const auto* opened = std::get_if<question_opened>(&fact))
    return opened->asked ? bytes_of(opened->asked->form) + bytes_of(opened->asked->data) : 0;
  return 0;
}

std::size_t made_bytes_of(const task& record) noexcept {
  std::size_t sum = record.status.message ? bytes_of(*record.status.message) : 0;
  for (const auto& made : record.artifacts)
    sum += bytes_of(*made);
  for (const auto& said : record.history)
    if (said->from == role::agent)
      sum += bytes_of(*said);
  return sum;
}

std::size_t bytes_of(const task& record) noexcept {
  auto sum = sizeof(task) + (record.status.message ? bytes_of(*record.status.message) : 0);
  for (const auto& made : record.artifacts)
    sum += bytes_of(*made);
  for (const auto& said : record.history)
    sum += bytes_of(*said);
  return sum;
}

std::size_t bytes_of(const objective_view& view) noexcept {
  auto sum = sizeof(view) + view.name.size() + view.description.size() + bytes_of(view.metadata)
             + view.reason.size() + (view.references ? bytes_of(*view.references) : 0);
  for (const auto& plan : view.plans)
    sum += sizeof(plan) + plan.reason.size() + bytes_of(*plan.spec)
           + plan.spec->tasks.size() * sizeof(task_summary);
  return sum;
}

bool is_only_progress(const change& of) noexcept {
  return !of.events.empty()
         && std::all_of(of.events.begin(), of.events.end(), [](const event& each) {
              return std::holds_alternative<task_progress>(each);
            });
}

} // namespace troupe
