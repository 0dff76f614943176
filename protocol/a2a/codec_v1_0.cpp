#include "protocol/a2a/codec_v1_0.hpp"

#include "protocol/a2a/errc_wire.hpp"
#include "protocol/a2a/wire_codec.hpp"
#include "protocol/a2a/wire_reading.hpp"
#include "protocol/a2a/wire_writing.hpp"
#include "protocol/json/base64.hpp"
#include "protocol/limits.hpp"

#include <algorithm>
#include <array>

namespace troupe::v1_0 {

namespace json = boost::json;
using wire::finish;
using wire::first_failure;
using wire::object_reader;
using wire::params_root;
using wire::place;

namespace {

// A2A 1.0 section 4.1.3, in the order of the enumeration.
constexpr wire::state_names state_names{
    "TASK_STATE_UNSPECIFIED",    "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",      "TASK_STATE_FAILED",    "TASK_STATE_CANCELED",
    "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED",  "TASK_STATE_AUTH_REQUIRED"};

constexpr wire::role_names role_names{"ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"};

// -- writing --------------------------------------------------------------------------------------

struct content_writer {
  json_writer& out;
  void operator()(const text_content& content) const { out.key("text").long_string(content.text); }
  void operator()(const url_content& content) const { out.key("url").long_string(content.url); }
  void operator()(const data_content& content) const { out.key("data").long_value(content.data); }
  void operator()(const raw_content& content) const { out.key("raw").long_bytes(content.bytes); }
};

void write_part(json_writer& out, const part& value) {
  out.begin_object();
  std::visit(content_writer{out}, value.content);
  out.optional_member("mediaType", value.media_type).optional_member("filename", value.filename);
  wire::write_metadata(out, value.metadata);
  out.end_object();
}

constexpr wire::dialect words{.states = &state_names,
                              .roles = &role_names,
                              .message_parts = "parts",
                              .has_references = true,
                              .has_kinds = false,
                              .has_final = false,
                              .write_part = write_part};

// -- reading --------------------------------------------------------------------------------------

role read_role(const object_reader& in) {
  const auto* found = in.find("role");
  if (!found) {
    in.fail("role", "missing; ROLE_USER or ROLE_AGENT is required");
    return role::unspecified;
  }
  if (const auto* text = found->if_string())
    for (std::size_t i = 1; i < role_names.size(); ++i)
      if (wire::view(*text) == role_names[i])
        return static_cast<role>(i);
  if (const auto number = wire::whole_number_from(*found); number && (*number == 1 || *number == 2))
    return static_cast<role>(*number);
  in.fail("role", "expected ROLE_USER or ROLE_AGENT");
  return role::unspecified;
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
    in.fail("", given == 0 ? "expected one of text, raw, url, data"
                           : "expected only one of text, raw, url, data");
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

part part_from(const json::value& from, const place& where, first_failure& failure) {
  part out;
  const object_reader in{from, where, failure};
  // 1.0 has no discriminator; one that 0.3 knows is passed over.
  wire::check_discriminator(in, {"text", "file", "data", "raw", "url"});
  read_content(in, out);
  out.media_type = in.text("mediaType");
  out.filename = in.text("filename");
  out.metadata = in.object("metadata");
  return out;
}

message message_from(const json::value& from, const place& where, first_failure& failure) {
  message out;
  const object_reader in{from, where, failure};
  wire::check_discriminator(in, {"message"});
  out.message_id = in.required_id("messageId");
  out.from = read_role(in);
  out.parts = wire::read_parts(in, "parts", part_from, failure);
  wire::read_message_rest(in, out);
  return out;
}

artifact artifact_from(const json::value& from, const place& where, first_failure& failure) {
  return wire::read_artifact(from, where, part_from, failure);
}

std::optional<task_state> state_from(const json::value& from) {
  if (const auto* text = from.if_string())
    for (std::size_t i = 0; i < state_names.size(); ++i)
      if (wire::view(*text) == state_names[i])
        return static_cast<task_state>(i);
  const auto number = wire::whole_number_from(from);
  if (number && *number >= 0 && *number < static_cast<std::int64_t>(task_state_count))
    return static_cast<task_state>(*number);
  return std::nullopt;
}

push_config read_push_config(const object_reader& in, first_failure& failure) {
  push_config out;
  wire::read_push_members(in, out, failure);
  out.payload = push_payload::v1_0;
  out.owner = wire::read_principal(in);
  return out;
}

} // namespace

std::string_view state_name(task_state state) noexcept {
  return wire::name_of(state_names, state);
}

void write(json_writer& out, const part& value) {
  write_part(out, value);
}

void write(json_writer& out, const message& value) {
  wire::write_message(out, words, value);
}

void write(json_writer& out, const artifact& value) {
  wire::write_artifact(out, words, value);
}

void write(json_writer& out, const task_status& value, const task& owner) {
  wire::write_status(out, words, value, owner.context, owner.id.str());
}

void write(json_writer& out, const task& value, const task_view_options& view) {
  wire::write_task(out, words, value, view);
}

void write(json_writer& out, const push_config& value) {
  out.begin_object().optional_member("tenant", value.owner.tenant).member("id", value.id);
  out.member("taskId", value.task.str())
      .member("url", value.url)
      .optional_member("token", value.token);
  if (value.authentication) {
    out.key("authentication").begin_object().member("scheme", value.authentication->scheme);
    out.optional_member("credentials", value.authentication->credentials).end_object();
  }
  out.end_object();
}

void write_sent(json_writer& out, const task& value, const task_view_options& view,
                const objective_view* beside) {
  wire::write_sent(out, words, value, view, beside);
}

void write_answer(json_writer& out, const message& value) {
  wire::write_answer(out, words, value);
}

void write_task_list(json_writer& out, std::span<const task_ptr> tasks,
                     std::string_view next_page_token, std::uint32_t page_size,
                     std::uint64_t total_size, const task_view_options& view) {
  wire::write_task_list(out, words, tasks, next_page_token, page_size, total_size, view);
}

void write_push_config_list(json_writer& out, std::span<const push_config> configs,
                            std::string_view next_page_token) {
  wire::write_push_config_list(out, configs, next_page_token, write);
}

bool write_stream_event(json_writer& out, const change& where, const event& happened,
                        const stream_mark& mark) {
  return wire::write_stream_event(out, words, where, happened, mark);
}

result<message> read_message(const json::value& from, const std::string& context) {
  return wire::read_alone(from, context, message_from);
}

result<part> read_part(const json::value& from, const std::string& context) {
  return wire::read_alone(from, context, part_from);
}

result<artifact> read_artifact(const json::value& from, const std::string& context) {
  return wire::read_alone(from, context, artifact_from);
}

result<send_params> read_send_params(const json::value& params) {
  send_params out;
  first_failure failure;
  const object_reader in{params, params_root, failure};
  out.command.who = wire::read_principal(in);
  out.tenant = out.command.who.tenant;
  const auto message_place = params_root / "message";
  if (const auto* found = in.find("message"))
    out.command.message = message_from(*found, message_place, failure);
  else
    in.fail("message", "missing; a message is required");
  out.command.metadata = in.object("metadata");
  if (const auto* found = in.find("configuration")) {
    const auto where = params_root / "configuration";
    const object_reader configuration{*found, where, failure};
    wire::read_configuration(configuration, out);
    out.return_immediately = configuration.boolean("returnImmediately", false);
    if (const auto* push = configuration.find("taskPushNotificationConfig")) {
      const auto push_place = where / "taskPushNotificationConfig";
      out.push = read_push_config(object_reader{*push, push_place, failure}, failure);
    }
  }
  return finish(std::move(out), failure);
}

result<get_task> read_get_task(const json::value& params) {
  return wire::read_params(params,
                           [](const object_reader& in, auto&) { return wire::read_get_task(in); });
}

result<list_tasks> read_list_tasks(const json::value& params) {
  return wire::read_params(
      params, [](const object_reader& in, auto&) { return wire::read_list_tasks(in, state_from); });
}

result<cancel_task> read_cancel_task(const json::value& params) {
  return wire::read_params(
      params, [](const object_reader& in, auto&) { return wire::read_cancel_task(in); });
}

result<subscribe_to_task> read_subscribe(const json::value& params) {
  return wire::read_params(params,
                           [](const object_reader& in, auto&) { return wire::read_subscribe(in); });
}

result<create_push_config> read_create_push_config(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, first_failure& failure) {
    create_push_config out{wire::read_principal(in), read_push_config(in, failure)};
    out.config.task = task_id{in.required_id("taskId")};
    return out;
  });
}

