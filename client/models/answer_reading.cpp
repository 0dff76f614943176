#include "client/models/answer_reading.hpp"

#include "client/models/limits.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_text.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/array.hpp>

#include <algorithm>
#include <array>
#include <utility>

namespace troupe::models {

namespace json = boost::json;

namespace {

model_failure unreadable(std::string message) {
  model_failure out;
  out.kind = failure_kind::unreadable;
  out.message = std::move(message);
  return out;
}

const json::object* object_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found == nullptr ? nullptr : found->if_object();
}

std::string_view text_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_string() ? std::string_view(found->get_string())
                                                : std::string_view{};
}

/// The content is a text, or a list of parts with texts.
std::string content_in(const json::object& from) {
  const auto* found = from.if_contains("content");
  if (found == nullptr)
    return {};
  if (const auto* text = found->if_string())
    return std::string(*text);
  std::string out;
  if (const auto* parts = found->if_array())
    for (const auto& each : *parts)
      if (const auto* part = each.if_object())
        out += text_in(*part, "text");
  return out;
}

/// Servers have two names for it.
std::string_view reasoning_in(const json::object& from) {
  const auto first = text_in(from, "reasoning_content");
  return first.empty() ? text_in(from, "reasoning") : first;
}

finish_reason finish_in(const json::object& choice) {
  const auto* found = choice.if_contains("finish_reason");
  if (found == nullptr || !found->is_string() || found->get_string().empty())
    return finish_reason::none;
  const auto word = ascii_lower(std::string_view(found->get_string()));
  if (word == "stop" || word == "eos" || word == "end_turn")
    return finish_reason::stop;
  if (word == "length" || word == "max_tokens")
    return finish_reason::length;
  if (word == "tool_calls" || word == "function_call" || word == "tool_use")
    return finish_reason::tool_calls;
  if (word == "content_filter" || word == "safety")
    return finish_reason::content_filter;
  return finish_reason::other;
}

std::optional<std::uint64_t> count_in(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  if (found == nullptr || !found->is_number())
    return std::nullopt;
  boost::system::error_code failed;
  const auto out = found->to_number<std::uint64_t>(failed);
  return failed || out > usage_tokens_max ? std::nullopt : std::optional{out};
}

std::optional<chat_usage> usage_in(const json::object& from) {
  const auto* usage = object_in(from, "usage");
  if (usage == nullptr)
    return std::nullopt;
  const auto asked = count_in(*usage, "prompt_tokens");
  const auto answered = count_in(*usage, "completion_tokens");
  if (!asked && !answered)
    return std::nullopt;
  return chat_usage{asked.value_or(0), answered.value_or(0), !asked || !answered};
}

/// Arguments are a text; some servers write the object itself.
std::string arguments_in(const json::object& function) {
  const auto* found = function.if_contains("arguments");
  if (found == nullptr || found->is_null())
    return {};
  return text_of_value(*found);
}

/// Calls without an id get one: answers name it.
void name_calls(std::vector<tool_call>& calls) {
  for (std::size_t i = 0; i < calls.size(); ++i)
    if (calls[i].id.empty())
      calls[i].id = "call_" + std::to_string(i);
}

const json::object* first_choice(const json::object& from) {
  const auto* found = from.if_contains("choices");
  const auto* choices = found == nullptr ? nullptr : found->if_array();
  return choices == nullptr || choices->empty() ? nullptr : choices->front().if_object();
}

template<class T>
reading<T> failing(model_failure why) {
  return {std::nullopt, std::move(why)};
}

} // namespace

reading<chat_answer> read_answer(std::string_view body) {
  boost::system::error_code failed;
  const auto tree = parse_json(body, failed);
  if (failed)
    return failing<chat_answer>(unreadable("the answer is not JSON"));
  if (is_error_value(tree))
    return failing<chat_answer>(read_error_value(tree));
  const auto* from = tree.if_object();
  const auto* choice = from == nullptr ? nullptr : first_choice(*from);
  const auto* said = choice == nullptr ? nullptr : object_in(*choice, "message");
  if (said == nullptr)
    return failing<chat_answer>(unreadable("the answer has no message"));
  chat_answer out;
  out.content = content_in(*said);
  out.reasoning = reasoning_in(*said);
  out.refusal = text_in(*said, "refusal");
  out.finish = finish_in(*choice);
  out.usage = usage_in(*from);
  if (const auto* calls = said->if_contains("tool_calls"); calls && calls->is_array())
    for (const auto& each : calls->get_array()) {
      const auto* call = each.if_object();
      const auto* function = call == nullptr ? nullptr : object_in(*call, "function");
      if (function == nullptr)
        return failing<chat_answer>(unreadable("the answer has a call without a function"));
      out.calls.push_back({std::string(text_in(*call, "id")),
                           std::string(text_in(*function, "name")), arguments_in(*function)});
    }
  if (out.calls.size() > calls_per_answer_max)
    return failing<chat_answer>(unreadable("the answer has too many calls"));
  name_calls(out.calls);
  return {std::move(out), {}};
}

