#include "protocol/record/record_json.hpp"

#include "protocol/json/base64.hpp"
#include "protocol/json/json_parser.hpp"

namespace troupe::record {

namespace json = boost::json;

namespace {

constexpr std::size_t row_depth_max = 1000; // Deeper than anything the edge lets in
                                            // (`json_depth_max`, include/troupe/net/limits.hpp).
constexpr std::size_t shown_bytes_max = 80;

void write_parts(json_writer& out, const std::vector<part>& parts) {
  out.key("p").begin_array();
  for (const auto& piece : parts) {
    out.begin_object();
    if (const auto* text = std::get_if<text_content>(&piece.content))
      out.member("t", text->text);
    else if (const auto* raw = std::get_if<raw_content>(&piece.content))
      out.member("b", to_base64(raw->bytes));
    else if (const auto* url = std::get_if<url_content>(&piece.content))
      out.member("u", url->url);
    else
      out.key("d").value(std::get<data_content>(piece.content).data);
    out.optional_member("y", piece.media_type).optional_member("f", piece.filename);
    write_tree(out, "m", piece.metadata);
    out.end_object();
  }
  out.end_array();
}

part part_from(const json::object& in) {
  part out;
  if (const auto* content = find(in, "t")) {
    out.content = text_content{text_from(*content)};
  } else if (const auto* encoded = find(in, "b")) {
    auto bytes = from_base64(text_from(*encoded));
    if (!bytes)
      throw std::runtime_error("bytes that are not base64");
    out.content = raw_content{std::move(*bytes)};
  } else if (const auto* url = find(in, "u")) {
    out.content = url_content{text_from(*url)};
  } else {
    out.content = data_content{json::value(at(in, "d"), json::storage_ptr{})};
  }
  out.media_type = text(in, "y");
  out.filename = text(in, "f");
  out.metadata = tree(in, "m");
  return out;
}

std::vector<part> parts_from(const json::object& in) {
  std::vector<part> out;
  const auto& items = at(in, "p").as_array();
  out.reserve(items.size());
  for (const auto& item : items)
    out.push_back(part_from(item.as_object()));
  return out;
}

} // namespace

const json::value& at(const json::object& in, std::string_view name) {
  if (const auto* found = find(in, name))
    return *found;
  throw std::runtime_error("member " + std::string{name} + " is missing");
}

std::string text_from(const json::value& from) {
  const auto& text = from.as_string();
  return {text.data(), text.size()};
}

std::string text(const json::object& in, std::string_view name) {
  const auto* found = find(in, name);
  return found ? text_from(*found) : std::string{};
}

std::vector<std::string> texts(const json::object& in, std::string_view name) {
  std::vector<std::string> out;
  if (const auto* found = find(in, name)) {
    out.reserve(found->as_array().size());
    for (const auto& item : found->get_array())
      out.push_back(text_from(item));
  }
  return out;
}

json::object tree(const json::object& in, std::string_view name) {
  const auto* found = find(in, name);
  return found ? json::object(found->as_object(), json::storage_ptr{}) : json::object{};
}

timestamp time_from(const json::value& from) {
  return timestamp{milliseconds{from.to_number<std::int64_t>()}};
}

void write_time(json_writer& out, std::string_view name, timestamp value) {
  out.key(name).number(std::int64_t{value.time_since_epoch().count()});
}

void write_texts(json_writer& out, std::string_view name, const std::vector<std::string>& values) {
  if (values.empty())
    return;
  out.key(name).begin_array();
  for (const auto& text : values)
    out.string(text);
  out.end_array();
}

void write_tree(json_writer& out, std::string_view name, const json::object& value) {
  if (!value.empty())
    out.key(name).value(value);
}

void write_usage(json_writer& out, const model_usage& value) {
  if (value == model_usage{})
    return;
  out.key("use").begin_array().number(value.calls).number(value.prompt_tokens);
  out.number(value.answer_tokens).number(value.milliseconds).number(value.cost_millionths);
  out.boolean(value.is_estimated).end_array();
}

model_usage usage_of(const json::object& in) {
  const auto* found = find(in, "use");
  if (found == nullptr)
    return {};
  const auto& items = found->as_array();
  model_usage out;
  out.calls = items.at(0).to_number<std::uint32_t>();
  out.prompt_tokens = items.at(1).to_number<std::uint64_t>();
  out.answer_tokens = items.at(2).to_number<std::uint64_t>();
  out.milliseconds = items.at(3).to_number<std::uint64_t>();
  out.cost_millionths = items.at(4).to_number<std::uint64_t>();
  out.is_estimated = items.at(5).as_bool();
  return out;
}

void write_trace(json_writer& out, const trace_context& value) {
  if (value.empty())
    return;
  out.key("tr")
      .begin_object()
      .optional_member("p", value.traceparent)
      .optional_member("s", value.tracestate);
  write_texts(out, "via", value.path);
  out.end_object();
}

void write_trace(json_writer& out, const trace_ptr& value) {
  if (value)
    write_trace(out, *value);
}

trace_context trace_of(const json::object& in) {
  const auto* found = find(in, "tr");
  if (!found)
    return {};
  const auto& trace = found->as_object();
  return bounded({text(trace, "p"), text(trace, "s"), texts(trace, "via")});
}

void write(json_writer& out, const message& value) {
  out.begin_object().member("i", value.message_id);
  if (value.from != role::unspecified)
    out.member("r", value.from == role::user ? "user" : "agent");
  write_parts(out, value.parts);
  out.optional_member("c", value.context_id).optional_member("t", value.task_id);
  write_texts(out, "ref", value.reference_task_ids);
  write_texts(out, "ext", value.extensions);
  write_tree(out, "m", value.metadata);
  out.end_object();
}

message message_from(const json::object& in) {
  message out;
  out.message_id = text(in, "i");
  if (const auto* from = find(in, "r"))
    out.from = from->as_string() == "user" ? role::user : role::agent;
  out.parts = parts_from(in);
  out.context_id = text(in, "c");
  out.task_id = text(in, "t");
  out.reference_task_ids = texts(in, "ref");
  out.extensions = texts(in, "ext");
  out.metadata = tree(in, "m");
  return out;
}

void write(json_writer& out, const artifact& value) {
  out.begin_object().member("i", value.artifact_id).optional_member("n", value.name);
  out.optional_member("d", value.description);
  write_parts(out, value.parts);
  write_texts(out, "ext", value.extensions);
  write_tree(out, "m", value.metadata);
  out.end_object();
}

artifact artifact_from(const json::object& in) {
  return {text(in, "i"),  text(in, "n"),    text(in, "d"),
          parts_from(in), texts(in, "ext"), tree(in, "m")};
}

json::value parse_row(std::string_view row, json::storage_ptr memory) {
  json::parse_options options;
  options.max_depth = row_depth_max;
  options.allow_invalid_utf8 = true; // What an agent printed must not make its record unreadable.
  boost::system::error_code failed;
  auto tree = parse_json(row, failed, std::move(memory), options);
  if (failed)
    throw boost::system::system_error(failed);
  return tree;
}

error damaged(std::string_view text, std::string_view row, const std::exception& why) {
  std::string message = "stored ";
  message.append(text).append(" cannot be read: ").append(why.what()).append(" in ");
  message.append(row.substr(0, shown_bytes_max)).append(row.size() > shown_bytes_max ? "..." : "");
  return make_error(errc::store_failed, std::move(message));
}

} // namespace troupe::record
