#include "agents/llm/llm_input.hpp"

#include "agents/llm/llm_tools.hpp"
#include "protocol/json/json_schema.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

constexpr std::array<std::string_view, 3> llm_setting_members{"temperature", "maxTokens", "seed"};
constexpr double temperature_max = 10;
constexpr std::array<std::string_view, 4> llm_listed_members{"name", "agent", "description",
                                                             "input"};
constexpr std::size_t listed_name_bytes_max = 64;

result<json::object> read_output(const json::object& input) {
  const auto* found = input.if_contains("output");
  if (found == nullptr)
    return json::object{};
  if (found->is_string() && found->get_string() == "text")
    return json::object{};
  const auto* schema = found->if_object();
  if (schema == nullptr)
    return input_error("/output", R"(must be "text", or a JSON Schema)");
  if (const auto fault = check_schema(*schema))
    return input_error("/output" + fault->pointer, fault->message);
  if (schema->empty())
    return input_error("/output", "says nothing about the answer");
  return *schema;
}

/// `tools` or `approve`.
result<std::vector<std::string>> read_tools(const json::object& input, std::string_view member) {
  std::vector<std::string> out;
  const auto where = below("", member);
  const auto* found = input.if_contains(member);
  if (found == nullptr)
    return out;
  const auto* list = found->if_array();
  if (list == nullptr)
    return input_error(where, "must be a list of names");
  const auto known = llm_tool_names();
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto* name = (*list)[i].if_string();
    if (name == nullptr)
      return input_error(below(where, i), "must be a name");
    if (std::ranges::find(known, std::string_view(*name)) == known.end())
      return input_error(below(where, i), "is no tool: " + troupe::quoted(*name, 64)
                                              + did_you_mean(std::string_view(*name), known));
    if (std::ranges::find(out, std::string_view(*name)) == out.end())
      out.emplace_back(*name);
  }
  return out;
}

result<llm_listed_agent> read_listed(const json::value& from, const std::string& where) {
  llm_listed_agent out;
  if (const auto* name = from.if_string()) {
    out.name = std::string(*name);
  } else if (const auto* object = from.if_object()) {
    if (auto known = refuse_unknown(*object, llm_listed_members, where); !known)
      return known.error();
    for (const auto& [key, member] :
         {std::pair{"name", &out.name}, {"agent", &out.agent}, {"description", &out.description}}) {
      auto text = read_string(*object, key, where);
      if (!text)
        return text.error();
      *member = std::move(*text);
    }
    if (const auto* input = object->if_contains("input")) {
      if (!input->is_object())
        return input_error(below(where, "input"), "must be an object");
      out.input = input->get_object();
    }
  } else {
    return input_error(where, "must be the name of an agent, or an object");
  }
  if (out.name.empty() || out.name.size() > listed_name_bytes_max)
    return input_error(where, "must have a name of 1 to " + std::to_string(listed_name_bytes_max)
                                  + " bytes");
  if (out.agent.empty())
    out.agent = out.name;
  return out;
}

result<std::vector<llm_listed_agent>> read_agents(const json::object& input) {
  std::vector<llm_listed_agent> out;
  const auto* found = input.if_contains("agents");
  if (found == nullptr)
    return out;
  const auto* list = found->if_array();
  if (list == nullptr || list->size() > llm_agents_max)
    return input_error("/agents",
                       "must be a list of at most " + std::to_string(llm_agents_max) + " agents");
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto where = below("/agents", i);
    auto each = read_listed((*list)[i], where);
    if (!each)
      return each.error();
    if (std::ranges::find(out, each->name, &llm_listed_agent::name) != out.end())
      return input_error(where, "has the name of another one: " + troupe::quoted(each->name, 64));
    out.push_back(std::move(*each));
  }
  return out;
}

