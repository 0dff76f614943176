#include "agents/a2a/delegation_note.hpp"

#include "protocol/json/json_parser.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace troupe {

namespace json = boost::json;

namespace {

constexpr std::string_view note_begins = R"({"delegation":1,)";

std::string text_member(const json::object& from, std::string_view name) {
  const auto* found = from.if_contains(name);
  return found != nullptr && found->is_string() ? std::string(found->get_string()) : std::string{};
}

} // namespace

bool is_delegation_note(std::string_view text) noexcept {
  return text.starts_with(note_begins);
}

std::string write_note(const delegation_note& note) {
  json::object out;
  out["delegation"] = 1;
  out["target"] = note.target;
  out["endpoint"] = note.endpoint;
  out["message"] = note.message;
  out["context"] = note.context;
  out["key"] = note.key;
  out["at"] = to_rfc3339(note.at);
  out["inputs"] = note.inputs;
  const auto add = [&](std::string_view name, const std::string& value) {
    if (!value.empty())
      out[name] = value;
  };
  if (note.deadline != timestamp{})
    out["deadline"] = to_rfc3339(note.deadline);
  add("task", note.task);
  add("answer", note.answer);
  add("question", note.question);
  return json::serialize(out);
}

result<delegation_note> read_note(std::string_view text) {
  boost::system::error_code failed;
  const auto tree = parse_json(text, failed);
  const auto* from = tree.if_object();
  delegation_note out;
  if (from != nullptr) {
    out.target = text_member(*from, "target");
    out.endpoint = text_member(*from, "endpoint");
    out.message = text_member(*from, "message");
    out.context = text_member(*from, "context");
    out.key = text_member(*from, "key");
    out.task = text_member(*from, "task");
    out.answer = text_member(*from, "answer");
    out.question = text_member(*from, "question");
    out.at = parse_rfc3339(text_member(*from, "at")).value_or(timestamp{});
    out.deadline = parse_rfc3339(text_member(*from, "deadline")).value_or(timestamp{});
    if (const auto* inputs = from->if_contains("inputs");
        inputs && inputs->is_int64() && inputs->get_int64() >= 0)
      out.inputs = static_cast<std::uint32_t>(inputs->get_int64());
  }
  if (failed || out.message.empty() || out.context.empty())
    return make_error(errc::invalid_params, "the note of the attempt is none of a delegation");
  return out;
}

} // namespace troupe
