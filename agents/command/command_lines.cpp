#include "agents/command/command_lines.hpp"

#include "agents/input_check.hpp"
#include "protocol/a2a/codec_v1_0.hpp"
#include "protocol/json/json_parser.hpp"
#include "protocol/json/json_writer.hpp"
#include "protocol/json/quoted.hpp"
#include "protocol/text/near_name.hpp"
#include "protocol/text/text.hpp"

#include <boost/json/serialize.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <utility>

namespace troupe {

namespace {

namespace json = boost::json;

void write_dependency(json_writer& out, const dependency_result& dep) {
  out.begin_object()
      .member("id", dep.id.str())
      .optional_member("key", dep.key)
      .optional_member("name", dep.name);
  out.key("artifacts").begin_array();
  for (const auto& one : dep.artifacts)
    v1_0::write(out, *one);
  out.end_array().end_object();
}

void write_texts(json_writer& out, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty())
    return;
  out.key(name).begin_array();
  for (const auto& one : texts)
    out.string(one);
  out.end_array();
}

void write_references(json_writer& out, const std::vector<referenced_task>& tasks) {
  if (tasks.empty())
    return;
  out.key("references").begin_array();
  for (const auto& task : tasks) {
    out.begin_object().member("id", task.id.str()).key("artifacts").begin_array();
    for (const auto& one : task.artifacts)
      v1_0::write(out, *one);
    out.end_array();
    write_texts(out, "pinned", task.pinned);
    out.end_object();
  }
  out.end_array();
}

/// Of a line that is no JSON object, an error shows so many bytes.
constexpr std::size_t wrong_line_bytes_max = 120;

std::string shown_wrong(std::string_view line) {
  line = line.substr(0, find_invalid_utf8(line).value_or(line.size()));
  return troupe::quoted(line.substr(0, line.find_last_not_of(" \t\r") + 1), wrong_line_bytes_max);
}

result<agent_report> read_fail(const json::object& line, const std::string& reason) {
  const auto* retry = line.if_contains("retry");
  if (retry != nullptr && !retry->is_bool())
    return input_error("/retry", "must be true or false");
  return agent_report{report_failed{reason, retry == nullptr || retry->get_bool()}};
}

// The member that says what the line is; `fail` may have `retry` beside it.
result<const json::object::value_type*> find_action(const json::object& line) {
  const json::object::value_type* action = nullptr;
  for (const auto& member : line) {
    const std::string_view name = member.key();
    if (name == "retry" && line.contains("fail"))
      continue;
    if (std::ranges::find(jsonl_members, name) == jsonl_members.end())
      return input_error("", "unknown member " + json::serialize(json::string(name.substr(0, 64)))
                                 + did_you_mean(name, jsonl_members));
    if (action != nullptr)
      return input_error("", "one line says one thing; this has both "
                                 + troupe::quoted(action->key()) + " and " + troupe::quoted(name));
    action = &member;
  }
  if (action == nullptr)
    return input_error("", "the object is empty");
  return action;
}

} // namespace

text_pieces order_line(const order_ptr& given) {
  const auto& order = *given;
  text_pieces text;
  text.keep(given);
  json_writer out(text);
  out.begin_object().key("task").begin_object();
  out.member("id", order.id.str()).key("attempt").number(order.attempt);
  out.optional_member("name", order.name)
      .optional_member("description", order.description)
      .end_object();
  out.optional_member("objective", order.objective_name).optional_member("context", order.context);
  out.key("input").pieces(order.input.json());
  out.key("dependencies").begin_array();
  for (const auto& dep : order.dependencies)
    write_dependency(out, dep);
  out.end_array().key("messages").begin_array();
  for (const auto& one : order.messages)
    v1_0::write(out, *one);
  out.end_array();
  write_references(out, order.references);
  write_texts(out, "acceptedOutputModes", order.accepted_output_modes);
  out.optional_member("traceparent", order.traceparent)
      .optional_member("tracestate", order.tracestate)
      .end_object();
  text.end() += '\n';
  return text;
}

text_pieces input_line(const message_ptr& input, std::vector<referenced_task> references,
                       bool answers) {
  text_pieces text;
  const auto kept = std::make_shared<const std::vector<referenced_task>>(std::move(references));
  text.keep(kept);
  text.keep(input);
  json_writer out(text);
  out.begin_object().member(answers ? "answer" : "text", text_of(input->parts));
  out.key("message");
  v1_0::write(out, *input);
  write_references(out, *kept);
  out.end_object();
  text.end() += '\n';
  return text;
}

std::optional<line_reader::item> line_reader::next() {
  for (;;) {
    const auto end = buffer_.find('\n', scanned_);
    if (end == std::string::npos) {
      buffer_.erase(0, begin_);
      begin_ = 0;
      scanned_ = buffer_.size();
      return std::nullopt;
    }
    const auto line = std::string_view(buffer_).substr(begin_, end - begin_);
    begin_ = scanned_ = end + 1;
    ++line_;
    if (line.find_first_not_of(" \t\r") != std::string_view::npos)
      return read(line);
  }
}

std::optional<line_reader::item> line_reader::last() {
  if (auto whole = next())
    return whole;
  if (buffer_.find_first_not_of(" \t\r") == std::string::npos)
    return std::nullopt;
  ++line_;
  const auto line = std::exchange(buffer_, {});
  scanned_ = 0;
  return read(line);
}

line_reader::item line_reader::read(std::string_view line) {
  auto report = read_report(line);
  if (!report)
    return wrong((report.error().field.empty() ? std::string{} : report.error().field + ": ")
                 + report.error().message);
  return std::move(*report);
}

result<agent_report> line_reader::read_report(std::string_view line) {
  boost::system::error_code failed;
  const auto parsed = parse_json(line, failed);
  if (failed)
    return input_error("", "not JSON (" + json_fault(failed) + "): " + shown_wrong(line));
  const auto* object = parsed.if_object();
  if (object == nullptr)
    return input_error("", "not a JSON object: " + shown_wrong(line));
  const auto action = find_action(*object);
  if (!action)
    return action.error();
  const std::string_view name = (*action)->key();
  const auto& value = (*action)->value();
  const auto pointer = below("", name);
  if (name == "progress") {
    auto step = read_progress(value, pointer);
    return step ? result<agent_report>(report_progress{trackers_.apply(*step)})
                : result<agent_report>(step.error());
  }
  if (name == "artifact") {
    auto step = read_artifact_step(value, pointer, input_stage::literal);
    return step ? result<agent_report>(namer_.name(std::move(*step)))
                : result<agent_report>(step.error());
  }
  if (name == "ask" || name == "askAuth") {
    auto asked = read_question(value, pointer, name == "askAuth", input_stage::literal);
    return asked ? result<agent_report>(std::move(*asked)) : result<agent_report>(asked.error());
  }
  if (!value.is_string())
    return input_error(pointer, "must be a string");
  std::string text(value.get_string());
  if (name == "message")
    return agent_report{agent_message(std::move(text))};
  if (name == "fail")
    return read_fail(*object, text);
  return agent_report{report_completed{{}, std::move(text)}};
}

error line_reader::wrong(const std::string& why) const {
  return make_error(errc::invalid_agent_response,
                    "line " + std::to_string(line_) + " of stdout: " + why);
}

} // namespace troupe
