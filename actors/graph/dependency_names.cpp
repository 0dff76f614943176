#include "actors/graph/dependency_names.hpp"

#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"

#include <algorithm>
#include <charconv>
#include <utility>
#include <vector>

namespace troupe {

namespace {

constexpr std::size_t compared_names_max = 10'000;

std::string_view name_of(const task_spec& spec) {
  return spec.key.empty() ? spec.name : spec.key;
}

std::string_view name_of(const plan_spec_ptr& spec) {
  return spec->key.empty() ? spec->name : spec->key;
}

template<class Specs>
std::string nearest(std::string_view text, const Specs& specs) {
  std::vector<std::string_view> names;
  for (std::size_t i = 0; i < std::min(specs.size(), compared_names_max); ++i)
    names.push_back(name_of(specs[i]));
  return did_you_mean(text, names);
}

} // namespace

std::string plan_pointer(std::size_t plan) {
  return "/plans/" + std::to_string(plan);
}

std::string task_pointer(std::size_t plan, std::size_t task) {
  return list_pointer(plan, "tasks", task);
}

std::string list_pointer(std::size_t plan, std::string_view list, std::size_t index) {
  return plan_pointer(plan).append("/").append(list).append("/").append(std::to_string(index));
}

std::string label_of(const task_spec& spec, std::size_t position) {
  return !spec.key.empty()    ? spec.key
         : !spec.name.empty() ? spec.name
                              : "task-" + std::to_string(position);
}

std::string label_of(const plan_spec& spec, std::size_t position) {
  return !spec.key.empty()    ? spec.key
         : !spec.name.empty() ? spec.name
                              : "plan-" + std::to_string(position);
}

std::optional<std::uint32_t> find_position(std::string_view text, std::string_view prefix,
                                           std::size_t size) {
  if (text.size() <= prefix.size() + 1 || !text.starts_with(prefix) || text[prefix.size()] != '-')
    return std::nullopt;
  text.remove_prefix(prefix.size() + 1);
  std::uint32_t value = 0;
  const auto [end, ec] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (ec != std::errc{} || end != text.data() + text.size() || value >= size)
    return std::nullopt;
  return value;
}

// -- refusals ------------------------------------------------------------------------------------

namespace {

/// `user` begins the sentence ("task x depends on "). `text` is the name of a `kind` ("task"), and
/// `role` ends the sentence. Similar names are looked for in `others`.
template<class Specs>
error refuse_name(std::string user, std::string_view kind, const std::string& text,
                  std::string_view role, std::uint32_t found, const Specs& others,
                  std::string where) {
  if (found == ambiguous)
    return make_error(errc::invalid_params,
                      user.append(troupe::quoted(text))
                          .append(role)
                          .append(", but several ")
                          .append(kind)
                          .append("s have that name; use an id"),
                      std::move(where));
  if (found == not_found)
    return make_error(errc::unknown_dependency,
                      user.append(troupe::quoted(text))
                          .append(role)
                          .append(", but this objective has no such ")
                          .append(kind)
                          .append(nearest(text, others)),
                      std::move(where));
  return make_error(errc::dependency_cycle, user.append("itself").append(role), std::move(where));
}

} // namespace

error refuse_repeated_id(std::string_view kind, std::string_view id, const std::string& where) {
  return make_error(errc::duplicate_id,
                    std::string{"the "}
                        .append(kind)
                        .append(" id ")
                        .append(troupe::quoted(id))
                        .append(" is used twice"),
                    where + "/id");
}

error refuse_task_dependency(const chunked<task_spec>& tasks, const task_position& task,
                             std::size_t dependency, std::uint32_t found) {
  const auto& spec = tasks[task.task];
  return refuse_name("task " + troupe::quoted(label_of(spec, task.task)) + " depends on ", "task",
                     spec.dependencies[dependency], "", found, tasks,
                     task_pointer(task.plan, task.task) + "/dependencies/"
                         + std::to_string(dependency));
}

error refuse_plan_name(const std::string& user, std::string_view verb, const std::string& text,
                       std::uint32_t found, const std::vector<plan_spec_ptr>& plans,
                       std::string where) {
  return refuse_name("plan " + troupe::quoted(user) + " " + std::string{verb} + " ", "plan", text,
                     verb == "lists" ? " as an alternative" : "", found, plans, std::move(where));
}

error refuse_shared_alternative(const std::string& plan, const std::string& first,
                                const std::string& second, std::string where) {
  return make_error(errc::invalid_params,
                    "plan " + troupe::quoted(plan) + " is named as an alternative by two plans: "
                        + troupe::quoted(first) + " and " + troupe::quoted(second),
                    std::move(where));
}

error refuse_nested_alternative(const std::string& plan, const std::string& primary,
                                const std::string& nested, std::string where) {
  return make_error(errc::invalid_params,
                    "plan " + troupe::quoted(plan) + " is an alternative of plan "
                        + troupe::quoted(primary) + " and cannot have alternatives; list "
                        + troupe::quoted(nested) + " among the alternatives of "
                        + troupe::quoted(primary),
                    std::move(where));
}

} // namespace troupe
