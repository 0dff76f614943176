#include "actors/dependency_names.hpp"

#include "protocol/near_name.hpp"

#include <algorithm>
#include <charconv>
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

std::string meant(std::string_view text, const chunked<task_spec>& tasks) {
  return nearest(text, tasks);
}

std::string meant(std::string_view text, const std::vector<plan_spec_ptr>& plans) {
  return nearest(text, plans);
}

} // namespace troupe
