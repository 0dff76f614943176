#include "protocol/codec_v1_0.hpp"

#include "protocol/base64.hpp"
#include "protocol/codec_opt.hpp"
#include "protocol/codec_progress.hpp"
#include "protocol/limits.hpp"
#include "protocol/object_reader.hpp"

#include <array>
#include <limits>

namespace troupe::v1_0 {

namespace json = boost::json;
using wire::first_failure;
using wire::object_reader;
using wire::place;

namespace {

// A2A 1.0 section 4.1.3, in the order of the enumeration.
constexpr std::array<std::string_view, task_state_count> state_names{
    "TASK_STATE_UNSPECIFIED",    "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",      "TASK_STATE_FAILED",    "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED",  "TASK_STATE_AUTH_REQUIRED"};

constexpr std::array<std::string_view, 3> role_names{"ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"};

constexpr std::uint32_t history_length_max = std::numeric_limits<std::int32_t>::max(); // int32 in the proto.

// -- writing ---------------------------------------------------------------------------------------------------------

void write_metadata(json_writer& out, const json::object& metadata) {
  if (!metadata.empty())
    out.key("metadata").value(metadata);
}

void write_texts(json_writer& out, std::string_view name, const std::vector<std::string>& texts) {
  if (texts.empty())
    return;
  out.key(name).begin_array();
  for (const auto& text : texts)
    out.string(text);
  out.end_array();
}

void write_parts(json_writer& out, const std::vector<part>& parts) {
  out.key("parts").begin_array();
  for (const auto& piece : parts)
    write(out, piece);
  out.end_array();
}

struct content_writer {
  json_writer& out;
  void operator()(const text_content& content) const { out.member("text", content.text); }
  void operator()(const url_content& content) const { out.member("url", content.url); }
  void operator()(const data_content& content) const { out.key("data").value(content.data); }
  void operator()(const raw_content& content) const {
    std::string encoded = "\"";
    append_base64(encoded, content.bytes);
    out.key("raw").raw(encoded.append("\""));
  }
};

// A message with the ids it has, or else the given ones.
void write_message(json_writer& out, const message& value, std::string_view context, std::string_view task) {
  out.begin_object().member("messageId", value.message_id);
  out.optional_member("contextId", value.context_id.empty() ? context : std::string_view{value.context_id});
  out.optional_member("taskId", value.task_id.empty() ? task : std::string_view{value.task_id});
  out.member("role", role_names[static_cast<std::size_t>(value.from)]);
  write_parts(out, value.parts);
  write_metadata(out, value.metadata);
  write_texts(out, "extensions", value.extensions);
  write_texts(out, "referenceTaskIds", value.reference_task_ids);
  out.end_object();
}

void write_status(json_writer& out, const task_status& value, std::string_view context, std::string_view task) {
  out.begin_object().member("state", state_name(value.state));
  if (value.message) {
    out.key("message");
    write_message(out, *value.message, context, task);
  }
  out.key("timestamp").time(value.at).end_object();
}

void write_history(json_writer& out, const task& value, const std::optional<std::uint32_t>& length) {
  const auto& history = value.history;
  const auto shown = length ? std::min<std::size_t>(*length, history.size()) : history.size();
  if (length ? *length == 0 : shown == 0)
    return;
  out.key("history").begin_array();
  for (auto i = history.size() - shown; i < history.size(); ++i)
    write_message(out, *history[i], value.context, value.id.str());
  out.end_array();
}

void write_task_members(json_writer& out, const task& value) {
  if (!value.origin && value.metadata.empty() && !value.progress)
    return;
  out.key("metadata").begin_object();
  if (value.origin)
    opt::write_task_metadata(out, value);
  for (const auto& member : value.metadata)
    out.escaped_key({member.key().data(), member.key().size()}).value(member.value());
  if (value.progress) {
    out.key(progress_uri);
    write_progress(out, *value.progress);
  }
  out.end_object();
}

enum class empty_artifacts : bool { left_out, shown };

void write_task(json_writer& out, const task& value, const task_view_options& view, empty_artifacts rule) {
  out.begin_object().member("id", value.id.str()).optional_member("contextId", value.context).key("status");
  write_status(out, value.status, value.context, value.id.str());
  if (view.include_artifacts && (!value.artifacts.empty() || rule == empty_artifacts::shown)) {
    out.key("artifacts").begin_array();
    for (const auto& output : value.artifacts)
      write(out, *output);
    out.end_array();
  }
  write_history(out, value, view.history_length);
  write_task_members(out, value);
  out.end_object();
}

// -- reading ---------------------------------------------------------------------------------------------------------

role read_role(const object_reader& in) {
  const auto* found = in.find("role");
  if (!found) {
    in.fail("role", "missing; ROLE_USER or ROLE_AGENT is required");
    return role::unspecified;
  }
  if (const auto* text = found->if_string())
    for (std::size_t i = 1; i < role_names.size(); ++i)
      if (*text == json::string_view{role_names[i].data(), role_names[i].size()})
        return static_cast<role>(i);
  if (const auto number = wire::whole_number_from(*found); number && (*number == 1 || *number == 2))
    return static_cast<role>(*number);
  in.fail("role", "expected ROLE_USER or ROLE_AGENT");
  return role::unspecified;
}

// 1.0 has no discriminator. One that 0.3 knows is passed over, any other is a mistake (a2a-wire 2.4).
void check_discriminator(const object_reader& in, std::initializer_list<std::string_view> known) {
  for (const auto* name : {"kind", "type"}) {
    const auto* found = in.find(name);
    const auto* text = found ? found->if_string() : nullptr;
    if (!text)
      continue;
    bool is_known = false;
    for (const auto word : known)
      is_known = is_known || *text == json::string_view{word.data(), word.size()};
    if (!is_known)
      in.fail(name, "unknown value; A2A 1.0 tells parts and messages apart by their members");
  }
}

void read_content(const object_reader& in, part& out) {
  constexpr std::array<std::string_view, 4> names{"text", "raw", "url", "data"};
  std::size_t given = 0;
  std::string_view which;
  for (const auto name : names)
    if (in.find(name)) {
      ++given;
      which = name;
    }
  if (given == 0 && in.find_even_null("data")) {
    out.content = data_content{nullptr};
    return;
  }
  if (given != 1) {
    in.fail("", given == 0 ? "expected one of text, raw, url, data" : "expected only one of text, raw, url, data");
    return;
  }
  if (which == "text") {
    out.content = text_content{in.text(which)};
  } else if (which == "url") {
    out.content = url_content{in.text(which)};
  } else if (which == "data") {
    out.content = data_content{in.tree(which)};
  } else if (auto bytes = from_base64(in.text(which))) {
    out.content = raw_content{std::move(*bytes)};
  } else {
    in.fail(which, "expected base64");
  }
}

part read_part(const json::value& from, const place& where, first_failure& failure) {
  part out;
  const object_reader in{from, where, failure};
  check_discriminator(in, {"text", "file", "data", "raw", "url"});
  read_content(in, out);
  out.media_type = in.text("mediaType");
  out.filename = in.text("filename");
  out.metadata = in.object("metadata");
  return out;
}

std::vector<part> read_parts(const object_reader& in, first_failure& failure) {
  std::vector<part> out;
  const auto* items = in.array("parts");
  if (!items || items->empty()) {
    in.fail("parts", "missing or empty; at least one part is required");
  } else if (items->size() > message_parts_max) {
    in.fail("parts", "more than " + std::to_string(message_parts_max) + " parts");
  } else {
    out.reserve(items->size());
    const auto list = in.where() / "parts";
    for (const auto& item : *items)
      out.push_back(read_part(item, list / out.size(), failure));
  }
  return out;
}

message read_message(const json::value& from, const place& where, first_failure& failure) {
  message out;
  const object_reader in{from, where, failure};
  check_discriminator(in, {"message"});
  out.message_id = in.required_id("messageId");
  out.from = read_role(in);
  out.parts = read_parts(in, failure);
  out.context_id = in.id("contextId");
  if (!out.context_id.empty() && !is_acceptable_id(out.context_id))
    in.fail("contextId", "control characters and '/' are not allowed");
  out.task_id = in.id("taskId");
  out.reference_task_ids = in.texts("referenceTaskIds", id_bytes_max);
  out.extensions = in.texts("extensions", std::string::npos);
  out.metadata = in.object("metadata");
  return out;
}

artifact read_artifact(const json::value& from, const place& where, first_failure& failure) {
  artifact out;
  const object_reader in{from, where, failure};
  out.artifact_id = in.required_id("artifactId");
  out.name = in.text("name");
  out.description = in.text("description");
  out.parts = read_parts(in, failure);
  out.extensions = in.texts("extensions", std::string::npos);
  out.metadata = in.object("metadata");
  return out;
}

std::optional<task_state> read_state(const object_reader& in, std::string_view name) {
  const auto* found = in.find(name);
  if (!found)
    return std::nullopt;
  auto index = wire::whole_number_from(*found).value_or(-1);
  if (const auto* text = found->if_string())
    for (std::size_t i = 0; i < state_names.size(); ++i)
      if (*text == json::string_view{state_names[i].data(), state_names[i].size()})
        index = static_cast<std::int64_t>(i);
  if (index < 0 || index >= static_cast<std::int64_t>(task_state_count)) {
    in.fail(name, "expected a task state such as TASK_STATE_WORKING");
    return std::nullopt;
  }
  if (index == 0) // What ProtoJSON writes for "not given".
    return std::nullopt;
  return static_cast<task_state>(index);
}

template<class T>
result<T> finish(T&& value, first_failure& failure) {
  if (failure)
    return failure.take();
  return std::forward<T>(value);
}

const place params_root{};

} // namespace

std::string_view state_name(task_state state) noexcept {
  const auto index = static_cast<std::size_t>(state);
  return state_names[index < state_names.size() ? index : 0];
}

void write(json_writer& out, const part& value) {
  out.begin_object();
  std::visit(content_writer{out}, value.content);
  out.optional_member("mediaType", value.media_type).optional_member("filename", value.filename);
  write_metadata(out, value.metadata);
  out.end_object();
}

void write(json_writer& out, const message& value) {
  write_message(out, value, {}, {});
}

void write(json_writer& out, const artifact& value) {
  out.begin_object().member("artifactId", value.artifact_id);
  out.optional_member("name", value.name).optional_member("description", value.description);
  write_parts(out, value.parts);
  write_metadata(out, value.metadata);
  write_texts(out, "extensions", value.extensions);
  out.end_object();
}

void write(json_writer& out, const task_status& value, const task& owner) {
  write_status(out, value, owner.context, owner.id.str());
}

void write(json_writer& out, const task& value, const task_view_options& view) {
  write_task(out, value, view, empty_artifacts::left_out);
}

void write_task_list(json_writer& out, std::span<const task_ptr> tasks, std::string_view next_page_token,
                     std::uint32_t page_size, std::uint64_t total_size, const task_view_options& view) {
  out.begin_object().key("tasks").begin_array();
  for (const auto& item : tasks)
    write_task(out, *item, view, empty_artifacts::shown);
  out.end_array().member("nextPageToken", next_page_token);
  out.key("pageSize").number(page_size).key("totalSize").number(total_size).end_object();
}

bool write_stream_event(json_writer& out, const change& where, const event& what) {
  const auto begin = [&](std::string_view kind) {
    out.begin_object().key(kind).begin_object();
    out.member("taskId", where.task.id.str()).member("contextId", where.context);
  };
  if (const auto* moved = std::get_if<task_moved>(&what)) {
    begin("statusUpdate");
    out.key("status");
    write_status(out, {moved->to, moved->message, where.at}, where.context, where.task.id.str());
  } else if (const auto* progress = std::get_if<task_progress>(&what); progress && progress->what) {
    begin("statusUpdate");
    out.key("status");
    write_status(out, {task_state::working, nullptr, where.at}, where.context, where.task.id.str());
    out.key("metadata").begin_object().key(progress_uri);
    write_progress(out, *progress->what);
    out.end_object();
  } else if (const auto* output = std::get_if<task_artifact>(&what); output && output->what) {
    begin("artifactUpdate");
    out.key("artifact");
    write(out, *output->what);
    if (output->append)
      out.key("append").boolean(true);
    if (output->last_chunk)
      out.key("lastChunk").boolean(true);
  } else {
    return false;
  }
  out.end_object().end_object();
  return true;
}

result<message> read_message(const json::value& from, const std::string& context) {
  first_failure failure;
  return finish(read_message(from, place{nullptr, context, std::nullopt}, failure), failure);
}

result<part> read_part(const json::value& from, const std::string& context) {
  first_failure failure;
  return finish(read_part(from, place{nullptr, context, std::nullopt}, failure), failure);
}

result<artifact> read_artifact(const json::value& from, const std::string& context) {
  first_failure failure;
  return finish(read_artifact(from, place{nullptr, context, std::nullopt}, failure), failure);
}

result<send_params> read_send_params(const json::value& params) {
  send_params out;
  first_failure failure;
  const object_reader in{params, params_root, failure};
  out.tenant = out.command.who.tenant = in.id("tenant");
  const auto message_place = params_root / "message";
  if (const auto* found = in.find("message"))
    out.command.what = read_message(*found, message_place, failure);
  else
    in.fail("message", "missing; a message is required");
  out.command.metadata = in.object("metadata");
  if (const auto* found = in.find("configuration")) {
    const auto where = params_root / "configuration";
    const object_reader configuration{*found, where, failure};
    out.return_immediately = configuration.boolean("returnImmediately", false);
    out.history_length = configuration.whole_number("historyLength", 0, history_length_max);
    out.command.accepted_output_modes = configuration.texts("acceptedOutputModes", std::string::npos);
    out.configures_push = configuration.find("taskPushNotificationConfig") != nullptr;
  }
  return finish(std::move(out), failure);
}

result<get_task> read_get_task(const json::value& params) {
  get_task out;
  first_failure failure;
  const object_reader in{params, params_root, failure};
  out.who.tenant = in.id("tenant");
  out.id = task_id{in.required_id("id")};
  out.view.history_length = in.whole_number("historyLength", 0, history_length_max);
  return finish(std::move(out), failure);
}

result<list_tasks> read_list_tasks(const json::value& params) {
  list_tasks out;
  first_failure failure;
  const object_reader in{params, params_root, failure};
  out.who.tenant = in.id("tenant");
  out.context = in.id("contextId");
  out.state = read_state(in, "status");
  out.status_after = in.time(in.find("statusTimestampAfter") ? "statusTimestampAfter" : "lastUpdatedAfter");
  out.page_size = in.whole_number("pageSize", 1, list_page_size_max).value_or(out.page_size);
  out.page_token = in.text("pageToken");
  out.view.history_length = in.whole_number("historyLength", 0, history_length_max);
  out.view.include_artifacts = in.boolean("includeArtifacts", false);
  return finish(std::move(out), failure);
}

result<cancel_task> read_cancel_task(const json::value& params) {
  cancel_task out;
  first_failure failure;
  const object_reader in{params, params_root, failure};
  out.who.tenant = in.id("tenant");
  out.id = task_id{in.required_id("id")};
  out.metadata = in.object("metadata");
  return finish(std::move(out), failure);
}

result<subscribe_to_task> read_subscribe(const json::value& params) {
  subscribe_to_task out;
  first_failure failure;
  const object_reader in{params, params_root, failure};
  out.who.tenant = in.id("tenant");
  out.id = task_id{in.required_id("id")};
  return finish(std::move(out), failure);
}

} // namespace troupe::v1_0
