// How the tasks and plans of an objective are called: in dependencies, and in messages to people.
#pragma once

#include "store/text_hash.hpp"
#include <troupe/protocol/errc.hpp>
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
#include <vector>

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
inline constexpr std::uint32_t not_found = UINT32_MAX;
inline constexpr std::uint32_t ambiguous = UINT32_MAX - 1;

/// By a text that it owns.
template<class Value>
using by_text = std::unordered_map<std::string, Value, text_hash, std::equal_to<>>;

/// By a text that its owner keeps for as long as the index lives.
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

// -- refusals ------------------------------------------------------------------------------------

/// `kind` ("task" or "plan") `id` is used twice; `where` points at its object.
[[nodiscard]] error refuse_repeated_id(std::string_view kind, std::string_view id,
                                       const std::string& where);

/// Why a dependency of a task leads nowhere. `found`: `ambiguous`, `not_found`, or else the task
/// itself. `tasks` are those of its plan.
[[nodiscard]] error refuse_task_dependency(const chunked<task_spec>& tasks,
                                           const task_position& task, std::size_t dependency,
                                           std::uint32_t found);

/// Why a plan that `user` names as `text` leads nowhere; `found` as above. `user` is a label,
/// `verb` says how it names the plan: "depends on", or "lists" as an alternative. `plans` are the
/// others that it could mean.
[[nodiscard]] error refuse_plan_name(const std::string& user, std::string_view verb,
                                     const std::string& text, std::uint32_t found,
                                     const std::vector<plan_spec_ptr>& plans, std::string where);

/// An alternative of two plans. All are labels.
[[nodiscard]] error refuse_shared_alternative(const std::string& plan, const std::string& first,
                                              const std::string& second, std::string where);

/// An alternative that has alternatives: which plan comes after which is one list, that of the plan
/// that they replace. `plan` is an alternative of `primary` and names `nested`; all are
/// labels.
[[nodiscard]] error refuse_nested_alternative(const std::string& plan, const std::string& primary,
                                              const std::string& nested, std::string where);

} // namespace troupe
