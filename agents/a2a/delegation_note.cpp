#include "agents/a2a/delegation_note.hpp"

#include "protocol/json/json_parser.hpp"
#include "protocol/json/text_in.hpp"

#include <boost/json/object.hpp>
#include <boost/json/serialize.hpp>

namespace troupe {

namespace json = boost::json;

namespace {

constexpr std::string_view note_begins = R"({"delegation":1,)";

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
  add("input", note.input);
  add("ourTask", note.our_task);
  return json::serialize(out);
}

result<delegation_note> read_note(std::string_view text) {
  boost::system::error_code failed;
  const auto tree = parse_json(text, failed);
  const auto* from = tree.if_object();
  delegation_note out;
  if (from != nullptr) {
    out.target = text_in(*from, "target");
    out.endpoint = text_in(*from, "endpoint");
    out.message = text_in(*from, "message");
    out.context = text_in(*from, "context");
    out.key = text_in(*from, "key");
    out.task = text_in(*from, "task");
    out.answer = text_in(*from, "answer");
    out.question = text_in(*from, "question");
    out.input = text_in(*from, "input");
    out.our_task = text_in(*from, "ourTask");
    out.at = parse_rfc3339(text_in(*from, "at")).value_or(timestamp{});
    out.deadline = parse_rfc3339(text_in(*from, "deadline")).value_or(timestamp{});
    if (const auto* inputs = from->if_contains("inputs");
        inputs && inputs->is_int64() && inputs->get_int64() >= 0)
      out.inputs = static_cast<std::uint32_t>(inputs->get_int64());
  }
  if (failed || out.message.empty() || out.context.empty())
    return make_error(errc::invalid_params, "the note of the attempt is not that of a delegation");
  return out;
}

} // namespace troupe
