#include "protocol/a2a/codec_v0_3_rest.hpp"

#include "protocol/a2a/errc_wire.hpp"
#include "protocol/a2a/wire_0_3.hpp"
#include "protocol/a2a/wire_codec.hpp"
#include "protocol/a2a/wire_writing.hpp"
#include "protocol/limits.hpp"

namespace troupe::v0_3_rest {

namespace json = boost::json;
using wire::first_failure;
using wire::object_reader;
using wire::place;

namespace {

// The 0.3 proto's TaskState, in the order of the enumeration.
constexpr wire::state_names state_names{
    "TASK_STATE_UNSPECIFIED",    "TASK_STATE_SUBMITTED", "TASK_STATE_WORKING",
    "TASK_STATE_COMPLETED",      "TASK_STATE_FAILED",    "TASK_STATE_CANCELLED",
    "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_REJECTED",  "TASK_STATE_AUTH_REQUIRED"};

constexpr wire::role_names role_names{"ROLE_UNSPECIFIED", "ROLE_USER", "ROLE_AGENT"};

// -- writing --------------------------------------------------------------------------------------

struct content_writer {
  json_writer& out;
  const part& owner;

  void operator()(const text_content& content) const { out.key("text").long_string(content.text); }
  void operator()(const raw_content& content) const {
    out.key("file").begin_object();
    out.key("fileWithBytes").long_bytes(content.bytes);
    end_file();
  }
  void operator()(const url_content& content) const {
    out.key("file").begin_object().key("fileWithUri").long_string(content.url);
    end_file();
  }
  void operator()(const data_content& content) const {
    out.key("data").begin_object().key("data");
    wire_0_3::write_data_object(out, content.data);
    out.end_object();
  }

private:
  void end_file() const {
    out.optional_member("mimeType", owner.media_type)
        .optional_member("name", owner.filename)
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
                              .message_parts = "content",
                              .has_references = false,
                              .has_kinds = false,
                              .has_final = true,
                              .write_part = write_part};

// -- reading --------------------------------------------------------------------------------------

struct resource {
  std::string task;
  std::string config;
};

// The resource that `name` names: "tasks/t" or "tasks/t/pushNotificationConfigs/c"; ids of neither
// have a slash. Both empty for anything else.
resource resource_of(const object_reader& in, std::string_view name) {
  constexpr std::string_view tasks = "tasks/";
  const auto text = in.text(name);
  std::string_view rest = text;
  if (!rest.starts_with(tasks))
    return {};
  rest.remove_prefix(tasks.size());
  resource out{std::string{rest.substr(0, rest.find('/'))}, {}};
  if (const auto last = rest.rfind('/'); last != rest.find('/'))
    out.config = rest.substr(last + 1);
  for (const auto* id : {&out.task, &out.config})
    if (!id->empty() && !is_acceptable_id(*id))
      in.fail(name, "an id in it is too long or has control characters");
  return out;
}

// What `id_name` says, or else the resource: the same task if both do.
task_id task_of(const object_reader& in, std::string_view id_name, std::string_view resource_name) {
  auto id = in.id(id_name);
  const auto named = resource_of(in, resource_name).task;
  if (id.empty())
    id = named;
  else if (!named.empty() && named != id)
    in.fail(resource_name, "names another task than the path");
  if (id.empty())
    in.fail(id_name, "missing or empty; a task is required");
  return task_id{std::move(id)};
}

std::string config_of(const object_reader& in) {
  auto id = in.id("id");
  return id.empty() ? resource_of(in, "name").config : id;
}

// 0 is the proto's "all".
void drop_zero(std::optional<std::uint32_t>& history_length) {
  if (history_length == 0u)
    history_length = std::nullopt;
}

push_config create_push_config_from(const object_reader& in, first_failure& failure);

// The configuration below `config` and `pushNotificationConfig`, where these are.
push_config descend(const object_reader& in, std::string_view name, const json::value& found,
                    first_failure& failure) {
  const auto where = in.where() / name;
  return create_push_config_from(object_reader{found, where, failure}, failure);
}

push_config create_push_config_from(const object_reader& in, first_failure& failure) {
  push_config out;
  const auto* config = in.find("config");
  const auto* inner = in.find("pushNotificationConfig");
  if (config) {
    out = descend(in, "config", *config, failure);
  } else if (inner) {
    out = descend(in, "pushNotificationConfig", *inner, failure);
  } else {
    out = wire_0_3::unnamed_push_config_from(in, failure);
  }
  if (out.id.empty())
    out.id = wire::read_chosen_id(in, "configId");
  if (out.id.empty())
    out.id = resource_of(in, "name").config;
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

void write(json_writer& out, const task& value, const task_view_options& view) {
  wire::write_task(out, words, value, view);
}

void write(json_writer& out, const task_status& value, const task& owner) {
  wire::write_status(out, words, value, owner.context, owner.id.str());
}

void write(json_writer& out, const push_config& value) {
  out.begin_object().member("name",
                            "tasks/" + value.task.str() + "/pushNotificationConfigs/" + value.id);
  out.key("pushNotificationConfig");
  wire_0_3::write_push_members(out, value);
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

result<message> read_message(const json::value& from, id_source& ids, const std::string& context) {
  return wire::read_alone(
      from, context, [&](const json::value& value, const place& where, first_failure& failure) {
        return wire_0_3::message_from(value, where, failure, wire_0_3::binding::rest, ids,
                                      wire_0_3::missing_id::made);
      });
}

result<part> read_part(const json::value& from, const std::string& context) {
  return wire::read_alone(from, context, wire_0_3::part_from_rest);
}

result<artifact> read_artifact(const json::value& from, const std::string& context) {
  return wire::read_alone(
      from, context, [](const json::value& value, const place& where, first_failure& failure) {
        return wire::read_artifact(value, where, wire_0_3::part_from_rest, failure);
      });
}

result<send_params> read_send_params(const json::value& params, id_source& ids, bool opt) {
  return wire::read_params(params, [&](const object_reader& in, first_failure& failure) {
    auto out = wire_0_3::send_params_from(in, failure, wire_0_3::binding::rest, ids,
                                          wire_0_3::missing_id{opt});
    drop_zero(out.history_length);
    return out;
  });
}

result<get_task> read_get_task(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    get_task out{wire::read_principal(in), task_of(in, "id", "name"), {}};
    out.view.history_length = in.whole_number("historyLength", 0, wire::history_length_max);
    drop_zero(out.view.history_length);
    return out;
  });
}

result<list_tasks> read_list_tasks(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    auto out = wire::read_list_tasks(in, wire_0_3::state_from);
    drop_zero(out.view.history_length);
    return out;
  });
}

result<cancel_task> read_cancel_task(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    return cancel_task{wire::read_principal(in), task_of(in, "id", "name"), in.object("metadata")};
  });
}

