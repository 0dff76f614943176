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

constexpr std::array<std::string_view, 6> llm_members{"prompt", "system", "model",
                                                      "output", "tools",  "maxRounds"};

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

result<std::vector<std::string>> read_tools(const json::object& input) {
  std::vector<std::string> out;
  const auto* found = input.if_contains("tools");
  if (found == nullptr)
    return out;
  const auto* list = found->if_array();
  if (list == nullptr)
    return input_error("/tools", "must be a list of names");
  const auto known = llm_tool_names();
  for (std::size_t i = 0; i < list->size(); ++i) {
    const auto* name = (*list)[i].if_string();
    if (name == nullptr)
      return input_error(below("/tools", i), "must be a name");
    if (std::ranges::find(known, std::string_view(*name)) == known.end())
      return input_error(below("/tools", i), "is no tool: " + troupe::quoted(*name, 64)
                                                 + did_you_mean(std::string_view(*name), known));
    if (std::ranges::find(out, std::string_view(*name)) == out.end())
      out.emplace_back(*name);
  }
  return out;
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
  for (const auto* name : {"model", "output", "tools"})
    if (const auto* found = input.if_contains(name); found && has_pending(*found, stage))
      return input_error(below("", name), "takes no reference to another task");
  auto schema = read_output(input);
  if (!schema)
    return schema.error();
  out.schema = std::move(*schema);
  auto tools = read_tools(input);
  if (!tools)
    return tools.error();
  out.tools = std::move(*tools);
  auto rounds = read_rounds(input, stage);
  if (!rounds)
    return rounds.error();
  out.rounds_max = *rounds;
  return out;
}

} // namespace troupe
