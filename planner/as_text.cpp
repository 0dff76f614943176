#include "planner/as_text.hpp"

#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <cstdint>
#include <map>
#include <optional>
#include <string_view>
#include <utility>
#include <vector>

#include "planner/duration.hpp"
#include "planner/limits.hpp"
#include "planner/text_reading.hpp"
#include "planner/tokens.hpp"

namespace troupe::planner {

namespace {

error cannot(std::string why) {
  return make_error(errc::invalid_params, "the plan cannot be said as text: " + std::move(why));
}

/// The position that each dependency names, by "task-0", id or name.
class dependency_finder {
public:
  explicit dependency_finder(const plan_spec& plan) : plan_(plan) {
    for (std::uint32_t i = 0; i < plan.tasks.size(); ++i) {
      const auto& task = plan.tasks[i];
      by_name_.emplace(task.name, i);
      if (!task.key.empty())
        by_name_.insert_or_assign(task.key, i);
    }
  }

  [[nodiscard]] std::optional<std::uint32_t> find(std::string_view written) const {
    if (const auto found = by_name_.find(written); found != by_name_.end())
      return found->second;
    constexpr std::string_view by_position = "task-";
    if (!written.starts_with(by_position))
      return std::nullopt;
    const auto position = number_of(written.substr(by_position.size()));
    return position && *position < plan_.tasks.size() ? position : std::nullopt;
  }

private:
  const plan_spec& plan_;
  std::map<std::string, std::uint32_t, std::less<>> by_name_;
};

/// "step 2", "steps 1, 2 and 3". `steps` is not empty.
std::string steps_in_words(const std::vector<std::uint32_t>& steps) {
  std::string out = steps.size() == 1 ? "step " : "steps ";
  for (std::size_t i = 0; i < steps.size(); ++i)
    out += (i == 0 ? "" : i + 1 == steps.size() ? " and " : ", ") + std::to_string(steps[i] + 1);
  return out;
}

using predecessors = std::vector<std::vector<std::uint32_t>>; ///< Of each task, sorted.

result<predecessors> predecessors_of(const plan_spec& plan) {
  const dependency_finder find(plan);
  predecessors out(plan.tasks.size());
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    for (const auto& written : plan.tasks[i].dependencies) {
      const auto position = find.find(written);
      if (!position)
        return cannot("it has no task " + quoted(shown(written)));
      out[i].push_back(*position);
    }
    std::ranges::sort(out[i]);
    out[i].erase(std::unique(out[i].begin(), out[i].end()), out[i].end());
  }
  return out;
}

/// Whether `text` reads back as the plan; else why not.
result<void> check(const std::string& text, const objective_spec& objective,
                   const predecessors& wanted) {
  const auto& plan = *objective.plans.front();
  const auto read = read_text(text);
  if (!read.problems.empty())
    return cannot(read.problems.front().text.empty() ? read.problems.front().reason
                                                     : quoted(shown(read.problems.front().text))
                                                           + ": " + read.problems.front().reason);
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const bool is_there = i < read.tasks.size();
    if (!is_there || read.tasks[i].name != plan.tasks[i].name || !read.tasks[i].description.empty()
        || read.tasks[i].expected != plan.tasks[i].expected)
      return cannot("the task " + quoted(shown(plan.tasks[i].name)) + " would be read as "
                    + (is_there ? quoted(shown(read.tasks[i].name)) : "something else"));
  }
  predecessors found(plan.tasks.size());
  for (const auto& edge : read.edges)
    if (edge.after < found.size())
      found[edge.after].push_back(edge.before);
  for (auto& each : found)
    std::ranges::sort(each);
  if (read.tasks.size() != plan.tasks.size() || found != wanted || read.title != objective.name)
    return cannot("a name in it would be read as something else");
  return {};
}

} // namespace

result<std::string> as_text(const objective_spec& objective) {
  if (objective.plans.size() != 1)
    return cannot("it has " + std::to_string(objective.plans.size())
                  + " plans, and a text has one");
  const auto& plan = *objective.plans.front();
  if (plan.tasks.size() > tasks_max)
    return cannot("it has more than " + std::to_string(tasks_max) + " tasks");
  const auto before = predecessors_of(plan);
  if (!before)
    return before.error();
  std::string out = objective.name + ":\n";
  for (std::size_t i = 0; i < plan.tasks.size(); ++i) {
    const auto& task = plan.tasks[i];
    out += std::to_string(i + 1) + ". " + task.name;
    if (task.expected.count() > 0)
      out += " (takes " + duration_text(task.expected) + ")";
    out += '\n';
  }
  out += "Order:\n";
  for (std::uint32_t i = 0; i < plan.tasks.size(); ++i)
    if (!(*before)[i].empty())
      out += "Step " + std::to_string(i + 1) + " needs " + steps_in_words((*before)[i]) + ".\n";
  if (auto reads_back = check(out, objective, *before); !reads_back)
    return reads_back.error();
  return out;
}

} // namespace troupe::planner