result<subscribe_to_task> read_subscribe(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    return subscribe_to_task{wire::read_principal(in), task_of(in, "id", "name")};
  });
}

result<create_push_config> read_create_push_config(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, first_failure& failure) {
    create_push_config out{wire::read_principal(in), create_push_config_from(in, failure)};
    out.config.task = task_of(in, "taskId", in.find("parent") ? "parent" : "name");
    if (out.config.id.empty())
      out.config.id = wire_0_3::default_push_id;
    return out;
  });
}

result<get_push_config> read_get_push_config(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    return get_push_config{wire::read_principal(in), task_of(in, "taskId", "name"), config_of(in)};
  });
}

result<list_push_configs> read_list_push_configs(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    list_push_configs out{
        wire::read_principal(in), task_of(in, "taskId", "parent"), push_page_size_max, {}};
    wire::read_page(in, out);
    return out;
  });
}

result<delete_push_config> read_delete_push_config(const json::value& params) {
  return wire::read_params(params, [](const object_reader& in, auto&) {
    delete_push_config out{wire::read_principal(in), task_of(in, "taskId", "name"), config_of(in)};
    if (out.id.empty())
      in.fail("id", "missing or empty; a push notification configuration is required");
    return out;
  });
}

} // namespace troupe::v0_3_rest

namespace troupe {

const wire_codec& codec_0_3_rest() noexcept {
  using boost::json::value;
  static constexpr wire_codec codec{
      .read_send =
          [](const value& from, bool opt) {
            return v0_3_rest::read_send_params(from, thread_id_source(), opt);
          },
      .read_get_task = &v0_3_rest::read_get_task,
      .read_list_tasks = &v0_3_rest::read_list_tasks,
      .read_cancel_task = &v0_3_rest::read_cancel_task,
      .read_subscribe = &v0_3_rest::read_subscribe,
      .read_create_push = &v0_3_rest::read_create_push_config,
      .read_get_push = &v0_3_rest::read_get_push_config,
      .read_list_push = &v0_3_rest::read_list_push_configs,
      .read_delete_push = &v0_3_rest::read_delete_push_config,
      .write_task = &v0_3_rest::write,
      .write_sent = &v0_3_rest::write_sent,
      .write_answer = [](json_writer& out, const message& value,
                         bool) { v0_3_rest::write_answer(out, value); },
      .write_task_list = &v0_3_rest::write_task_list,
      .write_push = &v0_3_rest::write,
      .write_push_list = &v0_3_rest::write_push_config_list,
      .write_push_deleted = [](json_writer& out) { out.begin_object().end_object(); },
      .write_snapshot =
          [](json_writer& out, const task& value, const task_view_options& view) {
            v0_3_rest::write_sent(out, value, view);
          },
      .write_event = &v0_3_rest::write_stream_event,
      .write_rpc_error = [](json_writer& out, const error& why,
                            timestamp) { write_jsonrpc_error_0_3(out, why); },
      .write_rest_error = &write_rest_error_0_3,
      .extended_card_shape = card_shape::rest_0_3,
      .refuses_subscribing_to_terminal = false,
      .refuses_repeated_cancel = true,
  };
  return codec;
}

} // namespace troupe
