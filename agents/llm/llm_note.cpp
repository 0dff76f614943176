#include "agents/llm/llm_note.hpp"

#include "agents/llm/material.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/text_in.hpp"
#include <troupe/protocol/task_life.hpp>

#include <boost/json/array.hpp>
#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <utility>

namespace troupe {

namespace json = boost::json;

namespace {

constexpr std::string_view llm_note_begins = R"({"llm":1,)";

std::string text_of(const json::value& from) {
  const auto* text = from.if_string();
  return text != nullptr ? std::string(*text) : std::string{};
}

std::int64_t number_of_note(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_int64() && found->get_int64() > 0 ? found->get_int64() : 0;
}

const json::array& list_of_note(const json::object& from, std::string_view name) {
  static const json::array nothing;
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_array() ? found->get_array() : nothing;
}

/// The longest text of a turn, from one attempt at a note that is short enough to the next.
constexpr auto kept_text_sizes =
    std::to_array<std::size_t>({std::numeric_limits<std::size_t>::max(), std::size_t{64} << 10,
                                std::size_t{16} << 10, std::size_t{4} << 10, std::size_t{1} << 10});

json::object write_turn(const llm_turn& from, std::size_t text_bytes_max) {
  json::object out;
  out["content"] = cut_in_the_middle(from.content, text_bytes_max);
  if (!from.calls.empty()) {
    json::array calls;
    json::array results;
    for (const auto& each : from.calls) {
      calls.emplace_back(json::array{each.call.id, each.call.name, each.call.arguments});
      if (each.is_approved)
        calls.back().get_array().emplace_back(true);
      if (each.result && !each.is_of_task)
        results.emplace_back(cut_in_the_middle(*each.result, text_bytes_max));
      else
        results.emplace_back(nullptr);
    }
    out["calls"] = std::move(calls);
    out["results"] = std::move(results);
  }
  if (!from.told.empty())
    out["told"] = cut_in_the_middle(from.told, text_bytes_max);
  return out;
}

llm_turn read_turn(const json::value& from) {
  llm_turn out;
  const auto* object = from.if_object();
  if (object == nullptr)
    return out;
  out.content = text_in(*object, "content");
  out.told = text_in(*object, "told");
  for (const auto& each : list_of_note(*object, "calls"))
    if (const auto* call = each.if_array(); call && call->size() >= 3)
      out.calls.push_back({{text_of(call->at(0)), text_of(call->at(1)), text_of(call->at(2))},
                           std::nullopt,
                           call->size() > 3});
  const auto& results = list_of_note(*object, "results");
  for (std::size_t i = 0; i < std::min(results.size(), out.calls.size()); ++i)
    if (results[i].is_string())
      out.calls[i].result = std::string(results[i].get_string());
  return out;
}

json::object write_counts(const llm_note& note) {
  json::object out;
  out["llm"] = 1;
  out["begunWith"] = note.begun_with;
  out["inputs"] = note.inputs;
  out["wrongCalls"] = note.wrong_calls;
  out["repairs"] = note.repairs;
  out["tokens"] = note.spent.tokens;
  out["cost"] = note.spent.cost;
  out["ms"] = note.spent.time.count();
  return out;
}

} // namespace

bool is_llm_note(std::string_view text) noexcept {
  return text.starts_with(llm_note_begins);
}

std::string write_llm_note(const llm_note& note) {
  for (const auto most : kept_text_sizes) {
    auto out = write_counts(note);
    auto& turns = out["turns"].emplace_array();
    for (const auto& each : note.turns)
      turns.emplace_back(write_turn(each, most));
    if (auto text = json::serialize(out); text.size() <= note_bytes_max)
      return text;
  }
  auto counts = note;
  counts.wrong_calls = counts.repairs = 0; // of a conversation that begins anew
  return json::serialize(write_counts(counts));
}

result<llm_note> read_llm_note(std::string_view text) {
  boost::system::error_code failed;
  const auto tree = parse_json(text, failed);
  const auto* from = tree.if_object();
  if (failed || from == nullptr || !is_llm_note(text))
    return make_error(errc::invalid_params,
                      "the note of the attempt was not written by the agent llm");
  llm_note out;
  out.begun_with = static_cast<std::uint32_t>(number_of_note(*from, "begunWith"));
  out.inputs = static_cast<std::uint32_t>(number_of_note(*from, "inputs"));
  out.wrong_calls = static_cast<std::uint32_t>(number_of_note(*from, "wrongCalls"));
  out.repairs = static_cast<std::uint32_t>(number_of_note(*from, "repairs"));
  out.spent.tokens = static_cast<std::uint64_t>(number_of_note(*from, "tokens"));
  out.spent.cost = number_of_note(*from, "cost");
  out.spent.time = std::chrono::milliseconds{number_of_note(*from, "ms")};
  for (const auto& each : list_of_note(*from, "turns"))
    out.turns.push_back(read_turn(each));
  return out;
}

} // namespace troupe
