// How the tasks and plans of an objective are called: in dependencies, and in messages to people.
#pragma once

#include "store/text_hash.hpp"
#include <troupe/protocol/spec.hpp>

#include <boost/unordered/unordered_flat_map.hpp>

#include <compare>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>

namespace troupe {

/// A task of an objective.
struct task_position {
  std::uint32_t plan;
  std::uint32_t task;

  friend auto operator<=>(const task_position&, const task_position&) = default;
};

/// `/plans/0`, `/plans/0/tasks/3`, `/plans/0/dependencies/2`: a place in the objective as a JSON
/// pointer.
[[nodiscard]] std::string plan_pointer(std::size_t plan);
[[nodiscard]] std::string task_pointer(std::size_t plan, std::size_t task);
[[nodiscard]] std::string list_pointer(std::size_t plan, std::string_view list, std::size_t index);

/// `key`, else `name`, else `<kind>-<position>`: how a task or plan is called in messages to
/// people.
[[nodiscard]] std::string label_of(const task_spec& spec, std::size_t position);
[[nodiscard]] std::string label_of(const plan_spec& spec, std::size_t position);

/// The number of a text as `<prefix>-<number>`, if it is below `size`.
[[nodiscard]] std::optional<std::uint32_t> find_position(std::string_view text,
                                                         std::string_view prefix, std::size_t size);

/// Instead of a position: no task or plan, or several, have a name.
inline constexpr std::uint32_t nobody = UINT32_MAX;
inline constexpr std::uint32_t ambiguous = UINT32_MAX - 1;

/// By a text that it owns.
template<class Value>
using by_text = std::unordered_map<std::string, Value, text_hash, std::equal_to<>>;

/// By a text that is owned elsewhere and lives as long as the index.
using name_index = boost::unordered_flat_map<std::string_view, std::uint32_t, text_hash>;

/// A name that is there already becomes ambiguous. An empty one is passed over.
template<class Index>
void add_name(Index& names, std::string_view name, std::uint32_t index) {
  if (name.empty())
    return;
  const auto [it, fresh] = names.try_emplace(typename Index::key_type{name}, index);
  if (!fresh && it->second != index)
    it->second = ambiguous;
}

/// A hint at the task or plan that `text` was probably meant to name.
[[nodiscard]] std::string meant(std::string_view text, const chunked<task_spec>& tasks);
[[nodiscard]] std::string meant(std::string_view text, const std::vector<plan_spec_ptr>& plans);

} // namespace troupe
