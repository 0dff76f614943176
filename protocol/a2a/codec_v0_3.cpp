#include "protocol/a2a/codec_v0_3.hpp"

#include "protocol/a2a/errc_wire.hpp"
#include "protocol/a2a/wire_0_3.hpp"
#include "protocol/a2a/wire_codec.hpp"
#include "protocol/a2a/wire_writing.hpp"
#include "protocol/limits.hpp"
#include "protocol/opt/codec_opt.hpp"

#include <string>

namespace troupe::v0_3 {

namespace json = boost::json;
using wire::first_failure;
using wire::object_reader;
using wire::place;

namespace {

// 0.3 section 6.3, in the order of the enumeration.
constexpr wire::state_names state_names{"unknown",        "submitted", "working",
                                        "completed",      "failed",    "canceled",
                                        "input-required", "rejected",  "auth-required"};

// 0.3 has no third role; a message without a role is written as one of the agent.
constexpr wire::role_names role_names{"agent", "user", "agent"};

struct content_writer {
  json_writer& out;
  const part& owner;

  void operator()(const text_content& content) const {
    out.member("kind", "text").key("text").long_string(content.text);
  }
  void operator()(const raw_content& content) const {
    begin_file();
    out.key("bytes").long_bytes(content.bytes);
    end_file();
  }
  void operator()(const url_content& content) const {
    begin_file();
    out.key("uri").long_string(content.url);
    end_file();
  }
  void operator()(const data_content& content) const {
    out.member("kind", "data").key("data");
    wire_0_3::write_data_object(out, content.data);
  }

private:
  void begin_file() const { out.member("kind", "file").key("file").begin_object(); }
  void end_file() const {
    out.optional_member("name", owner.filename)
        .optional_member("mimeType", owner.media_type)
        .end_object();
  }
};

void write_part(json_writer& out, const part& value) {
  out.begin_object();
  std::visit(content_writer{out, value}, value.content);
  wire_0_3::write_data_metadata(out, value);
  out.end_object();
}

constexpr wire::dialect words{.states = &state_names,
                              .roles = &role_names,
                              .message_parts = "parts",
                              .has_references = true,
                              .has_kinds = true,
                              .has_final = true,
                              .write_part = write_part};

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

void write(json_writer& out, const task& value, const task_view_options& view) {
  wire::write_task(out, words, value, view);
}

void write(json_writer& out, const task_status& value, const task& owner) {
  wire::write_status(out, words, value, owner.context, owner.id.str());
}

void write(json_writer& out, const push_config& value) {
  out.begin_object().member("taskId", value.task.str()).key("pushNotificationConfig");
  wire_0_3::write_push_members(out, value);
  out.end_object();
}

void write_answer(json_writer& out, const message& value, bool beside) {
  std::string text;
  json_writer alone(text);
  write(alone, value);
  if (beside) {
    auto whole = text;
    whole.back() = ',';
    whole += "\"message\":" + text + "}";
    text = std::move(whole);
  }
  out.raw(text);
}

void write_sent(json_writer& out, const task& value, const task_view_options& view,
                const objective_view* beside) {
  out.begin_object();
  wire::write_task_members(out, words, value, view);
  if (beside) {
    out.key("task");
    write(out, value, view);
    out.key("objective");
    opt::write(out, *beside, true, true);
  }
  out.end_object();
}

void write_task_list(json_writer& out, std::span<const task_ptr> tasks,
                     std::string_view next_page_token, std::uint32_t page_size,
                     std::uint64_t total_size, const task_view_options& view) {
  wire::write_task_list(out, words, tasks, next_page_token, page_size, total_size, view);
}

void write_push_config_list(json_writer& out, std::span<const push_config> configs) {
  out.begin_array();
  for (const auto& config : configs)
    write(out, config);
  out.end_array();
}

bool write_stream_event(json_writer& out, const change& where, const event& happened,
                        const stream_mark& mark) {
  return wire::write_stream_event(out, words, where, happened, mark);
}

result<message> read_message(const json::value& from, id_source& ids, const std::string& context) {
  return wire::read_alone(
      from, context, [&](const json::value& value, const place& where, first_failure& failure) {
        return wire_0_3::message_from(value, where, failure, wire_0_3::binding::json_rpc, ids,
                                      wire_0_3::missing_id::made);
      });
}

result<part> read_part(const json::value& from, const std::string& context) {
  return wire::read_alone(from, context, wire_0_3::part_from_json_rpc);
}

result<artifact> read_artifact(const json::value& from, const std::string& context) {
  return wire::read_alone(
      from, context, [](const json::value& value, const place& where, first_failure& failure) {
        return wire::read_artifact(value, where, wire_0_3::part_from_json_rpc, failure);
      });
}

result<send_params> read_send_params(const json::value& params, id_source& ids, bool opt) {
  return wire::read_params(params, [&](const object_reader& in, first_failure& failure) {
    return wire_0_3::send_params_from(in, failure, wire_0_3::binding::json_rpc, ids,
                                      wire_0_3::missing_id{opt});
  });
}

result<get_task> read_get_task(const json::value& params) {
  return wire::read_params(params,
                           [](const object_reader& in, auto&) { return wire::read_get_task(in); });
}

result<list_tasks> read_list_tasks(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    return wire::read_list_tasks(in, wire_0_3::state_from);
  });
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
    create_push_config out{.who = wire::read_principal(in), .config = {}};
    const auto where = in.where() / "pushNotificationConfig";
    if (const auto* found = in.find("pushNotificationConfig"))
      out.config = wire_0_3::push_config_from(*found, where, failure);
    else
      in.fail("pushNotificationConfig", "missing; a push notification configuration is required");
    out.config.task = task_id{in.required_id("taskId")};
    return out;
  });
}

