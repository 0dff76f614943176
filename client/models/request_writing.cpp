#include "client/models/request_writing.hpp"

#include <boost/json/array.hpp>
#include <boost/json/value.hpp>

#include <algorithm>
#include <array>

namespace troupe::models {

namespace json = boost::json;

namespace {

constexpr auto refusable =
    std::to_array<std::string_view>({"response_format", "stream_options", "temperature", "seed",
                                     "max_tokens", "max_completion_tokens", "strict"});

std::string_view name_of(speaker from) noexcept {
  switch (from) {
    case speaker::system: return "system";
    case speaker::user: return "user";
    case speaker::assistant: return "assistant";
    case speaker::tool: break;
  }
  return "tool";
}

json::object write_call(const tool_call& call) {
  return {{"id", call.id},
          {"type", "function"},
          {"function", {{"name", call.name}, {"arguments", call.arguments}}}};
}

json::object write_message(const chat_message& from) {
  json::object out{{"role", name_of(from.from)}, {"content", from.content}};
  if (!from.calls.empty()) {
    auto& calls = out["tool_calls"].emplace_array();
    for (const auto& each : from.calls)
      calls.emplace_back(write_call(each));
  }
  if (from.from == speaker::tool)
    out["tool_call_id"] = from.call_id;
  return out;
}

json::array write_messages(const std::vector<chat_message>& from) {
  json::array out;
  std::string system;
  for (const auto& each : from)
    if (each.from == speaker::system)
      system += (system.empty() ? "" : "\n\n") + each.content;
  if (!system.empty())
    out.emplace_back(write_message({speaker::system, system}));
  for (const auto& each : from)
    if (each.from != speaker::system)
      out.emplace_back(write_message(each));
  return out;
}

json::array write_tools(const std::vector<tool_spec>& from) {
  json::array out;
  for (const auto& each : from) {
    json::object function{{"name", each.name}, {"description", each.description}};
    function["parameters"] = each.parameters;
    json::object tool{{"type", "function"}};
    tool["function"] = std::move(function);
    out.emplace_back(std::move(tool));
  }
  return out;
}

bool names(const json::array& list, std::string_view name) {
  return std::ranges::any_of(list, [&](const json::value& each) {
    return each.is_string() && std::string_view(each.get_string()) == name;
  });
}

bool is_strict_value(const json::value& from) {
  if (const auto* list = from.if_array())
    return std::ranges::all_of(*list, is_strict_value);
  const auto* object = from.if_object();
  return object == nullptr || is_strict_schema(*object);
}

} // namespace

std::span<const std::string_view> refusable_members() noexcept {
  return refusable;
}

bool is_strict_schema(const json::object& schema) {
  if (const auto* found = schema.if_contains("properties"); found && found->is_object()) {
    const auto* more = schema.if_contains("additionalProperties");
    const auto* required = schema.if_contains("required");
    if (more == nullptr || !more->is_bool() || more->get_bool() || required == nullptr
        || !required->is_array())
      return false;
    for (const auto& each : found->get_object())
      if (!names(required->get_array(), each.key()))
        return false;
  } else if (const auto* type = schema.if_contains("type");
             type && type->is_string() && type->get_string() == "object") {
    return false;
  }
  return std::ranges::all_of(schema,
                             [](const auto& each) { return is_strict_value(each.value()); });
}

std::optional<std::uint32_t> answer_tokens_of(const chat_request& request,
                                              const writing_terms& terms) noexcept {
  const auto& wanted = request.settings.answer_tokens_max;
  if (!wanted || !terms.answer_tokens_max)
    return wanted ? wanted : terms.answer_tokens_max;
  return std::min(*wanted, *terms.answer_tokens_max);
}

json::object write_request(const chat_request& request, const writing_terms& terms) {
  const auto& row = row_of(terms.kind);
  const auto takes = [&](std::string_view member) {
    return std::ranges::find(terms.dropped, member) == terms.dropped.end();
  };
  json::object out{{"model", terms.model}};
  out["messages"] = write_messages(request.messages);
  out["stream"] = request.streams;
  if (request.streams && row.takes_usage_option && takes("stream_options"))
    out["stream_options"] = json::object{{"include_usage", true}};
  if (!request.tools.empty())
    out["tools"] = write_tools(request.tools);
  if (!request.schema.empty() && row.takes_response_format && takes("response_format")) {
    json::object form{{"name", "answer"}};
    form["schema"] = request.schema;
    if (row.takes_strict && takes("strict") && is_strict_schema(request.schema))
      form["strict"] = true;
    json::object format{{"type", "json_schema"}};
    format["json_schema"] = std::move(form);
    out["response_format"] = std::move(format);
  }
  if (const auto most = answer_tokens_of(request, terms)) {
    const auto usual = row.answer_limit_member;
    const std::string_view other = usual == "max_tokens" ? "max_completion_tokens" : "max_tokens";
    if (takes(usual))
      out[usual] = *most;
    else if (takes(other))
      out[other] = *most;
  }
  const auto& own = request.settings;
  if (const auto value = own.temperature ? own.temperature : terms.temperature;
      value && takes("temperature"))
    out["temperature"] = *value;
  if (const auto value = own.seed ? own.seed : terms.seed; value && row.takes_seed && takes("seed"))
    out["seed"] = *value;
  for (const auto& each : terms.extra)
    if (takes(each.key()))
      out[each.key()] = each.value();
  return out;
}

bool drop_member(writing_terms& terms, const json::object& written, std::string_view member) {
  const bool is_known =
      std::ranges::find(refusable, member) != refusable.end() || terms.extra.contains(member);
  if (!is_known || std::ranges::find(terms.dropped, member) != terms.dropped.end())
    return false;
  bool was_written = written.contains(member);
  if (member == "strict")
    if (const auto* format = written.if_contains("response_format"); format && format->is_object())
      if (const auto* form = format->get_object().if_contains("json_schema");
          form && form->is_object())
        was_written = form->get_object().contains("strict");
  if (was_written)
    terms.dropped.emplace_back(member);
  return was_written;
}

} // namespace troupe::models
