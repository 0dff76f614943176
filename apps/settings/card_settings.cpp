#include "apps/settings/card_settings.hpp"

#include "protocol/json/quoted.hpp"

#include <algorithm>
#include <array>
#include <string>
#include <string_view>
#include <utility>

namespace troupe {

namespace {

struct text_member {
  std::string_view key;
  std::string agent_skill::*where;
};

struct list_member {
  std::string_view key;
  text_list agent_skill::*where;
};

constexpr std::array skill_texts{text_member{"id", &agent_skill::id},
                                 text_member{"name", &agent_skill::name},
                                 text_member{"description", &agent_skill::description}};
constexpr std::array lists{list_member{"tags", &agent_skill::tags},
                           list_member{"examples", &agent_skill::examples},
                           list_member{"input-modes", &agent_skill::input_modes},
                           list_member{"output-modes", &agent_skill::output_modes}};

/// What is wrong with one member; empty if it was taken.
std::string take(agent_skill& to, const std::string& key, const text_cell& cell) {
  for (const auto& member : skill_texts)
    if (member.key == key) {
      const auto* given = std::get_if<std::string>(&cell);
      if (given == nullptr)
        return troupe::quoted(key) + " must be a string";
      to.*member.where = *given;
      return {};
    }
  for (const auto& member : lists)
    if (member.key == key) {
      const auto* given = std::get_if<text_list>(&cell);
      if (given == nullptr)
        return troupe::quoted(key) + " must be a list of texts";
      to.*member.where = *given;
      return {};
    }
  return troupe::quoted(key)
         + " is not one of id, name, description, tags, examples, input-modes, output-modes";
}

std::string take(agent_skill& to, const text_row& row) {
  for (const auto& [key, cell] : row)
    if (auto why = take(to, key, cell); !why.empty())
      return why;
  if (to.id.empty())
    return "\"id\" is missing";
  if (to.description.empty())
    return "\"description\" is missing";
  if (to.name.empty())
    to.name = to.id;
  return {};
}

} // namespace

result<std::vector<agent_skill>> skills_from(const setting_value& value) {
  std::vector<agent_skill> out;
  const auto* none = std::get_if<text_list>(&value);
  if (none != nullptr && none->empty())
    return out; // an empty array has no kind
  const auto* rows = std::get_if<text_rows>(&value);
  if (rows == nullptr)
    return make_error(errc::invalid_params, "must be tables: [[...]] for each skill");
  for (const auto& row : *rows) {
    agent_skill skill;
    auto why = take(skill, row);
    if (why.empty() && std::any_of(out.begin(), out.end(), [&](const agent_skill& other) {
          return other.id == skill.id;
        }))
      why = "\"id\" is that of another skill";
    if (!why.empty())
      return make_error(errc::invalid_params,
                        "number " + std::to_string(out.size() + 1) + ": " + why);
    out.push_back(std::move(skill));
  }
  return out;
}

text_rows to_rows(const std::vector<agent_skill>& skills) {
  text_rows out;
  for (const auto& skill : skills) {
    text_row row;
    for (const auto& member : skill_texts)
      row.emplace_back(member.key, skill.*member.where);
    for (const auto& member : lists)
      if (!(skill.*member.where).empty())
        row.emplace_back(member.key, skill.*member.where);
    out.push_back(std::move(row));
  }
  return out;
}

} // namespace troupe