result<get_push_config> read_get_push_config(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    return get_push_config{wire::read_principal(in), task_id{in.required_id("id")},
                           in.id("pushNotificationConfigId")};
  });
}

result<list_push_configs> read_list_push_configs(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    return list_push_configs{
        wire::read_principal(in), task_id{in.required_id("id")}, push_page_size_max, {}};
  });
}

result<delete_push_config> read_delete_push_config(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    return delete_push_config{wire::read_principal(in), task_id{in.required_id("id")},
                              in.required_id("pushNotificationConfigId")};
  });
}

} // namespace troupe::v0_3

namespace troupe {

const wire_codec& codec_0_3() noexcept {
  using boost::json::value;
  static constexpr wire_codec codec{
      .read_send = [](const value& from,
                      bool opt) { return v0_3::read_send_params(from, thread_id_source(), opt); },
      .read_get_task = &v0_3::read_get_task,
      .read_list_tasks = &v0_3::read_list_tasks,
      .read_cancel_task = &v0_3::read_cancel_task,
      .read_subscribe = &v0_3::read_subscribe,
      .read_create_push = &v0_3::read_create_push_config,
      .read_get_push = &v0_3::read_get_push_config,
      .read_list_push = &v0_3::read_list_push_configs,
      .read_delete_push = &v0_3::read_delete_push_config,
      .write_task = &v0_3::write,
      .write_sent = &v0_3::write_sent,
      .write_answer = &v0_3::write_answer,
      .write_task_list = &v0_3::write_task_list,
      .write_push = &v0_3::write,
      .write_push_list = [](json_writer& out, std::span<const push_config> all,
                            std::string_view) { v0_3::write_push_config_list(out, all); },
      .write_push_deleted = [](json_writer& out) { out.null(); },
      .write_snapshot = &v0_3::write,
      .write_event = &v0_3::write_stream_event,
      .write_rpc_error = [](json_writer& out, const error& why,
                            timestamp) { write_jsonrpc_error_0_3(out, why); },
      .write_rest_error = &write_rest_error_0_3,
      .extended_card_shape = card_shape::pure_0_3,
      .refuses_subscribing_to_terminal = false,
      .refuses_repeated_cancel = true,
  };
  return codec;
}

} // namespace troupe
