#include "net/json_rpc.hpp"

#include "net/content_type.hpp"
#include "net/limits.hpp"
#include "net/operations.hpp"
#include "protocol/errc_wire.hpp"

#include <boost/json/object.hpp>

#include <algorithm>
#include <array>
#include <optional>
#include <unordered_map>

namespace troupe::net {

namespace {

namespace json = boost::json;

// -- the binding -------------------------------------------------------------------------------------------------------

class json_rpc_frame final : public binding {
public:
  void begin_result(const operation_call& call, std::string& out) const override { begin(call, out, "result"); }
  void end_result(std::string& out) const override { out += '}'; }

  void write_error(const operation_call& call, std::string& out, const error& why) const override {
    begin(call, out, "error");
    json_writer writer(out);
    call.codec->write_rpc_error(writer, why, call.server().options.now());
    out += '}';
  }

  /// 200 whatever happened, since the Go and Python SDKs drop the body of any other status; but for what proxies and clients know
  /// how to deal with: who is asking, overload, unavailability.
  unsigned status_of(const error& why) const override {
    const auto status = wire_of(why.code).http;
    return status == 401 || status == 429 || status == 503 ? status : 200;
  }

  std::string_view error_event() const noexcept override { return {}; }
  bool streams_refusals() const noexcept override { return true; }

private:
  static void begin(const operation_call& call, std::string& out, std::string_view member) {
    out += R"({"jsonrpc":"2.0","id":)";
    out += call.id;
    out += ",\"";
    out += member;
    out += "\":";
  }
};

// -- the table ---------------------------------------------------------------------------------------------------------

/// Under which versions a method exists.
enum class family : std::uint8_t {
  v1_0,      ///< Only with `A2A-Version: 1.0`.
  v0_3,      ///< With `A2A-Version: 0.3`, or without, as the specification reads a missing one.
  extension, ///< Under every supported version, or none named.
};

struct method {
  std::string_view name;
  family in;
  operation handle;
};

constexpr auto methods = std::to_array<method>({
    // A2A 1.0 section 9.4
    {"SendMessage",                         family::v1_0,      &send_message_operation          },
    {"SendStreamingMessage",                family::v1_0,      &send_streaming_message_operation},
    {"GetTask",                             family::v1_0,      &get_task_operation              },
    {"ListTasks",                           family::v1_0,      &list_tasks_operation            },
    {"CancelTask",                          family::v1_0,      &cancel_task_operation           },
    {"SubscribeToTask",                     family::v1_0,      &subscribe_to_task_operation     },
    {"CreateTaskPushNotificationConfig",    family::v1_0,      &create_push_config_operation    },
    {"GetTaskPushNotificationConfig",       family::v1_0,      &get_push_config_operation       },
    {"ListTaskPushNotificationConfigs",     family::v1_0,      &list_push_configs_operation     },
    {"DeleteTaskPushNotificationConfig",    family::v1_0,      &delete_push_config_operation    },
    {"GetExtendedAgentCard",                family::v1_0,      &get_extended_card_operation     },
    // A2A 0.3 section 7
    {"message/send",                        family::v0_3,      &send_message_operation          },
    {"message/stream",                      family::v0_3,      &send_streaming_message_operation},
    {"tasks/get",                           family::v0_3,      &get_task_operation              },
    {"tasks/list",                          family::v0_3,      &list_tasks_operation            },
    {"tasks/cancel",                        family::v0_3,      &cancel_task_operation           },
    {"tasks/resubscribe",                   family::v0_3,      &subscribe_to_task_operation     },
    {"tasks/pushNotificationConfig/set",    family::v0_3,      &create_push_config_operation    },
    {"tasks/pushNotificationConfig/get",    family::v0_3,      &get_push_config_operation       },
    {"tasks/pushNotificationConfig/list",   family::v0_3,      &list_push_configs_operation     },
    {"tasks/pushNotificationConfig/delete", family::v0_3,      &delete_push_config_operation    },
    {"agent/getAuthenticatedExtendedCard",  family::v0_3,      &get_extended_card_operation     },
    // The OPT extension (docs/a2a.md, D16)
    {"objectives/create",                   family::extension, &create_objective_operation      },
    {"objectives/get",                      family::extension, &get_objective_operation         },
    {"objectives/list",                     family::extension, &list_objectives_operation       },
    {"objectives/update",                   family::extension, &update_objective_operation      },
    {"plans/create",                        family::extension, &create_plan_operation           },
    {"plans/get",                           family::extension, &get_plan_operation              },
    {"plans/update",                        family::extension, &update_plan_operation           },
});

const method* find_method(std::string_view name) {
  static const auto table = [] {
    std::unordered_map<std::string_view, const method*> all;
    for (const auto& one : methods)
      all.emplace(one.name, &one);
    return all;
  }();
  const auto found = table.find(name);
  return found == table.end() ? nullptr : found->second;
}

// -- the envelope ------------------------------------------------------------------------------------------------------

/// Takes the id out of the envelope; false if it cannot be one.
bool read_id(const json::object& envelope, std::string& out) {
  const auto* id = envelope.if_contains("id");
  if (id == nullptr || id->is_null())
    return true;
  if (!id->is_string() && !id->is_number())
    return false;
  if (id->is_string() && id->get_string().size() > rpc_id_bytes_max)
    return false;
  std::string text;
  json_writer(text).value(*id);
  out = std::move(text);
  return true;
}

error no_method(std::string_view name) {
  return make_error(errc::method_not_found,
                    "no method \"" + shown(name) + "\" (methods of A2A 1.0 are spelled like SendMessage, of 0.3 like message/send)",
                    shown(name));
}

/// Whether the version asked for has the method (A2A 1.0 section 3.6.2; docs/a2a.md, D1); sets the codec that serves it.
std::optional<error> check_version(operation_call& call, std::string_view name, const method* found) {
  if (call.version == asked_version::unknown)
    return version_not_supported(call);
  if (found == nullptr)
    return no_method(name);
  if (found->in == family::v0_3 && call.version == asked_version::v1_0)
    return no_method(name);
  if (found->in == family::v1_0 && call.version != asked_version::v1_0) {
    call.codec = &codec_1_0();
    if (call.version == asked_version::v0_3 || !call.server().options.lenient_version)
      return version_missing(call, name);
  }
  return std::nullopt;
}

/// The envelope's checks (JSON-RPC 2.0 section 4), then version, method and params; the method to call, or the error.
result<operation> read_envelope(operation_call& call, const json::value& root) {
  const auto* envelope = root.if_object();
  if (envelope == nullptr)
    return make_error(errc::invalid_request, root.is_array() ? "batches are not part of A2A; send one object per request"
                                                             : "the body must be one JSON object");
  if (!read_id(*envelope, call.id))
    return make_error(errc::invalid_request,
                      "id must be a number, null, or a string of at most " + std::to_string(rpc_id_bytes_max) + " bytes", "id");
  const auto* version = envelope->if_contains("jsonrpc");
  if (version == nullptr || !version->is_string() || version->get_string() != "2.0")
    return make_error(errc::invalid_request, "jsonrpc must be \"2.0\"", "jsonrpc");
  const auto* name = envelope->if_contains("method");
  if (name == nullptr || !name->is_string())
    return make_error(errc::invalid_request, "method must be a string", "method");
  call.params = envelope->if_contains("params");

  const std::string_view method_name(name->get_string().data(), name->get_string().size());
  const auto* found = find_method(method_name);
  if (auto refused = check_version(call, method_name, found))
    return *std::move(refused);
  if (call.params != nullptr && !call.params->is_object() && !call.params->is_null())
    return make_error(errc::invalid_params, "params must be an object", "params");
  return found->handle;
}

} // namespace

const binding& json_rpc_binding() noexcept {
  static const json_rpc_frame frame;
  return frame;
}

awaitable<void> serve_json_rpc(session& connection) {
  const auto& request = connection.request();
  auto& call = connection.begin_call();
  read_service_parameters(call);
  if (!is_json(request.content_type)) {
    // Before the body is looked at: what is not sent as JSON need not be any.
    fail(call, make_error(errc::content_type_not_supported,
                          "send `Content-Type: application/json`, not \"" + shown(request.content_type) + "\""));
    connection.response().status = 400;
    return {};
  }
  error_code ec;
  std::size_t offset = 0;
  const auto* root = connection.home().scratch().parse(request.body, ec, offset);
  if (root == nullptr) {
    fail(call, explain_parse_error(request.body, ec, offset, call.server().options.json_depth_max));
    return {};
  }
  const auto handle = read_envelope(call, *root);
  if (!handle) {
    fail(call, handle.error());
    return {};
  }
  return (*handle)(call);
}

} // namespace troupe::net