bool streamed_answer::take_calls(const json::value& from) {
  const auto* list = from.if_array();
  if (list == nullptr)
    return from.is_null();
  for (const auto& each : *list) {
    const auto* piece = each.if_object();
    if (piece == nullptr)
      return false;
    static const json::object nothing;
    const auto* found = object_in(*piece, "function");
    const auto& function = found == nullptr ? nothing : *found;
    const auto id = text_in(*piece, "id");
    const auto name = text_in(function, "name");
    const auto* index = piece->if_contains("index");
    std::size_t at = answer_.calls.size();
    if (index != nullptr && index->is_int64()) {
      at = calls_by_index_.try_emplace(index->get_int64(), at).first->second;
    } else if (id.empty() && name.empty() && at > 0) {
      --at; // without an index, what has no name goes on with the last one
    }
    if (at == answer_.calls.size()) {
      if (at == calls_per_answer_max)
        return false;
      answer_.calls.emplace_back();
    }
    auto& call = answer_.calls[at];
    if (call.id.empty())
      call.id = id;
    if (call.name.empty()) // some servers repeat it
      call.name = name;
    call.arguments += arguments_in(function);
  }
  return true;
}

bool streamed_answer::take_choice(const json::object& choice, std::string& added) {
  const auto* said = object_in(choice, "delta");
  if (said == nullptr)
    said = object_in(choice, "message"); // a server that streams one whole answer
  if (said != nullptr) {
    added = content_in(*said);
    answer_.content += added;
    answer_.reasoning += reasoning_in(*said);
    answer_.refusal += text_in(*said, "refusal");
    if (const auto* calls = said->if_contains("tool_calls"); calls && !take_calls(*calls))
      return false;
  }
  if (const auto finish = finish_in(choice); finish != finish_reason::none)
    answer_.finish = finish;
  return true;
}

reading<std::string> streamed_answer::take(std::string_view data) {
  if (data == "[DONE]") {
    is_done_ = true;
    return {std::string{}, {}};
  }
  boost::system::error_code failed;
  const auto tree = parse_json(data, failed);
  if (failed)
    return failing<std::string>(unreadable("an event of the answer is not JSON"));
  if (is_error_value(tree))
    return failing<std::string>(read_error_value(tree));
  const auto* from = tree.if_object();
  if (from == nullptr)
    return failing<std::string>(unreadable("an event of the answer is no object"));
  if (auto usage = usage_in(*from))
    answer_.usage = usage;
  std::string added;
  // Without choices: the chunk of the usage, or of a filter.
  if (const auto* choice = first_choice(*from); choice && !take_choice(*choice, added))
    return failing<std::string>(unreadable("the answer has a call that cannot be read"));
  std::size_t bytes = answer_.content.size() + answer_.reasoning.size() + answer_.refusal.size();
  for (const auto& each : answer_.calls)
    bytes += each.id.size() + each.name.size() + each.arguments.size();
  if (bytes > answer_bytes_max) {
    auto why =
        unreadable("the answer is longer than " + std::to_string(answer_bytes_max) + " bytes");
    why.kind = failure_kind::too_large;
    return failing<std::string>(std::move(why));
  }
  return {std::move(added), {}};
}

reading<chat_answer> streamed_answer::finish() {
  if (answer_.finish == finish_reason::none) {
    model_failure cut;
    cut.kind = failure_kind::broken;
    cut.message = "the answer was cut off: its stream has no finish_reason";
    return failing<chat_answer>(std::move(cut));
  }
  name_calls(answer_.calls);
  return {std::move(answer_), {}};
}

} // namespace troupe::models
