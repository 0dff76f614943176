#include "client/remote_agent/diagnostics.hpp"

#include "protocol/text/media_type.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <string_view>
#include <variant>

namespace troupe::remote_agent {

namespace json = boost::json;

namespace {

constexpr std::string_view unknown_type = "unknown";

std::string type_of_part(const part& one) {
  if (const auto said = media_type_of(one); !said.empty())
    return std::string(said);
  auto type = media_type_of_name(one.filename);
  if (const auto* where = std::get_if<url_content>(&one.content); type.empty() && where != nullptr)
    type = media_type_of_name(where->url.substr(0, where->url.find_first_of("?#")));
  return std::string(type.empty() ? unknown_type : type);
}

void add_once(std::vector<std::string>& to, const std::string& text) {
  if (std::ranges::find(to, text) == to.end())
    to.push_back(text);
}

/// The modes of the card, and of its skills.
std::vector<std::string> advertised(const agent_card& card, bool inputs) {
  auto out = inputs ? card.input_modes : card.output_modes;
  for (const auto& skill : card.skills)
    for (const auto& each : inputs ? skill.input_modes : skill.output_modes)
      add_once(out, each);
  return out;
}

/// Those of `asked` that none of `offered` meets; none if the card names no modes.
std::vector<std::string> unsupported(const std::vector<std::string>& asked,
                                     const std::vector<std::string>& offered) {
  std::vector<std::string> out;
  for (const auto& each : asked)
    if (each != unknown_type && !offered.empty()
        && std::ranges::none_of(
            offered, [&](const std::string& one) { return media_types_meet(each, one); }))
      out.push_back(each);
  return out;
}

json::array texts_as_json(const std::vector<std::string>& all) {
  return json::array(all.begin(), all.end());
}

} // namespace

json::object capability_diagnostics(const std::vector<part>& parts,
                                    const std::vector<std::string>& accepted,
                                    const agent_card& card) {
  std::vector<std::string> inputs;
  json::array unknown;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const auto type = type_of_part(parts[i]);
    add_once(inputs, type);
    if (type == unknown_type)
      unknown.emplace_back(i);
  }
  const auto offered_inputs = advertised(card, true);
  const auto offered_outputs = advertised(card, false);
  json::object out;
  out["requested_input_modes"] = texts_as_json(inputs);
  out["advertised_input_modes"] = texts_as_json(offered_inputs);
  out["unsupported_input_modes"] = texts_as_json(unsupported(inputs, offered_inputs));
  out["requested_output_modes"] = texts_as_json(accepted);
  out["advertised_output_modes"] = texts_as_json(offered_outputs);
  out["unsupported_output_modes"] = texts_as_json(unsupported(accepted, offered_outputs));
  out["unknown_file_attachments"] = std::move(unknown);
  return out;
}

} // namespace troupe::remote_agent