result<models::chat_settings> read_settings(const json::object& input) {
  models::chat_settings out;
  const auto* found = input.if_contains("settings");
  if (found == nullptr)
    return out;
  if (!found->is_object())
    return input_error("/settings", "must be an object");
  const auto& from = found->get_object();
  if (auto known = refuse_unknown(from, llm_setting_members, "/settings"); !known)
    return known.error();
  if (const auto* value = from.if_contains("temperature")) {
    const auto amount = read_amount(*value, "/settings/temperature", temperature_max);
    if (!amount)
      return amount.error();
    out.temperature = *amount;
  }
  boost::system::error_code failed;
  if (const auto* value = from.if_contains("maxTokens")) {
    const auto tokens = value->to_number<std::uint32_t>(failed);
    if (failed || tokens < 1)
      return input_error("/settings/maxTokens", "must be a whole number of at least 1");
    out.answer_tokens_max = tokens;
  }
  if (const auto* value = from.if_contains("seed")) {
    const auto seed = value->to_number<std::int64_t>(failed);
    if (failed)
      return input_error("/settings/seed", "must be a whole number");
    out.seed = seed;
  }
  return out;
}

/// Tools that make tasks need agents; and only listed tools are approved.
result<void> check_tools(const llm_input& input) {
  for (std::size_t i = 0; i < input.tools.size(); ++i)
    if (llm_tool_makes_tasks(input.tools[i]) && input.agents.empty())
      return input_error(below("/tools", i), troupe::quoted(input.tools[i])
                                                 + " needs \"agents\": who may do the tasks");
  for (std::size_t i = 0; i < input.approved.size(); ++i) {
    const auto& name = input.approved[i];
    if (std::ranges::find(input.tools, name) == input.tools.end())
      return input_error(below("/approve", i), troupe::quoted(name) + " is not among \"tools\"");
    if (!llm_tool_makes_tasks(name))
      return input_error(below("/approve", i),
                         troupe::quoted(name) + " asks a person anyway, and needs no approval");
  }
  return {};
}

result<std::uint32_t> read_rounds(const json::object& input, input_stage stage) {
  const auto* found = input.if_contains("maxRounds");
  if (found == nullptr || is_pending(*found, stage))
    return llm_rounds_default;
  boost::system::error_code failed;
  const auto number = found->to_number<std::uint32_t>(failed);
  if (failed || !found->is_number() || number < 1 || number > llm_rounds_max)
    return input_error("/maxRounds",
                       "must be a whole number from 1 to " + std::to_string(llm_rounds_max));
  return number;
}

} // namespace

result<llm_input> read_llm_input(const json::object& input, input_stage stage) {
  if (auto known = refuse_unknown(input, llm_members, ""); !known)
    return known.error();
  llm_input out;
  for (const auto& [name, member] :
       {std::pair{"prompt", &out.prompt}, {"system", &out.system}, {"model", &out.model}}) {
    auto text = read_string(input, name, "");
    if (!text)
      return text.error();
    *member = std::move(*text);
  }
  for (const auto* name : {"model", "output", "tools", "agents", "approve", "settings"})
    if (const auto* found = input.if_contains(name); found && has_pending(*found, stage))
      return input_error(below("", name), "takes no reference to another task");
  auto schema = read_output(input);
  if (!schema)
    return schema.error();
  out.schema = std::move(*schema);
  for (const auto& [name, member] : {std::pair{"tools", &out.tools}, {"approve", &out.approved}}) {
    auto tools = read_tools(input, name);
    if (!tools)
      return tools.error();
    *member = std::move(*tools);
  }
  auto agents = read_agents(input);
  if (!agents)
    return agents.error();
  out.agents = std::move(*agents);
  if (auto fine = check_tools(out); !fine)
    return fine.error();
  auto settings = read_settings(input);
  if (!settings)
    return settings.error();
  out.settings = *settings;
  auto rounds = read_rounds(input, stage);
  if (!rounds)
    return rounds.error();
  out.rounds_max = *rounds;
  return out;
}

} // namespace troupe