result<get_push_config> read_get_push_config(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    return get_push_config{wire::read_principal(in), task_id{in.required_id("taskId")},
                           in.required_id("id")};
  });
}

result<list_push_configs> read_list_push_configs(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    list_push_configs out{
        wire::read_principal(in), task_id{in.required_id("taskId")}, push_page_size_max, {}};
    wire::read_page(in, out);
    return out;
  });
}

result<delete_push_config> read_delete_push_config(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    return delete_push_config{wire::read_principal(in), task_id{in.required_id("taskId")},
                              in.required_id("id")};
  });
}

} // namespace troupe::v1_0

namespace troupe {

const wire_codec& codec_1_0() noexcept {
  using boost::json::value;
  static constexpr wire_codec codec{
      .read_send = [](const value& from, bool) { return v1_0::read_send_params(from); },
      .read_get_task = &v1_0::read_get_task,
      .read_list_tasks = &v1_0::read_list_tasks,
      .read_cancel_task = &v1_0::read_cancel_task,
      .read_subscribe = &v1_0::read_subscribe,
      .read_create_push = &v1_0::read_create_push_config,
      .read_get_push = &v1_0::read_get_push_config,
      .read_list_push = &v1_0::read_list_push_configs,
      .read_delete_push = &v1_0::read_delete_push_config,
      .write_task = &v1_0::write,
      .write_sent = &v1_0::write_sent,
      .write_answer = [](json_writer& out, const message& value,
                         bool) { v1_0::write_answer(out, value); },
      .write_task_list = &v1_0::write_task_list,
      .write_push = &v1_0::write,
      .write_push_list = &v1_0::write_push_config_list,
      .write_push_deleted = [](json_writer& out) { out.begin_object().end_object(); },
      .write_snapshot = [](json_writer& out, const task& value,
                           const task_view_options& view) { v1_0::write_sent(out, value, view); },
      .write_event = &v1_0::write_stream_event,
      .write_rpc_error = &write_jsonrpc_error,
      .write_rest_error = &troupe::write_rest_error,
      .extended_card_shape = card_shape::pure_1_0,
      .refuses_subscribing_to_terminal = true,
      .refuses_repeated_cancel = false,
  };
  return codec;
}

} // namespace troupe
